#include "core/kernel/kernel.hpp"

#include <array>
#include <cstdlib>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/kernel/table.hpp"

namespace cerar::kernel {
namespace {

#if defined(CERAR_KERNEL_X86_64)
bool has_x86_64_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt") &&
         __builtin_cpu_supports("movbe");
}

// More than x86-64-v4 asks for: the first processors with AVX-512 slow the whole program down when
// it is used, and lack this.
bool has_fast_x86_64_v4() {
  return has_x86_64_v3() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vbmi2");
}
#endif

std::vector<const Version*> find_versions() {
  std::vector<const Version*> found = {&portable};
#if defined(CERAR_KERNEL_X86_64)
  __builtin_cpu_init();
  if (has_x86_64_v3()) found.push_back(&x86_64_v3);
  if (has_fast_x86_64_v4()) found.push_back(&x86_64_v4);
#endif
  return found;
}

const Version& chosen_version() {
  const auto& all = available_versions();
  const char* wish = std::getenv("CERAR_KERNEL");
  for (const Version* version : all) {
    if (wish != nullptr && std::string_view(wish) == version->name) return *version;
  }
  return *all.back();
}

const Version& version_in_use() {
  static const Version& version = chosen_version();
  return version;
}

template <class T>
const Functions<T>& functions(const Version& version) {
  if constexpr (std::is_same_v<T, float>) {
    return version.of_float;
  } else {
    return version.of_double;
  }
}

}  // namespace

const std::vector<const Version*>& available_versions() {
  static const std::vector<const Version*> versions = find_versions();
  return versions;
}

template <class T>
void combine(const Version& version, const Combine<T>& args) {
  functions<T>(version).combine(args);
}

template <class T>
void decode(const Version& version, const Decode<T>& args) {
  const auto run = functions<T>(version).decode;
  if (args.lanes <= kMaxTerms) return run(args, nullptr);
  // Enough for 128 lanes; more of them are rare, and so much work that an allocation does not show.
  std::array<T, 4096> few;
  const std::size_t need = 2 * kScratchColumns * static_cast<std::size_t>(args.lanes);
  if (need <= few.size()) return run(args, few.data());
  std::vector<T> many(need);
  run(args, many.data());
}

template <class T>
Magnitude<T> greatest_magnitude(const Version& version, const T* values, std::size_t elements) {
  return functions<T>(version).magnitude(values, elements);
}

template <class T>
void combine(const Combine<T>& args) {
  combine(version_in_use(), args);
}

template <class T>
void decode(const Decode<T>& args) {
  decode(version_in_use(), args);
}

template <class T>
Magnitude<T> greatest_magnitude(const T* values, std::size_t elements) {
  return greatest_magnitude(version_in_use(), values, elements);
}

template void combine<float>(const Version&, const Combine<float>&);
template void combine<double>(const Version&, const Combine<double>&);
template void decode<float>(const Version&, const Decode<float>&);
template void decode<double>(const Version&, const Decode<double>&);
template Magnitude<float> greatest_magnitude(const Version&, const float*, std::size_t);
template Magnitude<double> greatest_magnitude(const Version&, const double*, std::size_t);
template void combine<float>(const Combine<float>&);
template void combine<double>(const Combine<double>&);
template void decode<float>(const Decode<float>&);
template void decode<double>(const Decode<double>&);
template Magnitude<float> greatest_magnitude(const float*, std::size_t);
template Magnitude<double> greatest_magnitude(const double*, std::size_t);

const char* version() { return version_in_use().name; }

}  // namespace cerar::kernel
