// What the user sees while it runs, on standard error.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace cerar::tune {

// On a terminal a line that is renewed in place, elsewhere a line for each size.
class Progress {
 public:
  Progress(std::FILE* stream, bool shown);

  // What is being done: on a terminal alone, and at most ten times a second.
  void now(const std::string& what);
  // What has been done: it stays.
  void done(const std::string& what);

 private:
  std::FILE* stream_;
  bool shown_, in_place_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace cerar::tune
