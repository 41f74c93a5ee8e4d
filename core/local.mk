# The C face.
libcerar_la_SOURCES += core/cerar.cpp core/cerar.h core/hash.hpp
