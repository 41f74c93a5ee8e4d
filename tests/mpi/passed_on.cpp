// All-reduces that are not CERAR's: other operations, other types, vectors of types, an
// intercommunicator, nothing at all. Prints a number for the bits of each result on all ranks: they
// must not depend on whether CERAR is on.
#include <complex>
#include <functional>
#include <vector>

#include "tests/mpi/mpi_test.hpp"

namespace {

using cerar::mpi_test::mix;

constexpr int kCount = 30000;

std::uint64_t hash(const void* data, std::size_t bytes) {
  std::uint64_t result = bytes;
  const auto* byte = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) result = mix(result ^ byte[i]);
  return result;
}

// Prints the hashes of all ranks together.
void print(const char* name, std::uint64_t mine) {
  std::vector<std::uint64_t> all(
      static_cast<std::size_t>(cerar::mpi_test::size_of(MPI_COMM_WORLD)));
  MPI_Gather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (cerar::mpi_test::rank_of(MPI_COMM_WORLD) != 0) return;
  std::printf("%s: %016llx\n", name,
              static_cast<unsigned long long>(hash(all.data(), all.size() * sizeof all[0])));
}

template <class T>
std::uint64_t hash_of(const std::vector<T>& values) {
  return hash(values.data(), values.size() * sizeof(T));
}
// Its padding has no value.
std::uint64_t hash_of(const std::vector<long double>& values) {
  return hash_of(std::vector<double>(values.begin(), values.end()));
}

template <class T>
void reduce(const char* name, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
            const std::function<T(std::uint64_t)>& make, bool in_place = false) {
  const auto rank = static_cast<std::uint64_t>(cerar::mpi_test::rank_of(MPI_COMM_WORLD));
  std::vector<T> send(kCount), recv(kCount);
  for (std::size_t i = 0; i < send.size(); ++i) send[i] = make(mix(rank, i));
  if (in_place) recv = send;
  MPI_Allreduce(in_place ? MPI_IN_PLACE : send.data(), recv.data(), kCount, type, op, comm);
  print(name, hash_of(recv));
}

template <class T>
T real(std::uint64_t random) {
  return static_cast<T>(static_cast<double>(random) * 0x1p-63 - 1);
}

struct Located {
  float value;
  int where;
};

void keep_larger(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* x = static_cast<const float*>(in);
  auto* y = static_cast<float*>(inout);
  for (int i = 0; i < *count; ++i) y[i] = 0.5f * (x[i] > y[i] ? x[i] : y[i]);
}

// A sum of pairs of floats, through a type and an operation of the user's.
void add_pairs(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* x = static_cast<const float*>(in);
  auto* y = static_cast<float*>(inout);
  for (int i = 0; i < 2 * *count; ++i) y[i] += x[i];
}

void other_operations(MPI_Comm comm) {
  reduce<float>("float max", MPI_FLOAT, MPI_MAX, comm, real<float>);
  reduce<float>("float product", MPI_FLOAT, MPI_PROD, comm, real<float>, true);
  reduce<double>("double min", MPI_DOUBLE, MPI_MIN, comm, real<double>);
  MPI_Op op;
  MPI_Op_create(keep_larger, 1, &op);
  reduce<float>("float by a user's operation", MPI_FLOAT, op, comm, real<float>);
  MPI_Op_free(&op);
}

void other_types(MPI_Comm comm) {
  const auto whole = [](std::uint64_t random) { return static_cast<int>(random % 1000); };
  reduce<int>("int sum", MPI_INT, MPI_SUM, comm, whole);
  reduce<int>("int sum in place", MPI_INT, MPI_SUM, comm, whole, true);
  reduce<std::int64_t>("int64 sum", MPI_INT64_T, MPI_SUM, comm,
                       [](std::uint64_t random) { return static_cast<std::int64_t>(random >> 8); });
  reduce<long double>("long double sum", MPI_LONG_DOUBLE, MPI_SUM, comm, real<long double>);
  reduce<Located>("float and int, where is the least", MPI_FLOAT_INT, MPI_MINLOC, comm,
                  [](std::uint64_t random) {
                    return Located{real<float>(random), static_cast<int>(random % 100)};
                  });
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_FLOAT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op op;
  MPI_Op_create(add_pairs, 1, &op);
  reduce<std::complex<float>>("pairs of floats", pair, op, comm, [](std::uint64_t random) {
    return std::complex<float>(real<float>(random), real<float>(mix(random)));
  });
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
}

void between_groups() {
  const int rank = cerar::mpi_test::rank_of(MPI_COMM_WORLD);
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &between);
  reduce<float>("float sum between groups", MPI_FLOAT, MPI_SUM, between, real<float>);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

void alone() {
  reduce<float>("float sum alone", MPI_FLOAT, MPI_SUM, MPI_COMM_SELF, real<float>);
  MPI_Allreduce(nullptr, nullptr, 0, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  print("nothing", 0);
}

// Sums that CERAR would take if they were not below coll_cerar_min_bytes.
void small_sums(MPI_Comm comm) {
  reduce<float>("float sum", MPI_FLOAT, MPI_SUM, comm, real<float>);
  reduce<double>("double sum in place", MPI_DOUBLE, MPI_SUM, comm, real<double>, true);
  reduce<std::complex<double>>(
      "complex sum", MPI_C_DOUBLE_COMPLEX, MPI_SUM, comm, [](std::uint64_t random) {
        return std::complex(real<double>(random), real<double>(mix(random)));
      });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  other_operations(MPI_COMM_WORLD);
  other_types(MPI_COMM_WORLD);
  between_groups();
  alone();
  if (cerar::mpi_test::option(argc, argv, "small-sums", 0L) != 0) small_sums(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
