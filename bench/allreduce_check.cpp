#include "bench/allreduce_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/gaussian.hpp"

namespace cerar::bench {
namespace {

constexpr std::size_t kBlock = 16384;  // elements that a rank sends to another at a time

template <class T>
MPI_Datatype mpi_type() {
  return std::is_same_v<T, float> ? MPI_FLOAT : MPI_DOUBLE;
}

// √square, or NaN for anything but a number: it must not get lost in a comparison.
void keep_worst(double square, double& worst) {
  if (!std::isfinite(square)) worst = std::numeric_limits<double>::quiet_NaN();
  if (square > worst * worst) worst = std::sqrt(square);
}

// `squares` is ‖S‖², then N times ‖G_i − S‖², then ‖G_i − G_j‖² for i < j.
Deviation summarize(const std::vector<double>& squares, int size) {
  Deviation deviation;
  const auto errors_end = squares.begin() + 1 + size;
  for (auto at = squares.begin() + 1; at != errors_end; ++at) keep_worst(*at, deviation.error);
  for (auto at = errors_end; at != squares.end(); ++at) keep_worst(*at, deviation.spread);
  const double norm = std::sqrt(squares.front());
  return {deviation.error / norm, deviation.spread / norm};
}

}  // namespace

template <class T>
SumCheck<T>::SumCheck(MPI_Comm comm, std::size_t count, std::uint64_t seed)
    : comm_(comm), count_(count) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &size_);
  sum_.resize(length_of(rank_));
  std::vector<T> part(kBlock);
  for (int i = 0; i < size_; ++i) {
    const Gaussian numbers(seed, static_cast<std::uint64_t>(i));
    for (std::size_t at = 0; at < sum_.size(); at += kBlock) {
      const std::size_t length = std::min(kBlock, sum_.size() - at);
      numbers.fill(part.data(), first_of(rank_) + at, length);
      for (std::size_t e = 0; e < length; ++e) sum_[at + e] += part[e];
    }
  }
}

template <class T>
std::size_t SumCheck<T>::first_of(int rank) const {
  const auto i = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(size_);
  return count_ / n * i + std::min(i, count_ % n);
}

// Elements offset … offset + kBlock − 1 of every rank's part go to that rank. `all` gets what all
// ranks have for this one, one block of kBlock after the other.
template <class T>
void SumCheck<T>::exchange(const T* result, std::size_t offset, std::vector<T>& all) const {
  const auto piece = [offset](std::size_t length) {
    return static_cast<int>(length <= offset ? 0 : std::min(kBlock, length - offset));
  };
  std::vector<MPI_Request> requests;
  for (int i = 0; i < size_; ++i) {
    T* into = all.data() + static_cast<std::size_t>(i) * kBlock;
    MPI_Irecv(into, piece(sum_.size()), mpi_type<T>(), i, 0, comm_, &requests.emplace_back());
  }
  for (int step = 0; step < size_; ++step) {
    const int i = (rank_ + step) % size_;
    const std::size_t from = std::min(count_, first_of(i) + offset);
    MPI_Isend(result + from, piece(length_of(i)), mpi_type<T>(), i, 0, comm_,
              &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

template <class T>
void SumCheck<T>::add_squares(const std::vector<T>& all, std::size_t offset, int sign,
                              std::vector<double>& squares) const {
  const std::size_t length =
      offset < sum_.size() ? std::min(kBlock, sum_.size() - offset) : std::size_t{0};
  const Wide* sum = sum_.data() + std::min(offset, sum_.size());
  for (std::size_t e = 0; e < length; ++e) squares[0] += static_cast<double>(sum[e] * sum[e]);
  auto pair = squares.begin() + 1 + size_;
  for (int i = 0; i < size_; ++i) {
    const T* mine = all.data() + static_cast<std::size_t>(i) * kBlock;
    double error = 0;
    for (std::size_t e = 0; e < length; ++e) {
      const auto difference = static_cast<double>(mine[e] - sign * sum[e]);
      error += difference * difference;
    }
    squares[1 + static_cast<std::size_t>(i)] += error;
    for (int j = i + 1; j < size_; ++j, ++pair) {
      const T* other = all.data() + static_cast<std::size_t>(j) * kBlock;
      double apart = 0;
      for (std::size_t e = 0; e < length; ++e) {
        const double difference = static_cast<double>(mine[e]) - static_cast<double>(other[e]);
        apart += difference * difference;
      }
      *pair += apart;
    }
  }
}

template <class T>
Deviation SumCheck<T>::deviation(const T* result, int sign) const {
  const auto n = static_cast<std::size_t>(size_);
  std::vector<double> mine(1 + n + n * (n - 1) / 2), total(mine.size());
  std::vector<T> all(n * kBlock);
  // Rank 0's part is a longest one, so all ranks make the same number of exchanges.
  for (std::size_t offset = 0; offset < length_of(0); offset += kBlock) {
    exchange(result, offset, all);
    add_squares(all, offset, sign, mine);
  }
  MPI_Reduce(mine.data(), total.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_SUM, 0,
             comm_);
  Deviation deviation = rank_ == 0 ? summarize(total, size_) : Deviation{};
  double shared[] = {deviation.error, deviation.spread};
  MPI_Bcast(shared, 2, MPI_DOUBLE, 0, comm_);
  return {shared[0], shared[1]};
}

template class SumCheck<float>;
template class SumCheck<double>;

}  // namespace cerar::bench
