#include "gpu/driver.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <mutex>
#include <new>

namespace cerar::gpu {
namespace {

constexpr int kOldestVersion = 11000;

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Driver open_driver(void* library) {
  Driver driver;
#define CERAR_FIND(NAME, PARAMETERS) \
  driver.NAME = reinterpret_cast<decltype(driver.NAME)>(dlsym(library, #NAME));
#define CERAR_REQUIRE(NAME, PARAMETERS)             \
  CERAR_FIND(NAME, PARAMETERS)                      \
  if (!driver.NAME && driver.defect.empty()) {      \
    driver.defect = "the CUDA driver lacks " #NAME; \
  }
  CERAR_DRIVER_FUNCTIONS(CERAR_REQUIRE)
  CERAR_OPTIONAL_DRIVER_FUNCTIONS(CERAR_FIND)
#undef CERAR_REQUIRE
#undef CERAR_FIND
  int version = 0;
  if (driver.cuDriverGetVersion && driver.cuDriverGetVersion(&version) == api::kSuccess &&
      version < kOldestVersion) {
    driver.defect = "the CUDA driver is for CUDA " + version_text(version) + ", and " +
                    version_text(kOldestVersion) + " is the oldest that will do";
  }
  return driver;
}

// How many shared libraries the process has loaded so far.
unsigned long long loads() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        *static_cast<unsigned long long*>(out) = info->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

}  // namespace

const Driver* find_driver() {
  static std::atomic<const Driver*> found = nullptr;
  static std::atomic<unsigned long long> searched_at = 0;
  if (const Driver* driver = found.load(std::memory_order_acquire)) return driver;
  const unsigned long long now = loads();
  if (searched_at.load(std::memory_order_relaxed) == now) return nullptr;

  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (const Driver* driver = found.load()) return driver;
  if (void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
    static const Driver driver = open_driver(library);
    found.store(&driver, std::memory_order_release);
    return &driver;
  }
  searched_at.store(now, std::memory_order_relaxed);
  return nullptr;
}

std::string name_of(const Driver& driver, api::Result result) {
  const char* name = nullptr;
  if (driver.cuGetErrorName && driver.cuGetErrorName(result, &name) == api::kSuccess && name) {
    return name;
  }
  return "CUDA error " + std::to_string(result);
}

void check(const Driver& driver, api::Result result, const char* what) {
  if (result == api::kSuccess) return;
  if (result == api::kOutOfMemory) throw std::bad_alloc();
  throw Error(std::string(what) + ": " + name_of(driver, result));
}

}  // namespace cerar::gpu
