// Errors against a sum in twice the precision of double, which a long double is not everywhere:
// valgrind computes it as double.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/unit/ring_harness.hpp"

namespace cerar::ring::test {

// Safe from overflow and underflow of squares.
inline double norm(const std::vector<double>& x) {
  double greatest = 0, sum = 0;
  for (double value : x) greatest = std::max(greatest, std::abs(value));
  if (greatest == 0) return 0;
  for (double value : x) sum += (value / greatest) * (value / greatest);
  return greatest * std::sqrt(sum);
}

// high + low is the sum, to about 106 bits.
struct DoubleDouble {
  double high = 0, low = 0;
  void add(double x) {
    const double sum = high + x, part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
  }
};

template <class T>
double error_norm(const Vectors<T>& data, const std::vector<T>& result) {
  std::vector<double> error;
  for (std::size_t e = 0; e < result.size(); ++e) {
    DoubleDouble sum;
    for (const auto& vector : data) sum.add(vector[e]);
    error.push_back((result[e] - sum.high) - sum.low);
  }
  return norm(error);
}

// The largest ‖result − sum‖ / ‖sum‖.
template <class T>
double worst_relative_error(const Vectors<T>& data, const Vectors<T>& results) {
  double worst = 0;
  for (const auto& result : results) worst = std::max(worst, error_norm(data, result));
  return worst / error_norm(data, std::vector<T>(data[0].size()));
}

}  // namespace cerar::ring::test
