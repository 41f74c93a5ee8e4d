#include "core/kernel/kernel.hpp"

#include <array>
#include <cstdlib>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/kernel/table.hpp"

namespace cerar::kernel {
namespace {

#if defined(CERAR_KERNEL_V3)
bool has_x86_64_v3() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt") &&
         __builtin_cpu_supports("movbe");
}
#endif

const Version& chosen_version() {
  const char* wish = std::getenv("CERAR_KERNEL");
  if (wish != nullptr && std::string_view(wish) == portable.name) return portable;
  return best_version();
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

const Version& best_version() {
#if defined(CERAR_KERNEL_V3)
  static const bool v3 = has_x86_64_v3();
  if (v3) return x86_64_v3;
#endif
  return portable;
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
void combine(const Combine<T>& args) {
  combine(version_in_use(), args);
}

template <class T>
void decode(const Decode<T>& args) {
  decode(version_in_use(), args);
}

template void combine<float>(const Version&, const Combine<float>&);
template void combine<double>(const Version&, const Combine<double>&);
template void decode<float>(const Version&, const Decode<float>&);
template void decode<double>(const Version&, const Decode<double>&);
template void combine<float>(const Combine<float>&);
template void combine<double>(const Combine<double>&);
template void decode<float>(const Decode<float>&);
template void decode<double>(const Decode<double>&);

const char* version() { return version_in_use().name; }

}  // namespace cerar::kernel
