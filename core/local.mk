# The C face.
libcerar_la_SOURCES += core/cerar.h
