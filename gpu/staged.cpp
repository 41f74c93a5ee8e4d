#include "gpu/staged.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/ring/layout.hpp"
#include "gpu/transfer.hpp"

namespace cerar::gpu {
namespace {

// Elements that are copied at once, if a tile is not longer.
constexpr std::size_t kPiece = 64 * 1024;

// Consecutive elements of a vector, as host code may use them.
template <class T>
class Block {
 public:
  explicit Block(std::size_t capacity) : memory_(capacity) {}

  // Where the elements are now: copied, if `from` is on a device.
  T* fetch(Transfer& transfer, T* from, std::size_t elements) {
    origin_ = from;
    elements_ = elements;
    copied_ = transfer.on_device(from);
    if (!copied_) return from;
    if (memory_.size() < elements) memory_.resize(elements);
    transfer.copy(memory_.data(), from, elements * sizeof(T));
    return memory_.data();
  }
  const T* fetch(Transfer& transfer, const T* from, std::size_t elements) {
    return fetch(transfer, const_cast<T*>(from), elements);
  }
  void put_back(Transfer& transfer) {
    if (copied_) transfer.copy(origin_, memory_.data(), elements_ * sizeof(T));
  }

 private:
  std::vector<T> memory_;
  T* origin_ = nullptr;
  std::size_t elements_ = 0;
  bool copied_ = false;
};

template <class T>
class StagedQueue : public ring::Queue<T> {
 public:
  StagedQueue(const WorkerLease& lease, int lanes)
      : transfer_(lease), sources_(capacity(lanes)), results_(capacity(lanes)) {}

  void combine(const kernel::Combine<T>& args) override;
  void decode(const kernel::Decode<T>& args) override { decode_pieces(args, false); }
  void decode_result(const kernel::Decode<T>& args) override { decode_pieces(args, true); }
  void copy(T* to, const T* from, std::size_t elements) override {
    transfer_.copy(to, from, elements * sizeof(T));
  }
  void zero(T* to, std::size_t elements) override {
    T* block = results_.fetch(transfer_, to, elements);
    if (transfer_.status() == CERAR_OK) std::fill_n(block, elements, T{0});
    results_.put_back(transfer_);
  }
  void conclude() override {}
  kernel::Magnitude<T> greatest() const override { return greatest_; }
  void mark() override {}
  cerar_status_t test() override { return transfer_.status(); }
  void drain() override {}

 private:
  static std::size_t capacity(int lanes) {
    return std::max(kPiece, std::size_t(lanes) * ring::kTileWidth);
  }
  void combine_piece(kernel::Combine<T> args);
  void decode_pieces(const kernel::Decode<T>& args, bool is_result);
  void decode_piece(kernel::Decode<T> args, bool is_result);

  Transfer transfer_;
  Block<T> sources_;
  Block<T> results_;
  kernel::Magnitude<T> greatest_ = 0;
};

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
  return std::make_unique<StagedQueue<float>>(lease_, lanes);
}

std::unique_ptr<ring::Queue<double>> StagedSpace::make_double_queue(int lanes) {
  return std::make_unique<StagedQueue<double>>(lease_, lanes);
}

}  // namespace cerar::gpu
