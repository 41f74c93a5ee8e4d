// All ranks of a ring in one process, over the in-process transport.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/ring/team.hpp"
#include "core/transport/inproc/inproc.hpp"

namespace cerar::ring::test {

template <class T>
using Vectors = std::vector<std::vector<T>>;  // one a rank

// Independent Gaussian data.
template <class T>
Vectors<T> gaussian(int ranks, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Vectors<T> data(ranks, std::vector<T>(count));
  for (auto& vector : data) {
    for (T& value : vector) value = static_cast<T>(normal(random));
  }
  return data;
}

template <class T>
std::vector<long double> exact_sum(const Vectors<T>& data) {
  std::vector<long double> sum(data[0].size(), 0);
  for (const auto& vector : data) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += vector[i];
  }
  return sum;
}

// ‖result − sum‖ / ‖sum‖ over the elements [first, last). Scaled before they are squared: under
// valgrind a long double has no more range than a double.
template <class T>
double relative_error(const std::vector<T>& result, const std::vector<long double>& sum,
                      std::size_t first, std::size_t last) {
  long double greatest = 0;
  for (std::size_t i = first; i < last; ++i) greatest = std::max(greatest, std::abs(sum[i]));
  int exponent = 0;
  std::frexp(greatest, &exponent);
  long double difference = 0, norm = 0;
  for (std::size_t i = first; i < last; ++i) {
    const long double apart = std::ldexp(result[i] - sum[i], -exponent);
    const long double exact = std::ldexp(sum[i], -exponent);
    difference += apart * apart;
    norm += exact * exact;
  }
  if (difference == 0) return 0;
  return static_cast<double>(std::sqrt(difference / norm));
}

template <class T>
double worst_error(const Vectors<T>& results, const std::vector<long double>& sum) {
  double worst = 0;
  for (const auto& result : results) {
    const double error = relative_error(result, sum, 0, sum.size());
    if (!(error <= worst)) worst = error;  // NaN too
  }
  return worst;
}

// One all-reduce on all ranks: data, what it left, and how it ended.
template <class T>
struct Reduction {
  Vectors<T> inputs;
  Vectors<T> results;
  std::vector<bool> in_place;  // by rank
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<cerar_status_t> status;

  explicit Reduction(Vectors<T> data)
      : inputs(std::move(data)),
        results(inputs.size(), std::vector<T>(inputs[0].size(), T{-777})),
        in_place(inputs.size(), false),
        calls(inputs.size()),
        status(inputs.size(), CERAR_IN_PROGRESS) {}
};

class Ring {
 public:
  Ring(TeamOptions options, const transport::InprocOptions& links = {})
      : fabric_(options.ranks, links) {
    for (int rank = 0; rank < options.ranks; ++rank) {
      options.rank = rank;
      teams_.push_back(std::make_unique<Team>(options, fabric_.link(rank)));
    }
  }

  transport::InprocRing& fabric() { return fabric_; }
  Team& team(int rank) { return *teams_[rank]; }
  int ranks() const { return static_cast<int>(teams_.size()); }

  template <class T>
  void post(Reduction<T>& reduction) {
    for (int rank = 0; rank < ranks(); ++rank) {
      auto& result = reduction.results[rank];
      const T* send = reduction.inputs[rank].data();
      if (reduction.in_place[rank]) {
        result = reduction.inputs[rank];
        send = nullptr;
      }
      reduction.calls[rank] = teams_[rank]->post(send, result.data(), result.size());
    }
  }

  // One turn of every rank; true while any is under way.
  template <class T>
  bool progress(Reduction<T>& reduction) {
    bool under_way = false;
    for (int rank = 0; rank < ranks(); ++rank) {
      if (reduction.status[rank] == CERAR_IN_PROGRESS) {
        reduction.status[rank] = reduction.calls[rank]->progress();
      }
      under_way |= reduction.status[rank] == CERAR_IN_PROGRESS;
    }
    return under_way;
  }

  // Runs to the end. Throws if it takes suspiciously long: a hang.
  template <class T>
  void finish(Reduction<T>& reduction) {
    for (long turn = 0; progress(reduction); ++turn) {
      if (turn > 5'000'000) throw std::runtime_error("the all-reduce hangs");
    }
  }

  template <class T>
  void run(Reduction<T>& reduction) {
    post(reduction);
    finish(reduction);
  }

 private:
  transport::InprocRing fabric_;
  std::vector<std::unique_ptr<Team>> teams_;
};

// An upper limit for the relative error of Gaussian data with the best ε: twice u^{1/(q+1)}, about
// which the best designs lie (docs/theory.md); for exact codes what adding up N values in any order
// loses.
template <class T>
double error_limit(int ranks, int components) {
  const double u = std::numeric_limits<T>::epsilon() / 2;
  const int q = (components + ranks - 1) / ranks - 1;
  if (q == 0) return components == ranks ? 4 * u * ranks : 64 * u * ranks;
  return 2 * std::pow(u, 1.0 / (q + 1));
}

}  // namespace cerar::ring::test
