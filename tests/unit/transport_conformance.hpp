// What every transport must do. Each function is a case over rings of which this process drives
// some ranks, or all; it throws Failure with what went wrong. All processes run the same cases in
// the same order with the same seed.
//
// Calls (of tags) used are not shared between cases, but each case uses the same ones every time:
// run a case once on a ring, or again with another first call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/transport_exchange.hpp"

namespace cerar::transport::conformance {

struct Setup {
  std::uint64_t seed = 1;
  std::size_t max_bytes = std::size_t{8} << 20;
  // Returns once all processes have called it.
  std::function<void()> barrier = [] {};
};

enum class Order { mixed, sends_first, recvs_first };

inline void run(const Ring& ring, const Setup& setup, Order order, const ScriptOf& script) {
  Exchange exchange(ring, script, setup.seed);
  if (order == Order::sends_first) exchange.post_sends();
  if (order == Order::recvs_first) exchange.post_recvs();
  if (order != Order::mixed) {
    for (int i = 0; i < 20; ++i) exchange.poll();
    setup.barrier();
  }
  exchange.finish();
  setup.barrier();
}

// Single messages of 1 byte to max_bytes, the sizes around every power of four included, in all
// three orders.
inline void sizes(const Ring& ring, const Setup& setup) {
  std::uint32_t call = 1000;
  for (const Order order : {Order::mixed, Order::sends_first, Order::recvs_first}) {
    for (std::size_t bytes = 1; bytes <= setup.max_bytes; bytes *= 4) {
      for (const std::size_t size : {bytes - 1, bytes, bytes + 1}) {
        if (size == 0 || size > setup.max_bytes) continue;
        const Script script{{{call++, 0}, size}};
        run(ring, setup, order, [&](int) { return script; });
      }
    }
  }
}

// All streams of many calls at once, on a ring whose messages are small.
inline void many_outstanding(const Ring& ring, const Setup& setup) {
  for (const Order order : {Order::mixed, Order::sends_first, Order::recvs_first}) {
    Script script;
    for (std::uint32_t call = 0; call < 12; ++call) {
      for (std::uint32_t stream = 0; stream < CERAR_MAX_STREAMS; ++stream) {
        script.push_back({{2000 + 100 * static_cast<std::uint32_t>(order) + call, stream},
                          1 + 97 * call + stream});
      }
    }
    run(ring, setup, order, [&](int) { return script; });
  }
}

// Messages of one tag come in the order sent, whether they are small or large.
inline void order_within_a_tag(const Ring& ring, const Setup& setup) {
  for (const Order order : {Order::mixed, Order::sends_first, Order::recvs_first}) {
    std::mt19937_64 random(setup.seed);
    Script script;
    for (int i = 0; i < 60; ++i) {
      const std::size_t bytes = random() % 4 == 0 ? setup.max_bytes / 16 : 1 + random() % 3000;
      script.push_back({{3000 + static_cast<std::uint32_t>(order), 1}, bytes});
    }
    run(ring, setup, order, [&](int) { return script; });
  }
}

inline Script random_script(std::mt19937_64& random, std::uint32_t call, std::size_t messages,
                            std::size_t max_bytes) {
  Script script;
  for (std::size_t i = 0; i < messages; ++i) {
    // Sizes even in their logarithm.
    std::size_t limit = 2;
    for (auto doublings = random() % 24; doublings > 0 && limit < max_bytes; --doublings)
      limit *= 2;
    const std::size_t bytes = 1 + random() % std::min(limit, max_bytes);
    script.push_back({{call + static_cast<std::uint32_t>(random() % 3),
                       static_cast<std::uint32_t>(random() % CERAR_MAX_STREAMS)},
                      bytes});
  }
  return script;
}

// Batches of messages with random tags and sizes; ranks send different ones. No barrier.
inline void random_traffic(const Ring& ring, const Setup& setup, std::uint32_t batches = 8,
                           std::uint32_t first_call = 4000) {
  for (std::uint32_t batch = 0; batch < batches; ++batch) {
    const std::uint64_t seed = setup.seed + batch;
    const ScriptOf script = [&](int sender) {
      std::mt19937_64 random(seed * 1009 + static_cast<std::uint64_t>(sender));
      return random_script(random, first_call + 2 * batch, random() % 40, setup.max_bytes / 8);
    };
    Exchange(ring, script, seed).finish();
  }
}

// Two rings over the same processes keep the same tags apart.
inline void two_rings(const Ring& first, const Ring& second, const Setup& setup) {
  Script script;
  for (std::uint32_t stream = 0; stream < 8; ++stream) {
    script.push_back({{5000, stream}, std::size_t{1} << (2 * stream)});
  }
  const ScriptOf script_of = [&](int) { return script; };
  Exchange one(first, script_of, setup.seed + 1);
  Exchange two(second, script_of, setup.seed + 2);
  one.post_sends();
  two.post_recvs();
  setup.barrier();
  two.post_sends();
  one.post_recvs();
  while (!one.done() || !two.done()) {
    one.poll();
    two.poll();
    two.wait();
  }
  setup.barrier();
}

// bytes_sent is the payload of all sends, and nothing else changes it.
inline void counts_bytes(const Ring& ring, const Setup& setup) {
  std::vector<std::uint64_t> before;
  for (const Party& party : ring.parties) before.push_back(party.link->bytes_sent());
  const Script script{{{6000, 0}, 1}, {{6000, 0}, 70000}, {{6000, 3}, setup.max_bytes / 4}};
  run(ring, setup, Order::mixed, [&](int) { return script; });
  for (std::size_t i = 0; i < ring.parties.size(); ++i) {
    check(ring.parties[i].link->bytes_sent() - before[i] == 70001 + setup.max_bytes / 4,
          "bytes_sent is wrong");
  }
}

// A receive that is given up leaves its buffer alone from then on, and other calls go on. So does a
// send, whose buffer may be freed. Null handles may be tested and cancelled.
inline void cancels(const Ring& ring, const Setup& setup) {
  std::vector<Slot> recvs, sends;
  for (const Party& party : ring.parties) {
    for (std::uint32_t stream = 0; stream < 4; ++stream) {
      const std::size_t bytes = std::min(std::size_t{1} << (6 * stream), setup.max_bytes);
      recvs.emplace_back(*party.link, Message{{7000, stream}, bytes}, stream).recv();
      sends.emplace_back(*party.link, Message{{7001, stream}, bytes}, stream)
          .send(setup.seed, party.rank);
    }
    Operation none;
    check(party.link->test(none) == CERAR_OK, "test of a null handle");
    party.link->cancel(none);
    check(none.handle == nullptr, "a null handle was set");
  }
  const Script script{{{7002, 0}, 100}, {{7002, 1}, setup.max_bytes / 4}};
  run(ring, setup, Order::mixed, [&](int) { return script; });
  for (Slot& slot : recvs) check(!slot.finished(), "a receive ended without a message");
  for (Slot& slot : recvs) slot.cancel();
  for (Slot& slot : recvs) fill(slot.data(), slot.bytes(), setup.seed, -1, slot.index());
  for (Slot& slot : sends) slot.cancel();
  for (Slot& slot : sends) slot.drop();
  setup.barrier();
  // What the receives would have met comes too late.
  std::vector<Slot> late;
  for (const Party& party : ring.parties) {
    for (std::uint32_t stream = 0; stream < 2; ++stream) {
      late.emplace_back(*party.link, Message{{7000, stream}, std::size_t{1} << (6 * stream)},
                        stream)
          .send(setup.seed, party.rank);
    }
  }
  const Script later{{{7003, 0}, 100}, {{7003, 1}, setup.max_bytes / 4}};
  run(ring, setup, Order::mixed, [&](int) { return later; });
  for (Slot& slot : recvs) slot.verify(setup.seed, -1);
}

// Every ring is driven by a thread of its own.
inline void threads(const std::vector<Ring>& rings, const Setup& setup) {
  std::vector<std::exception_ptr> failures(rings.size());
  std::vector<std::thread> pool;
  for (std::size_t i = 0; i < rings.size(); ++i) {
    pool.emplace_back([&, i] {
      try {
        Setup own = setup;
        own.seed += 100 * i;
        random_traffic(rings[i], own, 8, 8000);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  setup.barrier();
}

// All cases that need one ring.
inline void all(const Ring& ring, const Setup& setup) {
  sizes(ring, setup);
  many_outstanding(ring, setup);
  order_within_a_tag(ring, setup);
  random_traffic(ring, setup);
  counts_bytes(ring, setup);
  cancels(ring, setup);
}

}  // namespace cerar::transport::conformance
