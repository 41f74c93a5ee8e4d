// MPI_Iallreduce, and persistent all-reduces, which are not CERAR's. The runner names the
// components; up to the number of ranks, sums of whole numbers are exact.
//
//   nonblocking MODE [--memory host|device|managed|mixed] [--seed S] [--cases K]
//
//   first       MPI_Iallreduce before anything has set CERAR up
//   many        K calls, any number under way at a time, ended in any order, with blocking calls
//               and other messages between them
//   burst       K calls under way before any is waited for
//   late        ranks come at very different times, and messages pass between the calls
//   window      a fixed number under way; some ranks make more progress than others between calls
//   persistent  requests that each rank starts in an order of its own
//   freed       the communicator is freed while its requests are under way
//   unfinished  MPI_Finalize while requests are under way that not all ranks have made
//   threads     several threads with a communicator each, under MPI_THREAD_MULTIPLE
#include <mpi.h>

#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "tests/mpi/mpi_test.hpp"

namespace {

using cerar::mpi_test::Choices;
using cerar::mpi_test::Memory;
using cerar::mpi_test::Mirrored;
using cerar::mpi_test::mix;
using cerar::mpi_test::rank_of;
using cerar::mpi_test::Report;
using cerar::mpi_test::size_of;

float datum(std::uint64_t stream, int rank, std::size_t i) {
  return static_cast<float>(mix(stream + static_cast<std::uint64_t>(rank), i) % 1000);
}

// A sum of floats that knows what comes out.
class Sum {
 public:
  Sum(MPI_Comm comm, std::uint64_t stream, std::size_t count, bool in_place, Memory memory)
      : comm_(comm),
        rank_(rank_of(comm)),
        ranks_(size_of(comm)),
        stream_(stream),
        in_place_(in_place),
        host_send_(count),
        host_recv_(count),
        send_(memory, host_send_.data(), count * sizeof(float)),
        recv_(memory, host_recv_.data(), count * sizeof(float)) {
    fill(stream);
  }

  void fill(std::uint64_t stream) {
    stream_ = stream;
    auto& host = in_place_ ? host_recv_ : host_send_;
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = datum(stream_, rank_, i);
    (in_place_ ? recv_ : send_).upload();
  }

  const void* send() { return in_place_ ? MPI_IN_PLACE : send_.data(); }
  void* recv() { return recv_.data(); }
  int count() const { return static_cast<int>(host_recv_.size()); }
  void begin() { MPI_Iallreduce(send(), recv(), count(), MPI_FLOAT, MPI_SUM, comm_, &request); }
  void block() { MPI_Allreduce(send(), recv(), count(), MPI_FLOAT, MPI_SUM, comm_); }

  void check(Report& report) {
    recv_.download();
    for (std::size_t i = 0; i < host_recv_.size(); ++i) {
      float sum = 0;
      for (int rank = 0; rank < ranks_; ++rank) sum += datum(stream_, rank, i);
      if (host_recv_[i] != sum) {
        report.fail("element " + std::to_string(i) + " of " + std::to_string(count()) + " is " +
                    std::to_string(host_recv_[i]) + ", not " + std::to_string(sum));
        return;
      }
    }
  }

  MPI_Request request = MPI_REQUEST_NULL;

 private:
  MPI_Comm comm_;
  int rank_, ranks_;
  std::uint64_t stream_;
  bool in_place_;
  std::vector<float> host_send_, host_recv_;
  Mirrored send_, recv_;
};

struct Case {
  MPI_Comm comm;
  Memory memory;
  Choices choices;
  Choices own;  // differs between ranks
  long cases;

