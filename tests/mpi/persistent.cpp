// Persistent all-reduces. The runner names the components; up to the number of ranks, sums of whole
// numbers are exact.
//
//   persistent MODE [--memory host|device|managed|mixed] [--seed S] [--cases K]
//
//   again      one request started K times with new data; ranks go ahead of each other
//   remade     K times: a request made, started and freed; one made and freed
//   orders     K times: requests that each rank starts, and ends, in an order of its own
//   mixed      K times: requests started before and after blocking and non-blocking calls; some
//              freed, and new ones made
//   freed      the communicator is freed under requests that are under way, or not
//   unfreed    MPI_Finalize with requests that nobody has freed, of communicators freed or not
//   unended    the same with requests that are still under way
//   passed     sums of whole numbers, greatest numbers, derived types, and no elements
//   tolerance  approximate sums keep the tolerance; hints change those that are made after them
//   threads    several threads with a communicator each, under MPI_THREAD_MULTIPLE
#include <unistd.h>

#include <cmath>

#include "tests/mpi/sums.hpp"

namespace {

using cerar::mpi_test::Case;
using cerar::mpi_test::Choices;
using cerar::mpi_test::mix;
using cerar::mpi_test::rank_of;
using cerar::mpi_test::Report;
using cerar::mpi_test::size_of;
using cerar::mpi_test::Sum;
using cerar::mpi_test::uniform;

using Sums = std::vector<std::unique_ptr<Sum>>;

std::unique_ptr<Sum> made(Case& test, std::size_t most) {
  auto sum = test.next(most);
  sum->init();
  return sum;
}

// Of one size, so that sums which are mixed up are wrong and no error.
Sums made_alike(Case& test, int count) {
  Sums sums;
  for (int i = 0; i < count; ++i) {
    sums.push_back(std::make_unique<Sum>(test.comm, test.choices.below(1u << 30), 20000, i % 2 == 0,
                                         test.memory));
    sums.back()->init();
  }
  return sums;
}

template <typename T>
void shuffle(std::vector<T>& items, Choices& own) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[own.below(i)]);
}

std::vector<Sum*> in_own_order(const Sums& sums, Choices& own) {
  std::vector<Sum*> order;
  for (const auto& sum : sums) order.push_back(sum.get());
  shuffle(order, own);
  return order;
}

void start_all(const std::vector<Sum*>& sums, Choices& own) {
  if (sums.empty() || own.below(2) == 0) {
    for (Sum* sum : sums) MPI_Start(&sum->request);
    return;
  }
  std::vector<MPI_Request> requests;
  for (Sum* sum : sums) requests.push_back(sum->request);
  MPI_Startall(static_cast<int>(requests.size()), requests.data());
}

void wait_any(const std::vector<Sum*>& sums, Report& report) {
  std::vector<MPI_Request> requests;
  for (Sum* sum : sums) requests.push_back(sum->request);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    int which = 0;
    MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &which, MPI_STATUS_IGNORE);
    report.check(which != MPI_UNDEFINED, "MPI_Waitany found no request under way");
    if (which != MPI_UNDEFINED) sums[static_cast<std::size_t>(which)]->check(report);
  }
}

void end_all(const std::vector<Sum*>& sums, Choices& own, Report& report) {
  if (own.below(3) == 0) return wait_any(sums, report);
  for (Sum* sum : sums) {
    int done = own.below(2) == 0 ? 0 : 1;
    if (done == 1) MPI_Wait(&sum->request, MPI_STATUS_IGNORE);
    while (done == 0) MPI_Test(&sum->request, &done, MPI_STATUS_IGNORE);
    report.check(sum->request != MPI_REQUEST_NULL, "a persistent request is gone");
    MPI_Test(&sum->request, &done, MPI_STATUS_IGNORE);
    report.check(done == 1, "a request that is not under way is not complete");
    sum->check(report);
  }
}

void free_all(const std::vector<Sum*>& sums) {
  for (Sum* sum : sums) MPI_Request_free(&sum->request);
}

void again(Case& test, Report& report) {
  auto sum = made(test, 40000);
  for (long i = 0; i < test.cases; ++i) {
    sum->fill(test.choices.below(1u << 30));
    if (test.own.below(4) == 0) usleep(static_cast<useconds_t>(test.own.below(2000)));
    MPI_Start(&sum->request);
    MPI_Wait(&sum->request, MPI_STATUS_IGNORE);
    sum->check(report);
  }
  MPI_Request_free(&sum->request);
}

