libcerar_la_SOURCES += \
	core/plan/plan.cpp \
	core/plan/plan.hpp
