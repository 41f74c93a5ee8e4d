#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/transport/inproc/inproc.hpp"
#include "tests/unit/transport_conformance.hpp"

namespace cerar::transport {
namespace {

using conformance::Setup;

// A ring and all its links.
class Whole {
 public:
  explicit Whole(int ranks, const InprocOptions& options = {}) : inproc(ranks, options) {
    view.size = ranks;
    for (int rank = 0; rank < ranks; ++rank) {
      links.push_back(inproc.link(rank));
      view.parties.push_back({rank, links.back().get()});
    }
  }

  InprocRing inproc;
  std::vector<std::unique_ptr<Transport>> links;
  conformance::Ring view;
};

Setup setup_for(int ranks, std::uint64_t seed) {
  Setup setup;
  setup.seed = seed;
  if (ranks > 3) setup.max_bytes = std::size_t{1} << (ranks > 8 ? 13 : 17);
  return setup;
}

class Inproc : public testing::TestWithParam<int> {};

TEST_P(Inproc, Conforms) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Whole ring(GetParam(), {.seed = seed});
  conformance::all(ring.view, setup_for(GetParam(), seed));
  EXPECT_EQ(ring.inproc.outstanding(), 0u);
}

TEST_P(Inproc, LosesNothing) {
  Whole ring(GetParam(), {.seed = 5});
  conformance::random_traffic(ring.view, setup_for(GetParam(), 5));
  EXPECT_EQ(ring.inproc.outstanding(), 0u);
  EXPECT_EQ(ring.inproc.undelivered(), 0u);
}

TEST_P(Inproc, KeepsTwoRingsApart) {
  Whole first(GetParam(), {.seed = 6}), second(GetParam(), {.seed = 7});
  conformance::two_rings(first.view, second.view, setup_for(GetParam(), 6));
}

INSTANTIATE_TEST_SUITE_P(Ranks, Inproc, testing::Values(2, 3, 8, 64));

TEST(InprocThreads, RingsInThreads) {
  Whole a(4, {.seed = 1}), b(4, {.seed = 2}), c(3, {.seed = 3});
  conformance::threads({a.view, b.view, c.view}, setup_for(4, 9));
}

TEST(InprocThreads, RanksInThreads) {
  Whole ring(5, {.seed = 4});
  std::vector<std::thread> pool;
  for (const conformance::Party& party : ring.view.parties) {
    pool.emplace_back([&ring, party] {
      conformance::random_traffic({ring.view.size, {party}}, setup_for(5, 10));
    });
  }
  for (std::thread& thread : pool) thread.join();
  EXPECT_EQ(ring.inproc.undelivered(), 0u);
}

// One byte from rank 0 to rank 1, polled until both ends are through or `polls` are over. Returns
// the two statuses.
struct Pair {
  cerar_status_t send = CERAR_IN_PROGRESS, recv = CERAR_IN_PROGRESS;
};
Pair one_message(Whole& ring, char& from, char& to, std::size_t recv_bytes = 1, int polls = 10000) {
  Operation send, recv;
  Pair end;
  end.send = ring.links[0]->send({0, 0}, &from, 1, send);
  if (end.send == CERAR_OK) end.send = CERAR_IN_PROGRESS;
  end.recv = ring.links[1]->recv({0, 0}, &to, recv_bytes, recv);
  if (end.recv == CERAR_OK) end.recv = CERAR_IN_PROGRESS;
  for (int poll = 0; poll < polls; ++poll) {
    for (auto& link : ring.links) link->progress();
    if (end.send == CERAR_IN_PROGRESS) end.send = ring.links[0]->test(send);
    if (end.recv == CERAR_IN_PROGRESS) end.recv = ring.links[1]->test(recv);
  }
  ring.links[0]->cancel(send);
  ring.links[1]->cancel(recv);
  EXPECT_EQ(ring.inproc.outstanding(), 0u);
  return end;
}

TEST(InprocModel, NothingMovesWithoutProgress) {
  Whole ring(2, {.seed = 1, .max_delay = 0, .immediate = 0});
  char from = 1, to = 0;
  Operation send, recv;
  ASSERT_EQ(ring.links[0]->send({0, 0}, &from, 1, send), CERAR_OK);
  ASSERT_EQ(ring.links[1]->recv({0, 0}, &to, 1, recv), CERAR_OK);
  EXPECT_EQ(ring.inproc.outstanding(), 2u);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(ring.links[0]->test(send), CERAR_IN_PROGRESS);
    EXPECT_EQ(ring.links[1]->test(recv), CERAR_IN_PROGRESS);
  }
  ring.links[0]->cancel(send);
  ring.links[1]->cancel(recv);
  EXPECT_EQ(ring.inproc.outstanding(), 0u);
}