  std::unique_ptr<Sum> next(std::size_t most = 40000) {
    const std::uint64_t stream = choices.below(1u << 30);
    const std::size_t count = choices.size_up_to(most);
    return std::make_unique<Sum>(comm, stream, count, choices.below(2) == 0, memory);
  }
};

void set_up(Case& test, Report& report) {
  auto sum = test.next();
  sum->block();
  sum->check(report);
}

void first(Case& test, Report& report) {
  for (long i = 0; i < test.cases; ++i) {
    auto sum = test.next();
    sum->begin();
    MPI_Wait(&sum->request, MPI_STATUS_IGNORE);
    sum->check(report);
  }
}

// Ends some of the sums, as this rank likes: none, one, or all.
void end_some(std::vector<std::unique_ptr<Sum>>& under_way, Choices& own, Report& report,
              bool all) {
  while (!under_way.empty() && (all || own.below(2) == 0)) {
    auto& sum = under_way[own.below(under_way.size())];
    if (own.below(2) == 0) {
      MPI_Wait(&sum->request, MPI_STATUS_IGNORE);
    } else {
      for (int done = 0; done == 0;) MPI_Test(&sum->request, &done, MPI_STATUS_IGNORE);
    }
    sum->check(report);
    std::swap(sum, under_way.back());
    under_way.pop_back();
  }
}

void many(Case& test, Report& report) {
  set_up(test, report);
  std::vector<std::unique_ptr<Sum>> under_way;
  const int rank = rank_of(test.comm), ranks = size_of(test.comm);
  for (long i = 0; i < test.cases; ++i) {
    if (test.choices.below(8) == 0) {
      set_up(test, report);  // a blocking one between them
    } else if (test.choices.below(8) == 0) {
      int from = -1;
      MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 5, &from, 1, MPI_INT,
                   (rank + ranks - 1) % ranks, 5, test.comm, MPI_STATUS_IGNORE);
      report.check(from == (rank + ranks - 1) % ranks, "a message from elsewhere");
    }
    under_way.push_back(test.next());
    under_way.back()->begin();
    if (under_way.size() > 20) end_some(under_way, test.own, report, true);
    end_some(under_way, test.own, report, false);
  }
  end_some(under_way, test.own, report, true);
}

