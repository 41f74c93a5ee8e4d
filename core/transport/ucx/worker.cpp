#include "core/transport/ucx/worker.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace cerar::transport {

cerar_status_t UcxWorker::create(bool threads, std::shared_ptr<UcxWorker>& worker) {
  auto made = std::make_shared<ucx::Worker>(threads);
  const cerar_status_t status = made->open();
  if (status == CERAR_OK) worker = std::move(made);
  return status;
}

namespace ucx {

cerar_status_t failed(const char* what, ucs_status_t status) {
  set_last_error(std::string("UCX: ") + what + ": " + ucs_status_string(status));
  switch (status) {
    case UCS_ERR_NO_MEMORY:
      return CERAR_ERR_NO_MEMORY;
    case UCS_ERR_UNSUPPORTED:
    case UCS_ERR_NO_DEVICE:
      return CERAR_ERR_UNSUPPORTED;
    default:
      return CERAR_ERR_TRANSPORT;
  }
}

Worker::Worker(bool threads) : threads_(threads) {}

Worker::~Worker() {
  if (worker_ != nullptr) {
    drain();
    discard(0, 0);
    ucp_worker_destroy(worker_);
  }
  if (context_ != nullptr) ucp_cleanup(context_);
}

cerar_status_t Worker::open() {
  cerar_status_t status = open_context();
  if (status == CERAR_OK) status = open_worker();
  if (status == CERAR_OK) status = read_address();
  return status;
}

cerar_status_t Worker::open_context() {
  ucp_config_t* config = nullptr;
  ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return failed("ucp_config_read", status);
  // A worker's flush is then the interfaces' alone, and asks nothing of the neighbours.
  status = ucp_config_modify(config, "FLUSH_WORKER_EPS", "n");
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME;
  params.features = UCP_FEATURE_TAG;
  params.name = "cerar";
  if (status == UCS_OK) status = ucp_init(&params, config, &context_);
  ucp_config_release(config);
  if (status != UCS_OK) return failed("ucp_init", status);

  ucp_context_attr_t attributes{};
  attributes.field_mask = UCP_ATTR_FIELD_REQUEST_SIZE | UCP_ATTR_FIELD_MEMORY_TYPES;
  status = ucp_context_query(context_, &attributes);
  if (status != UCS_OK) return failed("ucp_context_query", status);
  operations_ = std::make_unique<OperationPool>(attributes.request_size);
  takes_device_memory_ = (attributes.memory_types & UCS_BIT(UCS_MEMORY_TYPE_CUDA)) != 0;
  return CERAR_OK;
}

// One thread at a time is all that is asked of UCX: a build of it without support for threads will
// do.
cerar_status_t Worker::open_worker() {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = threads_ ? UCS_THREAD_MODE_SERIALIZED : UCS_THREAD_MODE_SINGLE;
  const ucs_status_t status = ucp_worker_create(context_, &params, &worker_);
  return status == UCS_OK ? CERAR_OK : failed("ucp_worker_create", status);
}

cerar_status_t Worker::read_address() {
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  const ucs_status_t status = ucp_worker_get_address(worker_, &address, &bytes);
  if (status != UCS_OK) return failed("ucp_worker_get_address", status);
  address_.assign(reinterpret_cast<const char*>(address), bytes);
  ucp_worker_release_address(worker_, address);
  return CERAR_OK;
}

std::unique_lock<std::mutex> Worker::lock() {
  if (!threads_) return {};
  // A thread that only polls would take the lock again before this one woke up.
  waiting_.fetch_add(1, std::memory_order_relaxed);
  std::unique_lock<std::mutex> held(mutex_);
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  return held;
}

void Worker::progress() {
  if (!threads_) {
    ucp_worker_progress(worker_);
    return;
  }
  if (waiting_.load(std::memory_order_relaxed) != 0) return;
  const std::unique_lock<std::mutex> held(mutex_, std::try_to_lock);
  if (held) ucp_worker_progress(worker_);
}

cerar_status_t Worker::connect(const std::string& address, Endpoint*& endpoint) {
  const auto held = lock();
  auto& slot = endpoints_[address];
  if (!slot) {
    auto made = std::make_unique<Endpoint>();
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLER;
    params.address = reinterpret_cast<const ucp_address_t*>(address.data());
    params.err_handler.cb = [](void* arg, ucp_ep_h, ucs_status_t status) {
      static_cast<Endpoint*>(arg)->failure = status;
    };
    params.err_handler.arg = made.get();
    const ucs_status_t status = ucp_ep_create(worker_, &params, &made->handle);
    if (status != UCS_OK) {
      endpoints_.erase(address);
      return failed("ucp_ep_create", status);
    }
    slot = std::move(made);
  }
  endpoint = slot.get();
  const ucs_status_t lost = endpoint->failure;
  return lost == UCS_OK ? CERAR_OK : failed("a neighbour was lost", lost);
}

cerar_status_t Worker::take_channel(std::uint32_t& channel) {
  const auto held = lock();
  const auto id = channel_ids_.take();
  if (!id) {
    set_last_error("this process is on too many rings (" + std::to_string(kMaxChannel) + ")");
    return CERAR_ERR_NO_MEMORY;
  }
  channel = *id;
  return CERAR_OK;
}

void Worker::give_back_channel(std::uint32_t channel) {
  const auto held = lock();
  discard(ucp_tag_t{channel} << kChannelShift, ucp_tag_t{kMaxChannel} << kChannelShift);
  channel_ids_.give_back(channel);
}

int Worker::channels() const {
  const std::lock_guard held(mutex_);
  return static_cast<int>(channel_ids_.used());
}

bool Worker::wait(const UcxOperation& op, std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  while (!op.done.load(std::memory_order_acquire)) {
    if (Clock::now() > end) return false;
    ucp_worker_progress(worker_);
  }
  return true;
}

void Worker::abandon(UcxOperation* op) {
  if (op->done.load(std::memory_order_relaxed)) {
    operations_->give_back(op);
  } else {
    op->abandoned = true;
  }
}

UcxOperation* Worker::start_flush() {
  UcxOperation* op = operations_->take();
  if (op == nullptr) return nullptr;
  op->receive = false;
  const ucp_request_param_t params = parameters(op);
  if (ucp_worker_flush_nbx(worker_, &params) == op) return op;
  operations_->give_back(op);
  return nullptr;
}

void Worker::finish(UcxOperation* op, ucs_status_t status) {
  op->status = status;
  op->done.store(true, std::memory_order_release);
  if (op->abandoned) operations_->give_back(op);
}

ucp_request_param_t Worker::parameters(UcxOperation* op, Memory memory) {
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_CALLBACK |
                        UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  params.memory_type = memory == Memory::device ? UCS_MEMORY_TYPE_CUDA : UCS_MEMORY_TYPE_HOST;
  params.request = op;
  params.user_data = this;
  if (op->receive) {
    params.cb.recv = [](void* request, ucs_status_t status, const ucp_tag_recv_info_t* info,
                        void* worker) {
      auto* op = static_cast<UcxOperation*>(request);
      if (status == UCS_OK && info->length != op->bytes) status = UCS_ERR_MESSAGE_TRUNCATED;
      static_cast<Worker*>(worker)->finish(op, status);
    };
  } else {
    params.cb.send = [](void* request, ucs_status_t status, void* worker) {
      static_cast<Worker*>(worker)->finish(static_cast<UcxOperation*>(request), status);
    };
  }
  return params;
}

// Receives into nothing what nobody will receive, and so lets go the senders of it.
void Worker::discard(ucp_tag_t tag, ucp_tag_t mask) {
  for (;;) {
    ucp_tag_recv_info_t info{};
    ucp_tag_message_h message = ucp_tag_probe_nb(worker_, tag, mask, 1, &info);
    if (message == nullptr) return;
    UcxOperation* op = operations_->take();
    if (op == nullptr) return;
    op->receive = true;
    op->bytes = 0;
    const ucp_request_param_t params = parameters(op);
    void* request = ucp_tag_msg_recv_nbx(worker_, nullptr, 0, message, &params);
    if (request == op) {
      wait(*op, std::chrono::seconds(1));
      abandon(op);
    } else {
      operations_->give_back(op);
    }
  }
}

// Waits until what was sent is on its way, but not for ever: a neighbour may be gone. Endpoints are
// not closed one by one: over TCP that takes an answer of the neighbour, and without one UCX prints
// an error.
void Worker::drain() {
  const auto end = Clock::now() + std::chrono::milliseconds(2);
  while (Clock::now() < end) ucp_worker_progress(worker_);
  if (UcxOperation* flush = start_flush()) {
    wait(*flush, std::chrono::seconds(1));
    abandon(flush);
  }
}

}  // namespace ucx
}  // namespace cerar::transport
