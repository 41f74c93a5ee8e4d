#include "gpu/settle.hpp"

#include <mutex>
#include <unordered_set>

namespace cerar::gpu {
namespace {

api::Address address_of(const void* pointer) { return reinterpret_cast<api::Address>(pointer); }

// The allocations that are settled, by the driver's number for them.
class Settled {
 public:
  bool has(unsigned long long buffer) {
    const std::lock_guard lock(mutex_);
    return seen_.contains(buffer);
  }
  void add(unsigned long long buffer) {
    constexpr std::size_t kMany = 4096;  // forget, rather than grow for ever
    const std::lock_guard lock(mutex_);
    if (seen_.size() >= kMany) seen_.clear();
    seen_.insert(buffer);
  }

 private:
  std::mutex mutex_;
  std::unordered_set<unsigned long long> seen_;
};

// 0: it has none, as memory of pools and such that is mapped by hand may.
unsigned long long number_of_allocation(const Driver& driver, const void* pointer) {
  unsigned long long number = 0;
  int attribute = api::kAttributeBufferId;
  void* value = &number;
  check(driver, driver.cuPointerGetAttributes(1, &attribute, &value, address_of(pointer)),
        "cuPointerGetAttributes");
  return number;
}

bool tell_allocation_to_wait(const Driver& driver, const void* pointer) {
  const unsigned on = 1;
  return driver.cuPointerSetAttribute(&on, api::kAttributeSyncMemops, address_of(pointer)) ==
         api::kSuccess;
}

// Others may set the flags anew at any time, so they are looked at each time.
bool tell_context_to_wait(Device& device) {
  const Driver& driver = device.driver();
  unsigned flags = 0;
  if (!driver.cuCtxGetFlags || !driver.cuCtxSetFlags ||
      driver.cuCtxGetFlags(&flags) != api::kSuccess) {
    return false;
  }
  if ((flags & api::kContextSyncMemops) != 0) return true;
  device.set_settled(false);
  // Some flags are told, and can't be set.
  return driver.cuCtxSetFlags(flags | api::kContextSyncMemops) == api::kSuccess ||
         driver.cuCtxSetFlags((flags & api::kContextSchedule) | api::kContextSyncMemops) ==
             api::kSuccess;
}

// False: not now. While a blocking stream is captured into a graph the default stream can be given
// no work, and waiting for what it had before would end the capture.
bool wait_for_default_stream(const Driver& driver) {
  int status = 0;
  if (driver.cuStreamIsCapturing(api::legacy_stream(), &status) == api::kStreamCaptureImplicit) {
    return false;
  }
  check(driver, driver.cuStreamSynchronize(api::legacy_stream()), "work in the default stream");
  return true;
}

}  // namespace

void settle(Device& device, const void* pointer) {
  static Settled settled;
  const Driver& driver = device.driver();
  const Current current(driver, device.context().get());
  check(driver, current.status(), "cuCtxPushCurrent");
  const unsigned long long number = number_of_allocation(driver, pointer);
  if (settled.has(number)) return;
  if (number != 0 && tell_allocation_to_wait(driver, pointer)) {
    if (wait_for_default_stream(driver)) settled.add(number);
    return;
  }
  const bool told = tell_context_to_wait(device);
  if (told && device.settled()) return;
  if (wait_for_default_stream(driver)) device.set_settled(told);
}

}  // namespace cerar::gpu
