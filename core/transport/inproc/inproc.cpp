#include "core/transport/inproc/inproc.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cerar::transport {

namespace {

// When a message's data are read from the sender's buffer.
enum class Read { at_post, late, after_match };

struct Op;

struct Message {
  Read read = Read::at_post;
  const void* source = nullptr;
  std::size_t bytes = 0;
  std::vector<std::byte> data;
  bool copied = false;
  Op* receiver = nullptr;

  void copy() {
    if (copied) return;
    const auto* from = static_cast<const std::byte*>(source);
    data.assign(from, from + bytes);
    copied = true;
  }
};

struct Op {
  enum class End { none, good, bad };

  int rank = 0;
  bool is_send = false;
  std::uint64_t key = 0;
  std::shared_ptr<Message> message;  // of a receive: once matched
  void* buffer = nullptr;            // of a receive
  std::size_t bytes = 0;
  bool timed = false;  // due is set
  std::uint64_t due = 0;
  End end = End::none;
};

// Sends and receives of one tag on one link that have not met yet: one of the two is empty.
struct Queue {
  std::deque<std::shared_ptr<Message>> sent;
  std::deque<Op*> posted;
};

struct Rank {
  std::vector<std::unique_ptr<Op>> ops;
  std::map<std::uint64_t, Queue> incoming;
  std::uint64_t polls = 0;
  bool lost = false;
  std::uint64_t calls[3] = {};
  std::set<std::uint64_t> faults[3];
};

std::uint64_t key_of(Tag tag) { return std::uint64_t{tag.call} << 32 | tag.stream; }

}  // namespace

class InprocRing::State {
 public:
  State(int ranks, const InprocOptions& options)
      : options_(options), random_(options.seed), ranks_(static_cast<std::size_t>(ranks)) {}

  int size() const { return static_cast<int>(ranks_.size()); }

  cerar_status_t send(int rank, Tag tag, const void* data, std::size_t bytes, Operation& op);
  cerar_status_t recv(int rank, Tag tag, void* data, std::size_t bytes, Operation& op);
  cerar_status_t test(int rank, Operation& op);
  void cancel(int rank, Operation& op);
  void progress(int rank);

  void fail(int rank, InprocCall call, std::uint64_t k);
  void lose(int rank);
  std::uint64_t calls(int rank, InprocCall call) const;
  std::size_t outstanding(int rank) const;
  std::size_t undelivered() const;

