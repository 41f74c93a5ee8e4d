// How the ranks of a ring find their neighbours.
#include <cstdint>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/transport/ucx/links.hpp"
#include "core/transport/ucx/ucx.hpp"
#include "core/transport/ucx/worker.hpp"

namespace cerar::transport {
namespace ucx {
namespace {

// What a rank tells a neighbour, before its address.
struct Hello {
  std::uint32_t version = 1;       // of this protocol
  std::int32_t status = CERAR_OK;  // of the rank; if it is not CERAR_OK the wire-up has failed
  std::uint32_t channel = 0;       // where it receives on this ring
  std::uint32_t address_bytes = 0;
};

struct Introduction {
  Hello hello;
  std::string address;
};

// Sends mine to one neighbour and gets the other one's.
bool introduce(const cerar_oob_t& oob, int to, const Introduction& mine, int from,
               Introduction& theirs) {
  if (oob.exchange(oob.arg, to, &mine.hello, sizeof mine.hello, from, &theirs.hello,
                   sizeof theirs.hello) != 0) {
    return false;
  }
  theirs.address.resize(theirs.hello.address_bytes);
  return oob.exchange(oob.arg, to, mine.address.data(), mine.address.size(), from,
                      theirs.address.data(), theirs.address.size()) == 0;
}

cerar_status_t accept(const Introduction& neighbour) {
  if (neighbour.hello.version != Hello{}.version) {
    set_last_error("a neighbour runs another version of libcerar");
    return CERAR_ERR_UNSUPPORTED;
  }
  if (neighbour.hello.status != CERAR_OK) {
    set_last_error("a neighbour could not set up UCX");
    return static_cast<cerar_status_t>(neighbour.hello.status);
  }
  return CERAR_OK;
}

class Wireup {
 public:
  Wireup(std::shared_ptr<Worker> worker, int rank, int size, const cerar_oob_t& oob)
      : worker_(std::move(worker)),
        oob_(oob),
        to_right_((rank + 1) % size),
        to_left_((rank + size - 1) % size) {}
  ~Wireup() {
    if (mine_.hello.channel != 0) worker_->give_back_channel(mine_.hello.channel);
  }
  Wireup(const Wireup&) = delete;
  Wireup& operator=(const Wireup&) = delete;

  cerar_status_t run(std::unique_ptr<Transport>& transport) {
    cerar_status_t status = worker_->take_channel(mine_.hello.channel);
    mine_.hello.status = status;
    if (status == CERAR_OK) mine_.address = worker_->address();
    mine_.hello.address_bytes = static_cast<std::uint32_t>(mine_.address.size());
    if (!exchange()) {
      set_last_error("the exchange of addresses with the neighbours failed");
      return CERAR_ERR_TRANSPORT;
    }
    Endpoint* right = nullptr;
    Endpoint* left = nullptr;
    if (status == CERAR_OK) status = accept(right_);
    if (status == CERAR_OK) status = accept(left_);
    if (status == CERAR_OK) status = worker_->connect(right_.address, right);
    if (status == CERAR_OK) status = worker_->connect(left_.address, left);
    if (status != CERAR_OK) return status;
    transport = std::make_unique<Links>(worker_, *right, *left, right_.hello.channel,
                                        std::exchange(mine_.hello.channel, 0));
    return CERAR_OK;
  }

 private:
  bool exchange() {
    if (!introduce(oob_, to_left_, mine_, to_right_, right_)) return false;
    if (to_left_ != to_right_) return introduce(oob_, to_right_, mine_, to_left_, left_);
    left_ = right_;
    return true;
  }

  std::shared_ptr<Worker> worker_;
  const cerar_oob_t& oob_;
  const int to_right_, to_left_;
  Introduction mine_, right_, left_;
};

}  // namespace
}  // namespace ucx

cerar_status_t make_ucx_transport(std::shared_ptr<UcxWorker> worker, int rank, int size,
                                  const cerar_oob_t& oob, std::unique_ptr<Transport>& transport) {
  auto whole = std::static_pointer_cast<ucx::Worker>(std::move(worker));
  return ucx::Wireup(std::move(whole), rank, size, oob).run(transport);
}

}  // namespace cerar::transport
