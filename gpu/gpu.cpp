// How the rest of the library sees devices.
#include "gpu/gpu.hpp"

#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "gpu/settle.hpp"
#include "gpu/space.hpp"
#include "gpu/staged.hpp"
#include "gpu/transfer.hpp"

namespace cerar::gpu {
namespace {

// A buffer, and the device that it is on; none on the host.
struct Located {
  Pointer pointer;
  std::shared_ptr<Device> device;
};

const Driver& usable_driver() {
  const Driver* driver = find_driver();
  if (driver == nullptr) throw Error("no CUDA driver is loaded");
  if (!driver->defect.empty()) throw Error(driver->defect);
  return *driver;
}

// Settles it, too.
Located locate(const Driver& driver, const void* buffer) {
  Located at{ask_driver(driver, buffer), nullptr};
  if (Buffers::on_host(at.pointer.kind)) return at;
  at.device = Device::of(driver, at.pointer);
  settle(*at.device, buffer);
  return at;
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
bool readable(const Located& send, const Located& recv) {
  if (send.pointer.kind == Kind::managed) return true;
  return send.pointer.kind == Kind::device && send.device == recv.device;
}

// UCX before 1.19 reaches device memory only from threads with a context.
bool has_context(const Driver& driver) {
  api::Context context = nullptr;
  return driver.cuCtxGetCurrent(&context) == api::kSuccess && context != nullptr;
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
  const Driver& driver = usable_driver();
  if (Buffers::on_host(buffers.recv_kind)) return {Way::staged};
  if (transport_takes_device_memory && has_context(driver))
    return {Way::device, Way::mapped, Way::staged};
  return {Way::mapped, Way::staged};
}

ring::Place make_place(Way way, const Buffers& buffers) {
  if (way == Way::host) return ring::host_place();
  const Driver& driver = usable_driver();
  const Located send = locate(driver, buffers.send);
  const Located recv = locate(driver, buffers.recv);
  const bool in_place = buffers.send == nullptr;

  ring::Place place;
  place.space = space_of(way, recv.device ? recv.device : send.device);
  place.name = name(way);
  if (way == Way::staged) {
    place.load = !recv.device && !in_place;
    place.direct = !recv.device;
    return place;
  }
  const bool on_device = way == Way::device;
  place.load = !in_place && !readable(send, recv);
  // Transports may not know memory of a pool for a device's.
  place.direct = on_device && recv.pointer.kind == Kind::device && !recv.pointer.pooled();
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
  const Located source = locate(driver, from);
  const Located target = locate(driver, to);
  const CopyStream stream(target.device ? target.device : source.device);
  Transfer transfer(stream);
  transfer.copy(to, from, bytes);
  if (transfer.status() == CERAR_ERR_NO_MEMORY) throw std::bad_alloc();
  if (transfer.status() != CERAR_OK) throw Error(cerar_last_error());
}

}  // namespace cerar::gpu
