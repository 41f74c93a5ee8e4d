// What ring/ sends and receives through.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cerar.h"

namespace cerar::transport {

// Keeps successive calls on a team, and the streams of one call, apart. Messages of one tag arrive
// in the order sent; between tags there is no order.
struct Tag {
  std::uint32_t call;    // counts the calls on a team, from 0; transports may use it modulo 2^16
  std::uint32_t stream;  // 0 … CERAR_MAX_STREAMS − 1
};

// What kind of memory a message is in. The ends of a message need not be of the same kind.
enum class Memory {
  host,
  device  // of a GPU: only for transports that take it
};

// An operation under way. A null handle is one that is complete (or none).
struct Operation {
  void* handle = nullptr;
};

// One rank's links on one ring: it sends to its right neighbour and receives from its left one.
// Never blocks, never throws.
//
// A message and the receive that it meets have the same size. A receive may be posted before or
// after its message comes. Buffers belong to the transport from send/recv until test reports the
// end, or cancel returns.
class Transport {
 public:
  virtual ~Transport() = default;

  // Both set op; a null handle says that the operation is complete already. Any status but CERAR_OK
  // means that nothing was started.
  cerar_status_t send(Tag tag, const void* data, std::size_t bytes, Operation& op,
                      Memory memory = Memory::host) {
    const cerar_status_t status = memory == Memory::host ? do_send(tag, data, bytes, op)
                                                         : do_send_device(tag, data, bytes, op);
    if (status == CERAR_OK) bytes_sent_ += bytes;
    return status;
  }
  cerar_status_t recv(Tag tag, void* data, std::size_t bytes, Operation& op,
                      Memory memory = Memory::host) {
    return memory == Memory::host ? do_recv(tag, data, bytes, op)
                                  : do_recv_device(tag, data, bytes, op);
  }

  // Whether messages may be in device memory.
  virtual bool takes_device_memory() const { return false; }

  // CERAR_OK: complete, the handle is released and null. CERAR_IN_PROGRESS: not yet. Else failed,
  // the handle is released and null. A null handle is complete.
  virtual cerar_status_t test(Operation& op) = 0;

  // Gives an operation up; afterwards the buffer is the caller's and the handle null. A message may
  // be lost by it: the tag's call can't be completed any more. A null handle is allowed.
  virtual void cancel(Operation& op) = 0;

  virtual void progress() = 0;

  virtual const char* name() const = 0;

  // Payload of all sends so far.
  std::uint64_t bytes_sent() const { return bytes_sent_; }

 protected:
  virtual cerar_status_t do_send(Tag tag, const void* data, std::size_t bytes, Operation& op) = 0;
  virtual cerar_status_t do_recv(Tag tag, void* data, std::size_t bytes, Operation& op) = 0;
  // Asked for only where takes_device_memory() says yes.
  virtual cerar_status_t do_send_device(Tag, const void*, std::size_t, Operation&) {
    return CERAR_ERR_UNSUPPORTED;
  }
  virtual cerar_status_t do_recv_device(Tag, void*, std::size_t, Operation&) {
    return CERAR_ERR_UNSUPPORTED;
  }

 private:
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace cerar::transport
