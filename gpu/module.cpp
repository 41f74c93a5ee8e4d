#include "gpu/module.hpp"

#include <string>

namespace cerar::gpu {
namespace {

api::Function find(const Driver& driver, api::Module module, const std::string& name) {
  api::Function function = nullptr;
  check(driver, driver.cuModuleGetFunction(&function, module, name.c_str()), name.c_str());
  return function;
}

Kernels::OfType find_all(const Driver& driver, api::Module module, const std::string& type) {
  Kernels::OfType kernels{};
  for (const bool wide : {false, true}) {
    const std::string kind = "_" + type + (wide ? "_wide" : "_narrow");
    kernels.magnitude[wide] = find(driver, module, "magnitude" + kind);
    const std::string suffix = kind + "_";
    for (int k = 0; k <= kMaxTerms; ++k) {
      const std::string number = std::to_string(k);
      kernels.combine[wide][k] = find(driver, module, "combine" + suffix + number);
      if (k == 0) continue;
      kernels.decode[wide][false][k] = find(driver, module, "decode" + suffix + number);
      kernels.decode[wide][true][k] = find(driver, module, "decode_own" + suffix + number);
    }
  }
  kernels.decode_any = find(driver, module, "decode_any_" + type);
  return kernels;
}

}  // namespace

LoadedModule::LoadedModule(const ContextHandle& context) : context_(context) {
  if (cerar_gpu_image[0] == 0) throw Error("libcerar was built without CUDA, and has no kernels");
  const Driver& driver = context.driver();
  check(driver, driver.cuModuleLoadData(&module_, cerar_gpu_image), "loading the kernels");
}

LoadedModule::~LoadedModule() {
  if (!context_.alive()) return;
  const Current current(context_.driver(), context_.get());
  if (current.status() == api::kSuccess) context_.driver().cuModuleUnload(module_);
}

Kernels::Kernels(const ContextHandle& context)
    : module_(context),
      f32_(find_all(context.driver(), module_.get(), "f32")),
      f64_(find_all(context.driver(), module_.get(), "f64")) {}

}  // namespace cerar::gpu
