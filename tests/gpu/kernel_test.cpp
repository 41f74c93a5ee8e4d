// The kernels' logic, compiled for the host: against the host's kernels, on random shapes,
// alignments and aliases. What the arguments do not describe must stay as it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/launch.hpp"
#include "tests/gpu/application.hpp"

namespace cerar::gpu::test {
namespace {

constexpr int kRounds = 200;

template <class T>
class GpuKernels : public testing::Test {
 protected:
  GpuKernels() : seed_(std::random_device{}()), random_(seed_) {
    std::cout << "seed " << seed_ << std::endl;
    device_ = Device::of(*find_driver(), {Kind::device, nullptr, 0});
    worker_ = device_->take();
  }
  ~GpuKernels() override { device_->give_back(std::move(worker_)); }

  std::size_t between(std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random_);
  }
  std::vector<T> values(std::size_t count) {
    std::vector<T> made(count);
    std::uniform_real_distribution<T> value(-2, 2);
    for (T& v : made) v = value(random_);
    return made;
  }
  Launcher<T> launcher() {
    return Launcher<T>(device_->driver(), device_->kernels(), worker_->stream());
  }
  void finish() { must(driver::cuStreamSynchronize(worker_->stream())); }

  // Tiles: full ones, short ones, one long row.
  void choose_shape(std::size_t& width, std::size_t& tiles) {
    switch (between(0, 3)) {
      case 0:
        width = 128;
        tiles = between(1, 40);
        break;
      case 1:
        width = between(1, 127);
        tiles = between(1, 12);
        break;
      case 2:
        width = 4 * between(1, 40);
        tiles = between(1, 12);
        break;
      default:
        width = between(1, 9000);
        tiles = 1;
    }
  }

  // Host and device results must agree but for how products and sums were fused.
  void expect_near(const std::vector<T>& is, const std::vector<T>& expected, const char* what) {
    ASSERT_EQ(is.size(), expected.size());
    for (std::size_t i = 0; i < is.size(); ++i) {
      const T slack = 400 * std::numeric_limits<T>::epsilon();
      ASSERT_LE(std::abs(is[i] - expected[i]), slack) << what << ", element " << i;
    }
  }

