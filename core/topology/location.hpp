// Where the ranks of a ring are, in which order it passes them, and over what.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/cerar.h"
#include "core/topology/machine.hpp"

namespace cerar::topology {

// Of this process, whose data are there. What can't be found out stays unknown; never fails.
cerar_location_t locate(const void* data);

// Of a process that runs on this processor (−1: unknown) of a machine, and, unless that is empty,
// has its data on the GPU at that PCI address ("?": on one, but which is not known).
cerar_location_t location_on(const Machine& machine, int processor, const std::string& gpu);

// The order in which the ring passes the ranks: node by node, in the order of the nodes' first
// ranks; within a node by GPU, then by processor, then by rank. So a node's slow link is crossed
// once on the way in and once on the way out, and neighbours share the nearest link there is.
std::vector<int> ring_order(std::span<const cerar_location_t> locations);

// The slowest of the links that the ring crosses, in that order; unknown only if no link is known
// to be slow.
cerar_links_t ring_links(std::span<const cerar_location_t> locations, std::span<const int> order);

}  // namespace cerar::topology
