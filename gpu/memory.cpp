#include "gpu/memory.hpp"

#include <mutex>
#include <unordered_set>

#include "gpu/context.hpp"

namespace cerar::gpu {
namespace {

api::Address address_of(const void* pointer) { return reinterpret_cast<api::Address>(pointer); }

// The allocations that are settled.
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

}  // namespace

Pointer ask_driver(const Driver& driver, const void* pointer) {
  Pointer answer;
  if (pointer == nullptr || driver.cuPointerGetAttributes == nullptr) return answer;
  unsigned type = 0;
  unsigned managed = 0;
  int attributes[] = {api::kAttributeMemoryType, api::kAttributeIsManaged, api::kAttributeContext,
                      api::kAttributeDeviceOrdinal};
  void* values[] = {&type, &managed, &answer.context, &answer.ordinal};
  const api::Result result =
      driver.cuPointerGetAttributes(4, attributes, values, address_of(pointer));
  // Without the driver running there is no device memory.
  if (result == api::kNotInitialized || result == api::kDeinitialized) return Pointer{};
  check(driver, result, "cuPointerGetAttributes");
  if (managed != 0) {
    answer.kind = Kind::managed;
  } else if (type == api::kMemoryTypeDevice) {
    answer.kind = Kind::device;
  } else {
    answer.kind = type == api::kMemoryTypeHost ? Kind::registered : Kind::host;
  }
  return answer;
}

void settle(const Driver& driver, const void* pointer) {
  static Settled settled;
  unsigned long long buffer = 0;
  int attribute = api::kAttributeBufferId;
  void* value = &buffer;
  check(driver, driver.cuPointerGetAttributes(1, &attribute, &value, address_of(pointer)),
        "cuPointerGetAttributes");
  if (settled.has(buffer)) return;
  const unsigned on = 1;
  // Some kinds of memory can't be told: nothing is lost but that one default-stream call may be
  // under way when the next collective begins.
  driver.cuPointerSetAttribute(&on, api::kAttributeSyncMemops, address_of(pointer));
  check(driver, driver.cuStreamSynchronize(api::legacy_stream()), "work in the default stream");
  settled.add(buffer);
}

}  // namespace cerar::gpu
