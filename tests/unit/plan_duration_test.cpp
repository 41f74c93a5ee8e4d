// The time model in the limits in which time is known.
#include <gtest/gtest.h>

#include <cmath>

#include "core/plan/duration.hpp"

namespace cerar::plan {
namespace {

constexpr std::size_t kMiB = 1 << 20;

// 200 Mbit/s less what headers take, as in the lab.
constexpr LinkModel kSlowLink{50e-6, 23.9e6, 1e-10, 2e-6};

double limit(const code::Spec& spec, std::size_t bytes, const LinkModel& link) {
  const int rounds = spec.components + spec.ranks - 2;
  return static_cast<double>(rounds) / spec.components * static_cast<double>(bytes) /
         link.bandwidth;
}

TEST(Duration, OfLongVectorsIsWhatTheLinkTakes) {
  for (int ranks : {2, 8, 32}) {
    for (int components : {1, ranks, ranks + 1, 2 * ranks, 8 * ranks}) {
      const code::Spec spec{ranks, components, 0.01, CERAR_FLOAT};
      const double duration = fastest(spec, 64 * kMiB, kSlowLink).seconds;
      EXPECT_GE(duration, limit(spec, 64 * kMiB, kSlowLink)) << ranks << ' ' << components;
      EXPECT_LT(duration, 1.02 * limit(spec, 64 * kMiB, kSlowLink)) << ranks << ' ' << components;
    }
  }
}

TEST(Duration, OfShortVectorsIsOneWayARound) {
  for (int components : {1, 4, 8, 16, 24}) {
    const code::Spec spec{8, components, 0.01, CERAR_DOUBLE};
    const double way = kSlowLink.latency + kSlowLink.message_overhead;
    const double rounds = components + 6;
    EXPECT_GE(fastest(spec, 8, kSlowLink).seconds, rounds * way);
    EXPECT_LT(fastest(spec, 8, kSlowLink).seconds, (rounds + 2) * way);
  }
}

TEST(Duration, IsSetByTheCoreWhereTheLinkIsFast) {
  LinkModel link{1e-6, 1e12, 1e-9, 0};
  const code::Spec ring{4, 4, 0, CERAR_FLOAT}, coded{4, 8, 0.01, CERAR_FLOAT};
  const double of_ring = fastest(ring, 16 * kMiB, link).seconds;
  EXPECT_GT(fastest(coded, 16 * kMiB, link).seconds, of_ring);
  link.combine *= 2;
  EXPECT_NEAR(fastest(ring, 16 * kMiB, link).seconds / of_ring, 2, 0.05);
}

TEST(Duration, NeverFallsWithBytesOrSlowerLinks) {
  for (int components : {2, 8, 9, 16, 24}) {
    const code::Spec spec{8, components, 0.01, CERAR_FLOAT};
    double before = 0;
    for (std::size_t bytes = 4; bytes < 256 * kMiB; bytes *= 4) {
      const double now = fastest(spec, bytes, LinkModel{}).seconds;
      EXPECT_GE(now, before * 0.99) << components << ' ' << bytes;
      before = now;
      LinkModel slower;
      slower.latency *= 3;
      EXPECT_GT(fastest(spec, bytes, slower).seconds, now * 0.99);
      slower.bandwidth /= 3;
      EXPECT_GT(fastest(spec, bytes, slower).seconds, now * 0.99);
    }
  }
}

TEST(Duration, TooLongAndTooShortSegmentsAreSlower) {
  const code::Spec spec{8, 16, 0.01, CERAR_FLOAT};
  const LinkModel link{20e-6, 1.25e9, 1e-10, 2e-6};
  const Pace pace = fastest(spec, 64 * kMiB, link);
  const Work work = work_of(spec);
  EXPECT_GT(seconds(spec, work, 64 * kMiB, 1 << 10, link), 1.5 * pace.seconds);
  EXPECT_GT(seconds(spec, work, 64 * kMiB, 16 * kMiB, link), 1.2 * pace.seconds);
}

TEST(Duration, PhasesMakeAllRounds) {
  for (int ranks : {2, 3, 8}) {
    for (int components = 1; components <= 4 * ranks; ++components) {
      int rounds = 0;
      for (const Phase& phase : work_of({ranks, components, 0.01, CERAR_FLOAT}).phases) {
        EXPECT_GE(phase.rounds, 0) << ranks << ' ' << components;
        rounds += phase.rounds;
      }
      EXPECT_EQ(rounds, components + ranks - 2) << ranks << ' ' << components;
    }
  }
}

TEST(Streams, FitTheStaging) {
  EXPECT_EQ(streams_for(1 << 10), CERAR_MAX_STREAMS);
  EXPECT_EQ(streams_for(128 << 10), 8);
  EXPECT_EQ(streams_for(16 << 20), 4);
}

TEST(ExactAlgorithms, CostWhatTheirRoundsSay) {
  const LinkModel link{1, 1, 1, 0};
  EXPECT_DOUBLE_EQ(recursive_doubling_seconds(8, 10, link), 3 * (1 + 10 + 10));
  EXPECT_DOUBLE_EQ(reduce_scatter_allgather_seconds(8, 8, link), 6 + 2 * 7 + 7);
  EXPECT_GT(recursive_doubling_seconds(9, 10, link), recursive_doubling_seconds(8, 10, link));
  EXPECT_GT(reduce_scatter_allgather_seconds(9, 8, link),
            reduce_scatter_allgather_seconds(8, 8, link));
}

}  // namespace
}  // namespace cerar::plan
