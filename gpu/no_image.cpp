// In place of image.cpp, where there is no nvcc.
#include "gpu/module.hpp"

extern "C" const unsigned char cerar_gpu_image[] = {0};
