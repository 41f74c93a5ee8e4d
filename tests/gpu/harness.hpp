// All ranks of a ring in one process behind the C face, over the in-process transport, each with
// buffers where it likes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "core/cerar.h"
#include "core/transport/inproc/inproc.hpp"
#include "tests/gpu/application.hpp"
#include "tests/unit/ring_harness.hpp"

namespace cerar::gpu::test {

// C functions over an in-process link.
struct LinkFunctions {
  static transport::Transport& link(void* arg) { return *static_cast<transport::Transport*>(arg); }
  static cerar_status_t send(void* arg, uint32_t call, uint32_t stream, const void* buffer,
                             size_t bytes, void** op) {
    transport::Operation operation;
    const auto status = link(arg).send({call, stream}, buffer, bytes, operation);
    *op = operation.handle;
    return status;
  }
  static cerar_status_t recv(void* arg, uint32_t call, uint32_t stream, void* buffer, size_t bytes,
                             void** op) {
    transport::Operation operation;
    const auto status = link(arg).recv({call, stream}, buffer, bytes, operation);
    *op = operation.handle;
    return status;
  }
  static cerar_status_t test(void* arg, void** op) {
    transport::Operation operation{*op};
    const auto status = link(arg).test(operation);
    *op = operation.handle;
    return status;
  }
  static void cancel(void* arg, void** op) {
    transport::Operation operation{*op};
    link(arg).cancel(operation);
    *op = operation.handle;
  }
  static void progress(void* arg) { link(arg).progress(); }
};

struct RankBuffers {
  Where send = Where::device;
  Where recv = Where::device;
  bool in_place = false;
  std::size_t shift = 0;
};

// A call of each rank: buffers, and how it ended.
template <class T>
class Calls {
 public:
  Calls(std::vector<RankBuffers> where, std::size_t count, std::uint64_t seed, T scale = 1)
      : where_(std::move(where)),
        inputs_(ring::test::gaussian<T>(static_cast<int>(where_.size()), count, seed)) {
    for (auto& input : inputs_) {
      for (T& value : input) value *= scale;
    }
    for (std::size_t rank = 0; rank < where_.size(); ++rank) {
      const RankBuffers& at = where_[rank];
      recv_.push_back(std::make_unique<Buffer<T>>(at.recv, count, at.shift));
      send_.push_back(at.in_place ? nullptr
                                  : std::make_unique<Buffer<T>>(at.send, count, at.shift));
      (at.in_place ? recv_ : send_).back()->write(inputs_[rank]);
    }
  }

  // The buffers have gone with their context.
  void forget() {
    for (auto& buffer : recv_) buffer->forget();
    for (auto& buffer : send_) {
      if (buffer) buffer->forget();
    }
  }

  const T* send(int rank) const { return send_[rank] ? send_[rank]->data() : nullptr; }
  T* recv(int rank) const { return recv_[rank]->data(); }
  std::size_t count() const { return inputs_[0].size(); }

  double worst_error() const {
    ring::test::Vectors<T> results;
    for (const auto& buffer : recv_) results.push_back(buffer->read());
    return ring::test::worst_error(results, ring::test::exact_sum(inputs_));
  }
  void expect_inputs_untouched() const {
    for (std::size_t rank = 0; rank < send_.size(); ++rank) {
      if (!send_[rank]) continue;
      EXPECT_EQ(send_[rank]->read(), inputs_[rank]) << "rank " << rank;
    }
  }

 private:
  std::vector<RankBuffers> where_;
  ring::test::Vectors<T> inputs_;
  std::vector<std::unique_ptr<Buffer<T>>> send_, recv_;
};

class CRing {
 public:
  CRing(int ranks, int components, std::size_t segment_bytes, std::uint64_t seed = 1)
      : fabric_(ranks, transport::InprocOptions{.seed = seed}) {
    if (cerar_context_create(0, &context_) != CERAR_OK) throw std::runtime_error("no context");
    for (int rank = 0; rank < ranks; ++rank) {
      links_.push_back(fabric_.link(rank));
      const cerar_transport_ops_t ops{links_.back().get(),   LinkFunctions::send,
                                      LinkFunctions::recv,   LinkFunctions::test,
                                      LinkFunctions::cancel, LinkFunctions::progress};
      cerar_team_params_t params{};
      params.rank = rank;
      params.size = ranks;
      params.transport = CERAR_TRANSPORT_EXTERNAL;
      params.ops = &ops;
      params.components = components;
      params.segment_bytes = segment_bytes;
      teams_.push_back(nullptr);
      if (cerar_team_create(context_, &params, &teams_.back()) != CERAR_OK) {
        throw std::runtime_error(cerar_last_error());
      }
    }
  }
  ~CRing() {
    for (cerar_team_t* team : teams_) cerar_team_destroy(team);
    cerar_context_destroy(context_);
  }
  CRing(const CRing&) = delete;
  CRing& operator=(const CRing&) = delete;

  int ranks() const { return static_cast<int>(teams_.size()); }
  cerar_team_t* team(int rank) const { return teams_[rank]; }
  transport::InprocRing& fabric() { return fabric_; }
  // Of the last run, if it went well.
  const std::vector<cerar_range_t>& ranges() const { return ranges_; }
  cerar_team_stats_t stats(int rank) const {
    cerar_team_stats_t stats;
    cerar_team_get_stats(teams_[rank], &stats);
    return stats;
  }

  // Posts everywhere and runs until all ranks are done, or one has failed: the others can't end
  // then. Returns each rank's status; CERAR_IN_PROGRESS for those that were given up.
  template <class T>
  std::vector<cerar_status_t> run(const Calls<T>& calls) {
    const cerar_type_t type = std::is_same_v<T, float> ? CERAR_FLOAT : CERAR_DOUBLE;
    std::vector<cerar_request_t*> requests(ranks(), nullptr);
    std::vector<cerar_status_t> status(ranks(), CERAR_IN_PROGRESS);
    bool failed = false;
    for (int rank = 0; rank < ranks(); ++rank) {
      const cerar_status_t posted = cerar_allreduce_post(
          teams_[rank], calls.send(rank), calls.recv(rank), calls.count(), type, &requests[rank]);
      if (posted != CERAR_OK) status[rank] = posted, failed = true;
    }
    bool running = !failed;
    for (long turn = 0; running && !failed; ++turn) {
      if (turn > 20'000'000) throw std::runtime_error("the all-reduce hangs");
      running = false;
      for (int rank = 0; rank < ranks(); ++rank) {
        if (status[rank] != CERAR_IN_PROGRESS) continue;
        status[rank] = cerar_request_test(requests[rank]);
        if (status[rank] == CERAR_IN_PROGRESS) running = true;
        if (status[rank] < 0) failed = true;
      }
    }
    ranges_.clear();
    for (cerar_request_t* request : requests) {
      if (!failed) ranges_.push_back(cerar_request_range(request));
      cerar_request_free(request);
    }
    return status;
  }

 private:
  transport::InprocRing fabric_;
  std::vector<std::unique_ptr<transport::Transport>> links_;
  cerar_context_t* context_ = nullptr;
  std::vector<cerar_team_t*> teams_;
  std::vector<cerar_range_t> ranges_;
};

}  // namespace cerar::gpu::test
