#include "tests/gpu/standin/state.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>

namespace cerar::standin {
namespace {

namespace api = gpu::api;

constexpr int kMostDevices = 4;

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

State& State::get() {
  static State* state = new State;
  return *state;
}

State::State() : devices(kMostDevices) {
  read_environment();
  for (int ordinal = 0; ordinal < kMostDevices; ++ordinal) {
    devices[ordinal].primary = new_context(ordinal);
    std::thread([this, ordinal] { run_device(ordinal); }).detach();
  }
}

void State::read_environment() {
  options.devices = from_environment("CERAR_STANDIN_DEVICES", options.devices);
  options.version = from_environment("CERAR_STANDIN_VERSION", options.version);
  options.seed = static_cast<std::uint64_t>(from_environment("CERAR_STANDIN_SEED", 1));
  options.delay_us = static_cast<unsigned>(from_environment("CERAR_STANDIN_DELAY_US", 20));
  if (const char* text = std::getenv("CERAR_STANDIN_FAIL")) {
    std::istringstream list(text);
    for (std::string fault; std::getline(list, fault, ',');) read_fault(fault);
  }
}

// FUNCTION:K[:ERROR]
void State::read_fault(const std::string& text) {
  char function[64], k[24];
  int error = api::kOutOfMemory;
  if (std::sscanf(text.c_str(), "%63[^:]:%23[^:]:%d", function, k, &error) < 2) return;
  faults[function][k == std::string("all") ? kAll : std::strtoull(k, nullptr, 10)] = error;
}

Result State::enter(const std::string& function) {
  ++calls[function];
  if (const Result result = captures.call(function); result != api::kSuccess) return result;
  const auto found = faults.find(function);
  if (found != faults.end()) {
    auto fault = found->second.find(since[function]++);
    if (fault == found->second.end()) fault = found->second.find(kAll);
    if (fault != found->second.end()) return fault->second;
  }
  return api::kSuccess;
}

Context* State::new_context(int ordinal) {
  Context& context = contexts.emplace_back();
  context.ordinal = ordinal;
  context.id = ++contexts_made_;
  return &context;
}

void State::revive(Context& context) {
  if (!context.destroyed) return;
  context.destroyed = false;
  context.broken = api::kSuccess;
  context.flags = api::kContextMapHost;
  context.id = ++contexts_made_;
}

void State::destroy(std::unique_lock<std::mutex>& lock, Context& context) {
  wait_for_all(lock);
  context.destroyed = true;
  memory.release_all(&context);
  const auto is_in_it = [&context](const auto& entry) { return entry.second->context == &context; };
  std::erase_if(streams, is_in_it);
  std::erase_if(events, is_in_it);
  std::erase_if(modules, [&context](const auto& entry) { return entry.second == &context; });
}

Stream* State::stream_of(api::Stream handle) {
  if (handle == nullptr || handle == api::legacy_stream()) {
    Context* const context = current_context();
    return context == nullptr ? nullptr : &context->default_stream;
  }
  auto* const stream = reinterpret_cast<Stream*>(handle);
  if (!streams.contains(stream)) gone("stream");
  return stream;
}

Event& State::event_of(api::Event handle) {
  auto* const event = reinterpret_cast<Event*>(handle);
  if (!events.contains(event)) gone("event");
  return *event;
}

Result State::usable(const Stream* stream) {
  if (stream == nullptr || current_context() == nullptr) return api::kInvalidContext;
  const Context& context = *stream->context;
  if (context.destroyed) return api::kContextIsDestroyed;
  if (context.broken != api::kSuccess) return context.broken;
  return stream == &context.default_stream ? captures.use_default_stream(context) : api::kSuccess;
}

void State::put(Stream& stream, Operation operation) {
  if (&stream == &stream.context->default_stream) {
    stream.due = std::chrono::steady_clock::now() +
                 std::chrono::microseconds(options.default_stream_delay_us);
  }
  stream.operations.push_back(std::move(operation));
  moved.notify_all();
}

void State::wait(std::unique_lock<std::mutex>& lock, const Stream& stream) {
  moved.wait(lock, [&] { return stream.operations.empty(); });
}

void State::wait_for_all(std::unique_lock<std::mutex>& lock) {
  for (Context& context : contexts) wait(lock, context.default_stream);
  moved.wait(lock, [this] {
    for (const auto& [handle, stream] : streams) {
      if (!stream->operations.empty()) return false;
    }
    return true;
  });
}

bool State::is_due(const Stream& stream) const {
  return !stream.operations.empty() && stream.due <= std::chrono::steady_clock::now();
}

Stream* State::choose(int ordinal, std::mt19937_64& random) {
  std::vector<Stream*> ready;
  for (Context& context : contexts) {
    if (context.ordinal == ordinal && is_due(context.default_stream)) {
      ready.push_back(&context.default_stream);
    }
  }
  for (auto& [handle, stream] : streams) {
    if (stream->context->ordinal == ordinal && is_due(*stream)) {
      ready.push_back(stream.get());
    }
  }
  return ready.empty() ? nullptr : ready[random() % ready.size()];
}

// A device does one operation after the other, from streams chosen at random.
void State::run_device(int ordinal) {
  std::unique_lock lock(mutex);
  std::mt19937_64 random(options.seed + static_cast<std::uint64_t>(ordinal));
  while (true) {
    Stream* stream = nullptr;
    while ((stream = choose(ordinal, random)) == nullptr) {
      if (options.default_stream_delay_us > 0) {
        moved.wait_for(lock, std::chrono::milliseconds(1));
      } else {
        moved.wait(lock);
      }
    }
    Context* const context = stream->context;
    const auto delay = static_cast<unsigned>(random() % (options.delay_us + 1));
    const Operation operation = stream->operations.front();
    const bool broken = context->broken != api::kSuccess;
    lock.unlock();
    if (delay > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay));
    const Result result = broken ? api::kSuccess : operation();
    lock.lock();
    if (result != api::kSuccess) context->broken = result;
    stream->operations.pop_front();
    moved.notify_all();
  }
}

void gone(const char* what) {
  std::fprintf(stderr, "stand-in driver: there is no such %s, or no more\n", what);
  std::abort();
}

std::vector<Context*>& context_stack() {
  thread_local std::vector<Context*> stack;
  return stack;
}

Context* current_context() { return context_stack().empty() ? nullptr : context_stack().back(); }

void configure(const Options& options) {
  State& state = State::get();
  const std::lock_guard lock(state.mutex);
  state.options = options;
}

void fail(const std::string& function, std::uint64_t k, Result error) {
  State& state = State::get();
  const std::lock_guard lock(state.mutex);
  state.faults[function][k] = error;
  state.since[function] = 0;
}

void heal() {
  State& state = State::get();
  std::unique_lock lock(state.mutex);
  state.wait_for_all(lock);
  state.faults.clear();
  state.since.clear();
  for (Context& context : state.contexts) {
    context.broken = api::kSuccess;
    context.flags = api::kContextMapHost;
  }
}

std::map<std::string, std::uint64_t> calls() {
  State& state = State::get();
  const std::lock_guard lock(state.mutex);
  return state.calls;
}

void reset_calls() {
  State& state = State::get();
  const std::lock_guard lock(state.mutex);
  state.calls.clear();
}

Held held() {
  State& state = State::get();
  const std::lock_guard lock(state.mutex);
  Held held;
  held.device_allocations = state.memory.count(false);
  held.host_allocations = state.memory.count(true);
  held.device_bytes = state.memory.device_bytes();
  held.streams = state.streams.size();
  held.events = state.events.size();
  held.modules = state.modules.size();
  for (const Device& device : state.devices)
    held.retained += static_cast<unsigned>(device.retained);
  return held;
}

void* alias(const void* pointer) {
  State& state = State::get();
  const std::lock_guard lock(state.mutex);
  const Allocation* found = state.memory.find(pointer);
  if (found == nullptr) return const_cast<void*>(pointer);
  return found->alias + (static_cast<const std::byte*>(pointer) - found->user);
}

void wait_for_all() {
  State& state = State::get();
  std::unique_lock lock(state.mutex);
  state.wait_for_all(lock);
}

}  // namespace cerar::standin
