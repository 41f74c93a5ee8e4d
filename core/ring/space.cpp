#include "core/ring/space.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/ring/place.hpp"

namespace cerar::ring {
namespace {

constexpr std::size_t kCacheLine = 64;

// Bytes that are decoded at once where they are read again: so few that they are still in the
// cache.
constexpr std::size_t kPiece = 32 * 1024;

template <class T>
class HostQueue : public Queue<T> {
 public:
  void combine(const kernel::Combine<T>& args) override { kernel::combine(args); }
  void decode(const kernel::Decode<T>& args) override { kernel::decode(args); }
  void decode_result(const kernel::Decode<T>& args) override;
  void copy(T* to, const T* from, std::size_t elements) override {
    std::copy_n(from, elements, to);
  }
  void zero(T* to, std::size_t elements) override { std::fill_n(to, elements, T{0}); }
  void conclude() override {}
  kernel::Magnitude<T> greatest() const override { return greatest_; }
  void mark() override {}
  cerar_status_t test() override { return CERAR_OK; }
  void drain() override {}

 private:
  kernel::Magnitude<T> greatest_ = 0;
};

template <class T>
void HostQueue<T>::decode_result(const kernel::Decode<T>& args) {
  const std::size_t tile = args.lanes * args.width;
  if (tile == 0) return;
  const std::size_t tiles = std::max<std::size_t>(kPiece / sizeof(T) / tile, 1);
  kernel::in_pieces(args, tiles, [&](const kernel::Decode<T>& piece) {
    kernel::decode(piece);
    greatest_ = std::max(greatest_, kernel::greatest_magnitude(piece.out, piece.tiles * tile));
  });
}

class HostSpace : public Space {
 public:
  std::byte* allocate(std::size_t bytes, Use) override {
    void* data = nullptr;
    if (posix_memalign(&data, kCacheLine, bytes) != 0) throw std::bad_alloc();
    return static_cast<std::byte*>(data);
  }
  void deallocate(std::byte* data, Use) noexcept override { std::free(data); }
  std::unique_ptr<Queue<float>> make_float_queue(int) override {
    return std::make_unique<HostQueue<float>>();
  }
  std::unique_ptr<Queue<double>> make_double_queue(int) override {
    return std::make_unique<HostQueue<double>>();
  }
};

}  // namespace

Place host_place() {
  Place place;
  place.space = std::shared_ptr<Space>(&host_space(), [](Space*) {});
  return place;
}

Space& host_space() {
  static HostSpace space;
  return space;
}

}  // namespace cerar::ring
