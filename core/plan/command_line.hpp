// How the commands read their command lines.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/plan/ending.hpp"

namespace cerar::plan {

// Arguments, without the command's name, into what app's options name; then read(), which throws
// std::invalid_argument for what is wrong with them. false: `ending` is set.
bool parse_command_line(CLI::App& app, const std::vector<std::string>& arguments,
                        const std::function<void()>& read, Ending& ending);

// parse(text), whose std::invalid_argument then begins with the option's name.
template <class Parse>
auto parse_text(const char* option, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(std::string(option) + ": " + error.what());
  }
}

}  // namespace cerar::plan
