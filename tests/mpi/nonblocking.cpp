// MPI_Iallreduce. The runner names the components; up to the number of ranks, sums of whole numbers
// are exact.
//
//   nonblocking MODE [--memory host|device|managed|mixed] [--seed S] [--cases K] [--cold 1]
//
// Most begin with a blocking sum, which sets CERAR up; not if they are cold: the ranks are at
// different calls when that is done then.
//
//   first       one sum after the other, nothing else
//   many        K calls, any number under way at a time, ended in any order, with blocking calls
//               and other messages between them
//   burst       K calls under way before any is waited for
//   late        ranks come at very different times, and messages pass between the calls
//   window      a fixed number under way; some ranks make more progress than others between calls
//   others      other non-blocking collectives under way between the sums
//   hinted      hints change while sums are under way
//   idup        the first sum while the communicator is being duplicated, by Open MPI's own
//               non-blocking collectives on it
//   kept        MPI_Request_free before its end, which no program may do, is refused
//   no_thread   one rank has no memory to set CERAR up with
//   no_send     CERAR can't be set up since one rank can't send, and the program asks later only
//   freed       the communicator is freed while its requests are under way
//   unfinished  MPI_Finalize while requests are under way that not all ranks have made
//   threads     several threads with a communicator each, under MPI_THREAD_MULTIPLE
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

extern "C" {
#include "tests/mpi/fail_send.h"
}
#include "tests/mpi/sums.hpp"

namespace {

using cerar::mpi_test::Case;
using cerar::mpi_test::Choices;
using cerar::mpi_test::mix;
using cerar::mpi_test::rank_of;
using cerar::mpi_test::Report;
using cerar::mpi_test::set_up;
using cerar::mpi_test::size_of;
using cerar::mpi_test::Sum;

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
  warm_up(test, report);
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
  warm_up(test, report);
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

// Rank 0 begins its sum and asks whether it is done, then sends two messages to each other rank,
// which begins after the second: whoever blocked in MPI_Iallreduce, or in what makes progress,
// would wait for ever.
void late(Case& test, Report& report) {
  warm_up(test, report);
  for (long i = 0; i < test.cases; ++i) {
    auto sum = test.next();
    const int rank = rank_of(test.comm), ranks = size_of(test.comm);
    if (rank == 0) {
      sum->begin();
      for (int asked = 0; asked < 50; ++asked) {
        int done = 0;
        MPI_Test(&sum->request, &done, MPI_STATUS_IGNORE);
        if (done) report.fail("a sum was done before all ranks had begun it");
      }
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
  warm_up(test, report);
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

// Of another kind. Those of libnbc that are mixed up give wrong results, or never end.
class Other {
 public:
  Other(MPI_Comm comm, Choices& choices)
      : ranks_(size_of(comm)),
        root_(static_cast<int>(choices.below(static_cast<std::size_t>(ranks_)))),
        values_(static_cast<std::size_t>(ranks_)) {
    const int rank = rank_of(comm), value = static_cast<int>(choices.below(1u << 20));
    expected_.assign(values_.size(), value);
    values_[0] = value;
    switch (choices.below(4)) {
      case 0:
        if (rank != root_) values_[0] = -1;
        expected_.resize(1);
        MPI_Ibcast(values_.data(), 1, MPI_INT, root_, comm, &request);
        break;
      case 1:
        expected_.assign(1, value * ranks_);
        MPI_Iallreduce(MPI_IN_PLACE, values_.data(), 1, MPI_INT, MPI_SUM, comm, &request);
        break;
      case 2:
        value_ = value;
        MPI_Iallgather(&value_, 1, MPI_INT, values_.data(), 1, MPI_INT, comm, &request);
        break;
      default:
        expected_.clear();
        MPI_Ibarrier(comm, &request);
    }
  }

  void finish(Report& report) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    values_.resize(expected_.size());
    report.check(values_ == expected_, "another collective's result");
  }

  MPI_Request request = MPI_REQUEST_NULL;

 private:
  int ranks_, root_, value_ = 0;
  std::vector<int> values_, expected_;
};

void others(Case& test, Report& report) {
  warm_up(test, report);
  std::vector<std::unique_ptr<Sum>> sums;
  std::vector<std::unique_ptr<Other>> under_way;
  for (long i = 0; i < test.cases; ++i) {
    if (test.choices.below(2) == 0) {
      under_way.push_back(std::make_unique<Other>(test.comm, test.choices));
    } else {
      sums.push_back(test.next());
      sums.back()->begin();
    }
    if (test.own.below(4) == 0) usleep(static_cast<useconds_t>(test.own.below(500)));
    if (test.own.below(4) == 0 && !under_way.empty()) {
      int done = 0;
      MPI_Test(&under_way.back()->request, &done, MPI_STATUS_IGNORE);
    }
  }
  for (auto& other : under_way) other->finish(report);
  for (auto& sum : sums) {
    MPI_Wait(&sum->request, MPI_STATUS_IGNORE);
    sum->check(report);
  }
}

// The first hint turns CERAR on or off where the communicator is made, the others come while it is
// being set up.
void hinted(Case& test, Report& report) {
  const MPI_Comm parent = test.comm;
  for (long i = 0; i < test.cases; ++i) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "cerar_enable", test.choices.below(2) == 0 ? "true" : "false");
    MPI_Comm_dup_with_info(parent, info, &test.comm);
    auto a = test.next(), b = test.next();
    if (test.own.below(2) == 0) usleep(2000);
    a->begin();
    MPI_Info_set(info, "cerar_enable", test.choices.below(2) == 0 ? "true" : "false");
    MPI_Comm_set_info(test.comm, info);
    MPI_Info_free(&info);
    b->begin();
    MPI_Wait(&b->request, MPI_STATUS_IGNORE);
    MPI_Wait(&a->request, MPI_STATUS_IGNORE);
    a->check(report);
    b->check(report);
    set_up(test, report);
    MPI_Comm_free(&test.comm);
  }
  test.comm = parent;
}

void idup(Case& test, Report& report) {
  const MPI_Comm world = test.comm;
  for (long i = 0; i < test.cases; ++i) {
    MPI_Comm parent, copy;
    MPI_Request request;
    MPI_Comm_dup(world, &parent);
    test.comm = parent;
    MPI_Comm_idup(parent, &copy, &request);
    if (test.own.below(2) == 0) usleep(static_cast<useconds_t>(test.own.below(300)));
    int done = 0;
    for (auto pokes = test.own.below(8); pokes > 0 && done == 0; --pokes) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    set_up(test, report);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    test.comm = copy;
    set_up(test, report);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&parent);
  }
  test.comm = world;
}