void remade(Case& test, Report& report) {
  for (long i = 0; i < test.cases; ++i) {
    auto sum = made(test, 40000);
    MPI_Start(&sum->request);
    MPI_Wait(&sum->request, MPI_STATUS_IGNORE);
    sum->check(report);
    MPI_Request_free(&sum->request);
    report.check(sum->request == MPI_REQUEST_NULL, "a freed request is still there");
  }
  auto never_started = made(test, 40000);
  MPI_Request_free(&never_started->request);
}

void orders(Case& test, Report& report) {
  const Sums sums = made_alike(test, 12);
  for (long round = 0; round < test.cases; ++round) {
    for (const auto& sum : sums) sum->fill(test.choices.below(1u << 30));
    start_all(in_own_order(sums, test.own), test.own);
    end_all(in_own_order(sums, test.own), test.own, report);
  }
  free_all(in_own_order(sums, test.own));
}

// Each rank starts the chosen ones before the other calls, or after them.
void mixed_round(Case& test, const std::vector<Sum*>& chosen, Report& report) {
  for (Sum* sum : chosen) sum->fill(test.choices.below(1u << 30));
  std::vector<Sum*> order = chosen;
  shuffle(order, test.own);
  const auto early = static_cast<std::ptrdiff_t>(test.own.below(order.size() + 1));
  start_all({order.begin(), order.begin() + early}, test.own);
  auto other = test.next();
  other->begin();
  cerar::mpi_test::set_up(test, report);
  start_all({order.begin() + early, order.end()}, test.own);
  end_all(order, test.own, report);
  MPI_Wait(&other->request, MPI_STATUS_IGNORE);
  other->check(report);
}

void mixed(Case& test, Report& report) {
  Sums sums;
  for (long round = 0; round < test.cases; ++round) {
    while (sums.size() < 2 + test.choices.below(6)) sums.push_back(made(test, 40000));
    std::vector<Sum*> chosen;
    for (const auto& sum : sums) {
      if (test.choices.below(3) != 0) chosen.push_back(sum.get());
    }
    mixed_round(test, chosen, report);
    if (test.choices.below(2) == 0) {
      std::swap(sums[test.choices.below(sums.size())], sums.back());
      MPI_Request_free(&sums.back()->request);
      sums.pop_back();
    }
  }
  free_all(in_own_order(sums, test.own));
}

void freed(Case& test, Report& report) {
  const MPI_Comm parent = test.comm;
  for (long i = 0; i < test.cases; ++i) {
    MPI_Comm_dup(parent, &test.comm);
    auto a = made(test, 400000), b = made(test, 400000);
    MPI_Start(&a->request);
    MPI_Comm_free(&test.comm);
    if (test.own.below(2) == 0) usleep(2000);
    MPI_Start(&b->request);
    MPI_Wait(&b->request, MPI_STATUS_IGNORE);
    MPI_Wait(&a->request, MPI_STATUS_IGNORE);
    a->check(report);
    b->check(report);
    MPI_Request_free(&a->request);
    MPI_Request_free(&b->request);
  }
  test.comm = parent;
}

// Of MPI_COMM_WORLD, of one that is not freed, and of two that are, with one request and with two.
void leave(Case& test, bool under_way, Report& report) {
  static Sums left;
  for (int kind = 0; kind < 4; ++kind) {
    if (kind > 0) MPI_Comm_dup(MPI_COMM_WORLD, &test.comm);
    for (int i = 0; i < (kind == 2 ? 1 : 2); ++i) {
      left.push_back(made(test, 400000));
      MPI_Start(&left.back()->request);
      MPI_Wait(&left.back()->request, MPI_STATUS_IGNORE);
      left.back()->check(report);
    }
    if (kind > 1) MPI_Comm_free(&test.comm);
  }
  test.comm = MPI_COMM_WORLD;
  for (const auto& sum : left) {
    if (under_way && test.own.below(2) == 0) MPI_Start(&sum->request);
  }
}

void unfreed(Case& test, Report& report) { leave(test, false, report); }
// Which no program may do; but it must end.
void unended(Case& test, Report& report) { leave(test, true, report); }

