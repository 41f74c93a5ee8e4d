#include "gpu/launch.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "gpu/kernel_body.hpp"

namespace cerar::gpu {
namespace {

static_assert(kMaxTerms == kernel::kMaxTerms);

// Elements that a launch spans at most, a multiple of 16 bytes: their numbers fit the kernels'.
constexpr std::size_t kMaxSpan = std::size_t{1} << 30;

// Blocks of decode for many lanes: as many as 4 MiB of scratch allow, but enough for some overlap.
constexpr std::size_t kMinBlocksAny = 2;
constexpr std::size_t kMaxBlocksAny = 256;
constexpr std::size_t kScratchBytes = std::size_t{4} << 20;

std::size_t ceil_div(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

bool is_aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0;  // true for nullptr
}

template <class T>
Rows rows_of(std::size_t width, std::size_t tiles, bool wide) {
  const std::size_t elements = wide ? Pack<T>::kSize : 1;
  Rows rows;
  if (tiles == 1) {  // one row: no unit is in another, whatever its number
    rows.units = static_cast<std::uint32_t>(width / elements);
    rows.rest = static_cast<std::uint32_t>(width % elements);
    rows.width = 0;
    rows.shift = 31;
    return rows;
  }
  rows.width = static_cast<std::uint32_t>(width / elements);
  rows.units = static_cast<std::uint32_t>(rows.width * tiles);
  rows.shift = std::has_single_bit(rows.width) ? std::countr_zero(rows.width) : -1;
  return rows;
}

template <class T>
bool all_aligned(const kernel::Combine<T>& args) {
  bool aligned = is_aligned(args.in) && is_aligned(args.out) && is_aligned(args.store);
  for (int k = 0; k < args.terms; ++k) aligned = aligned && is_aligned(args.x[k]);
  return aligned;
}

// Moves the arguments on: by elements in the packet and by elements in the vector.
template <class T>
void advance(kernel::Combine<T>& args, std::size_t packet, std::size_t vector) {
  if (args.in) args.in += packet;
  if (args.out) args.out += packet;
  if (args.store) args.store += vector;
  for (int k = 0; k < args.terms; ++k) args.x[k] += vector;
}

template <class T>
std::size_t blocks_any(int lanes) {
  return std::clamp(kScratchBytes / (lanes * kThreadsAny * sizeof(T)), kMinBlocksAny,
                    kMaxBlocksAny);
}

}  // namespace

template <class T>
api::Result Launcher<T>::launch(api::Function kernel, std::size_t blocks, unsigned threads,
                                void* args) const {
  void* arguments[] = {args};
  return driver_.cuLaunchKernel(kernel, static_cast<unsigned>(std::max<std::size_t>(blocks, 1)), 1,
                                1, threads, 1, 1, 0, stream_, arguments, nullptr);
}

template <class T>
api::Result Launcher<T>::combine(const kernel::Combine<T>& given) const {
  kernel::Combine<T> args = given;
  if (args.stride == args.width) {  // the lane is the whole tile: one long row
    args.width *= args.tiles;
    args.tiles = std::min<std::size_t>(args.tiles, 1);
  }
  if (args.width == 0 || args.tiles == 0) return api::kSuccess;

  const bool one_row = args.tiles == 1;
  std::size_t& extent = one_row ? args.width : args.tiles;
  const std::size_t total = extent;
  const std::size_t piece = one_row ? kMaxSpan : std::max<std::size_t>(kMaxSpan / args.stride, 1);
  for (std::size_t done = 0; done < total; done += piece) {
    extent = std::min(piece, total - done);
    const api::Result result = combine_rows(args);
    if (result != api::kSuccess) return result;
    advance(args, one_row ? extent : extent * args.width, one_row ? extent : extent * args.stride);
  }
  return api::kSuccess;
}

template <class T>
api::Result Launcher<T>::combine_rows(const kernel::Combine<T>& args) const {
  constexpr std::size_t kPack = Pack<T>::kSize;
  const bool fits = args.tiles == 1 || (args.width % kPack == 0 && args.stride % kPack == 0);
  const bool wide = fits && all_aligned(args);
  CombineArgs<T> out{};
  out.out = args.out;
  out.in = args.in;
  out.store = args.store;
  std::copy_n(args.x, args.terms, out.x);
  std::copy_n(args.alpha, args.terms, out.alpha);
  out.rows = rows_of<T>(args.width, args.tiles, wide);
  out.stride = static_cast<std::uint32_t>(args.stride);
  return launch(kernels_.combine[wide][args.terms],
                ceil_div(out.rows.units, units_per_block(args.terms + 1)), kThreads, &out);
}

template <class T>
api::Result Launcher<T>::decode(const kernel::Decode<T>& given) const {
  kernel::Decode<T> args = given;
  if (args.lanes == 1) {
    args.width *= args.tiles;
    args.tiles = std::min<std::size_t>(args.tiles, 1);
  }
  if (args.width == 0 || args.tiles == 0) return api::kSuccess;

  const std::size_t tile = args.lanes * args.width;
  if (tile > kMaxSpan) return api::kInvalidValue;
  api::Result result = api::kSuccess;
  kernel::in_pieces(args, kMaxSpan / tile, [&](const kernel::Decode<T>& piece) {
    if (result == api::kSuccess) result = decode_tiles(piece);
  });
  return result;
}

template <class T>
api::Result Launcher<T>::decode_tiles(const kernel::Decode<T>& args) const {
  const bool own = args.own != nullptr;
  const bool wide = args.width % Pack<T>::kSize == 0 && is_aligned(args.out) &&
                    is_aligned(args.y) && (!own || is_aligned(args.g));
  DecodeArgs<T> out{};
  out.out = args.out;
  out.y = args.y;
  out.g = own ? args.g : nullptr;
  const int entries = args.lanes * args.lanes;
  std::copy_n(args.w, entries, out.w);
  if (own) std::copy_n(args.own, entries, out.own);
  out.rows = rows_of<T>(args.width, args.tiles, wide);
  out.lane = static_cast<std::uint32_t>(args.width);
  return launch(kernels_.decode[wide][own][args.lanes],
                ceil_div(out.rows.units, units_per_block(args.lanes * (own ? 2 : 1))), kThreads,
                &out);
}

template <class T>
api::Result Launcher<T>::decode_any(const kernel::Decode<T>& args, T* scratch) const {
  DecodeAnyArgs<T> out{};
  out.out = args.out;
  out.y = args.y;
  out.g = args.g;
  out.w = args.w;
  out.own = args.own;
  out.scratch = scratch;
  out.lanes = static_cast<std::uint32_t>(args.lanes);
  out.width = args.width;
  out.columns = args.width * args.tiles;
  if (out.columns == 0) return api::kSuccess;
  const std::size_t blocks =
      std::min(blocks_any<T>(args.lanes), ceil_div(out.columns, kThreadsAny));
  return launch(kernels_.decode_any, blocks, kThreadsAny, &out);
}

template <class T>
api::Result Launcher<T>::magnitude(const T* values, std::size_t elements,
                                   kernel::Magnitude<T>* slots, unsigned blocks) const {
  const bool wide = is_aligned(values);
  const std::size_t unit = wide ? Pack<T>::kSize : 1;
  MagnitudeArgs<T> out{values, slots, elements / unit, elements % unit};
  return launch(kernels_.magnitude[wide], blocks, kThreads, &out);
}

template <class T>
std::size_t Launcher<T>::scratch_elements(int lanes) {
  return blocks_any<T>(lanes) * lanes * kThreadsAny;
}

template class Launcher<float>;
template class Launcher<double>;

}  // namespace cerar::gpu
