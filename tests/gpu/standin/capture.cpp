#include "tests/gpu/standin/capture.hpp"

#include <algorithm>
#include <set>

#include "tests/gpu/standin/state.hpp"

namespace cerar::standin {
namespace {

namespace api = gpu::api;

// The driver's documentation calls these calls potentially unsafe, and lists none but the
// allocations. Here it is whatever allocates, frees, waits, or asks how far things are.
const std::set<std::string> kUnsafe = {
    "cuMemAlloc_v2",        "cuMemAllocManaged",   "cuMemFree_v2",       "cuMemHostAlloc",
    "cuMemFreeHost",        "cuMemcpyHtoD_v2",     "cuMemcpyDtoH_v2",    "cuModuleLoadData",
    "cuModuleUnload",       "cuStreamCreate",      "cuStreamDestroy_v2", "cuStreamSynchronize",
    "cuEventCreate",        "cuEventDestroy_v2",   "cuEventQuery",       "cuPointerSetAttribute",
    "cuMemHostRegister_v2", "cuMemHostUnregister", "cuCtxSetFlags",      "copy of pageable memory"};

}  // namespace

int& Captures::thread_mode() {
  thread_local int mode = api::kCaptureGlobal;
  return mode;
}

bool Captures::Capture::forbids_the_unsafe() const {
  if (thread_mode() == api::kCaptureRelaxed || mode == api::kCaptureRelaxed) return false;
  if (thread == std::this_thread::get_id()) return true;
  return thread_mode() == api::kCaptureGlobal && mode == api::kCaptureGlobal;
}

bool Captures::Capture::is_in(const Context& context) const {
  return stream->blocking && stream->context == &context;
}

void Captures::begin(const Stream& stream, int mode) {
  captures_.push_back({&stream, std::this_thread::get_id(), mode});
}

bool Captures::end(const Stream& stream) {
  const auto found = std::find_if(captures_.begin(), captures_.end(), [&](const Capture& capture) {
    return capture.stream == &stream;
  });
  if (found == captures_.end()) return false;
  const bool valid = found->valid;
  captures_.erase(found);
  return valid;
}

api::Result Captures::call(const std::string& function) {
  if (!kUnsafe.contains(function)) return api::kSuccess;
  api::Result result = api::kSuccess;
  for (Capture& capture : captures_) {
    if (!capture.forbids_the_unsafe()) continue;
    capture.valid = false;
    result = api::kStreamCaptureUnsupported;
  }
  return result;
}

api::Result Captures::use_default_stream(const Context& context) {
  if (!of_blocking_stream(context)) return api::kSuccess;
  for (Capture& capture : captures_) capture.valid &= !capture.is_in(context);
  return api::kStreamCaptureImplicit;
}

bool Captures::of_blocking_stream(const Context& context) const {
  return std::any_of(captures_.begin(), captures_.end(),
                     [&](const Capture& capture) { return capture.is_in(context); });
}

}  // namespace cerar::standin
