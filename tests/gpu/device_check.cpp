// Checks the kernels on a real device; see device_check.sh.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/launch.hpp"

namespace cerar::gpu {
namespace {

constexpr double kTarget = 0.9;  // of a copy's bandwidth

// Functions that the library itself has no use for.
struct Extra {
  api::Result (*cuInit)(unsigned);
  api::Result (*cuDeviceGetName)(char*, int, api::Device);
  api::Result (*cuEventElapsedTime)(float*, api::Event, api::Event);
};

template <class F>
void look_up(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  if (function == nullptr) {
    std::fprintf(stderr, "device_check: the driver lacks %s\n", name);
    std::exit(2);
  }
}

class Bench {
 public:
  Bench() {
    void* const library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (library == nullptr) give_up("there is no libcuda.so.1");
    Extra extra;
    look_up(library, "cuInit", extra.cuInit);
    look_up(library, "cuDeviceGetName", extra.cuDeviceGetName);
    look_up(library, "cuEventElapsedTime", extra.cuEventElapsedTime);
    if (extra.cuInit(0) != api::kSuccess) give_up("cuInit failed: is there a GPU?");
    driver_ = find_driver();
    if (!driver_->defect.empty()) give_up(driver_->defect.c_str());
    elapsed_ = extra.cuEventElapsedTime;
    extra.cuDeviceGetName(name_, sizeof name_, 0);
    device_ = Device::of(*driver_, {Kind::device, nullptr, 0});
    check(*driver_, driver_->cuCtxPushCurrent_v2(device_->context().get()), "cuCtxPushCurrent");
    worker_ = device_->take();
    for (api::Event& event : events_) {
      check(*driver_, driver_->cuEventCreate(&event, 0), "cuEventCreate");
    }
  }

  const char* name() const { return name_; }
  const Driver& driver() const { return *driver_; }
  api::Stream stream() const { return worker_->stream(); }
  template <class T>
  Launcher<T> launcher() {
    return Launcher<T>(*driver_, device_->kernels(), stream());
  }
  void must(api::Result result) { check(*driver_, result, "driver"); }
  void finish() { must(driver_->cuStreamSynchronize(stream())); }

  // Seconds that work takes, the best of some runs of several each.
  template <class Work>
  double seconds(Work work) {
    constexpr int kRepeat = 10;
    work();
    finish();
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run < 7; ++run) {
      must(driver_->cuEventRecord(events_[0], stream()));
      for (int i = 0; i < kRepeat; ++i) work();
      must(driver_->cuEventRecord(events_[1], stream()));
      finish();
      float milliseconds = 0;
      must(elapsed_(&milliseconds, events_[0], events_[1]));
      best = std::min(best, milliseconds / 1e3 / kRepeat);
    }
    return best;
  }

 private:
  [[noreturn]] static void give_up(const char* why) {
    std::fprintf(stderr, "device_check: %s\n", why);
    std::exit(2);
  }

  const Driver* driver_ = nullptr;
  api::Result (*elapsed_)(float*, api::Event, api::Event) = nullptr;
  char name_[96] = "";
  std::shared_ptr<Device> device_;
  std::unique_ptr<Worker> worker_;
  api::Event events_[2] = {};
};

// Memory of the device, or mapped into it.
template <class T>
class Memory {
 public:
  Memory(Bench& bench, std::size_t elements, bool mapped = false) : bench_(bench), mapped_(mapped) {
    const std::size_t bytes = elements * sizeof(T) + 64;
    if (mapped) {
      void* host = nullptr;
      bench.must(bench.driver().cuMemHostAlloc(&host, bytes, 3));
      address_ = reinterpret_cast<api::Address>(host);
    } else {
      bench.must(bench.driver().cuMemAlloc_v2(&address_, bytes));
    }
    bench.must(bench.driver().cuMemsetD8Async(address_, 0, bytes, bench.stream()));
  }
  ~Memory() {
    bench_.finish();
    if (mapped_) {
      bench_.driver().cuMemFreeHost(data());
    } else {
      bench_.driver().cuMemFree_v2(address_);
    }
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  T* data() const { return reinterpret_cast<T*>(address_); }
  api::Address address() const { return address_; }
  void write(const std::vector<T>& values, std::size_t shift) {
    copy(address_ + shift * sizeof(T), reinterpret_cast<api::Address>(values.data()),
         values.size());
  }
  void read(std::vector<T>& values, std::size_t shift) {
    copy(reinterpret_cast<api::Address>(values.data()), address_ + shift * sizeof(T),
         values.size());
  }

 private:
  void copy(api::Address to, api::Address from, std::size_t elements) {
    bench_.must(bench_.driver().cuMemcpyAsync(to, from, elements * sizeof(T), bench_.stream()));
    bench_.finish();
  }
  Bench& bench_;
  bool mapped_;
  api::Address address_ = 0;
};

template <class T>
using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;

template <class T>
class Correctness {
 public:
  explicit Correctness(Bench& bench) : bench_(bench) {}

