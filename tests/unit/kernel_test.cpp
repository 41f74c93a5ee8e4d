// combine and decode of every version against long double, on random shapes, alignments and
// aliases. Whatever the arguments do not describe is NaN, which shows both when it is read into a
// result and when it is overwritten.
#include "core/kernel/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel/table.hpp"

namespace cerar::kernel {
namespace {

unsigned seed() {
  static const unsigned value = [] {
    const char* given = std::getenv("CERAR_TEST_SEED");
    const unsigned chosen = given != nullptr ? std::stoul(given) : std::random_device{}();
    std::cout << "CERAR_TEST_SEED=" << chosen << std::endl;
    return chosen;
  }();
  return value;
}

class Random {
 public:
  Random() : engine_(seed()) {}

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  bool coin() { return between(0, 1) == 1; }
  template <class T>
  T value() {
    return std::uniform_real_distribution<T>(-2, 2)(engine_);
  }
  std::vector<int> permutation(int n) {
    std::vector<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    std::shuffle(all.begin(), all.end(), engine_);
    return all;
  }

 private:
  std::mt19937 engine_;
};

// What a buffer must hold after a call: `is` exactly where `slack` is 0, else to within slack.
struct Expected {
  long double is;
  long double slack;
};

// `size` elements of NaN between up to 20 more on either side, so that all alignments come up, and
// so does the end of the allocation.
template <class T>
class Buffer {
 public:
  Buffer(Random& random, std::size_t size)
      : before_(random.between(0, 20)),
        size_(size),
        data_(before_ + size + random.between(0, 20), std::numeric_limits<T>::quiet_NaN()),
        expected_(data_.size(), {std::numeric_limits<long double>::quiet_NaN(), 0}) {}

  T* at(std::size_t i) { return data_.data() + before_ + i; }

  void fill(Random& random, std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) {
      *at(i) = random.template value<T>();
      expected_[before_ + i] = {*at(i), 0};
    }
  }
  void fill(Random& random) { fill(random, 0, size_); }
  void expect(std::size_t i, Expected value) { expected_[before_ + i] = value; }

  // The first element that is not as expected, in words; "" if there is none.
  std::string difference() const {
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const auto [is, slack] = expected_[i];
      const bool same = std::isnan(is) ? std::isnan(data_[i]) : std::abs(data_[i] - is) <= slack;
      if (same) continue;
      const auto index = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(before_);
      return "element " + std::to_string(index) + " of " + std::to_string(size_) + " is " +
             std::to_string(data_[i]) + ", not " + std::to_string(is);
    }
    return "";
  }

 private:
  std::size_t before_;
  std::size_t size_;
  std::vector<T> data_;
  std::vector<Expected> expected_;
};

// start + Σ_k a[k]·x[k] with a bound of what n roundings can do to it in T.
template <class T>
class Sum {
 public:
  explicit Sum(T start = 0) : sum_(start), magnitude_(std::abs(start)) {}

  void add(T a, T x) {
    sum_ += static_cast<long double>(a) * x;
    magnitude_ += std::abs(static_cast<long double>(a) * x);
    ++terms_;
  }
  Expected expected() const {
    return {sum_, 2 * terms_ * magnitude_ * std::numeric_limits<T>::epsilon()};
  }

 private:
  long double sum_;
  long double magnitude_;
  int terms_ = 0;
};

enum class Store { none, apart, on_a_term };

struct CombineCase {
  int terms;
  bool has_in;
  bool in_place;  // out == in
  bool has_out;
  Store store;
  std::size_t width;
  std::size_t tiles;
  int lanes;        // of the vector
  std::size_t gap;  // the stride is lanes·width + gap

  std::size_t stride() const { return lanes * width + gap; }
  std::size_t vector_size() const { return (tiles - 1) * stride() + lanes * width; }
};

std::ostream& operator<<(std::ostream& out, const CombineCase& c) {
  return out << "terms " << c.terms << " in " << c.has_in << " in place " << c.in_place << " out "
             << c.has_out << " store " << static_cast<int>(c.store) << " width " << c.width
             << " tiles " << c.tiles << " lanes " << c.lanes << " gap " << c.gap;
}

