// The kernels for what the compiler was told to build for.
#include "core/kernel/combine_loops.hpp"
#include "core/kernel/decode_loops.hpp"
#include "core/kernel/magnitude_loops.hpp"
#include "core/kernel/table.hpp"

namespace cerar::kernel {

constinit const Version portable{"portable",
                                 {combine_all<float>, decode_all<float>, magnitude_all<float>},
                                 {combine_all<double>, decode_all<double>, magnitude_all<double>}};

}  // namespace cerar::kernel
