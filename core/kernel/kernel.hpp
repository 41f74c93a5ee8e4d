// The arithmetic of CERAR on host memory: combine (packet update) and decode. T is float or double.
//
// A vector is laid out in tiles: a tile is `lanes` runs of `width` neighbouring elements each, one
// run a lane. A packet holds one image a lane position, so `width` elements a tile, contiguous.
#pragma once

#include <cstddef>
#include <utility>

#include "core/kernel/magnitude.hpp"

namespace cerar::kernel {

inline constexpr int kMaxTerms = 8;

// y = in + Σ_k alpha[k]·x[k], for each of `tiles` tiles of `width` elements.
//
// out and in are packets: width·tiles contiguous elements. x[k] and store point into the first tile
// of a vector, at a lane; `stride` elements further comes the same lane of the next tile. in ==
// nullptr counts as zero. y goes to out, and also to store unless that is nullptr; out may be
// nullptr if store is not. Aliases allowed: out == in; store == x[k] for any k; nothing else may
// overlap.
template <class T>
struct Combine {
  T* out = nullptr;
  const T* in = nullptr;
  T* store = nullptr;
  const T* x[kMaxTerms] = {};
  T alpha[kMaxTerms] = {};
  int terms = 0;  // 0 … kMaxTerms
  std::size_t width = 0;
  std::size_t tiles = 0;
  std::size_t stride = 0;
};

// out_r = Σ_m w[r·lanes + m]·y_m + Σ_m own[r·lanes + m]·g_m for every lane r, in each of `tiles`
// tiles.
//
// out, y and g point to the first of `tiles` consecutive tiles of lanes·width elements; lane m of a
// tile starts at m·width. own == nullptr: no second sum (g is then not read). out == y, and out ==
// g, are allowed; nothing else may overlap. lanes ≥ 1; up to kMaxTerms lanes are the fast case,
// more are correct but slower.
template <class T>
struct Decode {
  T* out = nullptr;
  const T* y = nullptr;
  const T* g = nullptr;
  const T* w = nullptr;
  const T* own = nullptr;
  int lanes = 0;
  std::size_t width = 0;
  std::size_t tiles = 0;
};

// Calls function with parts of a decode, of at most so many tiles each (from 1), one after the
// other.
template <class T, class Function>
void in_pieces(Decode<T> args, std::size_t tiles, Function function) {
  const std::size_t tile = args.lanes * args.width;
  for (std::size_t left = args.tiles; left > 0; left -= args.tiles) {
    args.tiles = left < tiles ? left : tiles;
    function(std::as_const(args));
    args.out += args.tiles * tile;
    args.y += args.tiles * tile;
    if (args.own) args.g += args.tiles * tile;
  }
}

// Each runs the best version that the processor has, or the one that CERAR_KERNEL in the
// environment names, if it has that.
template <class T>
void combine(const Combine<T>& args);
template <class T>
void decode(const Decode<T>& args);
// 0 of no elements.
template <class T>
Magnitude<T> greatest_magnitude(const T* values, std::size_t elements);

extern template void combine<float>(const Combine<float>&);
extern template void combine<double>(const Combine<double>&);
extern template void decode<float>(const Decode<float>&);
extern template void decode<double>(const Decode<double>&);
extern template Magnitude<float> greatest_magnitude(const float*, std::size_t);
extern template Magnitude<double> greatest_magnitude(const double*, std::size_t);

// The version in use: "portable", "x86-64-v3" or "x86-64-v4".
const char* version();

}  // namespace cerar::kernel
