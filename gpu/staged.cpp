#include "gpu/staged.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

#include "core/ring/layout.hpp"

namespace cerar::gpu {
namespace {

// Elements that are copied at once, if a tile is not longer.
constexpr std::size_t kPiece = 64 * 1024;

std::size_t capacity_for(int lanes) {
  return std::max(kPiece, std::size_t(lanes) * ring::kTileWidth);
}

// What is copied lies here until it has been used. There is one pair of blocks for the process, in
// memory that can't be short when a call comes: queues have done everything when they return, so
// they take turns.
struct CommonBlocks {
  alignas(64) std::byte sources[kPiece * sizeof(double)];
  alignas(64) std::byte results[kPiece * sizeof(double)];
  std::mutex mutex;
};
CommonBlocks common_blocks;

// Consecutive elements of a vector, as host code may use them.
template <class T>
class Block {
 public:
  // In memory of its own where the common one is too short. Throws std::bad_alloc.
  template <std::size_t bytes>
  Block(std::byte (&common)[bytes], std::size_t capacity)
      : own_(capacity * sizeof(T) > bytes ? capacity : 0),
        memory_(own_.empty() ? reinterpret_cast<T*>(common) : own_.data()) {}

  // Where the elements are now: copied, if `from` is on a device.
  T* fetch(Transfer& transfer, T* from, std::size_t elements) {
    origin_ = from;
    elements_ = elements;
    copied_ = transfer.on_device(from);
    if (!copied_) return from;
    transfer.copy(memory_, from, elements * sizeof(T));
    return memory_;
  }
  const T* fetch(Transfer& transfer, const T* from, std::size_t elements) {
    return fetch(transfer, const_cast<T*>(from), elements);
  }
  void put_back(Transfer& transfer) {
    if (copied_) transfer.copy(origin_, memory_, elements_ * sizeof(T));
  }

 private:
  std::vector<T> own_;
  T* memory_;
  T* origin_ = nullptr;
  std::size_t elements_ = 0;
  bool copied_ = false;
};

template <class T>
class StagedQueue : public ring::Queue<T> {
 public:
  StagedQueue(const CopyStream& stream, int lanes)
      : transfer_(stream),
        sources_(common_blocks.sources, capacity_for(lanes)),
        results_(common_blocks.results, capacity_for(lanes)) {}

  void combine(const kernel::Combine<T>& args) override;
  void decode(const kernel::Decode<T>& args) override { decode_pieces(args, false); }
  void decode_result(const kernel::Decode<T>& args) override { decode_pieces(args, true); }
  void copy(T* to, const T* from, std::size_t elements) override {
    transfer_.copy(to, from, elements * sizeof(T));
  }
  void zero(T* to, std::size_t elements) override;
  void conclude() override {}
  kernel::Magnitude<T> greatest() const override { return greatest_; }
  void mark() override {}
  cerar_status_t test() override { return transfer_.status(); }
  void drain() override {}

 private:
  void combine_piece(kernel::Combine<T> args);
  void decode_pieces(const kernel::Decode<T>& args, bool is_result);
  void decode_piece(kernel::Decode<T> args, bool is_result);

  Transfer transfer_;
  Block<T> sources_;
  Block<T> results_;
  kernel::Magnitude<T> greatest_ = 0;
};

// At most a tile.
template <class T>
void StagedQueue<T>::zero(T* to, std::size_t elements) {
  const std::lock_guard lock(common_blocks.mutex);
  T* const block = results_.fetch(transfer_, to, elements);
  if (transfer_.status() == CERAR_OK) std::fill_n(block, elements, T{0});
  results_.put_back(transfer_);
}

// One tile's elements, or as many tiles as make a piece.
template <class T>
void StagedQueue<T>::combine(const kernel::Combine<T>& given) {
  kernel::Combine<T> args = given;
  if (args.stride == args.width) {
    args.width *= args.tiles;
    args.tiles = std::min<std::size_t>(args.tiles, 1);
  }
  const bool one_row = args.tiles == 1;
  std::size_t& extent = one_row ? args.width : args.tiles;
  const std::size_t total = args.width == 0 ? 0 : extent;
  const std::size_t piece = one_row ? kPiece : std::max<std::size_t>(kPiece / args.stride, 1);
  for (std::size_t done = 0; done < total; done += piece) {
    extent = std::min(piece, total - done);
    combine_piece(args);
    const std::size_t packet = one_row ? extent : extent * args.width;
    const std::size_t vector = one_row ? extent : extent * args.stride;
    if (args.in) args.in += packet;
    if (args.out) args.out += packet;
    if (args.store) args.store += vector;
    for (int k = 0; k < args.terms; ++k) args.x[k] += vector;
  }
}

// The terms are lanes of the same tiles: a block that has them all is fetched at once. What lies
// between the stored lane's rows is put back as it was: nobody else works on these tiles now.
template <class T>
void StagedQueue<T>::combine_piece(kernel::Combine<T> args) {
  const std::lock_guard lock(common_blocks.mutex);
  const std::size_t span = (args.tiles - 1) * args.stride + args.width;
  if (args.terms > 0) {
    const auto [first, last] = std::minmax_element(args.x, args.x + args.terms);
    const T* const from = *first;
    const T* const block = sources_.fetch(transfer_, from, *last - from + span);
    for (int k = 0; k < args.terms; ++k) args.x[k] = block + (args.x[k] - from);
  }
  if (args.store) args.store = results_.fetch(transfer_, args.store, span);
  if (transfer_.status() != CERAR_OK) return;
  kernel::combine(args);
  if (args.store) results_.put_back(transfer_);
}

template <class T>
void StagedQueue<T>::decode_pieces(const kernel::Decode<T>& args, bool is_result) {
  const std::size_t tile = args.lanes * args.width;
  if (tile == 0) return;
  kernel::in_pieces(args, std::max<std::size_t>(kPiece / tile, 1),
                    [&](const kernel::Decode<T>& piece) { decode_piece(piece, is_result); });
}

template <class T>
void StagedQueue<T>::decode_piece(kernel::Decode<T> args, bool is_result) {
  const std::lock_guard lock(common_blocks.mutex);
  const std::size_t elements = args.lanes * args.width * args.tiles;
  const bool out_is_y = args.out == args.y;
  const bool out_is_g = args.own && args.out == args.g;
  T* const result = results_.fetch(transfer_, args.out, elements);
  // The engine decodes in place, so that there are two blocks at most.
  args.y = out_is_y ? result : sources_.fetch(transfer_, args.y, elements);
  if (args.own) args.g = out_is_g ? result : sources_.fetch(transfer_, args.g, elements);
  args.out = result;
  if (transfer_.status() != CERAR_OK) return;
  kernel::decode(args);
  if (is_result) {
    greatest_ = std::max(greatest_, kernel::greatest_magnitude(result, elements));
  }
  results_.put_back(transfer_);
}

}  // namespace

std::unique_ptr<ring::Queue<float>> StagedSpace::make_float_queue(int lanes) {
  return std::make_unique<StagedQueue<float>>(stream_, lanes);
}

std::unique_ptr<ring::Queue<double>> StagedSpace::make_double_queue(int lanes) {
  return std::make_unique<StagedQueue<double>>(stream_, lanes);
}

}  // namespace cerar::gpu
