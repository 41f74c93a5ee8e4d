libcerar_la_SOURCES += \
	core/topology/location.cpp \
	core/topology/location.hpp \
	core/topology/machine.cpp \
	core/topology/machine.hpp
