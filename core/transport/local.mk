libcerar_la_SOURCES += \
  core/error.cpp \
  core/error.hpp \
  core/transport/external.cpp \
  core/transport/external.hpp \
  core/transport/transport.hpp

# For unit tests alone.
noinst_LTLIBRARIES += libcerar_inproc.la
libcerar_inproc_la_SOURCES = \
  core/transport/inproc/inproc.cpp \
  core/transport/inproc/inproc.hpp
