#include "core/topology/location.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <tuple>

#include "core/hash.hpp"
#include "gpu/gpu.hpp"

namespace cerar::topology {
namespace {

// By its host name, which is what Open MPI tells nodes apart by too.
std::uint64_t this_node() {
  char name[256] = "";
  (void)gethostname(name, sizeof name - 1);
  Hash hash;
  hash.add(std::string_view(name));
  return hash.value();
}

cerar_location_t unknown(bool uses_gpu) {
  cerar_location_t location;
  std::memset(&location, 0, sizeof location);  // exchanged whole, padding too
  location.processor = location.gpu = -1;
  location.uses_gpu = uses_gpu;
  return location;
}

// Reading the machine takes milliseconds, tens of them with its devices.
cerar_location_t look(const std::string& gpu) {
  cerar_location_t location = unknown(!gpu.empty());
  try {
    const Machine machine = Machine::here(!gpu.empty());
    location = location_on(machine, machine.own_processor(), gpu);
  } catch (const std::exception&) {
  }
  location.node = this_node();
  return location;
}

cerar_links_t link_between(const cerar_location_t& a, const cerar_location_t& b) {
  if (a.node != b.node) return CERAR_LINKS_SLOW;
  if (!a.uses_gpu && !b.uses_gpu) return CERAR_LINKS_MEMORY;
  if (!a.uses_gpu || !b.uses_gpu) return CERAR_LINKS_SLOW;
  if (a.gpu < 0 || b.gpu < 0) return CERAR_LINKS_UNKNOWN;
  if (a.gpu == b.gpu) return CERAR_LINKS_NVLINK;  // in one GPU's memory, which is faster still
  if (!a.nvlinks_known) return CERAR_LINKS_UNKNOWN;
  return (a.nvlinks >> b.gpu & 1) != 0 ? CERAR_LINKS_NVLINK : CERAR_LINKS_SLOW;
}

}  // namespace

cerar_location_t location_on(const Machine& machine, int processor, const std::string& gpu) {
  cerar_location_t location = unknown(!gpu.empty());
  location.processor = processor;
  if (!gpu.empty()) location.gpu = machine.gpu(gpu);
  if (location.gpu >= 0) {
    const NvLinks links = machine.nvlinks(location.gpu);
    location.nvlinks = links.to;
    location.nvlinks_known = links.known;
  }
  return location;
}

cerar_location_t locate(const void* data) {
  static std::mutex mutex;
  static std::map<std::string, cerar_location_t> known;  // by GPU

  const std::string gpu = gpu::device_of(data);
  const std::lock_guard lock(mutex);
  const auto found = known.find(gpu);
  return found != known.end() ? found->second : known.emplace(gpu, look(gpu)).first->second;
}

std::vector<int> ring_order(std::span<const cerar_location_t> locations) {
  std::map<std::uint64_t, std::size_t> first;  // rank of each node
  for (std::size_t rank = 0; rank < locations.size(); ++rank) {
    first.try_emplace(locations[rank].node, rank);
  }
  const auto key = [&](int rank) {
    const auto& at = locations[static_cast<std::size_t>(rank)];
    return std::tuple(first.at(at.node), at.gpu, at.processor, rank);
  };
  std::vector<int> order(locations.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, key);
  return order;
}

cerar_links_t ring_links(std::span<const cerar_location_t> locations, std::span<const int> order) {
  const auto at = [&](std::size_t position) -> const cerar_location_t& {
    return locations[static_cast<std::size_t>(order[position % order.size()])];
  };
  cerar_links_t slowest = CERAR_LINKS_MEMORY;
  for (std::size_t position = 0; position < order.size(); ++position) {
    slowest = std::max(slowest, link_between(at(position), at(position + 1)));
  }
  return slowest;
}

}  // namespace cerar::topology