TEST(InprocModel, ReadsLateWhatIsSent) {
  Whole ring(2, {.seed = 1, .immediate = 0, .lazy = 1, .rendezvous = 0});
  char from = 1, to = 0;
  Operation send, recv;
  ASSERT_EQ(ring.links[0]->send({0, 0}, &from, 1, send), CERAR_OK);
  ASSERT_EQ(ring.links[1]->recv({0, 0}, &to, 1, recv), CERAR_OK);
  from = 2;
  while (ring.inproc.outstanding() > 0) {
    for (auto& link : ring.links) link->progress();
    ring.links[0]->test(send);
    ring.links[1]->test(recv);
  }
  EXPECT_EQ(to, 2);
}

TEST(InprocModel, RendezvousWaitsForTheReceive) {
  Whole ring(2, {.seed = 1, .immediate = 0, .lazy = 0, .rendezvous = 1});
  char from = 1;
  Operation send;
  ASSERT_EQ(ring.links[0]->send({0, 0}, &from, 1, send), CERAR_OK);
  for (int i = 0; i < 1000; ++i) {
    ring.links[0]->progress();
    ASSERT_EQ(ring.links[0]->test(send), CERAR_IN_PROGRESS);
  }
  ring.links[0]->cancel(send);
}

TEST(InprocModel, SameSeedSameRun) {
  const auto polls = [](std::uint64_t seed) {
    Whole ring(3, {.seed = seed});
    std::vector<std::uint64_t> tests;
    conformance::random_traffic(ring.view, setup_for(3, 20), 2);
    for (int rank = 0; rank < 3; ++rank) tests.push_back(ring.inproc.calls(rank, InprocCall::test));
    return tests;
  };
  EXPECT_EQ(polls(1), polls(1));
  EXPECT_NE(polls(1), polls(2));
}

TEST(InprocFaults, FailsTheChosenCall) {
  for (const InprocCall call : {InprocCall::send, InprocCall::recv, InprocCall::test}) {
    Whole ring(2, {.seed = 1, .immediate = 0, .rendezvous = 0});
    char from = 1, to = 0;
    const int rank = call == InprocCall::recv ? 1 : 0;
    ring.inproc.fail(rank, call, ring.inproc.calls(rank, call));
    const Pair end = one_message(ring, from, to);
    EXPECT_EQ(call == InprocCall::recv ? end.recv : end.send, CERAR_ERR_TRANSPORT);
    const Pair after = one_message(ring, from, to);
    EXPECT_NE(after.send, CERAR_ERR_TRANSPORT);
    EXPECT_NE(after.recv, CERAR_ERR_TRANSPORT);
  }
}

TEST(InprocFaults, LosesAPeer) {
  Whole ring(3, {.seed = 1, .immediate = 0});
  char from = 1, to = 0;
  Operation send, recv;
  ASSERT_EQ(ring.links[0]->send({0, 0}, &from, 1, send), CERAR_OK);
  ASSERT_EQ(ring.links[2]->recv({0, 0}, &to, 1, recv), CERAR_OK);
  ring.inproc.lose(1);
  cerar_status_t sent = CERAR_IN_PROGRESS, received = CERAR_IN_PROGRESS;
  while (sent == CERAR_IN_PROGRESS || received == CERAR_IN_PROGRESS) {
    for (auto& link : ring.links) link->progress();
    if (sent == CERAR_IN_PROGRESS) sent = ring.links[0]->test(send);
    if (received == CERAR_IN_PROGRESS) received = ring.links[2]->test(recv);
  }
  EXPECT_EQ(sent, CERAR_ERR_TRANSPORT);
  EXPECT_EQ(received, CERAR_ERR_TRANSPORT);
  EXPECT_EQ(send.handle, nullptr);
  EXPECT_EQ(ring.inproc.outstanding(), 0u);
  EXPECT_EQ(ring.links[0]->send({0, 0}, &from, 1, send), CERAR_ERR_TRANSPORT);
  EXPECT_EQ(ring.links[2]->send({0, 0}, &from, 1, send), CERAR_OK);
  ring.links[2]->cancel(send);
}

TEST(InprocFaults, WrongLength) {
  Whole ring(2, {.seed = 1});
  char from = 1;
  char to[2] = {};
  EXPECT_EQ(one_message(ring, from, to[0], 2).recv, CERAR_ERR_TRANSPORT);
}

}  // namespace
}  // namespace cerar::transport
