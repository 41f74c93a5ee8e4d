// Where ranks are, the order of the ring and the links that it crosses, on machines that are not
// this one: hwloc's synthetic ones, and one with GPUs, data/two_switches.xml. Its four GPUs are, in
// hwloc's order,
//   0  0000:03:00.0  nvml2   package 0, behind one switch with 1
//   1  0000:04:00.0  nvml0
//   2  0000:83:00.0  nvml1   package 1, behind one switch with 3
//   3  0000:84:00.0  nvml3
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/cerar.h"
#include "core/topology/location.hpp"

namespace {

using cerar::topology::Machine;
using Matrix = std::vector<int>;  // bandwidths, MB/s, by number of nvml device

constexpr std::array<const char*, 4> kGpus = {"0000:03:00.0", "0000:04:00.0", "0000:83:00.0",
                                              "0000:84:00.0"};
const std::string kFile = TEST_DATA "/two_switches.xml";

// The same machine, and what its NVML says of NVLink.
Machine with_nvlinks(const Matrix& matrix) {
  std::ostringstream whole;
  whole << std::ifstream(kFile).rdbuf();
  std::string text = whole.str();
  std::ostringstream values;
  for (const int value : matrix) values << value << ' ';
  const bool switches = matrix.size() > 16;  // two more rows
  std::ostringstream distances;
  distances << (switches ? "<distances2hetero nbobjs=\"6\" kind=\"25\""
                         : "<distances2 type=\"OSDev\" nbobjs=\"4\" indexing=\"gp\" kind=\"9\"")
            << " name=\"NVLinkBandwidth\"><indexes length=\""
            << (switches ? "56\">OSDev:25 OSDev:33 OSDev:23 OSDev:35 PCIDev:36 PCIDev:37 "
                         : "12\">25 33 23 35 ")
            << "</indexes><u64values length=\"" << values.str().size() << "\">" << values.str()
            << "</u64values></distances2" << (switches ? "hetero>" : ">");
  text.insert(text.rfind("</topology>"), distances.str());
  const std::string file = testing::TempDir() + "/nvlinks.xml";
  std::ofstream(file) << text;
  Machine machine = Machine::from_xml(file);
  std::filesystem::remove(file);
  return machine;
}

// Only nvml0 with nvml1, and nvml2 with nvml3.
const Matrix kPairs = {900, 50, 0, 0, 50, 900, 0, 0, 0, 0, 900, 50, 0, 0, 50, 900};
const Matrix kAll = {900, 50, 50, 50, 50, 900, 50, 50, 50, 50, 900, 50, 50, 50, 50, 900};

// Each with both switches, nothing directly.
const Matrix kSwitched = {900, 0,  0,   0,  25,  25, 0,  900, 0,  0,   25, 25,
                          0,   0,  900, 0,  25,  25, 0,  0,   0,  900, 25, 25,
                          25,  25, 25,  25, 900, 0,  25, 25,  25, 25,  0,  900};

cerar_location_t at(std::uint64_t node, int processor = -1) {
  cerar_location_t location{};
  location.node = node;
  location.processor = processor;
  location.gpu = -1;
  return location;
}

cerar_location_t on_gpu(const Machine& machine, std::uint64_t node, const std::string& gpu) {
  cerar_location_t location = cerar::topology::location_on(machine, -1, gpu);
  location.node = node;
  return location;
}

std::vector<int> order_of(const std::vector<cerar_location_t>& locations) {
  std::vector<int> order(locations.size());
  EXPECT_EQ(cerar_ring_order(locations.data(), static_cast<int>(locations.size()), order.data()),
            CERAR_OK);
  return order;
}

cerar_links_t links_of(const std::vector<cerar_location_t>& locations) {
  return cerar_ring_links(locations.data(), static_cast<int>(locations.size()),
                          order_of(locations).data());
}

using Order = std::vector<int>;

TEST(MachineTest, ProcessorsAreNumberedAlongTheTree) {
  // As many firmwares number them: alternately over the packages.
  const Machine machine =
      Machine::synthetic("pack:2(indexes=pack) numa:2 core:2 pu:2(indexes=pack:numa)");
  hwloc_bitmap_t binding = hwloc_bitmap_alloc();
  std::set<int> seen;
  for (unsigned os_index = 0; os_index < 16; ++os_index) {
    hwloc_bitmap_only(binding, os_index);
    seen.insert(machine.first_processor(binding));
  }
  EXPECT_EQ(seen.size(), 16u);
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), 15);
  hwloc_bitmap_free(binding);
}

