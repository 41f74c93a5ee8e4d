// How a command ends that does not run.
#pragma once

#include <string>

namespace cerar::plan {

// What to print instead of running, and how to exit.
struct Ending {
  std::string message;
  int status = 0;  // 0: help was asked for; 2: an argument is wrong
};

}  // namespace cerar::plan