  Application application_;
  unsigned seed_;
  std::mt19937 random_;
  std::shared_ptr<Device> device_;
  std::unique_ptr<Worker> worker_;
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(GpuKernels, Types);

TYPED_TEST(GpuKernels, CombineAsTheHostDoes) {
  using T = TypeParam;
  for (int round = 0; round < kRounds; ++round) {
    std::size_t width, tiles;
    this->choose_shape(width, tiles);
    const int lanes = static_cast<int>(this->between(1, 9));
    const std::size_t packet = width * tiles;
    const std::size_t vector = packet * lanes;
    const std::size_t shift = this->between(0, 3) == 0 ? this->between(1, 5) : 0;
    Buffer<T> in(Where::device, packet, shift * this->between(0, 1));
    Buffer<T> out(Where::device, packet, shift * this->between(0, 1));
    Buffer<T> x(Where::device, vector, shift);
    Buffer<T> store(Where::device, vector, shift * this->between(0, 1));
    std::vector<T> h_in = this->values(packet), h_out(packet, 7), h_x = this->values(vector),
                   h_store(vector, 8);
    in.write(h_in), out.write(h_out), x.write(h_x), store.write(h_store);

    kernel::Combine<T> host, device;
    host.terms = device.terms = static_cast<int>(this->between(0, kMaxTerms));
    host.width = device.width = width;
    host.tiles = device.tiles = tiles;
    host.stride = device.stride = width * lanes;
    for (int k = 0; k < host.terms; ++k) {
      const std::size_t lane = this->between(0, lanes - 1) * width;
      host.x[k] = h_x.data() + lane;
      device.x[k] = x.data() + lane;
      host.alpha[k] = device.alpha[k] = this->values(1)[0];
    }
    if (this->between(0, 2) > 0) host.in = h_in.data(), device.in = in.data();
    const std::size_t which = this->between(0, 4);  // out, store, both; in place; over a term
    const std::size_t lane = this->between(0, lanes - 1) * width;
    if (which != 1) host.out = h_out.data(), device.out = out.data();
    if (which == 1 || which == 2)
      host.store = h_store.data() + lane, device.store = store.data() + lane;
    if (which == 3 && host.in) host.out = h_in.data(), device.out = in.data();
    if (which == 4) host.store = h_x.data() + lane, device.store = x.data() + lane;

    kernel::combine(host);
    ASSERT_EQ(this->launcher().combine(device), api::kSuccess);
    this->finish();
    SCOPED_TRACE(testing::Message() << "round " << round << ": " << host.terms << " terms, width "
                                    << width << ", tiles " << tiles << ", lanes " << lanes
                                    << ", shift " << shift << ", case " << which);
    this->expect_near(out.read(), h_out, "out");
    this->expect_near(in.read(), h_in, "in");
    this->expect_near(x.read(), h_x, "x");
    this->expect_near(store.read(), h_store, "store");
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(GpuKernels, DecodeAsTheHostDoes) {
  using T = TypeParam;
  for (int round = 0; round < kRounds; ++round) {
    std::size_t width, tiles;
    this->choose_shape(width, tiles);
    const bool many = this->between(0, 3) == 0;
    const int lanes = static_cast<int>(many ? this->between(9, 40) : this->between(1, 8));
    const std::size_t size = width * tiles * lanes;
    const std::size_t shift = this->between(0, 3) == 0 ? this->between(1, 5) : 0;
    Buffer<T> y(Where::device, size, shift * this->between(0, 1));
    Buffer<T> g(Where::device, size, shift);
    Buffer<T> out(Where::device, size, shift * this->between(0, 1));
    std::vector<T> h_y = this->values(size), h_g = this->values(size), h_out(size, 9);
    y.write(h_y), g.write(h_g), out.write(h_out);
    std::vector<T> w = this->values(lanes * lanes), own = this->values(lanes * lanes);
    for (T& value : w) value /= lanes;
    for (T& value : own) value /= lanes;

    kernel::Decode<T> host, device;
    host.lanes = device.lanes = lanes;
    host.width = device.width = width;
    host.tiles = device.tiles = tiles;
    host.y = h_y.data(), device.y = y.data();
    host.w = device.w = w.data();
    if (this->between(0, 1)) {
      host.own = device.own = own.data();
      host.g = h_g.data(), device.g = g.data();
    }
    switch (this->between(0, 2)) {
      case 0:
        host.out = h_out.data(), device.out = out.data();
        break;
      case 1:
        host.out = h_y.data(), device.out = y.data();
        break;
      default:
        host.out = h_g.data(), device.out = g.data();
    }

    // Many lanes: the matrices must be on the device.
    Buffer<T> d_w(Where::device, w.size()), d_own(Where::device, own.size());
    Buffer<T> scratch(Where::device, Launcher<T>::scratch_elements(lanes));
    kernel::decode(host);
    if (many) {
      d_w.write(w), d_own.write(own);
      device.w = d_w.data();
      if (device.own) device.own = d_own.data();
      ASSERT_EQ(this->launcher().decode_any(device, scratch.data()), api::kSuccess);
    } else {
      ASSERT_EQ(this->launcher().decode(device), api::kSuccess);
    }
    this->finish();
    SCOPED_TRACE(testing::Message() << "round " << round << ": " << lanes << " lanes, width "
                                    << width << ", tiles " << tiles << ", shift " << shift);
    this->expect_near(out.read(), h_out, "out");
    this->expect_near(y.read(), h_y, "y");
    this->expect_near(g.read(), h_g, "g");
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(GpuKernels, FindTheGreatestMagnitudeOfAllLaunches) {
  using T = TypeParam;
  using Bits = kernel::Magnitude<T>;
  Buffer<Bits> slots(Where::device, kMagnitudeSlots);
  Buffer<Bits> few(Where::device, kThreads);
  for (int round = 0; round < 20; ++round) {
    slots.write(std::vector<Bits>(kMagnitudeSlots, 0));
    Bits expected = 0;
    for (int run = 0; run < 3; ++run) {
      const std::size_t size = this->between(1, run == 0 ? 100 : 300000);
      const std::size_t shift = this->between(0, 5);
      std::vector<T> h_values = this->values(size);
      h_values[this->between(0, size - 1)] = -static_cast<T>(this->between(2, 10));
      Buffer<T> values(Where::device, size, shift);
      values.write(h_values);
      expected = std::max(expected, kernel::greatest_magnitude(h_values.data(), size));
      ASSERT_EQ(this->launcher().magnitude(values.data(), size, slots.data(), kMagnitudeBlocks),
                api::kSuccess);
      this->finish();
    }
    const auto found = slots.read();
    ASSERT_EQ(*std::max_element(found.begin(), found.end()), expected) << "round " << round;
    few.write(std::vector<Bits>(kThreads, 0));
    const T* const as_numbers = reinterpret_cast<const T*>(slots.data());
    ASSERT_EQ(this->launcher().magnitude(as_numbers, kMagnitudeSlots, few.data(), 1),
              api::kSuccess);
    this->finish();
    const auto last = few.read();
    ASSERT_EQ(*std::max_element(last.begin(), last.end()), expected) << "round " << round;
  }
}

}  // namespace
}  // namespace cerar::gpu::test
