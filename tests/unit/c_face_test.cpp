// The C face: what a component sees. A transport of its own, arguments, statuses and their texts.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/cerar.h"
#include "core/transport/inproc/inproc.hpp"

namespace {

using cerar::transport::InprocRing;
using cerar::transport::Operation;
using cerar::transport::Tag;
using cerar::transport::Transport;

// C functions over an in-process link.
Transport& link_of(void* arg) { return *static_cast<Transport*>(arg); }

cerar_status_t send(void* arg, uint32_t call, uint32_t stream, const void* buffer, size_t bytes,
                    void** op) {
  Operation operation;
  const auto status = link_of(arg).send(Tag{call, stream}, buffer, bytes, operation);
  *op = operation.handle;
  return status;
}

cerar_status_t recv(void* arg, uint32_t call, uint32_t stream, void* buffer, size_t bytes,
                    void** op) {
  Operation operation;
  const auto status = link_of(arg).recv(Tag{call, stream}, buffer, bytes, operation);
  *op = operation.handle;
  return status;
}

cerar_status_t test(void* arg, void** op) {
  Operation operation{*op};
  const auto status = link_of(arg).test(operation);
  *op = operation.handle;
  return status;
}

void cancel(void* arg, void** op) {
  Operation operation{*op};
  link_of(arg).cancel(operation);
  *op = operation.handle;
}

void progress(void* arg) { link_of(arg).progress(); }

class CFace : public testing::Test {
 protected:
  static constexpr int kRanks = 3;

  CFace() {
    EXPECT_EQ(cerar_context_create(0, &context_), CERAR_OK);
    for (int rank = 0; rank < kRanks; ++rank) {
      links_.push_back(fabric_.link(rank));
      ops_.push_back({links_.back().get(), send, recv, test, cancel, progress});
    }
  }
  ~CFace() override {
    for (cerar_team_t* team : teams_) cerar_team_destroy(team);
    cerar_context_destroy(context_);
  }

  cerar_team_params_t params(int rank) const {
    cerar_team_params_t params{};
    params.rank = rank;
    params.size = kRanks;
    params.transport = CERAR_TRANSPORT_EXTERNAL;
    params.ops = &ops_[rank];
    params.components = 6;
    params.segment_bytes = 4096;
    params.rules = rules_;
    return params;
  }

  void make_teams() {
    for (int rank = 0; rank < kRanks; ++rank) {
      const cerar_team_params_t p = params(rank);
      teams_.push_back(nullptr);
      ASSERT_EQ(cerar_team_create(context_, &p, &teams_.back()), CERAR_OK) << cerar_last_error();
    }
  }

  // Expects a refusal whose text names what was wrong.
  void expect_refused(const cerar_team_params_t& params, const std::string& name) {
    cerar_team_t* team = reinterpret_cast<cerar_team_t*>(1);
    EXPECT_EQ(cerar_team_create(context_, &params, &team), CERAR_ERR_INVALID);
    EXPECT_EQ(team, nullptr);
    EXPECT_NE(std::string(cerar_last_error()).find(name), std::string::npos) << cerar_last_error();
  }

  InprocRing fabric_{kRanks};
  std::vector<std::unique_ptr<Transport>> links_;
  std::vector<cerar_transport_ops_t> ops_;
  cerar_context_t* context_ = nullptr;
  cerar_rules_t* rules_ = nullptr;
  std::vector<cerar_team_t*> teams_;
};

TEST_F(CFace, SumsThroughACallersTransport) {
  make_teams();
  constexpr std::size_t count = 30001;
  std::vector<std::vector<double>> data(kRanks, std::vector<double>(count));
  for (int rank = 0; rank < kRanks; ++rank) {
    for (std::size_t i = 0; i < count; ++i) data[rank][i] = std::sin(1.0 + rank + 0.37 * i);
  }
  auto results = data;
  results[0].assign(count, -1);
  const auto start = std::chrono::steady_clock::now();
  std::vector<cerar_request_t*> requests(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    const double* input = rank == 0 ? data[0].data() : nullptr;
    ASSERT_EQ(cerar_allreduce_post(teams_[rank], input, results[rank].data(), count, CERAR_DOUBLE,
                                   &requests[rank]),
              CERAR_OK);
  }
  for (int done = 0; done < kRanks;) {
    done = 0;
    for (cerar_request_t* request : requests) {
      const auto status = cerar_request_test(request);
      ASSERT_GE(status, CERAR_OK);
      done += status == CERAR_OK;
    }
  }
  for (cerar_request_t* request : requests) cerar_request_free(request);

  for (int rank = 0; rank < kRanks; ++rank) {
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double sum = data[0][i] + data[1][i] + data[2][i];
      difference += (results[rank][i] - sum) * (results[rank][i] - sum);
      norm += sum * sum;
    }
    EXPECT_LT(std::sqrt(difference / norm), 1e-7);
    EXPECT_GT(difference, 0) << "an approximate code was asked for";
  }