  // The number of wrong elements.
  long run() {
    for (const auto& [width, tiles] : shapes()) {
      for (std::size_t shift = 0; shift < 4; ++shift) {
        for (int terms = 0; terms <= kMaxTerms; ++terms) combine(terms, width, tiles, shift);
        for (const int lanes : {1, 2, 3, 4, 5, 6, 7, 8, 9, 24}) {
          decode(lanes, width, tiles, shift, Own::no);
          decode(lanes, width, tiles, shift, Own::beside);
          decode(lanes, width, tiles, shift, Own::replaced);
        }
        magnitude(width * tiles, shift);
      }
    }
    return wrong_;
  }
  long cases() const { return cases_; }

 private:
  // The rank's own contribution to what is decoded: none, or one that is kept, or that the result
  // takes the place of.
  enum class Own { no, beside, replaced };

  static std::vector<std::pair<std::size_t, std::size_t>> shapes() {
    return {{1, 1}, {3, 1}, {127, 1}, {4099, 1}, {65537, 1}, {128, 1}, {128, 37}, {12, 5}, {7, 9}};
  }
  std::vector<T> values(std::size_t count) {
    std::vector<T> made(count);
    std::uniform_real_distribution<T> value(-2, 2);
    for (T& v : made) v = value(random_);
    return made;
  }
  void compare(T is, Wide<T> expected, const char* what) {
    if (std::abs(is - expected) <= 200 * std::numeric_limits<T>::epsilon()) return;
    if (wrong_++ < 5) std::printf("wrong: %s, %g for %g\n", what, double(is), double(expected));
  }

  void combine(int terms, std::size_t width, std::size_t tiles, std::size_t shift) {
    const std::size_t lanes = 3, packet = width * tiles, vector = packet * lanes;
    const std::vector<T> in = values(packet), x = values(vector);
    Memory<T> d_in(bench_, packet + shift), d_out(bench_, packet + shift),
        d_x(bench_, vector + shift);
    d_in.write(in, 0), d_x.write(x, shift);
    kernel::Combine<T> args;
    args.in = d_in.data();
    args.out = d_out.data();
    args.store = d_x.data() + shift;  // over a term, as in place
    args.terms = terms;
    args.width = width;
    args.tiles = tiles;
    args.stride = width * lanes;
    for (int k = 0; k < terms; ++k) {
      args.x[k] = d_x.data() + shift + k % lanes * width;
      args.alpha[k] = values(1)[0];
    }
    bench_.must(bench_.launcher<T>().combine(args));
    std::vector<T> out(packet), stored(vector);
    d_out.read(out, 0), d_x.read(stored, shift);
    const std::string what = "combine, " + std::to_string(terms) + " terms";
    for (std::size_t t = 0; t < tiles; ++t) {
      for (std::size_t i = 0; i < width; ++i) {
        Wide<T> sum = in[t * width + i];
        for (int k = 0; k < terms; ++k) {
          sum += Wide<T>(args.alpha[k]) * x[(t * lanes + k % lanes) * width + i];
        }
        compare(out[t * width + i], sum, what.c_str());
        compare(stored[t * lanes * width + i], sum, what.c_str());
      }
    }
    ++cases_;
  }