CombineCase random_combine(Random& random, int terms) {
  CombineCase c{};
  c.terms = terms;
  c.has_in = random.between(0, 3) != 0;
  c.has_out = random.between(0, 3) != 0;
  c.in_place = c.has_in && c.has_out && random.coin();
  c.store = static_cast<Store>(random.between(c.has_out ? 0 : 1, terms > 0 ? 2 : 1));
  c.width = random.between(1, 300);
  c.tiles = random.between(1, 4);
  c.lanes = std::max(1, terms) + random.between(0, 2);
  c.gap = random.coin() ? 0 : random.between(1, 5);
  return c;
}

template <class T>
void check_combine(const Version& version, Random& random, const CombineCase& c) {
  SCOPED_TRACE(testing::Message() << version.name << ": " << c);
  Buffer<T> packet(random, c.width * c.tiles), result(random, c.width * c.tiles);
  Buffer<T> vector(random, c.vector_size()), target(random, c.vector_size());
  if (c.has_in) packet.fill(random);
  const std::vector<int> lanes = random.permutation(c.lanes);
  for (int k = 0; k < c.terms; ++k) {
    for (std::size_t tile = 0; tile < c.tiles; ++tile) {
      vector.fill(random, tile * c.stride() + lanes[k] * c.width, c.width);
    }
  }

  Combine<T> args;
  args.terms = c.terms;
  args.width = c.width;
  args.tiles = c.tiles;
  args.stride = c.stride();
  for (int k = 0; k < c.terms; ++k) {
    args.x[k] = vector.at(lanes[k] * c.width);
    args.alpha[k] = random.value<T>();
  }
  Buffer<T>& out = c.in_place ? packet : result;
  if (c.has_in) args.in = packet.at(0);
  if (c.has_out) args.out = out.at(0);
  const int store_lane = lanes[random.between(0, std::max(c.terms, 1) - 1)];
  Buffer<T>& stored = c.store == Store::on_a_term ? vector : target;
  if (c.store != Store::none) args.store = stored.at(store_lane * c.width);

  for (std::size_t i = 0; i < c.width * c.tiles; ++i) {
    const std::size_t at = i / c.width * c.stride() + i % c.width;
    Sum<T> sum(c.has_in ? *packet.at(i) : T{0});
    for (int k = 0; k < c.terms; ++k) sum.add(args.alpha[k], args.x[k][at]);
    if (c.has_out) out.expect(i, sum.expected());
    if (c.store != Store::none) stored.expect(store_lane * c.width + at, sum.expected());
  }
  combine(version, args);
  EXPECT_EQ(packet.difference(), "") << "in";
  EXPECT_EQ(result.difference(), "") << "out";
  EXPECT_EQ(vector.difference(), "") << "x";
  EXPECT_EQ(target.difference(), "") << "store";
}

enum class Place { apart, on_y, on_g };

struct DecodeCase {
  int lanes;
  bool own;
  Place place;
  std::size_t width;
  std::size_t tiles;
};

std::ostream& operator<<(std::ostream& out, const DecodeCase& c) {
  return out << "lanes " << c.lanes << " own " << c.own << " place " << static_cast<int>(c.place)
             << " width " << c.width << " tiles " << c.tiles;
}

DecodeCase random_decode(Random& random, int lanes) {
  DecodeCase c{};
  c.lanes = lanes;
  c.own = random.coin();
  c.place = static_cast<Place>(random.between(0, c.own ? 2 : 1));
  c.width = random.between(1, lanes > kMaxTerms ? 70 : 300);
  c.tiles = random.between(1, 3);
  return c;
}

template <class T>
void check_decode(const Version& version, Random& random, const DecodeCase& c) {
  SCOPED_TRACE(testing::Message() << version.name << ": " << c);
  const std::size_t lanes = c.lanes, tile_size = lanes * c.width, size = tile_size * c.tiles;
  Buffer<T> y(random, size), g(random, size), apart(random, size);
  Buffer<T> w(random, lanes * lanes), own(random, lanes * lanes);
  y.fill(random);
  w.fill(random);
  if (c.own) {
    g.fill(random);
    own.fill(random);
  }
  Buffer<T>& out = c.place == Place::on_y ? y : c.place == Place::on_g ? g : apart;

  Decode<T> args;
  args.out = out.at(0);
  args.y = y.at(0);
  args.w = w.at(0);
  if (c.own) {
    args.g = g.at(0);
    args.own = own.at(0);
  }
  args.lanes = c.lanes;
  args.width = c.width;
  args.tiles = c.tiles;

  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t row = i % tile_size / c.width;
    const std::size_t column = i / tile_size * tile_size + i % c.width;
    Sum<T> sum;
    for (std::size_t m = 0; m < lanes; ++m) {
      sum.add(*w.at(row * lanes + m), *y.at(column + m * c.width));
      if (c.own) sum.add(*own.at(row * lanes + m), *g.at(column + m * c.width));
    }
    out.expect(i, sum.expected());
  }
  decode(version, args);
  EXPECT_EQ(y.difference(), "") << "y";
  EXPECT_EQ(g.difference(), "") << "g";
  EXPECT_EQ(apart.difference(), "") << "out";
  EXPECT_EQ(w.difference(), "") << "w";
  EXPECT_EQ(own.difference(), "") << "own";
}

