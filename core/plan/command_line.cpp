#include "core/plan/command_line.hpp"

#include <fmt/format.h>

namespace cerar::plan {
namespace {

Ending refusal(const CLI::App& app, const char* why) {
  return {fmt::format("{}: {}\nTry --help.\n", app.get_name(), why), 2};
}

}  // namespace

bool parse_command_line(CLI::App& app, const std::vector<std::string>& arguments,
                        const std::function<void()>& read, Ending& ending) {
  app.get_formatter()->column_width(36);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    read();
    return true;
  } catch (const CLI::CallForHelp&) {
    ending = {app.help(), 0};
  } catch (const CLI::ParseError& error) {
    ending = refusal(app, error.what());
  } catch (const std::invalid_argument& error) {
    ending = refusal(app, error.what());
  }
  return false;
}

}  // namespace cerar::plan
