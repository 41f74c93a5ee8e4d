// How far the ranks' results are from the sum, and from each other.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace cerar::bench {

// Both relative to ‖S‖₂, S being the exact sum. NaN if any result has a NaN or an infinity in it.
struct Deviation {
  double error = 0;  // the largest ‖G_i − S‖₂ of all ranks i
  double spread = 0;  // the largest ‖G_i − G_j‖₂ of all pairs; 0 if and only if all are equal
};

// The sum of Gaussian(seed, 0) … Gaussian(seed, N − 1), each rounded to T. Each rank makes and
// keeps an N-th of it in the next wider type, and gets that N-th of all results: much less to
// compute and hold than the whole sum, and it gives the distance of every pair. It uses no
// all-reduce.
template <class T>
class SumCheck {
 public:
  // Collective. `comm` must outlive it.
  SumCheck(MPI_Comm comm, std::size_t count, std::uint64_t seed);

  // Collective: `result` (count elements) against sign times the sum. All ranks get the same.
  Deviation deviation(const T* result, int sign) const;

 private:
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;

  std::size_t first_of(int rank) const;  // where that rank's part begins
  std::size_t length_of(int rank) const { return first_of(rank + 1) - first_of(rank); }
  void exchange(const T* result, std::size_t offset, std::vector<T>& all) const;
  void add_squares(const std::vector<T>& all, std::size_t offset, int sign,
                   std::vector<double>& squares) const;

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
  std::size_t count_;
  std::vector<Wide> sum_;
};

}  // namespace cerar::bench
