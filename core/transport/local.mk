libcerar_la_SOURCES += core/transport/transport.hpp

# For unit tests alone.
noinst_LTLIBRARIES += libcerar_inproc.la
libcerar_inproc_la_SOURCES = \
  core/transport/inproc/inproc.cpp \
  core/transport/inproc/inproc.hpp
