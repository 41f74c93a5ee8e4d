#include "bench/tune_progress.hpp"

#include <unistd.h>

namespace cerar::tune {
namespace {

constexpr const char* kRenewed = "\r\033[K";

}  // namespace

Progress::Progress(std::FILE* stream, bool shown)
    : stream_(stream), shown_(shown), in_place_(isatty(fileno(stream)) == 1) {}

void Progress::now(const std::string& what) {
  const auto time = std::chrono::steady_clock::now();
  if (!shown_ || !in_place_ || time - last_ < std::chrono::milliseconds(100)) return;
  last_ = time;
  std::fprintf(stream_, "%s%s", kRenewed, what.c_str());
  std::fflush(stream_);
}

void Progress::done(const std::string& what) {
  if (!shown_) return;
  std::fprintf(stream_, "%s%s\n", in_place_ ? kRenewed : "", what.c_str());
  std::fflush(stream_);
}

}  // namespace cerar::tune