TEST(MachineTest, BindingToAllIsNone) {
  const Machine machine = Machine::synthetic("pack:1 numa:1 core:4 pu:1");
  hwloc_bitmap_t binding = hwloc_bitmap_alloc();
  hwloc_bitmap_set_range(binding, 0, 3);
  EXPECT_EQ(machine.first_processor(binding), -1);
  hwloc_bitmap_set_range(binding, 0, -1);
  EXPECT_EQ(machine.first_processor(binding), -1);
  hwloc_bitmap_zero(binding);
  EXPECT_EQ(machine.first_processor(binding), -1);
  hwloc_bitmap_set_range(binding, 1, 2);
  EXPECT_EQ(machine.first_processor(binding), 1);
  hwloc_bitmap_free(binding);
}

TEST(MachineTest, FindsGpusByAddress) {
  const Machine machine = Machine::from_xml(kFile);
  ASSERT_EQ(machine.gpus(), 4);
  for (int gpu = 0; gpu < 4; ++gpu) {
    EXPECT_EQ(machine.gpu(kGpus[static_cast<std::size_t>(gpu)]), gpu);
  }
  EXPECT_EQ(machine.gpu("0000:06:00.0"), -1) << "a network card";
  EXPECT_EQ(machine.gpu("0000:09:00.0"), -1) << "nothing";
  EXPECT_EQ(machine.gpu("?"), -1);
}

TEST(MachineTest, KnowsNvlinksWhereNvmlDoes) {
  const Machine plain = Machine::from_xml(kFile);
  EXPECT_FALSE(plain.nvlinks(0).known);
  const Machine pairs = with_nvlinks(kPairs);
  const std::array<std::uint64_t, 4> expected = {1 << 3, 1 << 2, 1 << 1, 1 << 0};
  for (int gpu = 0; gpu < 4; ++gpu) {
    EXPECT_TRUE(pairs.nvlinks(gpu).known);
    EXPECT_EQ(pairs.nvlinks(gpu).to, expected[static_cast<std::size_t>(gpu)]) << gpu;
  }
}

TEST(MachineTest, KnowsNvlinksThroughSwitches) {
  const Machine machine = with_nvlinks(kSwitched);
  for (int gpu = 0; gpu < 4; ++gpu) {
    EXPECT_EQ(machine.nvlinks(gpu).to, 0xfu & ~(1u << gpu)) << gpu;
  }
}

TEST(MachineTest, FileThatIsNone) {
  EXPECT_THROW(Machine::from_xml("/no/such.xml"), std::runtime_error);
  EXPECT_THROW(Machine::synthetic("pack:two"), std::runtime_error);
}

TEST(RingOrderTest, OneRankANodeIsTheRanksOrder) {
  EXPECT_EQ(order_of({at(7), at(3), at(9), at(1)}), (Order{0, 1, 2, 3}));
}

TEST(RingOrderTest, NodesAreTogetherWhateverThePlacement) {
  const std::uint64_t a = 900, b = 5, c = 40;
  const Order by_node = order_of({at(a), at(b), at(c), at(a), at(b), at(c)});
  EXPECT_EQ(by_node, (Order{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(order_of({at(a), at(a), at(b), at(b), at(c), at(c)}), (Order{0, 1, 2, 3, 4, 5}));
}

TEST(RingOrderTest, WithinANodeByProcessor) {
  EXPECT_EQ(order_of({at(1, 0), at(1, 8), at(1, 1), at(1, 9)}), (Order{0, 2, 1, 3}));
  EXPECT_EQ(order_of({at(1), at(1), at(1)}), (Order{0, 1, 2})) << "not bound";
}

TEST(RingOrderTest, WithinANodeByGpuFirst) {
  const Machine machine = Machine::from_xml(kFile);
  std::vector<cerar_location_t> locations;
  for (const int gpu : {0, 2, 1, 3}) {
    locations.push_back(on_gpu(machine, 1, kGpus[static_cast<std::size_t>(gpu)]));
    locations.back().processor = 3 - static_cast<int>(locations.size());
  }
  EXPECT_EQ(order_of(locations), (Order{0, 2, 1, 3}));
}

// Whatever the placement: each rank once, and each node entered once.
TEST(RingOrderTest, EntersEachNodeOnce) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int repetition = 0; repetition < 200; ++repetition) {
    const std::size_t ranks = 2 + random() % 60;
    const unsigned nodes = 1 + random() % 9;
    std::vector<cerar_location_t> locations;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      locations.push_back(
          at(random() % nodes * 0x123456789abcdefu, static_cast<int>(random() % 4)));
    }
    const Order order = order_of(locations);
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), ranks);
    std::size_t entered = 0;
    std::set<std::uint64_t> seen;
    for (std::size_t i = 0; i < ranks; ++i) {
      const auto node = locations[static_cast<std::size_t>(order[i])].node;
      const auto before = locations[static_cast<std::size_t>(order[(i + ranks - 1) % ranks])].node;
      entered += node != before;
      seen.insert(node);
    }
    EXPECT_EQ(entered, seen.size() == 1 ? 0 : seen.size());
  }
}