  void decode(int lanes, std::size_t width, std::size_t tiles, std::size_t shift, Own where) {
    const bool own = where != Own::no;
    const std::size_t size = width * tiles * lanes;
    const std::vector<T> y = values(size), g = values(size);
    std::vector<T> w = values(lanes * lanes), o = values(lanes * lanes);
    for (T& value : w) value /= lanes;
    for (T& value : o) value /= lanes;
    Memory<T> d_y(bench_, size + shift), d_g(bench_, size + shift), d_w(bench_, w.size()),
        d_o(bench_, o.size()), scratch(bench_, Launcher<T>::scratch_elements(lanes));
    d_y.write(y, shift), d_g.write(g, shift), d_w.write(w, 0), d_o.write(o, 0);
    kernel::Decode<T> args;
    Memory<T>& d_out = where == Own::replaced ? d_g : d_y;
    args.out = d_out.data() + shift;
    args.y = d_y.data() + shift;
    args.lanes = lanes;
    args.width = width;
    args.tiles = tiles;
    const bool many = lanes > kMaxTerms;
    args.w = many ? d_w.data() : w.data();
    if (own) args.own = many ? d_o.data() : o.data();
    if (own) args.g = d_g.data() + shift;
    const auto launcher = bench_.launcher<T>();
    bench_.must(many ? launcher.decode_any(args, scratch.data()) : launcher.decode(args));
    std::vector<T> out(size);
    d_out.read(out, shift);
    const std::string what = "decode, " + std::to_string(lanes) + " lanes";
    for (std::size_t t = 0; t < tiles; ++t) {
      for (int r = 0; r < lanes; ++r) {
        for (std::size_t i = 0; i < width; ++i) {
          Wide<T> sum = 0;
          for (int m = 0; m < lanes; ++m) {
            const std::size_t at = (t * lanes + m) * width + i;
            sum += Wide<T>(w[r * lanes + m]) * y[at];
            if (own) sum += Wide<T>(o[r * lanes + m]) * g[at];
          }
          compare(out[(t * lanes + r) * width + i], sum, what.c_str());
        }
      }
    }
    ++cases_;
  }

  // As queues find it: all blocks, and then one block that looks through their slots.
  void magnitude(std::size_t elements, std::size_t shift) {
    using Slot = kernel::Magnitude<T>;
    const std::vector<T> x = values(elements);
    Memory<T> d_x(bench_, elements + shift);
    Memory<Slot> slots(bench_, kMagnitudeSlots + kThreads);  // all 0
    d_x.write(x, shift);
    const auto launcher = bench_.launcher<T>();
    bench_.must(launcher.magnitude(d_x.data() + shift, elements, slots.data(), kMagnitudeBlocks));
    bench_.must(launcher.magnitude(reinterpret_cast<const T*>(slots.data()), kMagnitudeSlots,
                                   slots.data() + kMagnitudeSlots, 1));
    std::vector<Slot> last(kThreads);
    slots.read(last, kMagnitudeSlots);
    const Slot is = *std::max_element(last.begin(), last.end());
    T greatest = 0;
    for (const T value : x) greatest = std::max(greatest, std::abs(value));
    if (std::memcmp(&is, &greatest, sizeof is) != 0) {
      if (wrong_++ < 5) std::printf("wrong: the greatest magnitude is not %g\n", double(greatest));
    }
    ++cases_;
  }

  Bench& bench_;
  std::mt19937 random_{7};
  long wrong_ = 0;
  long cases_ = 0;
};

struct Row {
  std::string what;
  double bytes_a_second;
  double fraction;  // of a copy on the device; 0: only for information
};

class Bandwidth {
 public:
  Bandwidth(Bench& bench, std::size_t bytes) : bytes_(bytes), bench_(bench) {
    Memory<char> from(bench, bytes_), to(bench, bytes_);
    const double s = bench.seconds([&] {
      bench.must(
          bench.driver().cuMemcpyAsync(to.address(), from.address(), bytes_, bench.stream()));
    });
    copy_ = 2.0 * bytes_ / s;
    rows_.push_back({"copy on the device", copy_, 0});
  }

  template <class T>
  void measure(const char* type) {
    for (const int terms : {1, 2, 4, 8}) combine<T>(type, terms, 0);
    combine<T>(type, 2, 1);
    for (const int lanes : {2, 4, 8})
      decode<T>(type, lanes, 0, false), decode<T>(type, lanes, 0, true);
    decode<T>(type, 2, 1, true);
  }
  // Packets over the bus, of the size of a segment.
  void measure_mapped() {
    for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{1} << 20}) {
      Memory<float> host(bench_, bytes / 4, true), host_out(bench_, bytes / 4, true),
          device(bench_, bytes / 4), x(bench_, bytes / 2);
      const double up = bench_.seconds([&] {
        bench_.must(bench_.driver().cuMemcpyAsync(device.address(), host.address(), bytes,
                                                  bench_.stream()));
      });
      const std::string size = std::to_string(bytes >> 10) + " KiB";
      rows_.push_back({"copy to the device, " + size, bytes / up, 0});
      kernel::Combine<float> args = combine_args(2, bytes / 4, x.data());
      args.in = host.data();
      args.out = host_out.data();
      const double s = bench_.seconds([&] { bench_.must(bench_.launcher<float>().combine(args)); });
      rows_.push_back({"combine of mapped packets, " + size + " each way", bytes / s, 0});
    }
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  template <class T>
  static kernel::Combine<T> combine_args(int terms, std::size_t packet, T* x) {
    kernel::Combine<T> args;
    args.terms = terms;
    args.width = 128;
    args.tiles = packet / args.width;
    args.stride = args.width * std::max(terms, 1);
    for (int k = 0; k < terms; ++k) {
      args.x[k] = x + k * args.width;
      args.alpha[k] = T(0.5);
    }
    return args;
  }

