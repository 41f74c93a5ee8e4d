// Exchange functions (cerar_oob_t) between ranks that are threads of one process.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/cerar.h"

namespace cerar::transport {

class ThreadOob {
 public:
  explicit ThreadOob(int ranks) {
    for (int rank = 0; rank < ranks; ++rank) ends_.push_back({this, rank});
  }

  cerar_oob_t of(int rank) { return {&ends_[static_cast<std::size_t>(rank)], exchange}; }

 private:
  struct End {
    ThreadOob* oob;
    int rank;
  };

  static int exchange(void* arg, int to, const void* send, std::size_t send_bytes, int from,
                      void* recv, std::size_t recv_bytes) {
    const End& end = *static_cast<End*>(arg);
    end.oob->put({end.rank, to}, std::string(static_cast<const char*>(send), send_bytes));
    const std::string got = end.oob->get({from, end.rank});
    if (got.size() != recv_bytes) return 1;
    got.copy(static_cast<char*>(recv), recv_bytes);
    return 0;
  }

  using Link = std::pair<int, int>;

  void put(const Link& link, std::string data) {
    const std::lock_guard lock(mutex_);
    boxes_[link].push_back(std::move(data));
    arrived_.notify_all();
  }

  std::string get(const Link& link) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[link];
    arrived_.wait(lock, [&box] { return !box.empty(); });
    std::string data = std::move(box.front());
    box.pop_front();
    return data;
  }

  std::vector<End> ends_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<Link, std::deque<std::string>> boxes_;
};

}  // namespace cerar::transport
