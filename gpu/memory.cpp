#include "gpu/memory.hpp"

#include "gpu/context.hpp"

namespace cerar::gpu {
namespace {

api::Address address_of(const void* pointer) { return reinterpret_cast<api::Address>(pointer); }

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

// The thread has no context, or one that is gone.
bool lacks_context(api::Result result) {
  return result == api::kInvalidContext || result == api::kContextIsDestroyed;
}

// The driver answers threads only that have a context. Any will do, and in a process that has none
// there is no device memory, whoever may have initialised the driver.
api::Result get_attributes_anywhere(const Driver& driver, const void* pointer, Attributes& answer) {
  api::Result result = get_attributes(driver, pointer, answer);
  if (!driver.defect.empty()) return result;
  api::Device device = 0;
  for (int ordinal = 0; lacks_context(result); ++ordinal) {
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

}  // namespace

Pointer ask_driver(const Driver& driver, const void* pointer) {
  if (pointer == nullptr || driver.cuPointerGetAttributes == nullptr) return {};
  Attributes answer;
  const api::Result result = get_attributes_anywhere(driver, pointer, answer);
  // Without the driver running, or a context, there is no device memory.
  if (result == api::kNotInitialized || result == api::kDeinitialized || lacks_context(result)) {
    return {};
  }
  check(driver, result, "cuPointerGetAttributes");
  return {kind_of(answer), answer.context, answer.ordinal};
}

}  // namespace cerar::gpu
