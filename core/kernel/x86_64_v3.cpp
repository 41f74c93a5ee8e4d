// The kernels for AVX2 and FMA; local.mk compiles this file with -march=x86-64-v3. It must leave no
// function behind that the linker could choose for code that runs on other processors: nothing here
// but the version table has external linkage.
#include "core/kernel/combine_loops.hpp"
#include "core/kernel/decode_loops.hpp"
#include "core/kernel/magnitude_loops.hpp"
#include "core/kernel/table.hpp"

namespace cerar::kernel {

constinit const Version x86_64_v3{"x86-64-v3",
                                  {combine_all<float>, decode_all<float>, magnitude_all<float>},
                                  {combine_all<double>, decode_all<double>, magnitude_all<double>}};

}  // namespace cerar::kernel
