// Buffers in device or managed memory, by the driver that the process finds: the stand-in of
// tests/gpu, or a real one.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace cerar::mpi_test {

enum class Memory { host, device, managed };

// "host", "device", "managed"; "mixed": the rank decides.
inline Memory memory_of(const std::string& name, int rank) {
  static constexpr Memory kinds[] = {Memory::device, Memory::host, Memory::managed};
  if (name == "host") return Memory::host;
  if (name == "device") return Memory::device;
  if (name == "managed") return Memory::managed;
  if (name == "mixed") return kinds[rank % 3];
  std::fprintf(stderr, "--memory %s: expected host, device, managed or mixed\n", name.c_str());
  std::exit(2);
}

// The functions of the driver that an application needs, which ends the program if one fails.
class Driver {
 public:
  static Driver& get() {
    static Driver driver;
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
    void* context = nullptr;
    call<int(unsigned)>("cuInit", 0u);
    call<int(void**, int)>("cuDevicePrimaryCtxRetain", &context, 0);
    call<int(void*)>("cuCtxSetCurrent", context);
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
};

// Memory of some kind with a mirror in host memory, which the test works on.
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

}  // namespace cerar::mpi_test
