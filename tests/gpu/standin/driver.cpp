// The driver's functions: initialisation, devices, contexts, modules, launches, streams and events.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "tests/gpu/standin/entry.hpp"

namespace cerar::standin {
namespace {

bool valid(Device_ device) { return device >= 0 && device < State::get().options.devices; }

}  // namespace

extern "C" {

Result cuInit(unsigned) {
  Entry entry("cuInit", Entry::any_time);
  if (entry.failed()) return entry.result();
  if (entry.state().options.devices == 0) return api::kNoDevice;
  entry.state().initialized = true;
  return api::kSuccess;
}

Result cuDriverGetVersion(int* version) {
  Entry entry("cuDriverGetVersion", Entry::any_time);
  *version = entry.state().options.version;
  return entry.result();
}

Result cuGetErrorName(Result error, const char** name) {
  switch (error) {
    case api::kOutOfMemory:
      *name = "CUDA_ERROR_OUT_OF_MEMORY";
      break;
    case api::kIllegalAddress:
      *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
      break;
    case api::kLaunchFailed:
      *name = "CUDA_ERROR_LAUNCH_FAILED";
      break;
    case api::kStreamCaptureUnsupported:
      *name = "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
      break;
    default:
      return api::kInvalidValue;
  }
  return api::kSuccess;
}

// Its devices are nowhere on the machine's own buses.
Result cuDeviceGetPCIBusId(char* address, int bytes, Device_ device) {
  Entry entry("cuDeviceGetPCIBusId");
  if (entry.failed()) return entry.result();
  if (!valid(device)) return api::kInvalidDevice;
  std::snprintf(address, static_cast<std::size_t>(bytes), "fffe:%02x:00.0", device);
  return api::kSuccess;
}

Result cuDeviceGet(Device_* device, int ordinal) {
  Entry entry("cuDeviceGet");
  if (entry.failed()) return entry.result();
  *device = ordinal;
  return valid(ordinal) ? api::kSuccess : api::kInvalidDevice;
}

Result cuDeviceGetName(char* name, int bytes, Device_ device) {
  Entry entry("cuDeviceGetName");
  if (entry.failed()) return entry.result();
  if (!valid(device)) return api::kInvalidDevice;
  std::snprintf(name, static_cast<std::size_t>(bytes), "stand-in device %d", device);
  return api::kSuccess;
}

Result cuDevicePrimaryCtxGetState(Device_ device, unsigned* flags, int* active) {
  Entry entry("cuDevicePrimaryCtxGetState");
  if (entry.failed()) return entry.result();
  if (!valid(device)) return api::kInvalidDevice;
  *flags = 0;
  const Device& asked = entry.state().devices[device];
  *active = asked.retained > 0 && !asked.primary->destroyed;
  return api::kSuccess;
}

Result cuDevicePrimaryCtxRetain(ContextHandle* context, Device_ device) {
  Entry entry("cuDevicePrimaryCtxRetain");
  if (entry.failed()) return entry.result();
  if (!valid(device)) return api::kInvalidDevice;
  Device& asked = entry.state().devices[device];
  ++asked.retained;
  entry.state().revive(*asked.primary);
  *context = handle_of(asked.primary);
  return api::kSuccess;
}

// Those who have retained it go on doing so.
Result cuDevicePrimaryCtxReset_v2(Device_ device) {
  Entry entry("cuDevicePrimaryCtxReset_v2");
  if (entry.failed()) return entry.result();
  if (!valid(device)) return api::kInvalidDevice;
  entry.state().destroy(entry.lock(), *entry.state().devices[device].primary);
  return api::kSuccess;
}

Result cuDevicePrimaryCtxRelease_v2(Device_ device) {
  Entry entry("cuDevicePrimaryCtxRelease_v2");
  if (!valid(device) || entry.state().devices[device].retained == 0) return api::kInvalidDevice;
  --entry.state().devices[device].retained;
  return api::kSuccess;
}

Result cuCtxCreate_v2(ContextHandle* context, unsigned, Device_ device) {
  Entry entry("cuCtxCreate_v2");
  if (entry.failed()) return entry.result();
  if (!valid(device)) return api::kInvalidDevice;
  Context* const made = entry.state().new_context(device);
  context_stack().push_back(made);
  *context = handle_of(made);
  return api::kSuccess;
}

Result cuCtxGetCurrent(ContextHandle* context) {
  Entry entry("cuCtxGetCurrent");
  *context = handle_of(current_context());
  return entry.result();
}

Result cuCtxSetCurrent(ContextHandle context) {
  Entry entry("cuCtxSetCurrent");
  if (entry.failed()) return entry.result();
  if (!context_stack().empty()) context_stack().pop_back();
  if (context != nullptr) context_stack().push_back(context_of(context));
  return api::kSuccess;
}

Result cuCtxPushCurrent_v2(ContextHandle context) {
  Entry entry("cuCtxPushCurrent_v2");
  if (entry.failed()) return entry.result();
  if (context == nullptr) return api::kInvalidContext;
  if (context_of(context)->destroyed) gone("context");
  context_stack().push_back(context_of(context));
  return api::kSuccess;
}

Result cuCtxPopCurrent_v2(ContextHandle* context) {
  Entry entry("cuCtxPopCurrent_v2");
  if (context_stack().empty()) return api::kInvalidContext;
  *context = handle_of(context_stack().back());
  context_stack().pop_back();
  return api::kSuccess;
}

Result cuCtxGetId(ContextHandle context, unsigned long long* id) {
  Entry entry("cuCtxGetId");
  if (entry.failed()) return entry.result();
  if (context_of(context)->destroyed) gone("context");
  *id = context_of(context)->id;
  return api::kSuccess;
}

Result cuCtxGetFlags(unsigned* flags) {
  Entry entry("cuCtxGetFlags");
  if (entry.failed()) return entry.result();
  if (const Result result = present(current_context()); result != api::kSuccess) return result;
  *flags = current_context()->flags;
  return api::kSuccess;
}

Result cuCtxSetFlags(unsigned flags) {
  Entry entry("cuCtxSetFlags");
  if (entry.failed()) return entry.result();
  if (const Result result = present(current_context()); result != api::kSuccess) return result;
  // Not all that it tells of a context can be set.
  if ((flags & ~(api::kContextSchedule | api::kContextSyncMemops)) != 0) return api::kInvalidValue;
  current_context()->flags = flags | api::kContextMapHost;
  return api::kSuccess;
}

Result cuModuleLoadData(api::Module* module, const void* image) {
  Entry entry("cuModuleLoadData");
  if (entry.failed()) return entry.result();
  if (image == nullptr) return api::kInvalidValue;
  if (const Result result = usable(current_context()); result != api::kSuccess) return result;
  auto* const made = new int(0);
  entry.state().modules[made] = current_context();
  *module = reinterpret_cast<api::Module>(made);
  return api::kSuccess;
}

Result cuModuleUnload(api::Module module) {
  Entry entry("cuModuleUnload");
  if (entry.failed()) return entry.result();
  if (const Result result = present(current_context()); result != api::kSuccess) return result;
  auto* const unloaded = reinterpret_cast<int*>(module);
  if (entry.state().modules.erase(unloaded) == 0) gone("module");
  delete unloaded;
  return api::kSuccess;
}

Result cuModuleGetFunction(api::Function* function, api::Module module, const char* name) {
  Entry entry("cuModuleGetFunction");
  if (entry.failed()) return entry.result();
  if (const Result result = present(current_context()); result != api::kSuccess) return result;
  if (!entry.state().modules.contains(reinterpret_cast<int*>(module))) gone("module");
  const Kernel* const kernel = find_kernel(name);
  if (kernel == nullptr) return api::kNotFound;
  *function = reinterpret_cast<api::Function>(const_cast<Kernel*>(kernel));
  return api::kSuccess;
}

Result cuLaunchKernel(api::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned,
                      api::Stream handle, void** arguments, void**) {
  Entry entry("cuLaunchKernel");
  if (entry.failed()) return entry.result();
  State& state = entry.state();
  Stream* const stream = state.stream_of(handle);
  if (const Result result = state.usable(stream); result != api::kSuccess) return result;
  if (current_context() != stream->context) return api::kInvalidContext;
  const Kernel* const kernel = reinterpret_cast<const Kernel*>(function);
  if (grid_x == 0 || grid_y != 1 || grid_z != 1 || block_x != kernel->threads || block_y != 1 ||
      block_z != 1) {
    return api::kInvalidValue;
  }

  std::vector<std::byte> copy(kernel->argument_bytes);
  std::memcpy(copy.data(), arguments[0], copy.size());
  Context* const context = stream->context;
  state.put(*stream, [kernel, context, grid_x, copy]() mutable {
    {
      const std::lock_guard lock(State::get().mutex);
      if (const Result fault = State::get().enter("kernel"); fault != api::kSuccess) return fault;
      if (!kernel->resolve(copy.data(), context)) return api::kIllegalAddress;
    }
    kernel->run(copy.data(), grid_x);
    return api::kSuccess;
  });
  return api::kSuccess;
}

Result cuStreamCreate(api::Stream* stream, unsigned flags) {
  Entry entry("cuStreamCreate");
  if (entry.failed()) return entry.result();
  if (const Result result = usable(current_context()); result != api::kSuccess) return result;
  const bool blocking = (flags & api::kStreamNonBlocking) == 0;
  auto made = std::make_unique<Stream>(Stream{current_context(), blocking, {}});
  *stream = reinterpret_cast<api::Stream>(made.get());
  entry.state().streams[made.get()] = std::move(made);
  return api::kSuccess;
}

Result cuStreamDestroy_v2(api::Stream handle) {
  Entry entry("cuStreamDestroy_v2");
  if (entry.failed()) return entry.result();
  Stream* const stream = entry.state().stream_of(handle);
  if (stream == nullptr) return api::kInvalidHandle;
  entry.state().wait(entry.lock(), *stream);
  entry.state().streams.erase(stream);
  return api::kSuccess;
}

Result cuStreamSynchronize(api::Stream handle) {
  Entry entry("cuStreamSynchronize");
  if (entry.failed()) return entry.result();
  Stream* const stream = entry.state().stream_of(handle);
  if (const Result result = entry.state().usable(stream); result != api::kSuccess) return result;
  entry.state().wait(entry.lock(), *stream);
  return stream->context->broken;
}

Result cuStreamIsCapturing(api::Stream handle, int*) {
  Entry entry("cuStreamIsCapturing");
  if (entry.failed()) return entry.result();
  const Context* const context = current_context();
  if (const Result result = present(context); result != api::kSuccess) return result;
  const bool legacy = entry.state().stream_of(handle) == &context->default_stream;
  return legacy && entry.state().captures.of_blocking_stream(*context) ? api::kStreamCaptureImplicit
                                                                       : api::kSuccess;
}

Result cuStreamBeginCapture_v2(api::Stream stream, int mode) {
  Entry entry("cuStreamBeginCapture_v2");
  if (entry.failed()) return entry.result();
  entry.state().captures.begin(*entry.state().stream_of(stream), mode);
  return api::kSuccess;
}

// Makes no graph.
Result cuStreamEndCapture(api::Stream stream, struct GraphRecord**) {
  Entry entry("cuStreamEndCapture");
  if (entry.failed()) return entry.result();
  const bool valid = entry.state().captures.end(*entry.state().stream_of(stream));
  return valid ? api::kSuccess : api::kStreamCaptureInvalidated;
}

Result cuThreadExchangeStreamCaptureMode(int* mode) {
  Entry entry("cuThreadExchangeStreamCaptureMode");
  if (entry.failed()) return entry.result();
  std::swap(*mode, Captures::thread_mode());
  return api::kSuccess;
}

Result cuEventCreate(api::Event* event, unsigned) {
  Entry entry("cuEventCreate");
  if (entry.failed()) return entry.result();
  if (const Result result = usable(current_context()); result != api::kSuccess) return result;
  auto made = std::make_unique<Event>(Event{current_context()});
  *event = reinterpret_cast<api::Event>(made.get());
  entry.state().events[made.get()] = std::move(made);
  return api::kSuccess;
}

Result cuEventDestroy_v2(api::Event event) {
  Entry entry("cuEventDestroy_v2");
  if (entry.failed()) return entry.result();
  Event& destroyed = entry.state().event_of(event);
  // What refers to it may be in a stream still. In a broken context it is never reached.
  entry.state().wait_for_all(entry.lock());
  entry.state().events.erase(&destroyed);
  return api::kSuccess;
}

Result cuEventRecord(api::Event handle, api::Stream stream_handle) {
  Entry entry("cuEventRecord");
  if (entry.failed()) return entry.result();
  State& state = entry.state();
  Event* const event = &state.event_of(handle);
  Stream* const stream = state.stream_of(stream_handle);
  if (const Result result = state.usable(stream); result != api::kSuccess) return result;
  const std::uint64_t mark = ++event->recorded;
  state.put(*stream, [event, mark] {
    const std::lock_guard lock(State::get().mutex);
    event->reached = mark;
    event->time = std::chrono::steady_clock::now();
    return api::kSuccess;
  });
  return api::kSuccess;
}

Result cuEventElapsedTime(float* milliseconds, api::Event from, api::Event to) {
  Entry entry("cuEventElapsedTime");
  if (entry.failed()) return entry.result();
  const std::chrono::duration<float, std::milli> elapsed =
      reinterpret_cast<Event*>(to)->time - reinterpret_cast<Event*>(from)->time;
  *milliseconds = elapsed.count();
  return api::kSuccess;
}

Result cuEventQuery(api::Event handle) {
  Entry entry("cuEventQuery");
  if (entry.failed()) return entry.result();
  const Event& event = entry.state().event_of(handle);
  if (const Result result = usable(current_context()); result != api::kSuccess) return result;
  return event.reached == event.recorded ? api::kSuccess : api::kNotReady;
}

}  // extern "C"
}  // namespace cerar::standin