template <class T>
class KernelTest : public testing::Test {
 protected:
  Random random_;
  const std::vector<const Version*> versions_ = available_versions();
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelTest, Types);

TYPED_TEST(KernelTest, CombineMatchesTheReference) {
  for (const Version* version : this->versions_) {
    for (int terms = 0; terms <= kMaxTerms; ++terms) {
      for (int i = 0; i < 200; ++i) {
        check_combine<TypeParam>(*version, this->random_, random_combine(this->random_, terms));
        ASSERT_FALSE(this->HasFailure());
      }
    }
  }
}

TYPED_TEST(KernelTest, DecodeMatchesTheReference) {
  for (const Version* version : this->versions_) {
    for (int lanes : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 33, 150}) {
      for (int i = 0; i < (lanes > 100 ? 10 : 100); ++i) {
        check_decode<TypeParam>(*version, this->random_, random_decode(this->random_, lanes));
        ASSERT_FALSE(this->HasFailure());
      }
    }
  }
}

TYPED_TEST(KernelTest, EmptyCallsTouchNothing) {
  for (const Version* version : this->versions_) {
    for (const bool no_tiles : {false, true}) {
      Buffer<TypeParam> buffer(this->random_, 64);
      const TypeParam w[4] = {1, 2, 3, 4};
      Combine<TypeParam> sum;
      sum.out = buffer.at(0);
      sum.store = sum.out;
      sum.width = no_tiles ? 16 : 0;
      sum.tiles = no_tiles ? 0 : 4;
      sum.stride = 16;
      combine(*version, sum);
      Decode<TypeParam> matrix;
      matrix.out = buffer.at(0);
      matrix.y = matrix.out;
      matrix.w = w;
      matrix.lanes = 2;
      matrix.width = sum.width;
      matrix.tiles = sum.tiles;
      decode(*version, matrix);
      EXPECT_EQ(buffer.difference(), "");
    }
  }
}

// An element's value depends on its operands alone, not on how the vector was cut into tiles and
// calls.
TYPED_TEST(KernelTest, ResultsDoNotDependOnTheCut) {
  constexpr std::size_t kSize = 101;
  for (const Version* version : this->versions_) {
    Buffer<TypeParam> in(this->random_, kSize), x(this->random_, 2 * kSize);
    Buffer<TypeParam> whole(this->random_, kSize), single(this->random_, kSize);
    in.fill(this->random_);
    x.fill(this->random_);
    Combine<TypeParam> args;
    args.in = in.at(0);
    args.out = whole.at(0);
    args.x[0] = x.at(0);
    args.x[1] = x.at(kSize);
    args.alpha[0] = this->random_.template value<TypeParam>();
    args.alpha[1] = this->random_.template value<TypeParam>();
    args.terms = 2;
    args.width = kSize;
    args.tiles = 1;
    combine(*version, args);
    args.width = 1;
    for (std::size_t i = 0; i < kSize; ++i) {
      args.in = in.at(i);
      args.out = single.at(i);
      args.x[0] = x.at(i);
      args.x[1] = x.at(kSize + i);
      combine(*version, args);
    }
    EXPECT_EQ(std::memcmp(whole.at(0), single.at(0), kSize * sizeof(TypeParam)), 0)
        << version->name;
  }
}

