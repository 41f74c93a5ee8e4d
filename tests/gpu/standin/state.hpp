// The stand-in's contexts, streams and events, and the threads that run what is in the streams.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/gpu/standin/capture.hpp"
#include "tests/gpu/standin/memory.hpp"
#include "tests/gpu/standin/standin.hpp"

namespace cerar::standin {

using gpu::api::Result;

// Runs without the state's lock held.
using Operation = std::function<Result()>;

struct Stream {
  Context* context;
  bool blocking;  // waits for the default stream, and that for it; only captures heed it here
  std::deque<Operation> operations;             // the first one may be running
  std::chrono::steady_clock::time_point due{};  // it begins no earlier
};

struct Event {
  Context* context;
  std::uint64_t recorded = 0;
  std::uint64_t reached = 0;
  std::chrono::steady_clock::time_point time{};  // at which it was reached last
};

struct Context {
  int ordinal = 0;
  std::uint64_t id = 0;
  Result broken = gpu::api::kSuccess;  // what all calls return after a kernel has failed
  bool destroyed = false;              // a primary one that has been reset, until it is retained
  unsigned flags = gpu::api::kContextMapHost;
  Stream default_stream{this, true, {}};
};

struct Device {
  Context* primary = nullptr;
  int retained = 0;
};

// A kernel by name: translates the pointers in its arguments and runs it.
struct Kernel {
  const char* name;
  unsigned threads;
  std::size_t argument_bytes;
  bool (*resolve)(void* arguments, const Context* context);
  void (*run)(const void* arguments, unsigned blocks);
};
const Kernel* find_kernel(const std::string& name);  // nullptr: there is none

class State {
 public:
  // Never destroyed: its threads run until the process ends.
  static State& get();

  std::mutex mutex;
  std::condition_variable moved;  // something was put into a stream, or has ended

  Options options;
  bool initialized = false;
  Memory memory;
  std::list<Context> contexts;
  std::vector<Device> devices;
  std::map<Stream*, std::unique_ptr<Stream>> streams;
  std::map<Event*, std::unique_ptr<Event>> events;
  std::map<int*, Context*> modules;  // and whose they are
  Captures captures;

  // All of these are to be called with the lock held.

  // Counts the call of a function and says how it ends if it is to fail.
  Result enter(const std::string& function);
  Context* new_context(int ordinal);
  // Makes a destroyed one as good as new.
  void revive(Context& context);
  // Destroys it with all that is in it.
  void destroy(std::unique_lock<std::mutex>& lock, Context& context);
  // nullptr: the default stream without a context. These end the process if there is no such thing,
  // or no more: a driver would do anything then.
  Stream* stream_of(gpu::api::Stream handle);
  Event& event_of(gpu::api::Event handle);
  // What calls that put something into a stream return at once.
  Result usable(const Stream* stream);
  void put(Stream& stream, Operation operation);
  void wait(std::unique_lock<std::mutex>& lock, const Stream& stream);
  void wait_for_all(std::unique_lock<std::mutex>& lock);

  std::map<std::string, std::uint64_t> calls;
  std::map<std::string, std::map<std::uint64_t, Result>> faults;
  std::map<std::string, std::uint64_t> since;  // calls since the fault was asked for

 private:
  State();
  std::uint64_t contexts_made_ = 0;
  void read_environment();
  void read_fault(const std::string& text);
  void run_device(int ordinal);
  Stream* choose(int ordinal, std::mt19937_64& random);
  bool is_due(const Stream& stream) const;
};

// Ends the process: something is used that does not exist, or no more.
[[noreturn]] void gone(const char* what);

// The calling thread's contexts, the current one last.
std::vector<Context*>& context_stack();
Context* current_context();

}  // namespace cerar::standin
