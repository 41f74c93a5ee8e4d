# The kernels, in convenience libraries of their own: these flags are for them alone.
noinst_HEADERS += \
  core/kernel/arithmetic.hpp \
  core/kernel/combine_loops.hpp \
  core/kernel/decode_loops.hpp \
  core/kernel/kernel.hpp \
  core/kernel/magnitude.hpp \
  core/kernel/magnitude_loops.hpp \
  core/kernel/table.hpp \
  core/kernel/vector.hpp

noinst_LTLIBRARIES += core/kernel/libkernel.la
core_kernel_libkernel_la_SOURCES = core/kernel/kernel.cpp core/kernel/portable.cpp
core_kernel_libkernel_la_CPPFLAGS = $(AM_CPPFLAGS)
core_kernel_libkernel_la_LIBADD =
libcerar_la_LIBADD += core/kernel/libkernel.la

# Compiled for newer processors than the rest; kernel.cpp decides at run time whether they may run. A
# compiler that knows x86-64-v3 knows x86-64-v4.
if HAVE_X86_64_V3
noinst_LTLIBRARIES += core/kernel/libkernel_v3.la core/kernel/libkernel_v4.la
core_kernel_libkernel_v3_la_SOURCES = core/kernel/x86_64_v3.cpp
core_kernel_libkernel_v3_la_CXXFLAGS = $(AM_CXXFLAGS) $(X86_64_V3_CXXFLAGS)
core_kernel_libkernel_v4_la_SOURCES = core/kernel/x86_64_v4.cpp
core_kernel_libkernel_v4_la_CXXFLAGS = $(AM_CXXFLAGS) -march=x86-64-v4
core_kernel_libkernel_la_CPPFLAGS += -DCERAR_KERNEL_X86_64
core_kernel_libkernel_la_LIBADD += core/kernel/libkernel_v3.la core/kernel/libkernel_v4.la
endif
