// Drives messages over the ranks of a ring that this process has, and checks what arrives: the tool
// of the conformance suite.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/transport/transport.hpp"

namespace cerar::transport::conformance {

// A rank that this process drives.
struct Party {
  int rank = 0;
  Transport* link = nullptr;
};

// A ring of `size` ranks, all of them or some in this process.
struct Ring {
  int size = 0;
  std::vector<Party> parties;
};

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(bool good, const std::string& what) {
  if (!good) throw Failure(what);
}

struct Message {
  Tag tag;
  std::size_t bytes;
};

// What a rank sends to its right neighbour; every process knows it of every rank.
using Script = std::vector<Message>;
using ScriptOf = std::function<Script(int sender)>;

// Bytes that differ from message to message.
inline void fill(std::byte* data, std::size_t bytes, std::uint64_t seed, int sender,
                 std::size_t index) {
  std::uint64_t state = seed * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(sender) * 1000003u +
                        index * 0xD1B54A32D192ED03u + 1;
  for (std::size_t i = 0; i < bytes; i += sizeof state) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    std::memcpy(data + i, &state, std::min(sizeof state, bytes - i));
  }
}

// A message's buffer between two guards, and the operation on it.
class Slot {
 public:
  Slot(Transport& link, const Message& message, std::size_t index)
      : link_(&link), message_(message), index_(index) {}
  Slot(Slot&& other) noexcept { *this = std::move(other); }
  Slot& operator=(Slot&& other) noexcept {
    link_ = other.link_, message_ = other.message_, index_ = other.index_;
    memory_ = std::move(other.memory_);
    op_ = std::exchange(other.op_, {});
    posted_ = other.posted_, done_ = other.done_;
    return *this;
  }
  ~Slot() { cancel(); }

  std::size_t index() const { return index_; }
  std::size_t bytes() const { return message_.bytes; }
  Tag tag() const { return message_.tag; }
  std::byte* data() { return memory_.data() + kGuard; }
  bool pending() const { return posted_ && !done_; }

  void send(std::uint64_t seed, int sender) {
    prepare();
    fill(data(), bytes(), seed, sender, index_);
    const auto status = link_->send(message_.tag, data(), bytes(), op_);
    check(status == CERAR_OK, where("send failed with " + std::to_string(status)));
  }

  void recv() {
    prepare();
    const auto status = link_->recv(message_.tag, data(), bytes(), op_);
    check(status == CERAR_OK, where("recv failed with " + std::to_string(status)));
  }

  // True once, when the operation has come to its end.
  bool finished() {
    if (!pending()) return false;
    const auto status = link_->test(op_);
    if (status == CERAR_IN_PROGRESS) return false;
    check(status == CERAR_OK, where("test failed with " + std::to_string(status)));
    check(op_.handle == nullptr, where("handle kept"));
    done_ = true;
    return true;
  }

  void cancel() {
    if (!pending()) return;
    link_->cancel(op_);
    done_ = true;
  }

  // Whether the buffer holds what `sender` sent as its message number index().
  void verify(std::uint64_t seed, int sender) {
    std::vector<std::byte> expected(bytes());
    fill(expected.data(), bytes(), seed, sender, index_);
    check(bytes() == 0 || std::memcmp(data(), expected.data(), bytes()) == 0, where("wrong data"));
    for (std::size_t i = 0; i < kGuard; ++i) {
      check(memory_[i] == kGuardByte && memory_[kGuard + bytes() + i] == kGuardByte,
            where("written outside the buffer"));
    }
  }

  std::string where(const std::string& what) const {
    return what + ": call " + std::to_string(message_.tag.call) + ", stream " +
           std::to_string(message_.tag.stream) + ", " + std::to_string(message_.bytes) +
           " bytes, message " + std::to_string(index_);
  }

  // Overwrites and frees the buffer.
  void drop() {
    std::fill(memory_.begin(), memory_.end(), std::byte{0x5A});
    memory_ = {};
  }

 private:
  static constexpr std::size_t kGuard = 64;
  static constexpr std::byte kGuardByte{0xC3};

  void prepare() {
    memory_.assign(bytes() + 2 * kGuard, kGuardByte);
    posted_ = true;
  }

  Transport* link_ = nullptr;
  Message message_{};
  std::size_t index_ = 0;
  std::vector<std::byte> memory_;
  Operation op_;
  bool posted_ = false;
  bool done_ = false;
};

