// A UCX operation under way, and the memory of it.
#pragma once

#include <ucp/api/ucp.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace cerar::transport::ucx {

// UCX is given the address of an Operation as its request; its own data lie in front of it. So UCX
// allocates nothing, and an operation that was given up may live on until UCX has done with it.
struct UcxOperation {
  std::atomic<bool> done{false};
  ucs_status_t status = UCS_OK;  // once done
  std::size_t bytes = 0;
  bool receive = false;
  bool abandoned = false;  // nobody waits for it: goes back to the pool when done
  UcxOperation* next_free = nullptr;
};

class OperationPool {
 public:
  // request_bytes: what UCX needs in front of a request.
  explicit OperationPool(std::size_t request_bytes);

  // A fresh operation; nullptr if there is no memory.
  UcxOperation* take();
  void give_back(UcxOperation* op);

 private:
  static constexpr std::size_t kSlab = 32;
  bool grow();

  std::size_t front_;
  std::size_t block_;
  std::vector<std::unique_ptr<std::byte[]>> slabs_;
  UcxOperation* free_ = nullptr;
};

}  // namespace cerar::transport::ucx
