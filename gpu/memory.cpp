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

struct Attributes {
  unsigned type = 0;
  unsigned managed = 0;
  api::Context context = nullptr;
  int ordinal = -1;
};

api::Result get_attributes(const Driver& driver, const void* pointer, Attributes& answer) {
  int attributes[] = {api::kAttributeMemoryType, api::kAttributeIsManaged, api::kAttributeContext,
                      api::kAttributeDeviceOrdinal};
  void* values[] = {&answer.type, &answer.managed, &answer.context, &answer.ordinal};
  return driver.cuPointerGetAttributes(4, attributes, values, address_of(pointer));
}

// The driver answers threads only that have a context. Any will do, and in a process that has none
// there is no device memory, whoever may have initialised the driver.
api::Result get_attributes_anywhere(const Driver& driver, const void* pointer, Attributes& answer) {
  api::Result result = get_attributes(driver, pointer, answer);
  if (!driver.defect.empty()) return result;
  api::Device device = 0;
  for (int ordinal = 0; result == api::kInvalidContext; ++ordinal) {
    if (driver.cuDeviceGet(&device, ordinal) != api::kSuccess) return result;
    unsigned flags = 0;
    int active = 0;
    check(driver, driver.cuDevicePrimaryCtxGetState(device, &flags, &active),
          "cuDevicePrimaryCtxGetState");
    if (!active) continue;
    const ContextHandle context(driver, nullptr, ordinal);
    const Current current(driver, context.get());
    check(driver, current.status(), "cuCtxPushCurrent");
    result = get_attributes(driver, pointer, answer);
  }
  return result;
}

Kind kind_of(const Attributes& attributes) {
  if (attributes.managed != 0) return Kind::managed;
  if (attributes.type == api::kMemoryTypeDevice) return Kind::device;
  return attributes.type == api::kMemoryTypeHost ? Kind::registered : Kind::host;
}

// For memory of pools and such that is mapped by hand, of which an allocation can't be told.
bool tell_context_to_wait(const Driver& driver) {
  unsigned flags = 0;
  return driver.cuCtxGetFlags && driver.cuCtxSetFlags &&
         driver.cuCtxGetFlags(&flags) == api::kSuccess &&
         driver.cuCtxSetFlags(flags | api::kContextSyncMemops) == api::kSuccess;
}

bool tell_to_wait(const Driver& driver, const void* pointer) {
  const unsigned on = 1;
  return driver.cuPointerSetAttribute(&on, api::kAttributeSyncMemops, address_of(pointer)) ==
             api::kSuccess ||
         tell_context_to_wait(driver);
}

}  // namespace

Pointer ask_driver(const Driver& driver, const void* pointer) {
  if (pointer == nullptr || driver.cuPointerGetAttributes == nullptr) return {};
  Attributes answer;
  const api::Result result = get_attributes_anywhere(driver, pointer, answer);
  // Without the driver running, or a context, there is no device memory.
  if (result == api::kNotInitialized || result == api::kDeinitialized ||
      result == api::kInvalidContext) {
    return {};
  }
  check(driver, result, "cuPointerGetAttributes");
  return {kind_of(answer), answer.context, answer.ordinal};
}

void settle(const Driver& driver, const void* pointer) {
  static Settled settled;
  unsigned long long buffer = 0;
  int attribute = api::kAttributeBufferId;
  void* value = &buffer;
  check(driver, driver.cuPointerGetAttributes(1, &attribute, &value, address_of(pointer)),
        "cuPointerGetAttributes");
  if (settled.has(buffer)) return;
  const bool waits = tell_to_wait(driver, pointer);
  check(driver, driver.cuStreamSynchronize(api::legacy_stream()), "work in the default stream");
  if (waits) settled.add(buffer);
}

}  // namespace cerar::gpu
