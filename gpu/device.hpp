// A context of the driver with what the library keeps in it: the kernels, and streams to work in.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "gpu/context.hpp"
#include "gpu/memory.hpp"
#include "gpu/module.hpp"

namespace cerar::gpu {

// A non-blocking stream, the event that marks a point in it, and memory for what runs there.
class Worker {
 public:
  // The context must outlive it, and be current, here and in every other member. Throws as check
  // does.
  explicit Worker(const ContextHandle& context);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  api::Stream stream() const { return stream_; }
  api::Event event() const { return event_; }
  // At least so many bytes of device memory, the same until more are asked for. Throws as check
  // does.
  api::Address memory(std::size_t bytes);
  // The same of pinned host memory.
  void* pinned(std::size_t bytes);

 private:
  const ContextHandle& context_;
  const Driver& driver_;
  api::Stream stream_ = nullptr;
  api::Event event_ = nullptr;
  api::Address memory_ = 0;
  std::size_t bytes_ = 0;
  void* pinned_ = nullptr;
  std::size_t pinned_bytes_ = 0;
};

// Its members may be used from several threads.
class Device {
 public:
  // The one for a pointer's context; there is one as long as somebody holds it, and the context is
  // alive. Throws as check does.
  static std::shared_ptr<Device> of(const Driver& driver, const Pointer& pointer);

  Device(const Driver& driver, api::Context context, int ordinal)
      : context_(driver, context, ordinal), ordinal_(ordinal) {}
  ~Device();

  const Driver& driver() const { return context_.driver(); }
  const ContextHandle& context() const { return context_; }

  // Whether the default stream has been waited for since the context waits for it by itself.
  bool settled() const { return settled_.load(); }
  void set_settled(bool settled) { settled_.store(settled); }

  // Loads them the first time. Throws as check does; what can't be loaded is not tried again,
  // unless it was for lack of memory.
  const Kernels& kernels();

  // A worker with nothing under way. Throws as check does.
  std::unique_ptr<Worker> take();
  void give_back(std::unique_ptr<Worker> worker) noexcept;

 private:
  // Whether a pointer's memory is in its context.
  bool has(const Pointer& pointer) const;
  void load_kernels();

  ContextHandle context_;
  const int ordinal_;
  std::atomic<bool> settled_ = false;
  std::mutex mutex_;
  std::unique_ptr<Kernels> kernels_;
  std::optional<Error> defect_;  // of the kernels
  std::vector<std::unique_ptr<Worker>> idle_;
  std::size_t workers_ = 0;
};

}  // namespace cerar::gpu