void pass(MPI_Comm comm, MPI_Datatype type, int stride, MPI_Op op, Report& report) {
  std::vector<int> send(2000, rank_of(comm)), recv(2000, -1);
  const int ranks = size_of(comm), expected = op == MPI_SUM ? ranks * (ranks - 1) / 2 : ranks - 1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Allreduce_init(send.data(), recv.data(), 1000, type, op, comm, MPI_INFO_NULL, &request);
  for (int round = 0; round < 2; ++round) {
    std::fill(recv.begin(), recv.end(), -1);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < 1000; ++i) {
      report.check(recv[i * static_cast<std::size_t>(stride)] == expected, "a sum passed on");
    }
  }
  MPI_Request_free(&request);
}

void passed(Case& test, Report& report) {
  pass(test.comm, MPI_INT, 1, MPI_SUM, report);
  pass(test.comm, MPI_INT, 1, MPI_MAX, report);
  MPI_Request request = MPI_REQUEST_NULL;
  float none = 7;
  MPI_Allreduce_init(MPI_IN_PLACE, &none, 0, MPI_FLOAT, MPI_SUM, test.comm, MPI_INFO_NULL,
                     &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  report.check(none == 7, "a sum of no elements has written one");
  for (long i = 0; i < test.cases; ++i) {
    auto sum = made(test, 40000);
    start_all({sum.get()}, test.own);
    end_all({sum.get()}, test.own, report);
    free_all({sum.get()});
  }
}

// Relative error of the sum that the request makes.
double error_of(MPI_Comm comm, std::uint64_t stream, const std::vector<float>& recv) {
  double wrong = 0, all = 0;
  for (std::size_t i = 0; i < recv.size(); ++i) {
    double sum = 0;
    for (int rank = 0; rank < size_of(comm); ++rank) {
      sum += static_cast<float>(uniform(stream + static_cast<std::uint64_t>(rank), i));
    }
    wrong += (recv[i] - sum) * (recv[i] - sum);
    all += sum * sum;
  }
  return std::sqrt(wrong / all);
}

class Approximate {
 public:
  explicit Approximate(MPI_Comm comm) : comm_(comm), send_(200000), recv_(200000) {
    MPI_Allreduce_init(send_.data(), recv_.data(), 200000, MPI_FLOAT, MPI_SUM, comm, MPI_INFO_NULL,
                       &request_);
  }
  ~Approximate() { MPI_Request_free(&request_); }
  Approximate(const Approximate&) = delete;
  Approximate& operator=(const Approximate&) = delete;

  double run(std::uint64_t stream) {
    for (std::size_t i = 0; i < send_.size(); ++i) {
      send_[i] =
          static_cast<float>(uniform(stream + static_cast<std::uint64_t>(rank_of(comm_)), i));
    }
    MPI_Start(&request_);
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    return error_of(comm_, stream, recv_);
  }

 private:
  MPI_Comm comm_;
  std::vector<float> send_, recv_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

// The runner asks for twice as many components as ranks, the hint for as many: exact sums of floats
// are below 1e-6.
void tolerance(Case& test, Report& report) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(test.comm, &comm);
  Approximate before(comm);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cerar_components", std::to_string(size_of(comm)).c_str());
  MPI_Comm_set_info(comm, info);
  MPI_Info_free(&info);
  Approximate after(comm);
  MPI_Comm_free(&comm);
  for (long i = 0; i < test.cases; ++i) {
    const auto stream = test.choices.below(1u << 30);
    const double error = before.run(stream);
    report.check(error < 1e-3, "an error of " + std::to_string(error));
    report.check(error > 1e-6, "a request made before the hint is exact");
    report.check(after.run(stream) < 1e-6, "a request made after the hint is not exact");
  }
}

void threads(Case& test, Report& report) { cerar::mpi_test::in_threads(test, mixed, report); }

}  // namespace

int main(int argc, char** argv) {
  return cerar::mpi_test::run_mode(argc, argv,
                                   {{"again", again},
                                    {"remade", remade},
                                    {"orders", orders},
                                    {"mixed", mixed},
                                    {"freed", freed},
                                    {"unfreed", unfreed},
                                    {"unended", unended},
                                    {"passed", passed},
                                    {"threads", threads},
                                    {"tolerance", tolerance}});
}
