// The versions of the kernels, one a supported instruction set. For kernel.cpp, tests and
// benchmarks.
#pragma once

#include <cstddef>
#include <vector>

#include "core/kernel/kernel.hpp"

namespace cerar::kernel {

// decode with more than kMaxTerms lanes needs scratch for 2·lanes·kScratchColumns elements.
inline constexpr std::size_t kScratchColumns = 16;

template <class T>
struct Functions {
  void (*combine)(const Combine<T>&);
  void (*decode)(const Decode<T>&, T* scratch);  // scratch may be null up to kMaxTerms lanes
  Magnitude<T> (*magnitude)(const T* values, std::size_t elements);
};

struct Version {
  const char* name;
  Functions<float> of_float;
  Functions<double> of_double;
};

extern const Version portable;
// Where the build has them, and defines CERAR_KERNEL_X86_64.
extern const Version x86_64_v3;
extern const Version x86_64_v4;

// What this build has and this processor can run, whatever the environment says: portable first,
// the best last.
const std::vector<const Version*>& available_versions();

// What kernel.hpp declares, with a given version.
template <class T>
void combine(const Version& version, const Combine<T>& args);
template <class T>
void decode(const Version& version, const Decode<T>& args);
template <class T>
Magnitude<T> greatest_magnitude(const Version& version, const T* values, std::size_t elements);

}  // namespace cerar::kernel
