libcerar_la_SOURCES += \
	core/plan/code_law.cpp \
	core/plan/code_law.hpp \
	core/plan/duration.cpp \
	core/plan/duration.hpp \
	core/plan/planner.cpp \
	core/plan/planner.hpp \
	core/plan/request.cpp \
	core/plan/request.hpp \
	core/plan/rules.cpp \
	core/plan/rules.hpp \
	core/plan/units.cpp \
	core/plan/units.hpp

# The command, and apart from its main what tests want of it.
if HAVE_TOOLS
noinst_LTLIBRARIES += core/plan/libcommand.la
core_plan_libcommand_la_SOURCES = \
	core/plan/chart.cpp \
	core/plan/chart.hpp \
	core/plan/command_line.cpp \
	core/plan/command_line.hpp \
	core/plan/ending.hpp \
	core/plan/options.cpp \
	core/plan/options.hpp \
	core/plan/report.cpp \
	core/plan/report.hpp \
	core/plan/svg.cpp \
	core/plan/svg.hpp
core_plan_libcommand_la_CPPFLAGS = $(AM_CPPFLAGS) $(CLI11_CFLAGS) $(JSON_CFLAGS)

bin_PROGRAMS += cerar_plan
cerar_plan_SOURCES = core/plan/cerar_plan.cpp
cerar_plan_LDADD = core/plan/libcommand.la libcerar_all.la
# It talks to nobody: without what libcerar needs for that.
cerar_plan_LDFLAGS = $(AM_LDFLAGS) -Wl,--as-needed
endif
