// What a call tells of sums that are too great or too small for its code.
#include "core/ring/range.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>

#include "tests/unit/ring_harness.hpp"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace cerar::ring::test {
namespace {

// Numbers below the smallest normal one are taken for zero, as in programs made with -ffast-math.
class FlushToZero {
 public:
  explicit FlushToZero(bool on) {
#if defined(__SSE__)
    if (on) _mm_setcsr(before_ | 0x8040);
#else
    (void)on;
#endif
  }
  ~FlushToZero() {
#if defined(__SSE__)
    _mm_setcsr(before_);
#endif
  }

 private:
#if defined(__SSE__)
  unsigned before_ = _mm_getcsr();
#endif
};

template <class T>
class Range : public testing::Test {
 protected:
  Range() : seed_(std::random_device{}()), random_(seed_) {
    std::cout << "seed " << seed_ << std::endl;
  }

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  // Gaussian numbers of magnitude 2^exponent, on all elements or on a few; these have one sign, as
  // few sums are not to be small by chance.
  Vectors<T> data(int ranks, std::size_t count, int exponent, bool sparse) {
    Vectors<T> made(ranks, std::vector<T>(count, T{0}));
    std::normal_distribution<long double> normal;
    const std::size_t step = sparse ? count / 3 : 1;
    for (auto& vector : made) {
      for (std::size_t i = 0; i < count; i += step) {
        const long double value = std::ldexp(normal(random_), exponent);
        vector[i] = static_cast<T>(sparse ? std::abs(value) : value);
      }
    }
    return made;
  }

  struct Seen {
    int good = 0, small = 0, not_finite = 0, exceeds = 0;
  };

  // Runs one call and checks what it tells against what came out. revolutions: c/N.
  void run(int revolutions, int exponent, bool flush, Seen& seen) {
    TeamOptions options;
    options.ranks = between(2, 5);
    options.components = revolutions * options.ranks;
    options.segment_bytes = 4096;
    const std::size_t count = between(1000, 6000);
    Reduction<T> reduction(data(options.ranks, count, exponent, between(0, 3) == 0));
    for (std::size_t rank = 0; rank < reduction.in_place.size(); ++rank) {
      reduction.in_place[rank] = between(0, 1) == 1;
    }
    const auto sum = exact_sum(reduction.inputs);
    Ring ring(options);
    ring.post(reduction);
    // Little more than what the code has without small numbers.
    const double tolerance = 2 * ring.team(0).last_code().error;
    {
      const FlushToZero mode(flush);
      ring.finish(reduction);
      for (int rank = 0; rank < options.ranks; ++rank) {
        ranges_.push_back(reduction.calls[rank]->range());
      }
    }
    for (int rank = 0; rank < options.ranks; ++rank) {
      const double error = relative_error(reduction.results[rank], sum, 0, count);
      const bool exceeds = !(error <= tolerance) && !vanished(reduction.results[rank]);
      seen.exceeds += exceeds;
      switch (ranges_[rank]) {
        case CERAR_RANGE_GOOD:
          ++seen.good;
          EXPECT_FALSE(exceeds) << error << ", tolerance " << tolerance << ", exponent " << exponent
                                << ", flush " << flush << ", N = " << options.ranks;
          break;
        case CERAR_RANGE_SMALL:
          ++seen.small;
          EXPECT_LT(exponent, 0);
          break;
        case CERAR_RANGE_NOT_FINITE:
          ++seen.not_finite;
          EXPECT_GT(exponent, 0);
      }
    }
    ranges_.clear();
  }

  // Numbers that close to the smallest become zero in any arithmetic.
  static bool vanished(const std::vector<T>& result) {
    return std::all_of(result.begin(), result.end(), [](T value) { return value == 0; });
  }

  unsigned seed_;
  std::mt19937_64 random_;
  std::vector<cerar_range_t> ranges_;
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Range, Types);

TYPED_TEST(Range, IsToldWhereverTheToleranceIsExceeded) {
  using Limits = std::numeric_limits<TypeParam>;
  constexpr int kLowest = Limits::min_exponent - Limits::digits;
  for (const bool flush : {false, true}) {
    typename TestFixture::Seen small, great;
    for (int round = 0; round < 150; ++round) {
      const int revolutions = this->between(2, 3);
      this->run(revolutions, kLowest + this->between(3, 3 * Limits::digits), flush, small);
      this->run(revolutions, Limits::max_exponent - this->between(5, 60), flush, great);
    }
    EXPECT_GT(small.small, 100) << "flush " << flush;
    EXPECT_GT(small.good, 0) << "flush " << flush;
    EXPECT_GT(small.exceeds, 50) << "these data are no test: flush " << flush;
    EXPECT_GT(great.not_finite, 50) << "flush " << flush;
    EXPECT_GT(great.good, 50) << "flush " << flush;
    EXPECT_GT(great.exceeds, 50) << "these data are no test: flush " << flush;
  }
}

TYPED_TEST(Range, IsGoodForOrdinaryNumbers) {
  typename TestFixture::Seen seen;
  for (int round = 0; round < 60; ++round) {
    this->run(this->between(2, 3), this->between(-60, 60), this->between(0, 1) == 1, seen);
  }
  EXPECT_EQ(seen.small + seen.not_finite, 0);
}

// Their sums are right however great or small.
TYPED_TEST(Range, IsGoodForExactCodes) {
  using Limits = std::numeric_limits<TypeParam>;
  typename TestFixture::Seen seen;
  this->run(1, Limits::min_exponent - 10, false, seen);
  EXPECT_GT(seen.good, 0);
  EXPECT_EQ(seen.small, 0);
}

TYPED_TEST(Range, IsGoodForZeros) {
  TeamOptions options;
  options.ranks = 3;
  options.components = 6;
  Ring ring(options);
  Reduction<TypeParam> reduction(Vectors<TypeParam>(3, std::vector<TypeParam>(500, 0)));
  ring.run(reduction);
  EXPECT_EQ(reduction.calls[0]->range(), CERAR_RANGE_GOOD);
}

TYPED_TEST(Range, IsNotFiniteWhereTheDataAreNot) {
  for (const TypeParam bad :
       {std::numeric_limits<TypeParam>::infinity(), std::numeric_limits<TypeParam>::quiet_NaN()}) {
    TeamOptions options;
    options.ranks = 4;
    options.components = 8;
    options.segment_bytes = 1024;
    Reduction<TypeParam> reduction(gaussian<TypeParam>(4, 5000, this->seed_));
    reduction.inputs[1][this->between(0, 4999)] = -bad;
    Ring ring(options);
    ring.run(reduction);
    for (int rank = 0; rank < 4; ++rank) {
      EXPECT_EQ(reduction.calls[rank]->range(), CERAR_RANGE_NOT_FINITE);
    }
  }
}

}  // namespace
}  // namespace cerar::ring::test