  cerar_team_stats_t stats;
  cerar_team_get_stats(teams_[0], &stats);
  EXPECT_EQ(stats.calls, 1u);
  EXPECT_EQ(stats.components, 6);
  EXPECT_GT(stats.epsilon, 0);
  EXPECT_GT(stats.predicted_error, 1e-9);
  EXPECT_LT(stats.predicted_error, 1e-7);
  EXPECT_EQ(stats.design, CERAR_DESIGN_EPSILON);
  EXPECT_GT(stats.scratch_bytes, 0u);
  EXPECT_EQ(stats.rounds, 7u);
  EXPECT_EQ(stats.exact_ring_bytes, 2 * 2 * count * sizeof(double) / 3);
  EXPECT_GT(stats.combine_seconds, 0);
  EXPECT_GT(stats.decode_seconds, 0);
  EXPECT_GT(stats.wait_seconds, 0);
  EXPECT_LT(stats.combine_seconds + stats.decode_seconds + stats.wait_seconds,
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  EXPECT_EQ(stats.bytes_sent, links_[0]->bytes_sent());
  EXPECT_STREQ(stats.transport, "external");
}

TEST_F(CFace, FreeingARequestUnderWayCancelsIt) {
  make_teams();
  std::vector<float> data(5000, 1);
  cerar_request_t* request = nullptr;
  ASSERT_EQ(
      cerar_allreduce_post(teams_[0], nullptr, data.data(), data.size(), CERAR_FLOAT, &request),
      CERAR_OK);
  EXPECT_EQ(cerar_request_test(request), CERAR_IN_PROGRESS);
  EXPECT_GT(fabric_.outstanding(0), 0u);
  cerar_request_free(request);
  EXPECT_EQ(fabric_.outstanding(0), 0u);
}

TEST_F(CFace, RefusesBadParams) {
  cerar_team_params_t p = params(0);
  p.size = 1, expect_refused(p, "size");
  p = params(0), p.rank = kRanks, expect_refused(p, "rank");
  p = params(0), p.components = 8 * kRanks + 1, expect_refused(p, "components");
  p = params(0), p.epsilon = 1, expect_refused(p, "epsilon");
  p = params(0), p.epsilon = NAN, expect_refused(p, "epsilon");
  p = params(0), p.tolerance = -1, expect_refused(p, "tolerance");
  p = params(0), p.tolerance = 1.5, expect_refused(p, "tolerance");
  p = params(0), p.max_condition = 0.5, expect_refused(p, "max_condition");
  p = params(0), p.design = static_cast<cerar_design_t>(5), expect_refused(p, "design");
  p = params(0), p.design = CERAR_DESIGN_EXACT, expect_refused(p, "components");
  p = params(0), p.segment_bytes = 17 << 20, expect_refused(p, "segment_bytes");
  p = params(0), p.ops = nullptr, expect_refused(p, "ops");
  p = params(0), p.transport = CERAR_TRANSPORT_UCX, expect_refused(p, "exchange");
  p = params(0), p.transport = static_cast<cerar_transport_kind_t>(7),
  expect_refused(p, "transport");
}

TEST_F(CFace, FollowsRules) {
  const std::string file = testing::TempDir() + "c_face_test.rules";
  std::ofstream(file) << "bytes 0-999 : off\nbytes 1000-4000 : tolerance 0.5 # line 2\n";
  cerar_rules_t* rules = nullptr;
  ASSERT_EQ(cerar_rules_read(file.c_str(), &rules), CERAR_OK) << cerar_last_error();
  EXPECT_NE(cerar_rules_hash(rules), 0U);
  EXPECT_EQ(cerar_rules_find(rules, kRanks, 999, CERAR_FLOAT), CERAR_RULE_OFF);
  EXPECT_EQ(cerar_rules_find(rules, kRanks, 1000, CERAR_FLOAT), CERAR_RULE_RUN);
  EXPECT_EQ(cerar_rules_find(rules, kRanks, 4001, CERAR_FLOAT), CERAR_RULE_NONE);
  rules_ = rules;
  make_teams();
  cerar_rules_destroy(rules);  // the teams keep them
  std::vector<float> data(1000, 1);
  cerar_request_t* request = nullptr;
  ASSERT_EQ(
      cerar_allreduce_post(teams_[0], nullptr, data.data(), data.size(), CERAR_FLOAT, &request),
      CERAR_OK);
  cerar_team_stats_t stats{};
  cerar_team_get_stats(teams_[0], &stats);
  EXPECT_EQ(stats.tolerance, 0.5);
  EXPECT_EQ(stats.rule_line, 2);
  cerar_request_free(request);

  std::ofstream(file) << "\nbytes 0-999 off\n";
  EXPECT_EQ(cerar_rules_read(file.c_str(), &rules), CERAR_ERR_INVALID);
  EXPECT_EQ(rules, nullptr);
  EXPECT_EQ(cerar_last_error(),
            file + ":2: got 'off', expected ranks, bytes, type, or a colon and an action");
  std::remove(file.c_str());
  EXPECT_EQ(cerar_rules_read(file.c_str(), &rules), CERAR_ERR_INVALID);
  EXPECT_EQ(cerar_last_error(), file + ": No such file or directory");
  EXPECT_EQ(cerar_rules_read(nullptr, &rules), CERAR_ERR_INVALID);
}

TEST_F(CFace, RefusesBadCalls) {
  make_teams();
  float value = 1;
  cerar_request_t* request = nullptr;
  EXPECT_EQ(cerar_allreduce_post(nullptr, nullptr, &value, 1, CERAR_FLOAT, &request),
            CERAR_ERR_INVALID);
  EXPECT_EQ(cerar_allreduce_post(teams_[0], nullptr, nullptr, 1, CERAR_FLOAT, &request),
            CERAR_ERR_INVALID);
  EXPECT_EQ(
      cerar_allreduce_post(teams_[0], nullptr, &value, 1, static_cast<cerar_type_t>(2), &request),
      CERAR_ERR_INVALID);
  EXPECT_EQ(cerar_allreduce_post(teams_[0], nullptr, &value, 1, CERAR_FLOAT, nullptr),
            CERAR_ERR_INVALID);
  EXPECT_EQ(request, nullptr);
  EXPECT_EQ(cerar_request_test(nullptr), CERAR_ERR_INVALID);
}

TEST_F(CFace, ToleratesNullWhereItSaysSo) {
  cerar_context_destroy(nullptr);
  cerar_team_destroy(nullptr);
  cerar_request_free(nullptr);
  cerar_rules_destroy(nullptr);
  EXPECT_EQ(cerar_rules_hash(nullptr), 0U);
  EXPECT_EQ(cerar_rules_find(nullptr, 2, 1, CERAR_FLOAT), CERAR_RULE_NONE);
}

TEST(CFaceTexts, EveryStatusHasASentence) {
  for (int status = CERAR_ERR_INTERNAL; status <= CERAR_IN_PROGRESS; ++status) {
    EXPECT_GT(std::string(cerar_status_string(static_cast<cerar_status_t>(status))).size(), 3u);
  }
  EXPECT_NE(cerar_status_string(static_cast<cerar_status_t>(99)), nullptr);
}

}  // namespace
