#include "core/topology/machine.hpp"

#include <fmt/format.h>
#include <hwloc/distances.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace cerar::topology {
namespace {

constexpr std::size_t kMostGpus = 64;  // what NvLinks::to has bits for

void check(int result, const char* what) {
  if (result != 0) throw std::runtime_error(fmt::format("hwloc failed: {}", what));
}

// Of display controllers (class 3) those that compute are NVIDIA's.
bool is_gpu(hwloc_obj_t device) {
  const auto& pci = device->attr->pcidev;
  return pci.class_id >> 8 == 3 && pci.vendor_id == 0x10de;
}

// A device of the operating system, such as nvml0, is below its PCI one.
hwloc_obj_t pci_of(hwloc_obj_t object) {
  while (object != nullptr && object->type != HWLOC_OBJ_PCI_DEVICE) object = object->parent;
  return object;
}

// Bandwidths between PCI devices.
class Bandwidths {
 public:
  explicit Bandwidths(const hwloc_distances_s& distances)
      : values_(distances.values, distances.values + distances.nbobjs * distances.nbobjs) {
    for (unsigned i = 0; i < distances.nbobjs; ++i) devices_.push_back(pci_of(distances.objs[i]));
  }

  bool knows(hwloc_obj_t device) const { return std::ranges::count(devices_, device) > 0; }

  bool linked(hwloc_obj_t from, hwloc_obj_t to) const {
    const auto row = static_cast<std::size_t>(std::ranges::find(devices_, from) - devices_.begin());
    const auto column =
        static_cast<std::size_t>(std::ranges::find(devices_, to) - devices_.begin());
    return std::max(row, column) < devices_.size() && values_[row * devices_.size() + column] > 0;
  }

 private:
  std::vector<hwloc_obj_t> devices_;
  std::vector<hwloc_uint64_t> values_;
};

// What NVML knows of NVLink, where hwloc has NVML: direct links, and those through switches. Empty
// if it knows nothing.
std::vector<Bandwidths> nvlink_bandwidths(hwloc_topology_t topology) {
  unsigned count = 1;
  hwloc_distances_s* distances = nullptr;
  if (hwloc_distances_get_by_name(topology, "NVLinkBandwidth", &count, &distances, 0) != 0 ||
      count == 0) {
    return {};
  }
  std::vector<Bandwidths> result{Bandwidths(*distances)};
  // A switch has a row for each of its ports. This fails where there is no switch.
  if (hwloc_distances_transform(topology, distances, HWLOC_DISTANCES_TRANSFORM_MERGE_SWITCH_PORTS,
                                nullptr, 0) == 0 &&
      hwloc_distances_transform(topology, distances, HWLOC_DISTANCES_TRANSFORM_TRANSITIVE_CLOSURE,
                                nullptr, 0) == 0) {
    result.emplace_back(*distances);
  }
  hwloc_distances_release(topology, distances);
  return result;
}

}  // namespace

Machine::Handle Machine::init() {
  hwloc_topology_t topology = nullptr;
  check(hwloc_topology_init(&topology), "hwloc_topology_init");
  return Handle(topology);
}

Machine::Machine(Handle topology) : topology_(std::move(topology)) {
  check(hwloc_topology_load(topology_.get()), "hwloc_topology_load");
  find_gpus();
}

Machine Machine::here(bool devices) {
  Handle topology = init();
  if (devices) {
    check(hwloc_topology_set_io_types_filter(topology.get(), HWLOC_TYPE_FILTER_KEEP_IMPORTANT),
          "hwloc_topology_set_io_types_filter");
    // These ask an X server or start run-time systems. One that is not there can't be left out.
    for (const char* component : {"gl", "opencl", "cuda", "rsmi", "levelzero"}) {
      (void)hwloc_topology_set_components(topology.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                          component);
    }
  }
  return Machine(std::move(topology));
}

Machine Machine::from_xml(const std::string& file) {
  Handle topology = init();
  check(hwloc_topology_set_io_types_filter(topology.get(), HWLOC_TYPE_FILTER_KEEP_ALL),
        "hwloc_topology_set_io_types_filter");
  check(hwloc_topology_set_xml(topology.get(), file.c_str()), "hwloc_topology_set_xml");
  return Machine(std::move(topology));
}

Machine Machine::synthetic(const std::string& description) {
  Handle topology = init();
  check(hwloc_topology_set_synthetic(topology.get(), description.c_str()),
        "hwloc_topology_set_synthetic");
  return Machine(std::move(topology));
}

void Machine::find_gpus() {
  for (hwloc_obj_t device = nullptr;
       (device = hwloc_get_next_pcidev(topology_.get(), device)) != nullptr;) {
    if (is_gpu(device) && gpus_.size() < kMostGpus) gpus_.push_back(device);
  }
  std::ranges::sort(gpus_, {}, [](hwloc_obj_t device) { return device->logical_index; });
}

int Machine::first_processor(hwloc_const_bitmap_t binding) const {
  const hwloc_const_cpuset_t all = hwloc_topology_get_topology_cpuset(topology_.get());
  if (hwloc_bitmap_isincluded(all, binding)) return -1;
  const hwloc_obj_t first =
      hwloc_get_next_obj_covering_cpuset_by_type(topology_.get(), binding, HWLOC_OBJ_PU, nullptr);
  return first == nullptr ? -1 : static_cast<int>(first->logical_index);
}

int Machine::own_processor() const {
  const std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)> binding(hwloc_bitmap_alloc(),
                                                                          hwloc_bitmap_free);
  if (!binding || hwloc_get_cpubind(topology_.get(), binding.get(), HWLOC_CPUBIND_PROCESS) != 0) {
    return -1;
  }
  return first_processor(binding.get());
}

int Machine::gpu(const std::string& pci_address) const {
  const hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(topology_.get(), pci_address.c_str());
  const auto found = std::ranges::find(gpus_, device);
  return found == gpus_.end() ? -1 : static_cast<int>(found - gpus_.begin());
}

NvLinks Machine::nvlinks(int gpu) const {
  const hwloc_obj_t from = gpus_.at(static_cast<std::size_t>(gpu));
  NvLinks links;
  for (const Bandwidths& bandwidths : nvlink_bandwidths(topology_.get())) {
    links.known = links.known || bandwidths.knows(from);
    for (std::size_t to = 0; to < gpus_.size(); ++to) {
      if (gpus_[to] != from && bandwidths.linked(from, gpus_[to])) {
        links.to |= std::uint64_t{1} << to;
      }
    }
  }
  return links;
}

}  // namespace cerar::topology
