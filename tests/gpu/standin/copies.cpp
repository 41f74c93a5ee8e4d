// The driver's functions for memory: allocation, attributes of pointers, copies.
#include <cstring>
#include <vector>

#include "tests/gpu/standin/entry.hpp"

namespace cerar::standin {
namespace {

template <class T>
void* pointer_of(T address) {
  return reinterpret_cast<void*>(address);
}

Result allocate(Entry& entry, MemoryKind kind, std::size_t bytes, void** pointer) {
  Context* const context = current_context();
  if (const Result result = usable(context); result != api::kSuccess) return result;
  if (bytes == 0) return api::kInvalidValue;
  Allocation* const made = entry.state().memory.allocate(kind, bytes, context);
  if (made == nullptr) return api::kOutOfMemory;
  *pointer = made->user;
  return api::kSuccess;
}

// Waits for everything under way first, as the driver does.
Result release(Entry& entry, const void* pointer) {
  if (entry.failed()) return entry.result();
  if (const Result result = present(current_context()); result != api::kSuccess) return result;
  if (pointer == nullptr) return api::kSuccess;
  entry.state().wait_for_all(entry.lock());
  if (!entry.state().memory.release(pointer)) gone("allocation");
  return api::kSuccess;
}

bool is_pageable(const void* pointer) { return State::get().memory.find(pointer) == nullptr; }

void* seen(const void* pointer) { return alias(pointer); }

// To be put into a stream. A pageable source is read now.
Operation make_copy(void* to, const void* from, std::size_t bytes) {
  if (!is_pageable(from)) {
    return [to, from, bytes] {
      std::memmove(seen(to), seen(from), bytes);
      return api::kSuccess;
    };
  }
  const auto* const first = static_cast<const std::byte*>(from);
  std::vector<std::byte> data(first, first + bytes);
  return [to, data = std::move(data)] {
    std::memcpy(seen(to), data.data(), data.size());
    return api::kSuccess;
  };
}

Result copy(Entry& entry, void* to, const void* from, std::size_t bytes, Stream* stream,
            bool wait) {
  State& state = entry.state();
  if (const Result result = state.usable(stream); result != api::kSuccess) return result;
  if (is_pageable(to) || is_pageable(from)) {
    const Result result = state.captures.call("copy of pageable memory");
    if (result != api::kSuccess) return result;
  }
  state.put(*stream, make_copy(to, from, bytes));
  if (wait) state.wait(entry.lock(), *stream);
  return stream->context->broken;
}

Result attribute(const Allocation* found, int attribute, void* value) {
  const bool on_host = found != nullptr &&
                       (found->kind == MemoryKind::pinned || found->kind == MemoryKind::registered);
  switch (attribute) {
    case api::kAttributeContext:
      *static_cast<ContextHandle*>(value) =
          found && !found->pooled ? handle_of(found->context) : nullptr;
      return api::kSuccess;
    case api::kAttributeMemoryType:
      *static_cast<unsigned*>(value) = !found    ? 0
                                       : on_host ? api::kMemoryTypeHost
                                                 : api::kMemoryTypeDevice;
      return api::kSuccess;
    case api::kAttributeBufferId:
      *static_cast<unsigned long long*>(value) = found && !found->pooled ? found->id : 0;
      return api::kSuccess;
    case api::kAttributeIsManaged:
      *static_cast<unsigned*>(value) = found && found->kind == MemoryKind::managed;
      return api::kSuccess;
    case api::kAttributeDeviceOrdinal:
      *static_cast<int*>(value) = found ? found->context->ordinal : -2;
      return api::kSuccess;
    default:
      return api::kInvalidValue;
  }
}

}  // namespace

extern "C" {

Result cuMemAlloc_v2(Address* pointer, std::size_t bytes) {
  Entry entry("cuMemAlloc_v2");
  if (entry.failed()) return entry.result();
  void* made = nullptr;
  const Result result = allocate(entry, MemoryKind::device, bytes, &made);
  *pointer = reinterpret_cast<Address>(made);
  return result;
}

// From the device's pool, at once.
Result cuMemAllocAsync(Address* pointer, std::size_t bytes, api::Stream) {
  Entry entry("cuMemAllocAsync");
  if (entry.failed()) return entry.result();
  void* made = nullptr;
  const Result result = allocate(entry, MemoryKind::device, bytes, &made);
  if (result == api::kSuccess) entry.state().memory.find(made)->pooled = true;
  *pointer = reinterpret_cast<Address>(made);
  return result;
}

Result cuMemFree_v2(Address pointer) {
  Entry entry("cuMemFree_v2");
  return release(entry, pointer_of(pointer));
}

Result cuMemAllocManaged(Address* pointer, std::size_t bytes, unsigned) {
  Entry entry("cuMemAllocManaged");
  if (entry.failed()) return entry.result();
  void* made = nullptr;
  const Result result = allocate(entry, MemoryKind::managed, bytes, &made);
  *pointer = reinterpret_cast<Address>(made);
  return result;
}

Result cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  Entry entry("cuMemHostAlloc");
  if (entry.failed()) return entry.result();
  return allocate(entry, MemoryKind::pinned, bytes, pointer);
}

Result cuMemFreeHost(void* pointer) {
  Entry entry("cuMemFreeHost");
  return release(entry, pointer);
}

Result cuMemHostRegister_v2(void* pointer, std::size_t bytes, unsigned) {
  Entry entry("cuMemHostRegister_v2");
  if (entry.failed()) return entry.result();
  if (const Result result = usable(current_context()); result != api::kSuccess) return result;
  entry.state().memory.add_registered(pointer, bytes, current_context());
  return api::kSuccess;
}

Result cuMemHostUnregister(void* pointer) {
  Entry entry("cuMemHostUnregister");
  return release(entry, pointer);
}

Result cuMemHostGetDevicePointer_v2(Address* pointer, void* host, unsigned) {
  Entry entry("cuMemHostGetDevicePointer_v2");
  if (entry.failed()) return entry.result();
  if (const Result result = present(current_context()); result != api::kSuccess) return result;
  if (is_pageable(host)) return api::kInvalidValue;
  *pointer = reinterpret_cast<Address>(host);
  return api::kSuccess;
}

// Whatever the pointer's context is, there must be a current one, also for the host's pointers.
Result cuPointerGetAttributes(unsigned count, int* attributes, void** values, Address pointer) {
  Entry entry("cuPointerGetAttributes");
  if (entry.failed()) return entry.result();
  if (const Result result = present(current_context()); result != api::kSuccess) return result;
  const Allocation* const found = entry.state().memory.find(pointer_of(pointer));
  for (unsigned i = 0; i < count; ++i) {
    const Result result = attribute(found, attributes[i], values[i]);
    if (result != api::kSuccess) return result;
  }
  return api::kSuccess;
}

Result cuPointerSetAttribute(const void* value, int attribute, Address pointer) {
  Entry entry("cuPointerSetAttribute");
  if (entry.failed()) return entry.result();
  if (const Result result = present(current_context()); result != api::kSuccess) return result;
  Allocation* const found = entry.state().memory.find(pointer_of(pointer));
  if (found == nullptr || attribute != api::kAttributeSyncMemops) return api::kInvalidValue;
  if (found->pooled) return api::kNotSupported;
  found->synchronous = *static_cast<const unsigned*>(value) != 0;
  return api::kSuccess;
}

Result cuMemcpyAsync(Address to, Address from, std::size_t bytes, api::Stream stream) {
  Entry entry("cuMemcpyAsync");
  if (entry.failed()) return entry.result();
  return copy(entry, pointer_of(to), pointer_of(from), bytes, entry.state().stream_of(stream),
              is_pageable(pointer_of(to)));
}

// Returns before the data are there, unless the allocation or the context was told to be
// synchronous: the driver's may, from pageable memory.
Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  Entry entry("cuMemcpyHtoD_v2");
  if (entry.failed()) return entry.result();
  const Allocation* const found = entry.state().memory.find(pointer_of(to));
  if (found == nullptr) return api::kInvalidValue;
  if (const Result result = present(current_context()); result != api::kSuccess) return result;
  return copy(entry, pointer_of(to), from, bytes, entry.state().stream_of(nullptr),
              found->synchronous || (current_context()->flags & api::kContextSyncMemops) != 0);
}

Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  Entry entry("cuMemcpyDtoH_v2");
  if (entry.failed()) return entry.result();
  return copy(entry, to, pointer_of(from), bytes, entry.state().stream_of(nullptr), true);
}

Result cuMemsetD8Async(Address to, unsigned char value, std::size_t bytes, api::Stream handle) {
  Entry entry("cuMemsetD8Async");
  if (entry.failed()) return entry.result();
  Stream* const stream = entry.state().stream_of(handle);
  if (const Result result = entry.state().usable(stream); result != api::kSuccess) return result;
  entry.state().put(*stream, [to, value, bytes] {
    std::memset(seen(pointer_of(to)), value, bytes);
    return api::kSuccess;
  });
  return api::kSuccess;
}

}  // extern "C"
}  // namespace cerar::standin