void kept(Case& test, Report& report) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  auto sum = test.next();
  int go = 0;
  if (rank_of(test.comm) != 0) MPI_Bcast(&go, 1, MPI_INT, 0, test.comm);
  sum->begin();
  if (rank_of(test.comm) == 0) {
    MPI_Request request = sum->request;
    report.check(MPI_Request_free(&request) != MPI_SUCCESS, "freed before its end");
    report.check(request == sum->request, "another handle");
    MPI_Bcast(&go, 1, MPI_INT, 0, test.comm);
  }
  report.check(MPI_Wait(&sum->request, MPI_STATUS_IGNORE) == MPI_SUCCESS, "an error");
  sum->check(report);
}

void no_thread(Case& test, Report& report) {
  auto sum = test.next();
  if (rank_of(test.comm) == 0) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (1u << 20);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
  }
  sum->begin();
  MPI_Wait(&sum->request, MPI_STATUS_IGNORE);
  report.fail("there was a thread");
}

constexpr int kToldStatus = 33;

// That the first sum has failed must not be known to who waits for that one only: the other ranks
// never come to the second. An exit status of its own tells that it was an error, in every run: of
// what mpirun is to print of it, it loses some.
void no_send(Case& test, Report& report) {
  auto first = test.next(), second = test.next();
  if (rank_of(test.comm) == 0) fail_next_send();
  first->begin();
  for (int progress = 0; progress < 1000; ++progress) {
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 9, test.comm, &found, MPI_STATUS_IGNORE);
  }
  MPI_Comm_set_errhandler(test.comm, MPI_ERRORS_RETURN);
  if (second->begin() != MPI_SUCCESS) MPI_Abort(test.comm, kToldStatus);
  MPI_Wait(&second->request, MPI_STATUS_IGNORE);
  report.fail("it could send");
}

void freed(Case& test, Report& report) {
  const MPI_Comm parent = test.comm;
  for (long i = 0; i < test.cases; ++i) {
    MPI_Comm_dup(parent, &test.comm);
    warm_up(test, report);
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
  warm_up(test, report);
  static std::vector<std::unique_ptr<Sum>> left;
  for (long i = rank_of(test.comm); i < test.cases; ++i) {
    left.push_back(test.next(400000));
    left.back()->begin();
  }
}

void threads(Case& test, Report& report) { cerar::mpi_test::in_threads(test, many, report); }

}  // namespace

int main(int argc, char** argv) {
  return cerar::mpi_test::run_mode(argc, argv,
                                   {{"first", first},
                                    {"many", many},
                                    {"burst", burst},
                                    {"window", window},
                                    {"late", late},
                                    {"others", others},
                                    {"hinted", hinted},
                                    {"idup", idup},
                                    {"kept", kept},
                                    {"no_thread", no_thread},
                                    {"no_send", no_send},
                                    {"freed", freed},
                                    {"threads", threads},
                                    {"unfinished", unfinished}});
}
