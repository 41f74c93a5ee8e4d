// A node as hwloc sees it: which of its processors and GPUs are near each other.
#pragma once

#include <hwloc.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cerar::topology {

// What is known of the NVLinks between one GPU and the node's others.
struct NvLinks {
  bool known = false;
  std::uint64_t to = 0;  // bit g: there is one to GPU g
};

// Numbers of processors and GPUs are hwloc's logical ones: they follow the machine's tree, so of
// three the two with the nearest numbers share the most (a core, a NUMA node, a PCIe switch …).
class Machine {
 public:
  // Throw std::runtime_error if hwloc can't tell, or can't read the file. Without devices no GPU is
  // found, which is quicker.
  static Machine here(bool devices);
  static Machine from_xml(const std::string& file);
  static Machine synthetic(const std::string& description);

  // The first processor of a binding; −1 if that leaves out none of the machine's.
  int first_processor(hwloc_const_bitmap_t binding) const;
  // The same of what this process is bound to; only for a machine made by here().
  int own_processor() const;

  // The GPU, from 0, at a PCI address like 0000:3b:00.0; −1 if there is none.
  int gpu(const std::string& pci_address) const;
  int gpus() const { return static_cast<int>(gpus_.size()); }
  NvLinks nvlinks(int gpu) const;

 private:
  struct Destroy {
    void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
  };
  using Handle = std::unique_ptr<hwloc_topology, Destroy>;

  static Handle init();
  explicit Machine(Handle topology);
  void find_gpus();

  Handle topology_;
  std::vector<hwloc_obj_t> gpus_;
};

}  // namespace cerar::topology
