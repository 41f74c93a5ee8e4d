libcerar_la_SOURCES += \
	core/code/bound.cpp \
	core/code/bound.hpp \
	core/code/bound_sum.hpp \
	core/code/code.cpp \
	core/code/code.hpp \
	core/code/design.cpp \
	core/code/design.hpp \
	core/code/error.cpp \
	core/code/error.hpp \
	core/code/matrix.cpp \
	core/code/matrix.hpp \
	core/code/rounding.cpp \
	core/code/rounding.hpp \
	core/code/rows.cpp \
	core/code/rows.hpp \
	core/code/sampling.hpp \
	core/code/sequence.cpp \
	core/code/sequence.hpp \
	core/code/shared.cpp \
	core/code/shared.hpp \
	core/code/spread.cpp \
	core/code/spread.hpp \
	core/code/window.cpp \
	core/code/window.hpp
