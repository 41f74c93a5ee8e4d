# Device memory: gpu.hpp is what the rest of the library sees of it.
libcerar_la_SOURCES += \
  gpu/api.hpp \
  gpu/context.cpp \
  gpu/context.hpp \
  gpu/device.cpp \
  gpu/device.hpp \
  gpu/driver.cpp \
  gpu/driver.hpp \
  gpu/gpu.cpp \
  gpu/gpu.hpp \
  gpu/kernel_args.hpp \
  gpu/kernel_body.hpp \
  gpu/kernel_list.hpp \
  gpu/launch.cpp \
  gpu/launch.hpp \
  gpu/memory.cpp \
  gpu/memory.hpp \
  gpu/module.cpp \
  gpu/module.hpp \
  gpu/queue.cpp \
  gpu/queue.hpp \
  gpu/settle.cpp \
  gpu/settle.hpp \
  gpu/space.cpp \
  gpu/space.hpp \
  gpu/staged.cpp \
  gpu/staged.hpp \
  gpu/transfer.cpp \
  gpu/transfer.hpp \
  gpu/way.cpp \
  gpu/worker_lease.hpp
gpu_kernel_sources = \
  gpu/compile_kernels.sh \
  gpu/kernels.cu
EXTRA_DIST += $(gpu_kernel_sources) gpu/image.cpp gpu/no_image.cpp

if HAVE_CUDA
libcerar_la_SOURCES += gpu/image.cpp

# image.cpp names the file, so that its objects must be made anew when that changes.
gpu/image.lo: gpu/kernels.fatbin
gpu/kernels.fatbin: gpu/compile_kernels.sh gpu/kernels.cu gpu/kernel_args.hpp gpu/kernel_body.hpp \
    gpu/kernel_list.hpp core/kernel/arithmetic.hpp core/kernel/magnitude.hpp
	$(AM_V_GEN)$(MKDIR_P) gpu && $(SHELL) $(srcdir)/gpu/compile_kernels.sh $(NVCC) $(FATBINARY) $(srcdir) gpu $(CUDA_ARCHS)
CLEANFILES += gpu/kernels.fatbin gpu/kernels.ptx gpu/kernels.sm_*.cubin gpu/kernels.sm_*.txt
else
libcerar_la_SOURCES += gpu/no_image.cpp
endif
