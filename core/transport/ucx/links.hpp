// One ring's links over a UCX worker.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "core/transport/transport.hpp"
#include "core/transport/ucx/worker.hpp"

namespace cerar::transport::ucx {

class Links final : public Transport {
 public:
  // Messages go to channel `out` of the process that `right` leads to, and come on channel `in`,
  // which is given back in the end. left and right may be one.
  Links(std::shared_ptr<Worker> worker, Endpoint& right, Endpoint& left, std::uint32_t out,
        std::uint32_t in);
  ~Links() override;

  cerar_status_t test(Operation& op) override;
  void cancel(Operation& op) override;
  void progress() override { worker_->progress(); }
  const char* name() const override { return "ucx"; }
  bool takes_device_memory() const override { return worker_->takes_device_memory(); }

 protected:
  cerar_status_t do_send(Tag tag, const void* data, std::size_t bytes, Operation& op) override {
    return send_from(Memory::host, tag, data, bytes, op);
  }
  cerar_status_t do_recv(Tag tag, void* data, std::size_t bytes, Operation& op) override {
    return recv_into(Memory::host, tag, data, bytes, op);
  }
  cerar_status_t do_send_device(Tag tag, const void* data, std::size_t bytes,
                                Operation& op) override {
    return send_from(Memory::device, tag, data, bytes, op);
  }
  cerar_status_t do_recv_device(Tag tag, void* data, std::size_t bytes, Operation& op) override {
    return recv_into(Memory::device, tag, data, bytes, op);
  }

 private:
  cerar_status_t send_from(Memory memory, Tag tag, const void* data, std::size_t bytes,
                           Operation& op);
  cerar_status_t recv_into(Memory memory, Tag tag, void* data, std::size_t bytes, Operation& op);
  cerar_status_t started(UcxOperation* op, void* request, Operation& handle);
  cerar_status_t end(UcxOperation* op, Operation& handle);
  cerar_status_t lose(UcxOperation* op, Operation& handle);
  Endpoint& peer(const UcxOperation& op) { return op.receive ? left_ : right_; }
  void give_up(UcxOperation* op);
  bool settled();

  std::shared_ptr<Worker> worker_;
  Endpoint& right_;
  Endpoint& left_;
  const std::uint32_t out_;
  const std::uint32_t in_;

  int under_way_ = 0;              // operations with a handle
  std::uint64_t posted_ = 0;       // operations so far
  std::uint64_t flushed_at_ = 0;   // posted_ at the last flush
  UcxOperation* flush_ = nullptr;  // under way
  std::chrono::steady_clock::time_point settle_until_;
  std::chrono::milliseconds patience_{200};  // left for sends that are given up
};

}  // namespace cerar::transport::ucx
