// The protocol in one process, hop by hop, from the tables of all ranks: what a ring of machines
// would compute, without one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "core/code/code.hpp"

namespace cerar::test {

// vectors[i][k]: component k of rank i; all components are equally long.
template <class T>
using Vectors = std::vector<std::vector<std::vector<T>>>;

template <class T>
Vectors<T> gaussian_vectors(int ranks, int components, int length, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  Vectors<T> g(ranks, std::vector<std::vector<T>>(components, std::vector<T>(length)));
  for (auto& vector : g) {
    for (auto& component : vector) {
      for (T& x : component) x = static_cast<T>(normal(engine));
    }
  }
  return g;
}

inline std::vector<code::RankCode> all_rank_codes(const code::Spec& spec) {
  std::vector<code::RankCode> codes;
  for (int rank = 0; rank < spec.ranks; ++rank) codes.push_back(make_rank_code(spec, rank));
  return codes;
}

inline int component_of(const code::RankCode& code, int cls, int lane) {
  return code.groups == 1 ? lane : cls + lane * code.ranks;
}

// useful[i][m]: the packet that rank i has at hop N−1+m.
template <class T>
Vectors<T> run_ring(const std::vector<code::RankCode>& codes, const Vectors<T>& g) {
  const int ranks = codes[0].ranks;
  Vectors<T> useful(ranks, std::vector<std::vector<T>>(codes[0].components));
  for (int cls = 0; cls < ranks; ++cls) {
    std::vector<T> packet(g[0][0].size(), T(0));
    for (int hop = 0; hop <= codes[0].rounds; ++hop) {
      const int rank = (cls + hop) % ranks;
      for (const code::Term& term : codes[rank].visits[hop]) {
        const auto& x = g[rank][component_of(codes[rank], cls, term.lane)];
        const T alpha = static_cast<T>(term.alpha);
        for (std::size_t e = 0; e < x.size(); ++e) packet[e] = std::fma(alpha, x[e], packet[e]);
      }
      if (hop >= ranks - 1) useful[rank][hop - (ranks - 1)] = packet;
    }
  }
  return useful;
}

enum class Own { exact, coded };

// Rank `code.rank`'s result from its useful packets.
template <class T>
std::vector<std::vector<T>> decode(const code::RankCode& code,
                                   const std::vector<std::vector<T>>& useful,
                                   const std::vector<std::vector<T>>& g, Own own) {
  std::vector<std::vector<T>> result(code.components, std::vector<T>(g[0].size(), T(0)));
  for (int group = 0; group < code.groups; ++group) {
    const int first = code.groups == 1 ? code.ranks - 1 : code.first_useful_hop(group);
    const int step = code.groups == 1 ? 1 : code.ranks;
    const auto& matrices = code.decode[code.groups == 1 ? 0 : first - (code.ranks - 1)];
    for (int r = 0; r < code.lanes; ++r) {
      auto& out = result[component_of(code, group, r)];
      for (int m = 0; m < code.lanes; ++m) {
        const T w = static_cast<T>(matrices.w[r * code.lanes + m]);
        const T o = own == Own::exact ? static_cast<T>(matrices.own[r * code.lanes + m]) : T(0);
        const auto& y = useful[first + m * step - (code.ranks - 1)];
        const auto& x = g[component_of(code, group, m)];
        for (std::size_t e = 0; e < out.size(); ++e) {
          out[e] = std::fma(w, y[e], std::fma(o, x[e], out[e]));
        }
      }
    }
  }
  return result;
}

struct Errors {
  std::vector<double> by_rank;  // ‖Ĝ−G‖/‖G‖
  double worst() const { return *std::max_element(by_rank.begin(), by_rank.end()); }
};

// codes: of all ranks.
template <class T>
Errors simulate(const std::vector<code::RankCode>& codes, const Vectors<T>& g,
                Own own = Own::exact) {
  const auto useful = run_ring(codes, g);
  Errors errors;
  const int ranks = codes[0].ranks, components = codes[0].components;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto result = decode(codes[rank], useful[rank], g[rank], own);
    long double difference = 0, norm = 0;
    for (int k = 0; k < components; ++k) {
      for (std::size_t e = 0; e < result[k].size(); ++e) {
        long double sum = 0;
        for (int i = 0; i < ranks; ++i) sum += g[i][k][e];
        norm += sum * sum;
        difference += (result[k][e] - sum) * (result[k][e] - sum);
      }
    }
    errors.by_rank.push_back(static_cast<double>(std::sqrt(difference / norm)));
  }
  return errors;
}

template <class T>
Errors simulate(const code::Spec& spec, const Vectors<T>& g, Own own = Own::exact) {
  return simulate(all_rank_codes(spec), g, own);
}

}  // namespace cerar::test