 private:
  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Rank& at(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  int right(int rank) const { return (rank + 1) % size(); }
  int left(int rank) const { return (rank + size() - 1) % size(); }

  bool chance(double share) { return std::uniform_real_distribution<>(0, 1)(random_) < share; }
  std::uint64_t delay();
  Read choose_read();
  bool faulty(int rank, InprocCall call);
  bool cut(const Op& op) const;
  bool due(Op& op);

  Op* add(int rank, std::unique_ptr<Op> op);
  std::unique_ptr<Op> take(int rank, void* handle);
  void release(std::unique_ptr<Op> op);
  void match(Op& op, std::shared_ptr<Message> message);
  void finish_receive(Op& op);
  void advance(Op& op);
  void advance_send(Op& op);

  const InprocOptions options_;
  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  std::vector<Rank> ranks_;
  std::size_t undelivered_ = 0;
};

std::uint64_t InprocRing::State::delay() {
  const auto polls = std::uniform_int_distribution<std::uint64_t>(0, options_.max_delay)(random_);
  return chance(1.0 / 16) ? 8 * polls : polls;
}

Read InprocRing::State::choose_read() {
  const double share = std::uniform_real_distribution<>(0, 1)(random_);
  if (share < options_.lazy) return Read::late;
  if (share < options_.lazy + options_.rendezvous) return Read::after_match;
  return Read::at_post;
}

bool InprocRing::State::faulty(int rank, InprocCall call) {
  const auto kind = static_cast<std::size_t>(call);
  return at(rank).faults[kind].erase(at(rank).calls[kind]++) != 0;
}

bool InprocRing::State::cut(const Op& op) const {
  return at(op.rank).lost || at(op.is_send ? right(op.rank) : left(op.rank)).lost;
}

// Called once op could complete, and at each later poll; true when its time has come.
bool InprocRing::State::due(Op& op) {
  if (!op.timed) {
    op.timed = true;
    op.due = at(op.rank).polls + delay();
  }
  return at(op.rank).polls >= op.due;
}

Op* InprocRing::State::add(int rank, std::unique_ptr<Op> op) {
  return at(rank).ops.emplace_back(std::move(op)).get();
}

std::unique_ptr<Op> InprocRing::State::take(int rank, void* handle) {
  auto& ops = at(rank).ops;
  const auto found =
      std::find_if(ops.begin(), ops.end(), [handle](const auto& op) { return op.get() == handle; });
  assert(found != ops.end() && "a handle that is not this rank's");
  auto op = std::move(*found);
  ops.erase(found);
  return op;
}

// After this nothing refers to op or touches its buffer, whatever state it was in.
void InprocRing::State::release(std::unique_ptr<Op> op) {
  if (op->is_send) {
    Message& message = *op->message;
    if (message.copied) return;
    // Not read yet. It is lost, or read at the last moment: both are allowed.
    if (message.receiver != nullptr || chance(0.5)) return message.copy();
    auto& sent = at(right(op->rank)).incoming[op->key].sent;
    undelivered_ -= std::erase(sent, op->message);
  } else if (op->message) {
    if (op->message->receiver != nullptr) --undelivered_;
    op->message->receiver = nullptr;
  } else {
    std::erase(at(op->rank).incoming[op->key].posted, op.get());
  }
}

void InprocRing::State::match(Op& op, std::shared_ptr<Message> message) {
  message->receiver = &op;
  op.message = std::move(message);
}

void InprocRing::State::finish_receive(Op& op) {
  Message& message = *op.message;
  message.receiver = nullptr;
  --undelivered_;
  op.end = message.bytes == op.bytes ? Op::End::good : Op::End::bad;
  if (op.end == Op::End::good && op.bytes != 0) {
    std::memcpy(op.buffer, message.data.data(), op.bytes);
  }
}

cerar_status_t InprocRing::State::send(int rank, Tag tag, const void* data, std::size_t bytes,
                                       Operation& handle) {
  const std::lock_guard lock(mutex_);
  handle.handle = nullptr;
  auto op = std::make_unique<Op>();
  op->rank = rank;
  op->is_send = true;
  op->key = key_of(tag);
  if (faulty(rank, InprocCall::send) || cut(*op)) return CERAR_ERR_TRANSPORT;

  auto message = std::make_shared<Message>();
  message->read = choose_read();
  message->source = data;
  message->bytes = bytes;
  if (message->read == Read::at_post) message->copy();
  ++undelivered_;

  op->message = message;
  if (!message->copied || !chance(options_.immediate)) {
    handle.handle = add(rank, std::move(op));
  }
  Queue& queue = at(right(rank)).incoming[key_of(tag)];
  if (queue.posted.empty()) {
    queue.sent.push_back(std::move(message));
  } else {
    match(*queue.posted.front(), std::move(message));
    queue.posted.pop_front();
  }
  return CERAR_OK;
}

cerar_status_t InprocRing::State::recv(int rank, Tag tag, void* data, std::size_t bytes,
                                       Operation& handle) {
  const std::lock_guard lock(mutex_);
  handle.handle = nullptr;
  auto op = std::make_unique<Op>();
  op->rank = rank;
  op->key = key_of(tag);
  op->buffer = data;
  op->bytes = bytes;
  if (faulty(rank, InprocCall::recv) || cut(*op)) return CERAR_ERR_TRANSPORT;

  if (options_.scribble && bytes != 0) std::memset(data, 0xFF, bytes);
  Queue& queue = at(rank).incoming[op->key];
  if (queue.sent.empty()) {
    queue.posted.push_back(op.get());
  } else {
    match(*op, std::move(queue.sent.front()));
    queue.sent.pop_front();
    if (op->message->copied && op->message->bytes == bytes && chance(options_.immediate)) {
      finish_receive(*op);
      return CERAR_OK;
    }
  }
  handle.handle = add(rank, std::move(op));
  return CERAR_OK;
}

cerar_status_t InprocRing::State::test(int rank, Operation& handle) {
  if (handle.handle == nullptr) return CERAR_OK;
  const std::lock_guard lock(mutex_);
  const bool fault = faulty(rank, InprocCall::test);
  if (!fault && static_cast<Op*>(handle.handle)->end == Op::End::none) return CERAR_IN_PROGRESS;
  auto op = take(rank, handle.handle);
  const bool good = op->end == Op::End::good;
  if (!good) release(std::move(op));
  handle.handle = nullptr;
  return good && !fault ? CERAR_OK : CERAR_ERR_TRANSPORT;
}

void InprocRing::State::cancel(int rank, Operation& handle) {
  if (handle.handle == nullptr) return;
  const std::lock_guard lock(mutex_);
  auto op = take(rank, handle.handle);
  if (op->end != Op::End::good) release(std::move(op));
  handle.handle = nullptr;
}

void InprocRing::State::advance_send(Op& op) {
  Message& message = *op.message;
  if (message.read == Read::after_match && message.receiver == nullptr && !message.copied) return;
  if (!due(op)) return;
  message.copy();
  op.end = Op::End::good;
}

void InprocRing::State::advance(Op& op) {
  if (op.end != Op::End::none) return;
  if (cut(op)) {
    if (chance(0.5)) op.end = Op::End::bad;
  } else if (op.is_send) {
    advance_send(op);
  } else if (op.message && op.message->copied && due(op)) {
    finish_receive(op);
  }
}

void InprocRing::State::progress(int rank) {
  const std::lock_guard lock(mutex_);
  ++at(rank).polls;
  for (const auto& op : at(rank).ops) advance(*op);
}

void InprocRing::State::fail(int rank, InprocCall call, std::uint64_t k) {
  const std::lock_guard lock(mutex_);
  at(rank).faults[static_cast<std::size_t>(call)].insert(k);
}

void InprocRing::State::lose(int rank) {
  const std::lock_guard lock(mutex_);
  at(rank).lost = true;
}

std::uint64_t InprocRing::State::calls(int rank, InprocCall call) const {
  const std::lock_guard lock(mutex_);
  return at(rank).calls[static_cast<std::size_t>(call)];
}

std::size_t InprocRing::State::outstanding(int rank) const {
  const std::lock_guard lock(mutex_);
  return at(rank).ops.size();
}

std::size_t InprocRing::State::undelivered() const {
  const std::lock_guard lock(mutex_);
  return undelivered_;
}

class InprocRing::Link final : public Transport {
 public:
  Link(std::shared_ptr<State> state, int rank) : state_(std::move(state)), rank_(rank) {}

