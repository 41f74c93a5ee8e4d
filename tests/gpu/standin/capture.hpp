// Captures of streams into graphs: nothing is captured, but what captures forbid is forbidden.
#pragma once

#include <list>
#include <string>
#include <thread>

#include "gpu/api.hpp"

namespace cerar::standin {

struct Stream;
struct Context;

// Not thread-safe.
class Captures {
 public:
  void begin(const Stream& stream, int mode);
  // False: the stream was not captured, or something has made the capture invalid.
  bool end(const Stream& stream);

  // What a call of a function ends with before it does anything. One that is forbidden makes the
  // captures invalid that forbid it.
  gpu::api::Result call(const std::string& function);
  // The same for a use of a context's default stream.
  gpu::api::Result use_default_stream(const Context& context);
  // Whether one forbids that; does no harm.
  bool of_blocking_stream(const Context& context) const;

  // The calling thread's.
  static int& thread_mode();

 private:
  struct Capture {
    const Stream* stream;
    std::thread::id thread;
    int mode;
    bool valid = true;
    bool forbids_the_unsafe() const;
    bool is_in(const Context& context) const;
  };
  std::list<Capture> captures_;
};

}  // namespace cerar::standin
