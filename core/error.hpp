// The text behind cerar_last_error.
#pragma once

#include <string>

namespace cerar {

// Replaces this thread's text: one sentence without a full stop, or "" for none. Never throws: a
// text that cannot be kept is dropped.
void set_last_error(std::string text) noexcept;

}  // namespace cerar