  cerar_status_t test(Operation& op) override { return state_->test(rank_, op); }
  void cancel(Operation& op) override { state_->cancel(rank_, op); }
  void progress() override { state_->progress(rank_); }
  const char* name() const override { return "inproc"; }

 protected:
  cerar_status_t do_send(Tag tag, const void* data, std::size_t bytes, Operation& op) override {
    return state_->send(rank_, tag, data, bytes, op);
  }
  cerar_status_t do_recv(Tag tag, void* data, std::size_t bytes, Operation& op) override {
    return state_->recv(rank_, tag, data, bytes, op);
  }

 private:
  std::shared_ptr<State> state_;
  int rank_;
};

InprocRing::InprocRing(int ranks, const InprocOptions& options) {
  if (ranks < 1) throw std::invalid_argument("a ring has at least one rank");
  state_ = std::make_shared<State>(ranks, options);
}

InprocRing::~InprocRing() = default;

int InprocRing::size() const { return state_->size(); }

std::unique_ptr<Transport> InprocRing::link(int rank) {
  if (rank < 0 || rank >= size()) throw std::out_of_range("no such rank on this ring");
  return std::make_unique<Link>(state_, rank);
}

void InprocRing::fail(int rank, InprocCall call, std::uint64_t k) { state_->fail(rank, call, k); }

void InprocRing::lose(int rank) { state_->lose(rank); }

std::uint64_t InprocRing::calls(int rank, InprocCall call) const {
  return state_->calls(rank, call);
}

std::size_t InprocRing::outstanding(int rank) const { return state_->outstanding(rank); }

std::size_t InprocRing::outstanding() const {
  std::size_t sum = 0;
  for (int rank = 0; rank < size(); ++rank) sum += outstanding(rank);
  return sum;
}

std::size_t InprocRing::undelivered() const { return state_->undelivered(); }

}  // namespace cerar::transport
