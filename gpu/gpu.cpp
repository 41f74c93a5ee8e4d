// How the rest of the library sees devices.
#include "gpu/gpu.hpp"

#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "gpu/space.hpp"
#include "gpu/staged.hpp"
#include "gpu/transfer.hpp"

namespace cerar::gpu {
namespace {

struct Located {
  Pointer send;
  Pointer recv;
};

// Which pointer's device does the work: the result's, if it is on one.
const Pointer& leader(const Located& at) {
  return Buffers::on_host(at.recv.kind) ? at.send : at.recv;
}

bool same_device(const Pointer& a, const Pointer& b) {
  return a.context == b.context && a.ordinal == b.ordinal;
}

const Driver& usable_driver() {
  const Driver* driver = find_driver();
  if (driver == nullptr) throw Error("no CUDA driver is loaded");
  if (!driver->defect.empty()) throw Error(driver->defect);
  return *driver;
}

Located locate(const Driver& driver, const Buffers& buffers) {
  return {ask_driver(driver, buffers.send), ask_driver(driver, buffers.recv)};
}

void settle(const Driver& driver, const Pointer& pointer, const void* buffer) {
  if (Buffers::on_host(pointer.kind)) return;
  const auto device = Device::of(driver, pointer);
  const Current current(driver, device->context().get());
  check(driver, current.status(), "cuCtxPushCurrent");
  settle(driver, buffer);
}

std::shared_ptr<ring::Space> make_space(Way way, std::shared_ptr<Device> device) {
  if (way == Way::staged) return std::make_shared<StagedSpace>(std::move(device));
  return std::make_shared<DeviceSpace>(std::move(device),
                                       way == Way::device ? Messages::device : Messages::mapped);
}

// There is one space a device and way as long as somebody holds it: teams keep memory by space.
std::shared_ptr<ring::Space> space_of(Way way, const std::shared_ptr<Device>& device) {
  struct Entry {
    Way way;
    std::weak_ptr<Device> device;
    std::weak_ptr<ring::Space> space;
  };
  static std::mutex mutex;
  static std::vector<Entry> entries;

  const std::lock_guard lock(mutex);
  std::erase_if(entries, [](const Entry& entry) { return entry.space.expired(); });
  for (const Entry& entry : entries) {
    if (entry.way != way || entry.device.lock() != device) continue;
    if (auto space = entry.space.lock()) return space;
  }
  auto space = make_space(way, device);
  entries.push_back({way, device, space});
  return space;
}

// Kernels on the result's device read the send buffer where it is if it is there too.
bool readable(const Buffers& buffers, const Located& at) {
  if (buffers.send == nullptr || at.send.kind == Kind::managed) return true;
  return at.send.kind == Kind::device && same_device(at.send, at.recv);
}

std::string pci_address(const Driver& driver, int ordinal) {
  api::Device device = 0;
  char address[32] = "";
  if (!driver.cuDeviceGetPCIBusId || driver.cuDeviceGet(&device, ordinal) != api::kSuccess ||
      driver.cuDeviceGetPCIBusId(address, sizeof address, device) != api::kSuccess) {
    return "?";
  }
  return address;
}

}  // namespace

Kind classify(const void* pointer) {
  const Driver* driver = find_driver();
  return driver == nullptr ? Kind::host : ask_driver(*driver, pointer).kind;
}

Buffers classify(const void* send, const void* recv) {
  Buffers buffers;
  buffers.send = send;
  buffers.recv = recv;
  buffers.recv_kind = classify(recv);
  buffers.send_kind = send == nullptr ? buffers.recv_kind : classify(send);
  return buffers;
}

std::string device_of(const void* pointer) {
  const Driver* driver = find_driver();
  if (driver == nullptr) return "";
  try {
    const Pointer at = ask_driver(*driver, pointer);
    return Buffers::on_host(at.kind) ? "" : pci_address(*driver, at.ordinal);
  } catch (const std::exception&) {
    return "?";
  }
}

std::vector<Way> ways(const Buffers& buffers, bool transport_takes_device_memory) {
  if (buffers.host()) return {Way::host};
  usable_driver();
  if (Buffers::on_host(buffers.recv_kind)) return {Way::staged};
  if (transport_takes_device_memory) return {Way::device, Way::mapped, Way::staged};
  return {Way::mapped, Way::staged};
}

ring::Place make_place(Way way, const Buffers& buffers) {
  if (way == Way::host) return ring::host_place();
  const Driver& driver = usable_driver();
  const Located at = locate(driver, buffers);
  settle(driver, at.send, buffers.send);
  settle(driver, at.recv, buffers.recv);

  ring::Place place;
  place.space = space_of(way, Device::of(driver, leader(at)));
  place.name = name(way);
  if (way == Way::staged) {
    const bool result_on_host = Buffers::on_host(at.recv.kind);
    place.load = result_on_host && buffers.send != nullptr;
    place.direct = result_on_host;
    return place;
  }
  const bool on_device = way == Way::device;
  place.load = !readable(buffers, at);
  place.direct = on_device && at.recv.kind == Kind::device;
  place.messages = on_device ? transport::Memory::device : transport::Memory::host;
  return place;
}

void copy(void* to, const void* from, std::size_t bytes) {
  const Buffers buffers = classify(from, to);
  if (buffers.host()) {
    std::memmove(to, from, bytes);
    return;
  }
  const Driver& driver = usable_driver();
  const Located at = locate(driver, buffers);
  settle(driver, at.send, from);
  settle(driver, at.recv, to);
  const CopyStream stream(Device::of(driver, leader(at)));
  Transfer transfer(stream);
  transfer.copy(to, from, bytes);
  if (transfer.status() == CERAR_ERR_NO_MEMORY) throw std::bad_alloc();
  if (transfer.status() != CERAR_OK) throw Error(cerar_last_error());
}

}  // namespace cerar::gpu
