libcerar_la_SOURCES += \
	core/ring/call.cpp \
	core/ring/call.hpp \
	core/ring/code_book.cpp \
	core/ring/code_book.hpp \
	core/ring/layout.cpp \
	core/ring/layout.hpp \
	core/ring/place.hpp \
	core/ring/range.cpp \
	core/ring/range.hpp \
	core/ring/scratch.cpp \
	core/ring/scratch.hpp \
	core/ring/space.cpp \
	core/ring/space.hpp \
	core/ring/stream.cpp \
	core/ring/stream.hpp \
	core/ring/tally.hpp \
	core/ring/team.cpp \
	core/ring/team.hpp \
	core/ring/typed_code.cpp \
	core/ring/typed_code.hpp \
	core/ring/vector_view.cpp \
	core/ring/vector_view.hpp \
	core/ring/visit.cpp \
	core/ring/visit.hpp
