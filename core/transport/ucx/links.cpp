#include "core/transport/ucx/links.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"

namespace cerar::transport::ucx {

namespace {

constexpr std::chrono::microseconds kSettle{2000};

ucp_tag_t make_tag(std::uint32_t channel, Tag tag) {
  constexpr ucp_tag_t kCalls = (ucp_tag_t{1} << (kChannelShift - kCallShift)) - 1;
  return ucp_tag_t{channel} << kChannelShift | (tag.call & kCalls) << kCallShift | tag.stream;
}

}  // namespace

Links::Links(std::shared_ptr<Worker> worker, Endpoint& right, Endpoint& left, std::uint32_t out,
             std::uint32_t in)
    : worker_(std::move(worker)), right_(right), left_(left), out_(out), in_(in) {}

Links::~Links() {
  if (flush_ != nullptr) {
    const auto held = worker_->lock();
    worker_->abandon(flush_);
  }
  worker_->give_back_channel(in_);
}

cerar_status_t Links::send_from(Memory memory, Tag tag, const void* data, std::size_t bytes,
                                Operation& handle) {
  handle.handle = nullptr;
  const ucs_status_t lost = right_.failure;
  if (lost != UCS_OK) return failed("the right neighbour was lost", lost);
  const auto held = worker_->lock();
  UcxOperation* op = worker_->operations().take();
  if (op == nullptr) return failed("send", UCS_ERR_NO_MEMORY);
  op->receive = false;
  op->bytes = bytes;
  const ucp_request_param_t params = worker_->parameters(op, memory);
  return started(op, ucp_tag_send_nbx(right_.handle, data, bytes, make_tag(out_, tag), &params),
                 handle);
}

cerar_status_t Links::recv_into(Memory memory, Tag tag, void* data, std::size_t bytes,
                                Operation& handle) {
  handle.handle = nullptr;
  const auto held = worker_->lock();
  UcxOperation* op = worker_->operations().take();
  if (op == nullptr) return failed("recv", UCS_ERR_NO_MEMORY);
  op->receive = true;
  op->bytes = bytes;
  ucp_request_param_t params = worker_->parameters(op, memory);
  // A receive that is complete at once tells its length to the callback alone.
  params.op_attr_mask |= UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  void* request =
      ucp_tag_recv_nbx(worker_->handle(), data, bytes, make_tag(in_, tag), ~ucp_tag_t{0}, &params);
  if (request == op && op->done) request = UCS_STATUS_PTR(op->status);
  return started(op, request, handle);
}

// What a call of UCX returned for op: done already, under way, or refused. Needs the lock, as all
// that follows but test and cancel.
cerar_status_t Links::started(UcxOperation* op, void* request, Operation& handle) {
  if (UCS_PTR_IS_ERR(request)) {
    worker_->operations().give_back(op);
    return failed(op->receive ? "recv" : "send", UCS_PTR_STATUS(request));
  }
  ++posted_;
  if (request == nullptr) {
    if (under_way_ > 0 || settled()) {
      worker_->operations().give_back(op);
      return CERAR_OK;
    }
    op->done = true;
  }
  ++under_way_;
  handle.handle = op;
  return CERAR_OK;
}

cerar_status_t Links::test(Operation& handle) {
  auto* op = static_cast<UcxOperation*>(handle.handle);
  if (op == nullptr) return CERAR_OK;
  const bool done = op->done.load(std::memory_order_acquire);
  if (!done && peer(*op).failure == UCS_OK) return CERAR_IN_PROGRESS;
  const auto held = worker_->lock();
  return op->done ? end(op, handle) : lose(op, handle);
}

// The last operation under way waits a little for what UCX still has to put on the wire: its user
// may not call progress for a long time.
cerar_status_t Links::end(UcxOperation* op, Operation& handle) {
  const ucs_status_t status = op->status;
  if (status == UCS_OK && under_way_ == 1 && !settled()) return CERAR_IN_PROGRESS;
  --under_way_;
  handle.handle = nullptr;
  worker_->operations().give_back(op);
  if (status == UCS_OK) return CERAR_OK;
  return failed(op->receive ? "a receive failed" : "a send failed", status);
}

// Op can't end: the neighbour that it needs is lost.
cerar_status_t Links::lose(UcxOperation* op, Operation& handle) {
  const bool receive = op->receive;
  const ucs_status_t lost = peer(*op).failure;
  patience_ = {};
  give_up(op);
  --under_way_;
  handle.handle = nullptr;
  return failed(receive ? "the left neighbour was lost" : "the right neighbour was lost", lost);
}

void Links::cancel(Operation& handle) {
  auto* op = static_cast<UcxOperation*>(handle.handle);
  if (op == nullptr) return;
  const auto held = worker_->lock();
  give_up(op);
  --under_way_;
  handle.handle = nullptr;
}

// UCX can take back a receive that no message has met, and nothing else. A message that has begun
// to come is waited for: it ends soon unless its sender has stopped. A send ends soon too, unless
// it is a rendezvous that waits for its receive; that one is left behind. Its receiver finds out
// what the buffer is by then if it posts the receive after all, which only a rank does that carries
// on with a call that another rank has given up; so what it computes is undefined already.
void Links::give_up(UcxOperation* op) {
  if (op->receive) {
    ucp_request_cancel(worker_->handle(), op);
    worker_->wait(*op, std::chrono::seconds(10));
  } else {
    const auto start = std::chrono::steady_clock::now();
    worker_->wait(*op, patience_);
    patience_ -= std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - start);
    patience_ = std::max(patience_, std::chrono::milliseconds(0));
  }
  worker_->abandon(op);
}

// Whether the network interfaces have taken all that was posted. UCX reports a send as complete
// when the buffer is free, while the data may be in a queue of this process. Other rings' data
// count too, so there is a limit to the wait; what is left then goes out with the worker's next
// progress. Flushing the endpoint would be exact, but over TCP it asks for the neighbour's answer,
// and the neighbour may not call progress either.
bool Links::settled() {
  if (flush_ != nullptr) {
    if (!flush_->done) return std::chrono::steady_clock::now() > settle_until_;
    worker_->operations().give_back(std::exchange(flush_, nullptr));
    if (flushed_at_ == posted_) return true;
  }
  flush_ = worker_->start_flush();
  flushed_at_ = posted_;
  settle_until_ = std::chrono::steady_clock::now() + kSettle;
  return flush_ == nullptr;
}

}  // namespace cerar::transport::ucx