  template <class T>
  void combine(const char* type, int terms, std::size_t shift) {
    const std::size_t packet = bytes_ / sizeof(T) / (terms + 2) / 128 * 128;
    Memory<T> in(bench_, packet), out(bench_, packet), x(bench_, packet * terms + shift);
    kernel::Combine<T> args = combine_args(terms, packet, x.data() + shift);
    args.in = in.data();
    args.out = out.data();
    const double s = bench_.seconds([&] { bench_.must(bench_.launcher<T>().combine(args)); });
    add("combine " + std::string(type) + ", " + std::to_string(terms) + " terms", shift,
        (terms + 2.0) * packet * sizeof(T) / s);
  }

  template <class T>
  void decode(const char* type, int lanes, std::size_t shift, bool own) {
    const std::size_t tile = 128 * static_cast<std::size_t>(lanes);
    const std::size_t tiles = bytes_ / sizeof(T) / 2 / tile;
    Memory<T> y(bench_, tiles * tile + shift), g(bench_, tiles * tile + shift);
    const std::vector<T> matrix(lanes * lanes, T(0.1));
    kernel::Decode<T> args;
    args.out = y.data() + shift;
    args.y = args.out;
    args.w = matrix.data();
    if (own) args.own = matrix.data();
    if (own) args.g = g.data() + shift;
    args.lanes = lanes;
    args.width = 128;
    args.tiles = tiles;
    const double s = bench_.seconds([&] { bench_.must(bench_.launcher<T>().decode(args)); });
    add("decode " + std::string(type) + ", " + std::to_string(lanes) + " lanes" +
            (own ? " and own" : ""),
        shift, (own ? 3.0 : 2.0) * tiles * tile * sizeof(T) / s);
  }

  // Buffers that are not on a 16-byte boundary are shown, but no target is set for them.
  void add(const std::string& what, std::size_t shift, double bandwidth) {
    rows_.push_back({what + (shift ? ", not aligned" : ""), bandwidth,
                     shift ? -bandwidth / copy_ : bandwidth / copy_});
  }

  const std::size_t bytes_;
  Bench& bench_;
  double copy_;
  std::vector<Row> rows_;
};

int check_device(std::size_t bytes) {
  Bench bench;
  Correctness<float> floats(bench);
  Correctness<double> doubles(bench);
  const long wrong = floats.run() + doubles.run();
  Bandwidth bandwidth(bench, bytes);
  bandwidth.measure<float>("float");
  bandwidth.measure<double>("double");
  bandwidth.measure_mapped();

  std::printf("\n%s: %ld cases, %ld wrong elements\n", bench.name(),
              floats.cases() + doubles.cases(), wrong);
  std::printf("%-48s %10s %10s\n", "", "GB/s", "of a copy");
  bool slow = false;
  for (const Row& row : bandwidth.rows()) {
    std::printf("%-48s %10.1f", row.what.c_str(), row.bytes_a_second / 1e9);
    if (row.fraction != 0) std::printf(" %10.2f", std::abs(row.fraction));
    const bool below = row.fraction > 0 && row.fraction < kTarget;
    std::printf("%s\n", below ? " below 0.9" : "");
    slow |= below;
  }
  return wrong != 0 ? 1 : slow ? 3 : 0;
}

}  // namespace
}  // namespace cerar::gpu

// device_check [MIB]: how much memory the bandwidth is measured on.
int main(int argc, char** argv) {
  try {
    const std::size_t mebibytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1024;
    return cerar::gpu::check_device(mebibytes << 20);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "device_check: %s\n", error.what());
    return 2;
  }
}
