libcerar_la_SOURCES += \
  core/error.cpp \
  core/error.hpp \
  core/transport/external.cpp \
  core/transport/external.hpp \
  core/transport/transport.hpp \
  core/transport/ucx/ucx.hpp

if HAVE_UCX
libcerar_la_SOURCES += \
  core/transport/ucx/channel_ids.hpp \
  core/transport/ucx/links.cpp \
  core/transport/ucx/links.hpp \
  core/transport/ucx/operation.cpp \
  core/transport/ucx/operation.hpp \
  core/transport/ucx/wireup.cpp \
  core/transport/ucx/worker.cpp \
  core/transport/ucx/worker.hpp
else
libcerar_la_SOURCES += core/transport/ucx/absent.cpp
endif

# For unit tests alone.
noinst_LTLIBRARIES += libcerar_inproc.la
libcerar_inproc_la_SOURCES = \
  core/transport/inproc/inproc.cpp \
  core/transport/inproc/inproc.hpp
