libcerar_la_SOURCES += \
	core/plan/code_law.cpp \
	core/plan/code_law.hpp \
	core/plan/duration.cpp \
	core/plan/duration.hpp \
	core/plan/plan.cpp \
	core/plan/plan.hpp \
	core/plan/planner.cpp \
	core/plan/planner.hpp \
	core/plan/request.cpp \
	core/plan/request.hpp
