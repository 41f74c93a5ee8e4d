// Puts the compiled kernels, kernels.fatbin of the build directory, into the library.
#include "gpu/module.hpp"

asm(R"(
  .pushsection .rodata
  .balign 64
  .globl cerar_gpu_image
  .hidden cerar_gpu_image
  .type cerar_gpu_image, %object
cerar_gpu_image:
  .incbin "gpu/kernels.fatbin"
  .size cerar_gpu_image, . - cerar_gpu_image
  .popsection
)");
