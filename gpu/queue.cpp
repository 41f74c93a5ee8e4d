#include "gpu/queue.hpp"

#include <algorithm>
#include <utility>

namespace cerar::gpu {
namespace {

template <class T>
api::Address address_of(T* pointer) {
  return reinterpret_cast<api::Address>(pointer);
}

// The slots of all blocks, and after them those of the block that looks through these.
template <class T>
constexpr std::size_t kSlotBytes = (kMagnitudeSlots + kThreads) * sizeof(T);
template <class T>
constexpr std::size_t kFetchedBytes = kThreads * sizeof(T);

}  // namespace

// Codes of one lane are not decoded. For many lanes the worker's memory holds both matrices and
// what the kernel needs. It is asked for here, so that no call runs out of memory on its way.
template <class T>
DeviceQueue<T>::DeviceQueue(std::shared_ptr<Device> device, int lanes)
    : lease_(std::move(device)),
      launcher_(lease_.driver(), lease_.device().kernels(), lease_.worker().stream()),
      lanes_(lanes) {
  if (lanes_ <= 1) return;
  const Current current(lease_.driver(), lease_.context());
  check(lease_.driver(), current.status(), "cuCtxPushCurrent");
  std::size_t elements = 0;
  if (lanes_ > kMaxTerms) {
    elements = 2 * std::size_t(lanes_) * lanes_ + Launcher<T>::scratch_elements(lanes_);
  }
  lease_.worker().memory(kSlotBytes<T> + elements * sizeof(T));
  lease_.worker().pinned(kFetchedBytes<T>);
}

template <class T>
DeviceQueue<T>::~DeviceQueue() {
  if (marked_ || trailing_) drain();
}

// Calls work, which returns the driver's result, with the context current.
template <class T>
template <class Work>
void DeviceQueue<T>::put_in(Work work) {
  if (status_ != CERAR_OK) return;
  const Current current(lease_.driver(), lease_.context());
  api::Result result = current.status();
  if (result == api::kSuccess) {
    trailing_ = true;
    result = work();
  }
  status_ = status_of(lease_.driver(), result);
}

template <class T>
void DeviceQueue<T>::combine(const kernel::Combine<T>& args) {
  put_in([&] { return launcher_.combine(args); });
}

template <class T>
void DeviceQueue<T>::decode(const kernel::Decode<T>& args) {
  if (args.lanes > kMaxTerms) return decode_many_lanes(args);
  put_in([&] { return launcher_.decode(args); });
}

template <class T>
void DeviceQueue<T>::decode_result(const kernel::Decode<T>& args) {
  if (!noting_) {
    put_in([&] {
      if (lanes_ <= 1) return api::kInvalidValue;
      return lease_.driver().cuMemsetD8Async(address_of(slots()), 0, kSlotBytes<T>,
                                             lease_.worker().stream());
    });
    noting_ = true;
  }
  decode(args);
  put_in([&] {
    const std::size_t elements = args.lanes * args.width * args.tiles;
    return launcher_.magnitude(args.out, elements, slots(), kMagnitudeBlocks);
  });
}

template <class T>
void DeviceQueue<T>::conclude() {
  if (!noting_) return;
  kernel::Magnitude<T>* const few = slots() + kMagnitudeSlots;
  put_in([&] {
    return launcher_.magnitude(reinterpret_cast<const T*>(slots()), kMagnitudeSlots, few, 1);
  });
  put_in([&] {
    return lease_.driver().cuMemcpyAsync(address_of(fetched()), address_of(few), kFetchedBytes<T>,
                                         lease_.worker().stream());
  });
}

template <class T>
kernel::Magnitude<T> DeviceQueue<T>::greatest() const {
  return noting_ ? *std::max_element(fetched(), fetched() + kThreads) : 0;
}

template <class T>
kernel::Magnitude<T>* DeviceQueue<T>::slots() const {
  return reinterpret_cast<kernel::Magnitude<T>*>(lease_.worker().memory(0));
}

template <class T>
const kernel::Magnitude<T>* DeviceQueue<T>::fetched() const {
  return static_cast<const kernel::Magnitude<T>*>(lease_.worker().pinned(0));
}

template <class T>
T* DeviceQueue<T>::matrices() const {
  return reinterpret_cast<T*>(slots()) + kSlotBytes<T> / sizeof(T);
}

template <class T>
void DeviceQueue<T>::decode_many_lanes(kernel::Decode<T> args) {
  const std::size_t entries = std::size_t(args.lanes) * args.lanes;
  T* const w = matrices();
  T* const own = w + entries;
  if (args.w != uploaded_) {
    copy(w, args.w, entries);
    if (args.own) copy(own, args.own, entries);
    uploaded_ = args.w;
  }
  args.w = w;
  if (args.own) args.own = own;
  put_in([&] {
    if (args.lanes > lanes_) return api::kInvalidValue;
    return launcher_.decode_any(args, own + entries);
  });
}

template <class T>
void DeviceQueue<T>::copy(T* to, const T* from, std::size_t elements) {
  if (elements == 0) return;
  put_in([&] {
    return lease_.driver().cuMemcpyAsync(address_of(to), address_of(from), elements * sizeof(T),
                                         lease_.worker().stream());
  });
}

template <class T>
void DeviceQueue<T>::zero(T* to, std::size_t elements) {
  if (elements == 0) return;
  put_in([&] {
    return lease_.driver().cuMemsetD8Async(address_of(to), 0, elements * sizeof(T),
                                           lease_.worker().stream());
  });
}

template <class T>
void DeviceQueue<T>::mark() {
  put_in([&] {
    marked_ = true;
    trailing_ = false;
    return lease_.driver().cuEventRecord(lease_.worker().event(), lease_.worker().stream());
  });
}

template <class T>
cerar_status_t DeviceQueue<T>::test() {
  if (status_ != CERAR_OK) return status_;
  if (!marked_) return CERAR_OK;
  const Current current(lease_.driver(), lease_.context());
  api::Result result = current.status();
  if (result == api::kSuccess) result = lease_.driver().cuEventQuery(lease_.worker().event());
  if (result == api::kNotReady) return CERAR_IN_PROGRESS;
  marked_ = false;
  status_ = status_of(lease_.driver(), result);
  return status_;
}

// What goes wrong here is known already, or was wanted by nobody.
template <class T>
void DeviceQueue<T>::drain() {
  marked_ = false;
  trailing_ = false;
  if (!lease_.device().context().alive()) return;
  const Current current(lease_.driver(), lease_.context());
  if (current.status() == api::kSuccess) {
    lease_.driver().cuStreamSynchronize(lease_.worker().stream());
  }
}

template class DeviceQueue<float>;
template class DeviceQueue<double>;

}  // namespace cerar::gpu
