// Transport over UCX: tag matching between this process and its two neighbours on a ring.
//
// Nothing here needs UCX's headers. In a build without UCX both functions return
// CERAR_ERR_UNSUPPORTED.
//
// A neighbour that is lost: over TCP its connection breaks, and operations that need it end with
// CERAR_ERR_TRANSPORT. Over shared memory nobody tells, and they never end: UCX detects failures
// there only in a mode in which it uses neither shared memory nor CMA. That is left to what started
// the processes; mpirun ends a job of which a process dies.
#pragma once

#include <memory>

#include "core/cerar.h"
#include "core/transport/transport.hpp"

namespace cerar::transport {

// What a process needs of UCX once: a context, a worker, and an endpoint a neighbouring process.
class UcxWorker {
 public:
  // threads: whether transports over this worker are used by several threads at the same time.
  static cerar_status_t create(bool threads, std::shared_ptr<UcxWorker>& worker);

  virtual ~UcxWorker() = default;
  UcxWorker(const UcxWorker&) = delete;
  UcxWorker& operator=(const UcxWorker&) = delete;

  // Moves all transports over this worker on; never blocks. A process has to come here, or to a
  // transport's progress, now and then even if all its operations are complete: UCX may still owe
  // the neighbours an answer.
  virtual void progress() = 0;

  // Transports that exist.
  virtual int channels() const = 0;

 protected:
  UcxWorker() = default;
};

// The links of `rank` on a ring of `size` ≥ 2. Collective over the ring: every rank exchanges
// addresses with both neighbours by oob, whatever fails on the way, so that a failure at one rank
// is one at its neighbours too and hangs nobody. Operations must have been tested to their end or
// cancelled before the transport is destroyed.
cerar_status_t make_ucx_transport(std::shared_ptr<UcxWorker> worker, int rank, int size,
                                  const cerar_oob_t& oob, std::unique_ptr<Transport>& transport);

}  // namespace cerar::transport
