// In place of the compiled kernels, where there is no nvcc: the stand-in device has its own.
#include "gpu/module.hpp"

extern "C" const unsigned char cerar_gpu_image[] = {1};
