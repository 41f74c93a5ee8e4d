// The kernels, loaded into a context.
#pragma once

#include <type_traits>

#include "gpu/context.hpp"
#include "gpu/kernel_args.hpp"

namespace cerar::gpu {

// The compiled kernels, for all architectures; {0} if there are none.
extern "C" const unsigned char cerar_gpu_image[];

class LoadedModule {
 public:
  // The context must be current, and outlive the module. Throws as check does.
  explicit LoadedModule(const ContextHandle& context);
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  api::Module get() const { return module_; }

 private:
  const ContextHandle& context_;
  api::Module module_ = nullptr;
};

class Kernels {
 public:
  // As LoadedModule.
  explicit Kernels(const ContextHandle& context);

  struct OfType {
    api::Function combine[2][kMaxTerms + 1];    // [wide][terms]
    api::Function decode[2][2][kMaxTerms + 1];  // [wide][own][lanes]
    api::Function decode_any;
    api::Function magnitude[2];  // [wide]
  };
  template <class T>
  const OfType& of() const {
    return std::is_same_v<T, float> ? f32_ : f64_;
  }

 private:
  LoadedModule module_;
  OfType f32_;
  OfType f64_;
};

}  // namespace cerar::gpu
