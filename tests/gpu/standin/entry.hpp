// What every function of the driver begins with.
#pragma once

#include <mutex>

#include "tests/gpu/standin/api.hpp"
#include "tests/gpu/standin/state.hpp"

namespace cerar::standin {

// Holds the lock, counts the call, and knows whether it is to fail.
class Entry {
 public:
  enum When { once_initialized, any_time };

  explicit Entry(const char* function, When when = once_initialized)
      : lock_(State::get().mutex), result_(State::get().enter(function)) {
    if (result_ == api::kSuccess && when == once_initialized && !State::get().initialized) {
      result_ = api::kNotInitialized;
    }
  }

  State& state() const { return State::get(); }
  std::unique_lock<std::mutex>& lock() { return lock_; }
  bool failed() const { return result_ != api::kSuccess; }
  Result result() const { return result_; }

 private:
  std::unique_lock<std::mutex> lock_;
  Result result_;
};

inline ContextHandle handle_of(Context* context) {
  return reinterpret_cast<ContextHandle>(context);
}
inline Context* context_of(ContextHandle handle) { return reinterpret_cast<Context*>(handle); }

// What calls that need the current context return at once.
inline Result present(const Context* context) {
  if (context == nullptr) return api::kInvalidContext;
  return context->destroyed ? api::kContextIsDestroyed : api::kSuccess;
}
// The same for those that do something in it.
inline Result usable(const Context* context) {
  const Result result = present(context);
  return result == api::kSuccess ? context->broken : result;
}

}  // namespace cerar::standin
