// MPI_Iallreduce. The runner names the components; up to the number of ranks, sums of whole numbers
// are exact.
//
//   nonblocking MODE [--memory host|device|managed|mixed] [--seed S] [--cases K]
//
//   first       MPI_Iallreduce before anything has set CERAR up
//   many        K calls, any number under way at a time, ended in any order, with blocking calls
//               and other messages between them
//   burst       K calls under way before any is waited for
//   late        ranks come at very different times, and messages pass between the calls
//   window      a fixed number under way; some ranks make more progress than others between calls
//   freed       the communicator is freed while its requests are under way
//   unfinished  MPI_Finalize while requests are under way that not all ranks have made
//   threads     several threads with a communicator each, under MPI_THREAD_MULTIPLE
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

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

void threads(Case& test, Report& report) { cerar::mpi_test::in_threads(test, many, report); }

}  // namespace

int main(int argc, char** argv) {
  return cerar::mpi_test::run_mode(argc, argv,
                                   {{"first", first},
                                    {"many", many},
                                    {"burst", burst},
                                    {"window", window},
                                    {"late", late},
                                    {"freed", freed},
                                    {"threads", threads},
                                    {"unfinished", unfinished}});
}
