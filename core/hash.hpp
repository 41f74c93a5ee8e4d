// FNV-1a with 64 bits: the same on all machines, for what ranks compare.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace cerar {

class Hash {
 public:
  void add(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) add_byte(value >> (8 * byte) & 0xff);
  }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value + 0.0)); }  // −0 is 0
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return state_; }

 private:
  void add_byte(std::uint64_t byte) { state_ = (state_ ^ byte) * 0x100000001b3; }

  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace cerar
