// The conformance suite of transports between processes: UCX's, and the component's over the PML.
//
//   transport_conformance --transport ucx|pml [--seed S] [--max-bytes B]
#include "tests/unit/transport_conformance.hpp"

#include <mpi.h>

#include <memory>
#include <numeric>
#include <vector>

#include "core/transport/external.hpp"
#include "core/transport/ucx/ucx.hpp"
#include "ompi/mca/coll/cerar/coll_cerar_pml.h"
#include "tests/mpi/mpi_test.hpp"

extern "C" void opal_progress(void);

namespace {

namespace conformance = cerar::transport::conformance;
using cerar::transport::Transport;

struct PmlDeleter {
  void operator()(coll_cerar_pml_t* pml) const { coll_cerar_pml_destroy(pml); }
};

// One ring over a communicator of its own.
class Link {
 public:
  // worker == nullptr: over the PML.
  explicit Link(std::shared_ptr<cerar::transport::UcxWorker> worker) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    ranks_.resize(static_cast<std::size_t>(size()));
    std::iota(ranks_.begin(), ranks_.end(), 0);
    pml_.reset(coll_cerar_pml_create(comm_, {ranks_.data(), size(), rank()}));
    conformance::check(pml_ != nullptr, "no PML transport");
    coll_cerar_pml_use_tags(pml_.get(), kFirstTag);
    if (worker == nullptr) {
      cerar_transport_ops_t ops = coll_cerar_pml_ops(pml_.get());
      ops.progress = [](void*) { opal_progress(); };
      transport_ = std::make_unique<cerar::transport::ExternalTransport>(ops);
    } else {
      const auto status = cerar::transport::make_ucx_transport(
          std::move(worker), rank(), size(), coll_cerar_pml_oob(pml_.get()), transport_);
      conformance::check(status == CERAR_OK,
                         std::string("no UCX transport: ") + cerar_last_error());
    }
  }

  Transport& transport() { return *transport_; }
  conformance::Ring ring() { return {size(), {{rank(), transport_.get()}}}; }

  // Both layers move on meanwhile: a rank in a plain barrier would leave UCX's alone.
  void barrier() {
    MPI_Request request;
    MPI_Ibarrier(comm_, &request);
    for (int done = 0; done == 0;) {
      transport_->progress();
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
  }

 private:
  // None that MPI_Ibarrier gets to.
  static constexpr int kFirstTag = -100000;

  int rank() const { return cerar::mpi_test::rank_of(comm_); }
  int size() const { return cerar::mpi_test::size_of(comm_); }

  std::vector<int> ranks_;         // in the order of the ring
  MPI_Comm comm_ = MPI_COMM_NULL;  // left to MPI_Finalize: cancelled messages may still be on it
  std::unique_ptr<coll_cerar_pml_t, PmlDeleter> pml_;
  std::unique_ptr<Transport> transport_;
};

void run(const std::string& transport, std::uint64_t seed, std::size_t max_bytes) {
  std::shared_ptr<cerar::transport::UcxWorker> worker;
  if (transport == "ucx") {
    const auto status = cerar::transport::UcxWorker::create(true, worker);
    conformance::check(status == CERAR_OK, std::string("no UCX worker: ") + cerar_last_error());
  }
  Link first(worker), second(worker), third(worker);
  conformance::Setup setup;
  setup.seed = seed;
  setup.max_bytes = max_bytes;
  setup.barrier = [&] { first.barrier(); };
  conformance::two_rings(first.ring(), second.ring(), setup);
  conformance::threads({first.ring(), second.ring(), third.ring()}, setup);
  conformance::all(first.ring(), setup);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const std::string transport =
      cerar::mpi_test::option(argc, argv, "transport", std::string("pml"));
  const auto seed = static_cast<std::uint64_t>(cerar::mpi_test::option(argc, argv, "seed", 1L));
  const long max_bytes = cerar::mpi_test::option(argc, argv, "max-bytes", 4L << 20);
  cerar::mpi_test::Report report;
  try {
    run(transport, seed, static_cast<std::size_t>(max_bytes));
  } catch (const std::exception& failure) {
    report.fail(failure.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // the others wait for this rank's messages
  }
  const int status = report.finish("transport " + transport + ", seed " + std::to_string(seed));
  MPI_Finalize();
  return status;
}
