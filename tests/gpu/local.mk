# Tests of gpu/ on a stand-in for the driver. They need no GPU, and no nvcc.
gpu_test_libs = libcerar_inproc.la $(unit_libs)
gpu_standin = tests/gpu/libcuda.la
check_LTLIBRARIES = $(gpu_standin)
# A directory to be installed in is what makes libtool build a shared library.
tests_gpu_libcuda_la_SOURCES = \
  tests/gpu/standin/api.hpp \
  tests/gpu/standin/capture.cpp \
  tests/gpu/standin/capture.hpp \
  tests/gpu/standin/copies.cpp \
  tests/gpu/standin/driver.cpp \
  tests/gpu/standin/entry.hpp \
  tests/gpu/standin/kernels.cpp \
  tests/gpu/standin/memory.cpp \
  tests/gpu/standin/memory.hpp \
  tests/gpu/standin/standin.hpp \
  tests/gpu/standin/state.cpp \
  tests/gpu/standin/state.hpp
tests_gpu_libcuda_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -rpath /nonexistent

if HAVE_CUDA
gpu_test_sources =
else
gpu_test_sources = tests/gpu/standin_image.cpp
endif
EXTRA_DIST += \
  docs/gpu.md \
  tests/gpu/device_check.cpp \
  tests/gpu/device_check.sh \
  tests/gpu/standin_image.cpp

check_PROGRAMS += tests/gpu/gpu_test
TESTS += tests/gpu/gpu_test
tests_gpu_gpu_test_SOURCES = \
  $(gpu_test_sources) \
  tests/gpu/application.hpp \
  tests/gpu/capture_test.cpp \
  tests/gpu/fault_test.cpp \
  tests/gpu/harness.hpp \
  tests/gpu/kernel_test.cpp \
  tests/gpu/reset_test.cpp \
  tests/gpu/ring_test.cpp \
  tests/gpu/wait_test.cpp
tests_gpu_gpu_test_CPPFLAGS = $(unit_cppflags)
tests_gpu_gpu_test_LDADD = $(gpu_test_libs) $(gpu_standin)

check_PROGRAMS += tests/gpu/old_driver_test
TESTS += tests/gpu/old_driver_test
tests_gpu_old_driver_test_SOURCES = tests/gpu/old_driver_test.cpp
tests_gpu_old_driver_test_CPPFLAGS = $(unit_cppflags)
tests_gpu_old_driver_test_LDADD = $(gpu_test_libs) $(gpu_standin)

check_PROGRAMS += tests/gpu/no_kernels_test
TESTS += tests/gpu/no_kernels_test
tests_gpu_no_kernels_test_SOURCES = gpu/no_image.cpp tests/gpu/no_kernels_test.cpp
tests_gpu_no_kernels_test_CPPFLAGS = $(unit_cppflags)
tests_gpu_no_kernels_test_LDADD = $(gpu_test_libs) $(gpu_standin)

check_PROGRAMS += tests/gpu/no_driver_test
TESTS += tests/gpu/no_driver_test
tests_gpu_no_driver_test_SOURCES = tests/gpu/no_driver_test.cpp
tests_gpu_no_driver_test_CPPFLAGS = $(unit_cppflags) \
  -DSTANDIN_LIBRARY='"tests/gpu/.libs/libcuda.so.1"'
tests_gpu_no_driver_test_LDADD = $(gpu_test_libs)
EXTRA_tests_gpu_no_driver_test_DEPENDENCIES = $(gpu_standin)

# What the compiler made.
if HAVE_CUDA
check_PROGRAMS += tests/gpu/compiled_test
TESTS += tests/gpu/compiled_test
tests_gpu_compiled_test_SOURCES = tests/gpu/report_test.cpp
tests_gpu_compiled_test_CPPFLAGS = $(unit_cppflags) -DCUDA_ARCHS='"$(CUDA_ARCHS)"'
tests_gpu_compiled_test_LDADD = $(GTEST_LIBS)
EXTRA_tests_gpu_compiled_test_DEPENDENCIES = gpu/kernels.fatbin
else
EXTRA_DIST += tests/gpu/report_test.cpp
endif

# Whether the driver's interface is as its header says.
if HAVE_CUDA_H
check_PROGRAMS += tests/gpu/api_test
TESTS += tests/gpu/api_test
tests_gpu_api_test_SOURCES = tests/gpu/api_test.cpp
tests_gpu_api_test_CPPFLAGS = $(unit_cppflags) $(CUDA_CPPFLAGS)
tests_gpu_api_test_LDADD = $(GTEST_LIBS)
else
EXTRA_DIST += tests/gpu/api_test.cpp
endif

if HAVE_UCX
check_PROGRAMS += tests/gpu/ucx_test
TESTS += tests/gpu/ucx_test
tests_gpu_ucx_test_SOURCES = tests/gpu/ucx_test.cpp
tests_gpu_ucx_test_CPPFLAGS = $(unit_cppflags)
tests_gpu_ucx_test_LDADD = $(unit_libs)
else
EXTRA_DIST += tests/gpu/ucx_test.cpp
endif
