// Gaussian numbers that depend on nothing but where they stand, so that any rank can make any
// other's.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>

namespace cerar::bench {

// One vector's worth of independent numbers, mean 0 and variance 1.
class Gaussian {
 public:
  Gaussian(std::uint64_t seed, std::uint64_t vector) : key_(mix(mix(seed) ^ vector)) {}

  // Elements first … first + count − 1.
  template <class T>
  void fill(T* out, std::size_t first, std::size_t count) const {
    for (std::size_t i = 0; i < count;) {
      const std::size_t at = first + i;
      const auto numbers = pair(at / 2);
      if (at % 2 == 0 && i + 1 < count) {
        out[i++] = static_cast<T>(numbers.first);
        out[i++] = static_cast<T>(numbers.second);
      } else {
        out[i++] = static_cast<T>(at % 2 == 0 ? numbers.first : numbers.second);
      }
    }
  }

 private:
  // The finalizer of SplitMix64 (Steele, Lea and Flood, 2014) after its increment.
  static std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }

  // The Box–Muller transform of two even numbers in (0, 1].
  std::pair<double, double> pair(std::uint64_t index) const {
    const std::uint64_t bits = mix(key_ + index);
    const auto high = static_cast<double>((bits >> 32) + 1) * 0x1p-32;
    const auto low = static_cast<double>(bits & 0xFFFFFFFFu) * 0x1p-32;
    const double radius = std::sqrt(-2 * std::log(high));
    const double angle = 2 * std::numbers::pi * low;
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }

  std::uint64_t key_;
};

}  // namespace cerar::bench
