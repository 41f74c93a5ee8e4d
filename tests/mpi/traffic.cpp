// All-reduces while other operations on the same communicator are under way: the user's own
// messages in both directions, receives for any source and tag, non-blocking collectives. Nothing
// may get into anything else. The runner sets c = N; sums are of whole numbers.
//
//   traffic [--calls K] [--seed S]
#include <algorithm>
#include <array>
#include <vector>

#include "tests/mpi/mpi_test.hpp"

namespace {

using cerar::mpi_test::mix;
using cerar::mpi_test::Report;

struct Ring {
  int rank, ranks;
  int left() const { return (rank + ranks - 1) % ranks; }
  int right() const { return (rank + 1) % ranks; }
};

std::vector<int> message(std::uint64_t seed, int sender, std::size_t length) {
  std::vector<int> data(length);
  for (std::size_t i = 0; i < length; ++i) {
    data[i] = static_cast<int>(mix(seed + static_cast<std::uint64_t>(sender), i) >> 33);
  }
  return data;
}

void all_reduce(const Ring& ring, std::size_t count, Report& report) {
  std::vector<float> data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<float>(ring.rank + i % 100);
  MPI_Allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM,
                MPI_COMM_WORLD);
  const int base = ring.ranks * (ring.ranks - 1) / 2;
  for (std::size_t i = 0; i < count; ++i) {
    const auto sum = static_cast<float>(base + ring.ranks * static_cast<int>(i % 100));
    if (data[i] == sum) continue;
    report.fail("all-reduce of " + std::to_string(count) + ": element " + std::to_string(i));
    return;
  }
}

// The user's messages and collectives: posted before an all-reduce, ended after it.
class Pending {
 public:
  Pending(const Ring& ring, std::uint64_t seed)
      : ring_(ring),
        small_(message(seed, ring.rank, 3)),
        large_(message(seed, ring.rank, 100000)),
        to_left_(message(seed + 500, ring.rank, 5000)),
        from_all_(message(seed, 0, 50)),
        sum_(message(seed, 0, 2000)),
        seed_(seed) {
    MPI_Irecv(first_.data(), 100000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, add());
    MPI_Isend(to_left_.data(), 5000, MPI_INT, ring.left(), 2, MPI_COMM_WORLD, add());
    MPI_Ibcast(from_all_.data(), 50, MPI_INT, 0, MPI_COMM_WORLD, add());
    MPI_Iallreduce(MPI_IN_PLACE, sum_.data(), 2000, MPI_INT, MPI_MAX, MPI_COMM_WORLD, add());
    MPI_Isend(large_.data(), 100000, MPI_INT, ring.right(), 0, MPI_COMM_WORLD, add());
    MPI_Isend(small_.data(), 3, MPI_INT, ring.right(), 1, MPI_COMM_WORLD, add());
  }

  void finish(Report& report) {
    MPI_Irecv(second_.data(), 100000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, add());
    MPI_Irecv(third_.data(), 100000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, add());
    std::array<MPI_Status, 8> status;
    MPI_Waitall(static_cast<int>(used_), requests_.data(), status.data());
    check(first_, status[0], report);
    check(second_, status[6], report);
    check(third_, status[7], report);
    report.check(from_all_ == message(seed_, 0, 50), "broadcast");
    report.check(sum_ == message(seed_, 0, 2000), "non-blocking all-reduce");
  }

 private:
  MPI_Request* add() { return &requests_[used_++]; }

  void check(const std::vector<int>& data, const MPI_Status& status, Report& report) const {
    static constexpr std::array<std::size_t, 3> lengths{100000, 3, 5000};
    const int tag = status.MPI_TAG;
    int count = 0;
    MPI_Get_count(&status, MPI_INT, &count);
    const bool good = tag >= 0 && tag < 3 && count == static_cast<int>(lengths[tag]) &&
                      status.MPI_SOURCE == (tag == 2 ? ring_.right() : ring_.left());
    report.check(good, "a message of " + std::to_string(count) + " with tag " +
                           std::to_string(tag) + " from " + std::to_string(status.MPI_SOURCE));
    if (!good) return;
    const auto expected = message(tag == 2 ? seed_ + 500 : seed_, status.MPI_SOURCE, lengths[tag]);
    report.check(std::equal(expected.begin(), expected.end(), data.begin()),
                 "contents of the message with tag " + std::to_string(tag));
  }

  Ring ring_;
  std::vector<int> small_, large_, to_left_, from_all_, sum_;
  std::vector<int> first_ = std::vector<int>(100000), second_ = first_, third_ = first_;
  std::array<MPI_Request, 8> requests_{};
  std::size_t used_ = 0;
  std::uint64_t seed_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long calls = cerar::mpi_test::option(argc, argv, "calls", 30L);
  const auto seed = static_cast<std::uint64_t>(cerar::mpi_test::option(argc, argv, "seed", 1L));
  const Ring ring{cerar::mpi_test::rank_of(MPI_COMM_WORLD),
                  cerar::mpi_test::size_of(MPI_COMM_WORLD)};
  Report report;
  cerar::mpi_test::Choices choices(seed);
  for (long call = 0; call < calls; ++call) {
    Pending pending(ring, seed + 1000 * static_cast<std::uint64_t>(call));
    all_reduce(ring, choices.size_up_to(200000), report);
    if (call % 3 == 0) all_reduce(ring, choices.size_up_to(1000), report);
    pending.finish(report);
    MPI_Barrier(MPI_COMM_WORLD);  // or a neighbour's next message would be taken for this call's
  }
  const int status = report.finish(std::to_string(calls) + " calls among other traffic, seed " +
                                   std::to_string(seed));
  MPI_Finalize();
  return status;
}