// One script sent and received once on a ring. Posts at random times, in a random order but for the
// order within a tag.
class Exchange {
 public:
  Exchange(const Ring& ring, const ScriptOf& script, std::uint64_t seed)
      : seed_(seed),
        random_(seed + 77),
        elsewhere_(static_cast<std::size_t>(ring.size) != ring.parties.size()) {
    for (const Party& party : ring.parties) {
      const int left = (party.rank + ring.size - 1) % ring.size;
      ends_.push_back({party, left, slots(*party.link, script(party.rank)),
                       slots(*party.link, script(left)), 0, 0});
      open_ += ends_.back().sends.size() + ends_.back().recvs.size();
    }
  }

  // Posts all that is not posted yet.
  void post_sends() {
    for (End& end : ends_) post_sends(end, end.sends.size());
  }
  void post_recvs() {
    for (End& end : ends_) post_recvs(end, end.recvs.size());
  }

  // Posts a few that are not posted yet, at some of the ranks.
  void post_some() {
    for (End& end : ends_) {
      const auto dice = random_();
      if (dice % 4 == 0) post_sends(end, 1 + dice / 4 % 4);
      if (dice % 4 == 1) post_recvs(end, 1 + dice / 4 % 4);
    }
  }

  // Progresses every rank and looks at every operation once. True if an operation came to its end.
  bool poll() {
    const std::size_t before = open_;
    for (End& end : ends_) {
      end.party.link->progress();
      for (std::size_t i = 0; i < end.sent; ++i) {
        if (!end.sends[i].finished()) continue;
        end.sends[i].drop();
        --open_;
      }
      for (std::size_t i = 0; i < end.received; ++i) {
        if (!end.recvs[i].finished()) continue;
        end.recvs[i].verify(seed_, end.left);
        end.recvs[i].drop();
        --open_;
      }
    }
    return open_ != before;
  }

  bool done() const { return open_ == 0; }

  // Posts what is left, a few at a time, and polls until all is done.
  void finish() {
    using Clock = std::chrono::steady_clock;
    auto moved = Clock::now();
    while (!done()) {
      post_some();
      if (poll()) {
        moved = Clock::now();
      } else {
        check(Clock::now() - moved < kPatience, "no operation ends any more" + pending());
        wait();
      }
    }
  }

  // Gives the processor to the other processes, if there are any.
  void wait() const {
    if (elsewhere_) std::this_thread::yield();
  }

 private:
  struct End {
    Party party;
    int left;
    std::vector<Slot> sends, recvs;
    std::size_t sent, received;  // posted so far
  };

  static constexpr std::chrono::minutes kPatience{2};

  std::string pending() const {
    std::string text;
    for (const End& end : ends_) {
      for (const Slot& slot : end.sends) {
        if (slot.pending())
          text += "\n  rank " + std::to_string(end.party.rank) + slot.where(" sends");
      }
      for (const Slot& slot : end.recvs) {
        if (slot.pending())
          text += "\n  rank " + std::to_string(end.party.rank) + slot.where(" receives");
      }
    }
    return text;
  }

  // The script's messages in a random order that keeps the order of each tag.
  std::vector<Slot> slots(Transport& link, const Script& script) {
    std::vector<std::size_t> order(script.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> by_tag;
    const auto key = [&](std::size_t i) {
      return std::pair(script[i].tag.call, script[i].tag.stream);
    };
    for (std::size_t i = script.size(); i-- > 0;) by_tag[key(i)].push_back(i);
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<Slot> result;
    result.reserve(script.size());
    for (const std::size_t i : order) {
      auto& next = by_tag[key(i)];
      result.emplace_back(link, script[next.back()], next.back());
      next.pop_back();
    }
    return result;
  }

  void post_sends(End& end, std::size_t count) {
    for (; count > 0 && end.sent < end.sends.size(); --count) {
      end.sends[end.sent++].send(seed_, end.party.rank);
    }
  }
  void post_recvs(End& end, std::size_t count) {
    for (; count > 0 && end.received < end.recvs.size(); --count) {
      end.recvs[end.received++].recv();
    }
  }

  std::uint64_t seed_;
  std::mt19937_64 random_;
  bool elsewhere_;
  std::vector<End> ends_;
  std::size_t open_ = 0;
};

}  // namespace cerar::transport::conformance
