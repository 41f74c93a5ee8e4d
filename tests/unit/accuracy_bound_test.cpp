// The bound of the error against the engine, on data meant to break it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "core/code/bound.hpp"
#include "tests/unit/accuracy_reference.hpp"
#include "tests/unit/error_law.hpp"
#include "tests/unit/ring_harness.hpp"

namespace cerar::ring::test {
namespace {

using code::ErrorBound;
using code::OwnContribution;
using Random = std::mt19937_64;

int random_cases() {
  const char* wish = std::getenv("CERAR_ACCURACY_CASES");
  return wish != nullptr ? std::atoi(wish) : 1000;
}

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

int pick(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

template <class T>
std::vector<double> norms_of(const Vectors<T>& data) {
  std::vector<double> norms;
  for (const auto& vector : data) {
    norms.push_back(norm(std::vector<double>(vector.begin(), vector.end())));
  }
  return norms;
}

enum class Data {
  gaussian,
  cauchy,
  zeros,
  scales,
  denormals,
  one_large,
  identical,
  one_lane,
  rank_scales,
  cancelling
};
constexpr int kKinds = 10;

// Far enough from overflow for the greatest decode matrix.
template <class T>
constexpr double kGreatest = sizeof(T) == 4 ? 1e25 : 1e280;

template <class T>
T clipped(double x) {
  return static_cast<T>(std::clamp(x, -kGreatest<T>, kGreatest<T>));
}

template <class T>
double any_scale(Random& random) {
  const double decades = sizeof(T) == 4 ? 24 : 279;
  return std::pow(10, uniform(random, -decades, decades));
}

// One element; `scale` is its rank's.
template <class T>
T element(Data kind, Random& random, double scale) {
  const double z = std::normal_distribution<double>()(random);
  switch (kind) {
    case Data::cauchy:
      return clipped<T>(scale * std::tan(uniform(random, -1.5707963, 1.5707963)));
    case Data::scales:
      return clipped<T>(z * any_scale<T>(random));
    case Data::denormals:
      return static_cast<T>(pick(random, -20, 20) * std::numeric_limits<T>::denorm_min() *
                            std::pow(T{2}, static_cast<T>(pick(random, 0, 26))));
    default:
      return clipped<T>(scale * z);
  }
}

template <class T>
void put_zeros(Random& random, std::vector<T>& vector) {
  const std::size_t block = 1 + random() % vector.size();
  for (std::size_t e = 0; e < vector.size(); ++e) {
    if ((e / block + random() % 2) % 2) vector[e] = 0;
  }
}

// Adds up to little: ranks in turn have about the same with the opposite sign.
template <class T>
void cancel(Vectors<T>& data) {
  for (std::size_t rank = 1; rank < data.size(); rank += 2) {
    for (std::size_t e = 0; e < data[0].size(); ++e) {
      data[rank][e] = -data[rank - 1][e] + data[rank][e] * std::numeric_limits<T>::epsilon() * 8;
    }
  }
}

template <class T>
void keep_one_lane(Random& random, std::vector<T>& vector) {
  const std::size_t lanes = 2 + random() % 3, lane = random() % lanes;
  for (std::size_t e = 0; e < vector.size(); ++e) {
    if (e / kTileWidth % lanes != lane) vector[e] = 0;
  }
}

template <class T>
Vectors<T> make_data(Data kind, int ranks, std::size_t count, Random& random) {
  Vectors<T> data(ranks, std::vector<T>(count));
  const double common = random() % 2 ? 1 : any_scale<T>(random);
  const auto large = random() % static_cast<unsigned>(ranks);
  for (std::size_t rank = 0; rank < data.size(); ++rank) {
    double scale = kind == Data::rank_scales ? any_scale<T>(random) : common;
    if (kind == Data::one_large) scale = rank == large ? 1e12 : 1e-3;
    for (T& x : data[rank]) x = element<T>(kind, random, scale);
    if (kind == Data::zeros) put_zeros(random, data[rank]);
    if (kind == Data::one_lane) keep_one_lane(random, data[rank]);
    if (kind == Data::identical) data[rank] = data[0];
  }
  if (kind == Data::cancelling) cancel(data);
  return data;
}

// A ring and the bounds of its ranks.
struct Subject {
  code::Spec spec;
  std::unique_ptr<Ring> ring;
  std::vector<ErrorBound> not_in_place, in_place;  // by rank
};

plan::Design design_of(code::Construction construction) {
  switch (construction) {
    case code::Construction::scaled:
      return plan::Design::constrained;
    case code::Construction::vandermonde:
      return plan::Design::vandermonde;
    default:
      return plan::Design::automatic;
  }
}

Subject make_subject(const code::Spec& spec) {
  TeamOptions options;
  options.design = design_of(spec.construction);
  options.ranks = spec.ranks;
  options.components = spec.components;
  options.epsilon = spec.epsilon;
  options.segment_bytes = 512;
  Subject subject{spec, std::make_unique<Ring>(options), {}, {}};
  const bool coded = spec.components > spec.ranks && spec.components % spec.ranks == 0;
  for (int rank = 0; rank < spec.ranks; ++rank) {
    subject.not_in_place.emplace_back(spec, rank, OwnContribution::exact);
    subject.in_place.emplace_back(spec, rank,
                                  coded ? OwnContribution::coded : OwnContribution::exact);
  }
  return subject;
}

// From where rounding rules to where approximation does.
double random_epsilon(const code::Spec& spec, Random& random) {
  const double best =
      code::ErrorLaw(spec.ranks, spec.components, OwnContribution::exact).best_epsilon(spec.type);
  return best > 0 ? std::exp(uniform(random, std::log(best / 4), std::log(0.5))) : 0;
}

code::Spec random_spec(Random& random) {
  code::Spec spec;
  spec.ranks = pick(random, 2, 7);
  spec.type = random() % 2 ? CERAR_FLOAT : CERAR_DOUBLE;
  switch (random() % 8) {
    case 0:
      spec.construction = code::Construction::vandermonde;
      spec.components = pick(random, 2, 5);
      if (spec.components == spec.ranks) ++spec.components;  // N: the exact ring is taken
      spec.epsilon = uniform(random, 0.1, 0.9);
      break;
    case 1:
      spec.construction = code::Construction::scaled;
      spec.components = spec.ranks * pick(random, 2, 4);
      break;
    case 2:
    case 3:
      spec.components = pick(random, 1, 3 * spec.ranks);
      spec.epsilon = random_epsilon(spec, random);
      break;
    default:
      spec.components = spec.ranks * pick(random, 1, 4);
      spec.epsilon = random_epsilon(spec, random);
  }
  return spec;
}

std::vector<double> ratios[kKinds];  // error over bound, by kind of data

template <class T>
void expect_bounded(Subject& subject, Data kind, Random& random) {
  const std::size_t count = 1 + random() % (random() % 8 == 0 ? 4000 : 300);
  Reduction<T> reduction(make_data<T>(kind, subject.spec.ranks, count, random));
  const int how = pick(random, 0, 2);  // none in place, all, some
  for (int rank = 0; rank < subject.spec.ranks; ++rank) {
    reduction.in_place[rank] = how == 2 ? random() % 2 : how;
  }
  subject.ring->run(reduction);
  ASSERT_TRUE(subject.spec.construction == code::Construction::automatic ||
              subject.ring->team(0).last_code().design == design_of(subject.spec.construction));
  const auto norms = norms_of(reduction.inputs);
  for (int rank = 0; rank < subject.spec.ranks; ++rank) {
    const auto& bounds = reduction.in_place[rank] ? subject.in_place : subject.not_in_place;
    const double bound = bounds[rank].at(norms, count);
    const double error = error_norm(reduction.inputs, reduction.results[rank]);
    EXPECT_LE(error, bound) << "rank " << rank << (reduction.in_place[rank] ? ", in place" : "");
    if (error > 0) ratios[static_cast<int>(kind)].push_back(error / bound);
  }
}

void print_ratios() {
  const char* names[] = {"Gaussian",       "Cauchy",    "blocks of zeros", "scales by element",
                         "denormals",      "one large", "identical",       "lanes of zeros",
                         "scales by rank", "cancelling"};
  for (int kind = 0; kind < kKinds; ++kind) {
    auto& all = ratios[kind];
    if (all.empty()) continue;
    std::sort(all.begin(), all.end());
    std::printf("error over bound, %-18s median %.3f, greatest %.3f\n", names[kind],
                all[all.size() / 2], all.back());
  }
}

TEST(ErrorBound, HoldsForAnyData) {
  const std::uint64_t seed = std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  const int cases = random_cases(), of_one_subject = 50;
  std::unique_ptr<Subject> subject;
  for (int i = 0; i < cases; ++i) {
    if (i % of_one_subject == 0) {
      subject = std::make_unique<Subject>(make_subject(random_spec(random)));
    }
    const auto kind = static_cast<Data>(i % kKinds);
    SCOPED_TRACE(testing::Message()
                 << "seed " << seed << ", case " << i << ": N = " << subject->spec.ranks
                 << ", c = " << subject->spec.components << ", epsilon = " << subject->spec.epsilon
                 << ", type " << subject->spec.type << ", construction "
                 << static_cast<int>(subject->spec.construction) << ", data " << i % kKinds);
    if (subject->spec.type == CERAR_FLOAT) {
      expect_bounded<float>(*subject, kind, random);
    } else {
      expect_bounded<double>(*subject, kind, random);
    }
    if (HasFailure()) break;
  }
  print_ratios();
}

// One rank has data, and only those that do the most harm: the last component of each class.
TEST(ErrorBound, IsNearlyReachedByTheWorstData) {
  for (int ranks : {2, 4, 8}) {
    Subject subject = make_subject({ranks, 2 * ranks, 0.1, CERAR_DOUBLE});
    const std::size_t count = static_cast<std::size_t>(ranks) * 2 * kTileWidth;
    Vectors<double> data(ranks, std::vector<double>(count));
    for (std::size_t e = 0; e < count; ++e) data[0][e] = e / kTileWidth % 2;
    Reduction<double> reduction(data);
    subject.ring->run(reduction);
    const double share =
        error_norm(data, reduction.results[1]) / subject.not_in_place[1].at(norms_of(data), count);
    std::printf("N = %d: %.3f of the bound\n", ranks, share);
    EXPECT_GT(share, 0.9);
    EXPECT_LE(share, 1);
  }
}

// 1 and half of what follows it: all that rounding can lose.
TEST(ErrorBound, IsNearlyReachedByTheWorstRounding) {
  Subject subject = make_subject({2, 2, 0, CERAR_FLOAT});
  const Vectors<float> data{std::vector<float>(500, 1), std::vector<float>(500, 0x1p-24F)};
  Reduction<float> reduction(data);
  subject.ring->run(reduction);
  const double bound = subject.not_in_place[0].at(norms_of(data), 500);
  EXPECT_GT(error_norm(data, reduction.results[0]), 0.99 * bound);
  EXPECT_LE(error_norm(data, reduction.results[0]), bound);
}

// Each rank adds once to what came, and every sum rounds.
TEST(ErrorBound, OfTheExactRingIsThatOfSumming) {
  for (int ranks : {2, 3, 8}) {
    const ErrorBound bound({ranks, ranks, 0, CERAR_FLOAT}, 1, OwnContribution::exact);
    for (int lag = 0; lag < ranks; ++lag) {
      EXPECT_EQ(bound.approximation()[lag], 0);
      EXPECT_NEAR(bound.rounding()[lag] / (ranks - 1), 1, 0.01);
    }
    EXPECT_EQ(bound.underflow(), 0);
  }
}

TEST(ErrorBound, ApproximationGrowsWithTheDistanceFromTheMiddleLag) {
  const double epsilon = 1e-3;
  for (int ranks : {2, 4, 9}) {
    for (int order : {1, 2, 3}) {
      const code::Spec spec{ranks, (order + 1) * ranks, epsilon, CERAR_DOUBLE};
      const ErrorBound exact(spec, 0, OwnContribution::exact);
      const ErrorBound coded(spec, 0, OwnContribution::coded);
      EXPECT_LT(exact.approximation()[0], 1e-3 * epsilon);
      EXPECT_EQ(exact.approximation()[1], coded.approximation()[1]);
      for (int lag = 0; lag < ranks; ++lag) {
        const double distance = std::abs(lag - (ranks - 1) / 2.0) / ranks;
        const double expected = epsilon * order * distance;
        EXPECT_NEAR(coded.approximation()[lag], expected, 0.02 * epsilon);
      }
    }
  }
}

}  // namespace
}  // namespace cerar::ring::test
