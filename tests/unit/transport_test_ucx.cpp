// UCX with a worker for each rank, all in one process.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "core/transport/ucx/ucx.hpp"
#include "tests/unit/transport_conformance.hpp"
#include "tests/unit/transport_oob.hpp"

namespace cerar::transport {
namespace {

using Workers = std::vector<std::shared_ptr<UcxWorker>>;

// Workers that may use these of UCX's transports; "" for all.
Workers make_workers(int ranks, bool threads, const std::string& transports = "") {
  const char* before = std::getenv("UCX_TLS");
  const std::string kept = before != nullptr ? before : "";
  if (!transports.empty()) setenv("UCX_TLS", transports.c_str(), 1);
  Workers workers(static_cast<std::size_t>(ranks));
  for (auto& worker : workers) {
    if (UcxWorker::create(threads, worker) != CERAR_OK) {
      throw std::runtime_error(cerar_last_error());
    }
  }
  if (before != nullptr) {
    setenv("UCX_TLS", kept.c_str(), 1);
  } else {
    unsetenv("UCX_TLS");
  }
  return workers;
}

// A ring over the first workers. status[i] is what making rank i's transport returned.
class UcxRing {
 public:
  explicit UcxRing(const Workers& workers) : links(workers.size()), status(workers.size()) {
    const int ranks = static_cast<int>(workers.size());
    ThreadOob oob(ranks);
    std::vector<std::thread> pool;
    for (int rank = 0; rank < ranks; ++rank) {
      pool.emplace_back([&, rank] {
        const auto i = static_cast<std::size_t>(rank);
        status[i] = make_ucx_transport(workers[i], rank, ranks, oob.of(rank), links[i]);
      });
    }
    for (std::thread& thread : pool) thread.join();
    view.size = ranks;
    for (int rank = 0; rank < ranks; ++rank) {
      view.parties.push_back({rank, links[static_cast<std::size_t>(rank)].get()});
    }
  }

  bool good() const {
    for (const auto s : status) {
      if (s != CERAR_OK) return false;
    }
    return true;
  }

