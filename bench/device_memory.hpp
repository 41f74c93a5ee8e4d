// Buffers in device or managed memory, by the driver that the process finds (a real one, or the
// tests' stand-in), so that programs need no CUDA to be built. Processes of a node take turns with
// its devices.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cerar::bench {

enum class Memory { host, device, managed };

// The functions of the driver that an application needs, which ends the program if one fails.
class Driver {
 public:
  static Driver& get() {
    static Driver driver;
    thread_local bool has_context = driver.make_current();
    static_cast<void>(has_context);
    return driver;
  }

  void* allocate(Memory memory, std::size_t bytes) {
    Address address = 0;
    if (memory == Memory::managed) {
      call<int(Address*, std::size_t, unsigned)>("cuMemAllocManaged", &address, bytes, 1u);
    } else {
      call<int(Address*, std::size_t)>("cuMemAlloc_v2", &address, bytes);
    }
    return reinterpret_cast<void*>(address);
  }
  void free(void* memory) { call<int(Address)>("cuMemFree_v2", reinterpret_cast<Address>(memory)); }
  void upload(void* to, const void* from, std::size_t bytes) {
    call<int(Address, const void*, std::size_t)>("cuMemcpyHtoD_v2", reinterpret_cast<Address>(to),
                                                 from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) {
    call<int(void*, Address, std::size_t)>("cuMemcpyDtoH_v2", to, reinterpret_cast<Address>(from),
                                           bytes);
  }

 private:
  using Address = unsigned long long;

  Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (library_ == nullptr) die(dlerror());
    call<int(unsigned)>("cuInit", 0u);
    call<int(void**, int)>("cuDevicePrimaryCtxRetain", &context_, own_device());
  }

  // Each thread has a context of its own to be set.
  bool make_current() {
    call<int(void*)>("cuCtxSetCurrent", context_);
    return true;
  }

  int own_device() {
    auto* get = reinterpret_cast<int (*)(int*, int)>(dlsym(library_, "cuDeviceGet"));
    if (get == nullptr) die("cuDeviceGet");
    int count = 0, device = 0;
    while (get(&device, count) == 0) ++count;
    if (count == 0) die("no device");
    const char* local = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    call<int(int*, int)>("cuDeviceGet", &device, local == nullptr ? 0 : std::atoi(local) % count);
    return device;
  }

  template <class Function, class... Arguments>
  void call(const char* name, Arguments... arguments) {
    auto* function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr || function(arguments...) != 0) die(name);
  }

  [[noreturn]] static void die(const char* what) {
    std::fprintf(stderr, "driver: %s\n", what);
    std::exit(3);
  }

  void* library_;
  void* context_ = nullptr;
};

// Memory of some kind with a mirror in host memory, which the program works on; for host memory the
// mirror itself.
class Mirrored {
 public:
  Mirrored(Memory memory, void* mirror, std::size_t bytes)
      : mirror_(mirror), bytes_(bytes), memory_(mirror) {
    if (memory != Memory::host) memory_ = Driver::get().allocate(memory, bytes);
  }
  ~Mirrored() {
    if (memory_ != mirror_) Driver::get().free(memory_);
  }
  Mirrored(const Mirrored&) = delete;
  Mirrored& operator=(const Mirrored&) = delete;

  void* data() const { return memory_; }
  void upload() {
    if (memory_ != mirror_) Driver::get().upload(memory_, mirror_, bytes_);
  }
  void download() {
    if (memory_ != mirror_) Driver::get().download(mirror_, memory_, bytes_);
  }

 private:
  void* mirror_;
  std::size_t bytes_;
  void* memory_;
};

}  // namespace cerar::bench
