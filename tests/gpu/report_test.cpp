// The compiled kernels: no spills and no local memory, by the compiler's report and by the code
// itself; 16-byte loads and stores in the kernels that are meant for them, and all loads before the
// first store. Prints the table.
//
// Code is recognised by its 128-bit instructions, as they have been since sm_70: bits 0 … 8 tell
// loads and stores of global and local memory apart, bits 73 … 75 are the width. Where there is a
// cuobjdump the counts are compared with its listing.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Report {
  int registers = -1;
  int stack = -1;
  int spills = -1;
};

struct Code {
  int loads = 0, wide_loads = 0, stores = 0, wide_stores = 0;
  int local = 0;                // loads and stores of local memory
  int loads_after_a_store = 0;  // wide ones
  int instructions = 0;
};

std::string read_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// By kernel.
std::map<std::string, Report> read_report(const std::string& name) {
  std::map<std::string, Report> reports;
  std::istringstream text(read_file(name));
  const std::regex entry("Compiling entry function '(\\w+)'");
  const std::regex memory(
      "(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads");
  const std::regex used("Used (\\d+) registers");
  std::smatch match;
  std::string kernel;
  for (std::string line; std::getline(text, line);) {
    if (std::regex_search(line, match, entry)) kernel = match[1];
    if (std::regex_search(line, match, memory)) {
      reports[kernel].stack = std::stoi(match[1]);
      reports[kernel].spills = std::stoi(match[2]) + std::stoi(match[3]);
    }
    if (std::regex_search(line, match, used)) reports[kernel].registers = std::stoi(match[1]);
  }
  return reports;
}

Code read_code(const char* code, std::size_t bytes) {
  enum { global_load = 0x181, global_store = 0x186, local_load = 0x183, local_store = 0x187 };
  constexpr unsigned k128Bits = 6;
  Code seen;
  for (std::size_t at = 0; at + 16 <= bytes; at += 16, ++seen.instructions) {
    std::uint64_t half[2];
    std::memcpy(half, code + at, sizeof half);
    const unsigned operation = half[0] & 0x1ff;
    const bool wide = ((half[1] >> 9) & 7) == k128Bits;
    if (operation == local_load || operation == local_store) ++seen.local;
    if (operation == global_load) {
      ++seen.loads;
      seen.wide_loads += wide;
      if (wide && seen.wide_stores > 0) ++seen.loads_after_a_store;
    }
    if (operation == global_store) {
      ++seen.stores;
      seen.wide_stores += wide;
    }
  }
  return seen;
}

// By kernel.
std::map<std::string, Code> read_cubin(const std::string& name) {
  const std::string file = read_file(name);
  std::map<std::string, Code> kernels;
  Elf64_Ehdr header;
  if (file.size() < sizeof header) return kernels;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), file.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    const std::string title = file.data() + sections[header.e_shstrndx].sh_offset + section.sh_name;
    if (title.rfind(".text.", 0) != 0) continue;
    kernels[title.substr(6)] = read_code(file.data() + section.sh_offset, section.sh_size);
  }
  return kernels;
}

// How often cuobjdump lists 128-bit loads of global memory in a kernel; -1 without cuobjdump.
int listed_wide_loads(const std::string& cubin, const std::string& kernel) {
  if (std::system("cuobjdump --version >/dev/null 2>&1") != 0) return -1;
  const std::string command =
      "cuobjdump -sass -fun " + kernel + " " + cubin + " | grep -c 'LDG.*128'";
  FILE* pipe = popen(command.c_str(), "r");
  int count = -1;
  if (std::fscanf(pipe, "%d", &count) != 1) count = -1;
  pclose(pipe);
  return count;
}

class Kernels : public testing::TestWithParam<std::string> {
 protected:
  std::string file(const char* ending) const { return "gpu/kernels.sm_" + GetParam() + ending; }
};

TEST_P(Kernels, NeedNoLocalMemoryAndMoveSixteenBytesAtOnce) {
  const auto reports = read_report(file(".txt"));
  const auto codes = read_cubin(file(".cubin"));
  ASSERT_EQ(reports.size(), 106u) << "kernels in " << file(".txt");
  ASSERT_EQ(codes.size(), reports.size());
  std::printf("%-24s %9s %6s %9s %10s\n", ("sm_" + GetParam()).c_str(), "registers", "spills",
              "128b loads", "128b stores");
  for (const auto& [kernel, report] : reports) {
    SCOPED_TRACE(kernel);
    ASSERT_TRUE(codes.contains(kernel));
    const Code& code = codes.at(kernel);
    EXPECT_EQ(report.stack, 0);
    EXPECT_EQ(report.spills, 0);
    EXPECT_EQ(code.local, 0);
    EXPECT_GT(code.stores, 0) << "the code is not understood";
    if (kernel.rfind("magnitude", 0) == 0 && kernel.find("_wide") != std::string::npos) {
      EXPECT_GE(code.wide_loads, 8) << "loads in flight";
    }
    if (kernel.find("_wide_") != std::string::npos) {
      const int number = std::stoi(kernel.substr(kernel.rfind('_') + 1));
      const bool combine = kernel.rfind("combine", 0) == 0;
      const bool own = kernel.rfind("decode_own", 0) == 0;
      EXPECT_GE(code.wide_loads, combine ? number + 1 : own ? 2 * number : number);
      EXPECT_GE(code.wide_loads, 4) << "loads in flight";
      EXPECT_GE(code.wide_stores, combine ? 2 : number);
      EXPECT_EQ(code.loads_after_a_store, 0) << "loads wait for stores";
      const int listed = listed_wide_loads(file(".cubin"), kernel);
      EXPECT_TRUE(listed < 0 || listed == code.wide_loads) << "cuobjdump lists " << listed;
      std::printf("%-24s %9d %6d %9d %10d\n", kernel.c_str(), report.registers, report.spills,
                  code.wide_loads, code.wide_stores);
    }
  }
}

std::vector<std::string> architectures() {
  std::vector<std::string> all;
  std::istringstream list(CUDA_ARCHS);
  for (std::string arch; list >> arch;) all.push_back(arch);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Compiled, Kernels, testing::ValuesIn(architectures()),
                         [](const auto& info) { return "sm_" + info.param; });

}  // namespace