  std::vector<std::unique_ptr<Transport>> links;
  std::vector<cerar_status_t> status;
  conformance::Ring view;
};

conformance::Setup small() {
  conformance::Setup setup;
  setup.max_bytes = std::size_t{1} << 20;
  return setup;
}

class Ucx : public testing::TestWithParam<std::tuple<int, const char*>> {
 protected:
  int ranks() const { return std::get<0>(GetParam()); }
  Workers workers() const { return make_workers(ranks(), false, std::get<1>(GetParam())); }
};

TEST_P(Ucx, Conforms) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  UcxRing ring(workers());
  ASSERT_TRUE(ring.good());
  conformance::Setup setup;
  setup.seed = seed;
  if (ranks() > 2) setup.max_bytes = std::size_t{1} << 20;
  conformance::all(ring.view, setup);
}

TEST_P(Ucx, KeepsTwoRingsApart) {
  const Workers both = workers();
  UcxRing first(both), second(both);
  ASSERT_TRUE(first.good() && second.good());
  conformance::two_rings(first.view, second.view, {});
}

INSTANTIATE_TEST_SUITE_P(Ranks, Ucx,
                         testing::Combine(testing::Values(2, 3, 5), testing::Values("", "tcp")));

TEST(UcxRings, InThreads) {
  const Workers workers = make_workers(3, true);
  UcxRing a(workers), b(workers), c(workers);
  ASSERT_TRUE(a.good() && b.good() && c.good());
  conformance::threads({a.view, b.view, c.view}, small());
}

TEST(UcxRings, ComeAndGo) {
  const Workers workers = make_workers(2, false);
  for (int i = 0; i < 20; ++i) {
    UcxRing ring(workers);
    ASSERT_TRUE(ring.good());
    EXPECT_EQ(workers[0]->channels(), 1);
    conformance::random_traffic(ring.view, small(), 1);
  }
  EXPECT_EQ(workers[0]->channels(), 0);
}

TEST(UcxRings, OutliveTheOwnersHandle) {
  Workers workers = make_workers(2, false);
  UcxRing ring(workers);
  workers.clear();
  conformance::random_traffic(ring.view, small(), 1);
}

TEST(UcxRings, ALostNeighbourEndsWhatNeedsIt) {
  Workers workers = make_workers(3, false, "tcp");
  UcxRing ring(workers);
  ASSERT_TRUE(ring.good());
  conformance::random_traffic(ring.view, small(), 1);
  std::vector<char> from(std::size_t{4} << 20), to(100);
  Operation send, recv;
  ASSERT_EQ(ring.links[0]->send({1, 0}, from.data(), from.size(), send), CERAR_OK);
  ASSERT_EQ(ring.links[2]->recv({1, 0}, to.data(), to.size(), recv), CERAR_OK);
  ring.links[1].reset();
  workers[1].reset();
  cerar_status_t sent = CERAR_IN_PROGRESS, received = CERAR_IN_PROGRESS;
  while (sent == CERAR_IN_PROGRESS || received == CERAR_IN_PROGRESS) {
    ring.links[0]->progress();
    ring.links[2]->progress();
    if (sent == CERAR_IN_PROGRESS) sent = ring.links[0]->test(send);
    if (received == CERAR_IN_PROGRESS) received = ring.links[2]->test(recv);
  }
  // The send may have ended well: who leaves throws away what has come.
  EXPECT_EQ(received, CERAR_ERR_TRANSPORT);
  EXPECT_NE(std::string(cerar_last_error()).find("left neighbour was lost"), std::string::npos);
  EXPECT_EQ(ring.links[0]->send({2, 0}, from.data(), 1, send), CERAR_ERR_TRANSPORT);
}

TEST(UcxRings, AFailedExchangeFailsTheRing) {
  const Workers workers = make_workers(2, false);
  const cerar_oob_t refuses{nullptr,
                            [](void*, int, const void*, size_t, int, void*, size_t) { return 1; }};
  std::unique_ptr<Transport> link;
  EXPECT_EQ(make_ucx_transport(workers[0], 0, 2, refuses, link), CERAR_ERR_TRANSPORT);
  EXPECT_EQ(link, nullptr);
  EXPECT_EQ(workers[0]->channels(), 0);
}

void leave_messages_behind() {
  const Workers workers = make_workers(2, false);
  UcxRing ring(workers);
  std::vector<char> few(10), many(std::size_t{4} << 20);
  Operation ops[2];
  ASSERT_EQ(ring.links[0]->send({0, 0}, few.data(), few.size(), ops[0]), CERAR_OK);
  ASSERT_EQ(ring.links[0]->send({0, 1}, many.data(), many.size(), ops[1]), CERAR_OK);
  for (int i = 0; i < 1000; ++i) {
    for (auto& link : ring.links) link->progress();
  }
  for (auto& op : ops) ring.links[0]->cancel(op);
}

// UCX prints what it doesn't like when a worker goes.
TEST(UcxRings, MessagesLeftBehindAreNoTrouble) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  leave_messages_behind();
  const std::string printed =
      testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
  EXPECT_EQ(printed.find("UCX"), std::string::npos) << printed;
}

TEST(UcxRings, AnotherLengthIsAnError) {
  const Workers workers = make_workers(2, false);
  UcxRing ring(workers);
  for (const std::size_t sent : {std::size_t{100}, std::size_t{1} << 20}) {
    for (const std::size_t wanted : {sent - 1, sent + 1}) {
      for (const bool late : {false, true}) {
        std::vector<char> from(sent), to(wanted);
        Operation send, recv;
        cerar_status_t end = CERAR_OK;
        if (!late) end = ring.links[1]->recv({0, 0}, to.data(), wanted, recv);
        ASSERT_EQ(end, CERAR_OK);
        ASSERT_EQ(ring.links[0]->send({0, 0}, from.data(), sent, send), CERAR_OK);
        for (int i = 0; i < 1000; ++i) ring.links[1]->progress();
        if (late) end = ring.links[1]->recv({0, 0}, to.data(), wanted, recv);
        while (end == CERAR_OK || end == CERAR_IN_PROGRESS) {
          for (auto& link : ring.links) link->progress();
          end = ring.links[1]->test(recv);
          ASSERT_NE(end, CERAR_OK);
        }
        EXPECT_EQ(end, CERAR_ERR_TRANSPORT);
        EXPECT_NE(std::string(cerar_last_error()), "");
        ring.links[0]->cancel(send);
      }
    }
  }
}

}  // namespace
}  // namespace cerar::transport
