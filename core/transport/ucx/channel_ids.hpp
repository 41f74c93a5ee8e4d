// Numbers that tell the rings that end in a process apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>

namespace cerar::transport::ucx {

// Hands out 1 … limit. A number given back is used again as late as possible: messages of a
// cancelled call may still come.
class ChannelIds {
 public:
  explicit ChannelIds(std::uint32_t limit) : limit_(limit) {}

  // Nothing if all are in use.
  std::optional<std::uint32_t> take() {
    if (used_.size() == limit_) return std::nullopt;
    do {
      last_ = last_ % limit_ + 1;
    } while (!used_.insert(last_).second);
    return last_;
  }

  void give_back(std::uint32_t id) { used_.erase(id); }

  std::size_t used() const { return used_.size(); }

 private:
  std::uint32_t limit_;
  std::uint32_t last_ = 0;
  std::unordered_set<std::uint32_t> used_;
};

}  // namespace cerar::transport::ucx
