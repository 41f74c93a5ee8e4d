// The UCX context and worker of a process, its endpoints and its operations.
#pragma once

#include <ucp/api/ucp.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/cerar.h"
#include "core/transport/transport.hpp"
#include "core/transport/ucx/channel_ids.hpp"
#include "core/transport/ucx/operation.hpp"
#include "core/transport/ucx/ucx.hpp"

namespace cerar::transport::ucx {

// Sets the thread's last error to "what: UCX's text", and returns the status that it is for
// libcerar.
cerar_status_t failed(const char* what, ucs_status_t status);

// A tag: channel of the receiver, 24 bits; call, 24 bits; stream, 16 bits.
inline constexpr int kChannelShift = 40;
inline constexpr int kCallShift = 16;
inline constexpr std::uint32_t kMaxChannel = (1u << 24) - 1;

// The connection to one process.
struct Endpoint {
  ucp_ep_h handle = nullptr;
  std::atomic<ucs_status_t> failure{UCS_OK};  // set once the process is lost
};

// Whoever calls UCX holds lock(), unless only one thread uses the worker: then there is none.
class Worker final : public UcxWorker {
 public:
  explicit Worker(bool threads);
  ~Worker() override;

  cerar_status_t open();

  std::unique_lock<std::mutex> lock();

  // Moves everything on a little; does nothing while another thread has the lock.
  void progress() override;

  ucp_worker_h handle() const { return worker_; }
  const std::string& address() const { return address_; }

  // The endpoint to the process with that address, made when it is first asked for and kept as long
  // as the worker. Takes the lock.
  cerar_status_t connect(const std::string& address, Endpoint*& endpoint);

  // The number of a ring that ends here. Takes the lock.
  cerar_status_t take_channel(std::uint32_t& channel);
  // What has come for the channel is thrown away.
  void give_back_channel(std::uint32_t channel);
  int channels() const override;

  // These need the lock.
  OperationPool& operations() { return *operations_; }
  // Progresses until op is done, for at most `limit`. True if it is.
  bool wait(const UcxOperation& op, std::chrono::milliseconds limit);
  // Gives op back to the pool, now or as soon as UCX has done with it.
  void abandon(UcxOperation* op);

  // Flushes the interfaces. nullptr: nothing to wait for.
  UcxOperation* start_flush();

  // Parameters of a UCX call whose request is op. UCX is told the kind of memory, and does not have
  // to find out.
  ucp_request_param_t parameters(UcxOperation* op, Memory memory = Memory::host);

  // Whether this UCX sends from a CUDA device's memory and receives into it.
  bool takes_device_memory() const { return takes_device_memory_; }

 private:
  using Clock = std::chrono::steady_clock;

  cerar_status_t open_context();
  cerar_status_t open_worker();
  cerar_status_t read_address();
  void discard(ucp_tag_t tag, ucp_tag_t mask);
  void drain();
  void finish(UcxOperation* op, ucs_status_t status);

  const bool threads_;
  mutable std::mutex mutex_;
  std::atomic<int> waiting_{0};  // threads that want the lock for more than progress
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  bool takes_device_memory_ = false;
  std::string address_;
  std::unique_ptr<OperationPool> operations_;
  std::map<std::string, std::unique_ptr<Endpoint>> endpoints_;
  ChannelIds channel_ids_{kMaxChannel};
};

}  // namespace cerar::transport::ucx