void burst(Case& test, Report& report) {
  set_up(test, report);
  std::vector<std::unique_ptr<Sum>> sums;
  std::vector<MPI_Request> requests;
  for (long i = 0; i < test.cases; ++i) {
    sums.push_back(test.next(400000));
    sums.back()->begin();
    requests.push_back(sums.back()->request);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (auto& sum : sums) sum->check(report);
}

// Rank 0 begins its sum, then sends two messages to each other rank, which begins after the second:
// whoever blocked in MPI_Iallreduce, or in what makes progress, would wait for ever.
void late(Case& test, Report& report) {
  set_up(test, report);
  for (long i = 0; i < test.cases; ++i) {
    auto sum = test.next();
    const int rank = rank_of(test.comm), ranks = size_of(test.comm);
    if (rank == 0) {
      sum->begin();
      for (int turn = 0; turn < 2; ++turn) {
        for (int other = 1; other < ranks; ++other) {
          MPI_Send(&turn, 1, MPI_INT, other, 6, test.comm);
        }
      }
    } else {
      int turn = 0;
      MPI_Recv(&turn, 1, MPI_INT, 0, 6, test.comm, MPI_STATUS_IGNORE);
      usleep(static_cast<useconds_t>(test.own.below(3000)));
      MPI_Recv(&turn, 1, MPI_INT, 0, 6, test.comm, MPI_STATUS_IGNORE);
      sum->begin();
    }
    MPI_Wait(&sum->request, MPI_STATUS_IGNORE);
    sum->check(report);
  }
}

// Of one size, so that calls which are mixed up give wrong sums and no error.
void window(Case& test, Report& report) {
  set_up(test, report);
  for (std::size_t width = 2; width <= 20; width += 3) {
    std::vector<std::unique_ptr<Sum>> under_way;
    for (long i = 0; i < test.cases; ++i) {
      if (under_way.size() == width) {
        MPI_Wait(&under_way.front()->request, MPI_STATUS_IGNORE);
        under_way.front()->check(report);
        under_way.erase(under_way.begin());
      }
      for (auto pokes = test.own.below(3); pokes > 0 && !under_way.empty(); --pokes) {
        int done = 0;
        MPI_Test(&under_way.back()->request, &done, MPI_STATUS_IGNORE);
        if (done == 0) continue;
        under_way.back()->check(report);
        under_way.pop_back();
      }
      under_way.push_back(std::make_unique<Sum>(test.comm, test.choices.below(1u << 30), 20000,
                                                false, test.memory));
      under_way.back()->begin();
    }
    end_some(under_way, test.own, report, true);
  }
}

void persistent(Case& test, Report& report) {
  std::vector<std::unique_ptr<Sum>> sums;
  std::vector<MPI_Request> requests;
  for (int i = 0; i < 12; ++i) {
    sums.push_back(std::make_unique<Sum>(test.comm, test.choices.below(1u << 30), 20000, i % 2 == 0,
                                         test.memory));
    MPI_Allreduce_init(sums.back()->send(), sums.back()->recv(), sums.back()->count(), MPI_FLOAT,
                       MPI_SUM, test.comm, MPI_INFO_NULL, &sums.back()->request);
    requests.push_back(sums.back()->request);
  }
  for (long round = 0; round < test.cases; ++round) {
    for (auto& sum : sums) sum->fill(test.choices.below(1u << 30));
    for (std::size_t i = requests.size() - 1; i > 0; --i) {
      std::swap(requests[i], requests[test.own.below(i + 1)]);
    }
    for (MPI_Request& request : requests) MPI_Start(&request);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (auto& sum : sums) sum->check(report);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void freed(Case& test, Report& report) {
  const MPI_Comm parent = test.comm;
  for (long i = 0; i < test.cases; ++i) {
    MPI_Comm_dup(parent, &test.comm);
    set_up(test, report);
    auto a = test.next(400000), b = test.next(400000);
    if (test.own.below(2) == 0) usleep(2000);
    a->begin();
    b->begin();
    MPI_Comm_free(&test.comm);
    MPI_Wait(&b->request, MPI_STATUS_IGNORE);
    MPI_Wait(&a->request, MPI_STATUS_IGNORE);
    a->check(report);
    b->check(report);
  }
  test.comm = parent;
}

// Which no program may do; but it must end.
void unfinished(Case& test, Report& report) {
  set_up(test, report);
  static std::vector<std::unique_ptr<Sum>> left;
  for (long i = rank_of(test.comm); i < test.cases; ++i) {
    left.push_back(test.next(400000));
    left.back()->begin();
  }
}

void threads(Case& like, Report& report) {
  constexpr int kThreads = 3;
  std::vector<Case> cases(kThreads, like);
  std::vector<Report> reports(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    auto& test = cases[static_cast<std::size_t>(i)];
    MPI_Comm_dup(like.comm, &test.comm);
    test.choices = Choices(mix(17, static_cast<std::uint64_t>(i)));
  }
  std::vector<std::thread> pool;
  for (std::size_t i = 0; i < kThreads; ++i) {
    pool.emplace_back([&, i] { many(cases[i], reports[i]); });
  }
  for (std::thread& thread : pool) thread.join();
  for (std::size_t i = 0; i < kThreads; ++i) {
    report.check(reports[i].failures() == 0, "in thread " + std::to_string(i));
    MPI_Comm_free(&cases[i].comm);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  int provided = 0;
  MPI_Init_thread(&argc, &argv, mode == "threads" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &provided);
  const int rank = rank_of(MPI_COMM_WORLD);
  const auto seed = static_cast<std::uint64_t>(cerar::mpi_test::option(argc, argv, "seed", 1L));
  Case test{MPI_COMM_WORLD,
            cerar::mpi_test::memory_of(
                cerar::mpi_test::option(argc, argv, "memory", std::string("host")), rank),
            Choices(seed), Choices(mix(seed, static_cast<std::uint64_t>(rank))),
            cerar::mpi_test::option(argc, argv, "cases", 40L)};
  const std::map<std::string, void (*)(Case&, Report&)> modes = {
      {"first", first},   {"many", many},       {"burst", burst},
      {"window", window}, {"late", late},       {"persistent", persistent},
      {"freed", freed},   {"threads", threads}, {"unfinished", unfinished}};
  Report report;
  if (modes.count(mode) == 1) {
    modes.at(mode)(test, report);
  } else {
    report.fail("no mode '" + mode + "'");
  }
  const int status = report.finish(mode + ", seed " + std::to_string(seed));
  MPI_Finalize();
  return status;
}