// The same of decode: a tile at once, its lanes taken as many vectors at a time as the registers
// hold, gives what its columns give one by one.
TYPED_TEST(KernelTest, DecodedValuesDoNotDependOnTheCut) {
  constexpr std::size_t kSize = 300;
  for (const Version* version : this->versions_) {
    for (int k = 0; k < 2 * (kMaxTerms + 1); ++k) {
      const std::size_t lanes = k / 2 + 1;
      Buffer<TypeParam> y(this->random_, lanes * kSize), g(this->random_, lanes * kSize);
      Buffer<TypeParam> w(this->random_, lanes * lanes), own(this->random_, lanes * lanes);
      for (auto* buffer : {&y, &g, &w, &own}) buffer->fill(this->random_);
      std::vector<TypeParam> whole(lanes * kSize), column(lanes), mine(lanes);
      Decode<TypeParam> args;
      args.out = whole.data();
      args.y = y.at(0);
      args.g = g.at(0);
      args.w = w.at(0);
      args.own = k % 2 == 0 ? nullptr : own.at(0);
      args.lanes = static_cast<int>(lanes);
      args.width = kSize;
      args.tiles = 1;
      decode(*version, args);
      args.out = column.data();
      args.y = column.data();
      args.g = mine.data();
      args.width = 1;
      for (std::size_t i = 0; i < kSize; ++i) {
        for (std::size_t m = 0; m < lanes; ++m) {
          column[m] = *y.at(m * kSize + i);
          mine[m] = *g.at(m * kSize + i);
        }
        decode(*version, args);
        for (std::size_t m = 0; m < lanes; ++m) {
          ASSERT_EQ(column[m], whole[m * kSize + i])
              << version->name << ": lane " << m << " of " << lanes << ", element " << i;
        }
      }
    }
  }
}

TYPED_TEST(KernelTest, GreatestMagnitudeIsFoundWhereverItStands) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam greater[] = {TypeParam(-3), Limits::max(), -Limits::infinity(),
                               -Limits::quiet_NaN()};
  for (const Version* version : this->versions_) {
    EXPECT_EQ(greatest_magnitude<TypeParam>(*version, nullptr, 0), 0u);
    for (std::size_t elements : {1, 2, 7, 16, 63, 64, 65, 200}) {
      std::vector<TypeParam> values(elements + 1);
      for (TypeParam& value : values) value = this->random_.template value<TypeParam>();
      for (std::size_t at = 0; at < elements; ++at) {
        for (const TypeParam value : greater) {
          const TypeParam before = std::exchange(values[at], value);
          EXPECT_EQ(greatest_magnitude(*version, values.data(), elements),
                    std::bit_cast<Magnitude<TypeParam>>(std::abs(value)))
              << version->name << ", " << value << " at " << at << " of " << elements;
          values[at] = before;
        }
      }
    }
  }
}

TYPED_TEST(KernelTest, PublicFunctionsRunTheVersionInUse) {
  const TypeParam in[3] = {1, 2, 3}, x[3] = {10, 20, 30}, w[4] = {1, 2, 3, 4};
  TypeParam out[3] = {}, pair[2] = {5, 7};
  Combine<TypeParam> sum{
      .out = out, .in = in, .x = {x}, .alpha = {2}, .terms = 1, .width = 3, .tiles = 1};
  combine(sum);
  EXPECT_EQ(std::vector<TypeParam>(out, out + 3), (std::vector<TypeParam>{21, 42, 63}));
  decode(Decode<TypeParam>{.out = pair, .y = pair, .w = w, .lanes = 2, .width = 1, .tiles = 1});
  EXPECT_EQ(pair[0], 19);
  EXPECT_EQ(pair[1], 43);
}

void exit_with_version(const char* wish, const char* expected) {
  wish != nullptr ? setenv("CERAR_KERNEL", wish, 1) : unsetenv("CERAR_KERNEL");
  std::exit(std::string(version()) == expected ? 0 : 1);
}

TEST(KernelVersionTest, EnvironmentChoosesAmongTheAvailable) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process: the choice is made once
  const auto succeeds = testing::ExitedWithCode(0);
  const char* best = available_versions().back()->name;
  EXPECT_EXIT(exit_with_version("nonsense", best), succeeds, "");
  EXPECT_EXIT(exit_with_version("", best), succeeds, "");
  EXPECT_EXIT(exit_with_version(nullptr, best), succeeds, "");
  // At the end: the process, which counts to find its place, may have more of them than this one
  // has under valgrind.
  for (const Version* each : available_versions()) {
    EXPECT_EXIT(exit_with_version(each->name, each->name), succeeds, "");
  }
}

}  // namespace
}  // namespace cerar::kernel