TEST(RingLinksTest, OfHosts) {
  EXPECT_EQ(links_of({at(1, 0), at(1, 1), at(1, 2)}), CERAR_LINKS_MEMORY);
  EXPECT_EQ(links_of({at(1, 0), at(1, 1), at(2, 0)}), CERAR_LINKS_SLOW);
}

TEST(RingLinksTest, OfGpus) {
  const Machine unknown = Machine::from_xml(kFile);
  const Machine pairs = with_nvlinks(kPairs);
  const Machine all = with_nvlinks(kAll);
  const auto ring = [](const Machine& machine) {
    std::vector<cerar_location_t> locations;
    for (const char* gpu : kGpus) locations.push_back(on_gpu(machine, 1, gpu));
    return locations;
  };
  EXPECT_EQ(links_of(ring(unknown)), CERAR_LINKS_UNKNOWN);
  EXPECT_EQ(links_of(ring(pairs)), CERAR_LINKS_SLOW) << "from GPU 0 to 1 there is none";
  EXPECT_EQ(links_of(ring(all)), CERAR_LINKS_NVLINK);

  auto two_nodes = ring(all);
  for (const char* gpu : kGpus) two_nodes.push_back(on_gpu(all, 2, gpu));
  EXPECT_EQ(links_of(two_nodes), CERAR_LINKS_SLOW);

  auto with_a_host = ring(all);
  with_a_host.push_back(at(1));
  EXPECT_EQ(links_of(with_a_host), CERAR_LINKS_SLOW) << "data on one GPU cross PCIe";

  auto with_a_strange_one = ring(all);
  with_a_strange_one.push_back(on_gpu(all, 1, "?"));
  EXPECT_EQ(links_of(with_a_strange_one), CERAR_LINKS_UNKNOWN);

  EXPECT_EQ(links_of({on_gpu(unknown, 1, kGpus[0]), on_gpu(unknown, 1, kGpus[0])}),
            CERAR_LINKS_NVLINK)
      << "two ranks on one GPU";
}

TEST(RingLinksTest, NvlinkOfAPairOnly) {
  const Machine pairs = with_nvlinks(kPairs);
  EXPECT_EQ(links_of({on_gpu(pairs, 1, kGpus[1]), on_gpu(pairs, 1, kGpus[2])}), CERAR_LINKS_NVLINK);
  EXPECT_EQ(links_of({on_gpu(pairs, 1, kGpus[0]), on_gpu(pairs, 1, kGpus[2])}), CERAR_LINKS_SLOW);
}

// The first call of a process looks; later ones know.
TEST(LocateTest, ThisProcessWhereItIsBound) {
  cpu_set_t all, last;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  int cpu = CPU_SETSIZE - 1;
  while (!CPU_ISSET(cpu, &all)) --cpu;
  CPU_ZERO(&last);
  CPU_SET(cpu, &last);
  ASSERT_EQ(sched_setaffinity(0, sizeof last, &last), 0);
  cerar_location_t location;
  std::memset(&location, 0xff, sizeof location);
  cerar_locate(nullptr, &location);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);

  hwloc_bitmap_t binding = hwloc_bitmap_alloc();
  hwloc_bitmap_only(binding, static_cast<unsigned>(cpu));
  EXPECT_EQ(location.processor, Machine::here(false).first_processor(binding));
  hwloc_bitmap_free(binding);
  EXPECT_NE(location.node, 0u);
  EXPECT_EQ(location.uses_gpu, 0);
  EXPECT_EQ(location.gpu, -1);
  EXPECT_EQ(location.nvlinks_known, 0);
}

TEST(CFaceTest, RefusesWhatIsNoRing) {
  const cerar_location_t location = at(1);
  int rank = 0;
  EXPECT_EQ(cerar_ring_order(&location, 0, &rank), CERAR_ERR_INVALID);
  EXPECT_EQ(cerar_ring_order(nullptr, 1, &rank), CERAR_ERR_INVALID);
  EXPECT_EQ(cerar_ring_order(&location, 1, nullptr), CERAR_ERR_INVALID);
}

}  // namespace
