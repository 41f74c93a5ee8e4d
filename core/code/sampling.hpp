// Sums of smooth terms, from a few of them.
#pragma once

#include <algorithm>
#include <vector>

namespace cerar::code {

struct Sample {
  int index;
  double weight;
};

// At most `most` of the indices begin … end − 1, evenly spread, each with the number that it stands
// for.
inline std::vector<Sample> samples(int begin, int end, int most) {
  const int count = end - begin, taken = std::min(count, most);
  std::vector<Sample> chosen;
  for (int k = 0; k < taken; ++k) {
    const int index = begin + static_cast<int>((2L * k + 1) * count / (2L * taken));
    chosen.push_back({index, static_cast<double>(count) / taken});
  }
  return chosen;
}

}  // namespace cerar::code
