// Random all-reduces against a reference in higher precision.
//
//   random_cases --seed S --cases K --components C [--epsilon E] [--max-count M]
//                [--count D --type float|double --limit L] [--memory host|device|managed|mixed]
//
// The job's parameters (coll_cerar_components …) are set by whoever runs it and repeated here, for
// the limits. With --count all cases have that many elements of one type, and --limit is the
// relative error allowed.
#include <algorithm>
#include <cmath>
#include <span>
#include <sstream>
#include <vector>

#include "tests/mpi/limits.hpp"
#include "tests/mpi/mpi_test.hpp"

namespace {

using cerar::mpi_test::Choices;
using cerar::mpi_test::Code;
using cerar::mpi_test::Memory;
using cerar::mpi_test::Mirrored;
using cerar::mpi_test::Report;

struct NamedType {
  const char* name;
  MPI_Datatype type;
  int reals;  // an element is made of
  bool is_double;
};

std::vector<NamedType> named_types() {
  std::vector<NamedType> types = {
      {"MPI_FLOAT", MPI_FLOAT, 1, false},
      {"MPI_DOUBLE", MPI_DOUBLE, 1, true},
      {"MPI_C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, 2, false},
      {"MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, 2, true},
      {"MPI_CXX_FLOAT_COMPLEX", MPI_CXX_FLOAT_COMPLEX, 2, false},
      {"MPI_CXX_DOUBLE_COMPLEX", MPI_CXX_DOUBLE_COMPLEX, 2, true},
      {"MPI_REAL", MPI_REAL, 1, false},
      {"MPI_DOUBLE_PRECISION", MPI_DOUBLE_PRECISION, 1, true},
      {"MPI_COMPLEX", MPI_COMPLEX, 2, false},
      {"MPI_DOUBLE_COMPLEX", MPI_DOUBLE_COMPLEX, 2, true},
#ifdef MPI_REAL4  // a Fortran compiler was there when Open MPI 5.0 was built
      {"MPI_REAL4", MPI_REAL4, 1, false},
      {"MPI_REAL8", MPI_REAL8, 1, true},
      {"MPI_COMPLEX8", MPI_COMPLEX8, 2, false},
      {"MPI_COMPLEX16", MPI_COMPLEX16, 2, true},
#endif
  };
  // Fortran's names are there only if Open MPI was built with Fortran.
  std::erase_if(types, [](const NamedType& type) {
    int size = 0;
    MPI_Type_size(type.type, &size);
    return size != type.reals * (type.is_double ? 8 : 4);
  });
  return types;
}

struct Case {
  std::uint64_t stream;  // of the data
  NamedType type;
  std::size_t count;
  bool in_place;
  std::size_t offset;  // of the buffers from their alignment, in reals
  Memory memory;
  std::string name() const {
    std::ostringstream text;
    text << type.name << " count " << count << (in_place ? " in place" : "") << " offset "
         << offset;
    return text.str();
  }
};

template <class T>
T datum(const Case& call, int rank, std::size_t index) {
  return static_cast<T>(
      cerar::mpi_test::uniform(call.stream + static_cast<std::uint64_t>(rank), index));
}

// A buffer with a few guards around it, in some memory; reals() is its mirror.
template <class T>
class Buffer {
 public:
  Buffer(Memory memory, std::size_t size, std::size_t offset)
      : memory_(size + offset + kGuards, kGuard),
        size_(size),
        offset_(offset),
        mirrored_(memory, memory_.data(), memory_.size() * sizeof(T)) {}
  T* data() { return static_cast<T*>(mirrored_.data()) + offset_; }
  void upload() { mirrored_.upload(); }
  void download() { mirrored_.download(); }
  std::span<T> reals() { return {memory_.data() + offset_, size_}; }
  bool intact() const {
    const auto is_guard = [](T value) { return value == kGuard; };
    const auto end = static_cast<std::ptrdiff_t>(offset_ + size_);
    return std::all_of(memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(offset_),
                       is_guard) &&
           std::all_of(memory_.begin() + end, memory_.end(), is_guard);
  }

 private:
  static constexpr std::size_t kGuards = 64;
  static constexpr T kGuard = static_cast<T>(-12345.5);
  std::vector<T> memory_;
  std::size_t size_, offset_;
  Mirrored mirrored_;
};

// Compares with the sum, element by element for the plain code, and in the norm.
template <class T>
double compare(const Case& call, const Code& code, std::span<const T> result, Report& report) {
  double error2 = 0, expected2 = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    long double sum = 0, absolute = 0;
    for (int rank = 0; rank < code.ranks; ++rank) {
      const auto g = static_cast<long double>(datum<T>(call, rank, i));
      sum += g, absolute += std::abs(g), expected2 += static_cast<double>(g * g);
    }
    const auto error = static_cast<double>(static_cast<long double>(result[i]) - sum);
    error2 += error * error;
    if (code.plain_sum() && !(std::abs(error) <= cerar::mpi_test::sum_limit<T>(
                                                     code.ranks, static_cast<double>(absolute)))) {
      report.fail(call.name() + ": element " + std::to_string(i) + " is off by " +
                  std::to_string(error));
      break;
    }
  }
  // The data being independent, ‖G‖² is the sum of the ‖g_i‖², but for chance.
  return std::sqrt(error2 / expected2);
}

template <class T>
void check_identical(const Case& call, std::span<const T> result, Report& report) {
  std::vector<T> first(result.begin(), result.end());
  MPI_Bcast(first.data(), static_cast<int>(first.size() * sizeof(T)), MPI_BYTE, 0, MPI_COMM_WORLD);
  report.check(std::memcmp(first.data(), result.data(), result.size_bytes()) == 0,
               call.name() + ": not the bits that rank 0 has");
}

template <class T>
void run(const Case& call, const Code& code, double limit, Report& report) {
  const int rank = cerar::mpi_test::rank_of(MPI_COMM_WORLD);
  const std::size_t reals = call.count * static_cast<std::size_t>(call.type.reals);
  Buffer<T> send(call.memory, reals, call.offset), recv(call.memory, reals, call.offset);
  Buffer<T>& input = call.in_place ? recv : send;
  for (std::size_t i = 0; i < reals; ++i) input.reals()[i] = datum<T>(call, rank, i);

  send.upload(), recv.upload();
  const void* from = call.in_place ? MPI_IN_PLACE : send.data();
  const int rc = MPI_Allreduce(from, recv.data(), static_cast<int>(call.count), call.type.type,
                               MPI_SUM, MPI_COMM_WORLD);
  send.download(), recv.download();
  report.check(rc == MPI_SUCCESS, call.name() + ": MPI_Allreduce failed");
  report.check(send.intact() && recv.intact(), call.name() + ": wrote outside the buffer");
  if (!call.in_place) {
    for (std::size_t i = 0; i < reals; ++i) {
      if (send.reals()[i] == datum<T>(call, rank, i)) continue;
      report.fail(call.name() + ": the send buffer has changed");
      break;
    }
  }
  const double error = compare<T>(call, code, recv.reals(), report);
  if (limit == 0) {
    limit = cerar::mpi_test::relative_limit<T>(code) * cerar::mpi_test::scatter(reals);
  }
  if (!(error <= limit)) {
    std::ostringstream text;
    text << call.name() << ": relative error " << error << ", limit " << limit;
    report.fail(text.str());
  }
  if (code.plain_sum()) check_identical<T>(call, recv.reals(), report);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto number = [&](const char* name, long otherwise) {
    return cerar::mpi_test::option(argc, argv, name, otherwise);
  };
  const auto text = [&](const char* name, const char* otherwise) {
    return cerar::mpi_test::option(argc, argv, name, std::string(otherwise));
  };
  const auto seed = static_cast<std::uint64_t>(number("seed", 1));
  const long fixed_count = number("count", 0);
  const auto max_count = static_cast<std::uint64_t>(number("max-count", 200000));
  const double limit = std::stod(text("limit", "0"));
  Code code;
  code.ranks = cerar::mpi_test::size_of(MPI_COMM_WORLD);
  code.components = static_cast<int>(number("components", 0));
  if (code.components == 0) code.components = 2 * code.ranks;
  code.epsilon = std::stod(text("epsilon", "0"));

  const Memory memory =
      cerar::mpi_test::memory_of(text("memory", "host"), cerar::mpi_test::rank_of(MPI_COMM_WORLD));

  Report report;
  Choices choices(seed);
  const std::vector<NamedType> types = named_types();
  const long cases = number("cases", 20);
  for (long k = 0; k < cases && report.failures() < 5; ++k) {
    Case call{};
    call.stream = cerar::mpi_test::mix(seed, static_cast<std::uint64_t>(k));
    call.type = types[fixed_count > 0 ? (text("type", "float") == "double" ? 1 : 0)
                                      : choices.below(types.size())];
    call.count =
        fixed_count > 0 ? static_cast<std::size_t>(fixed_count) : choices.size_up_to(max_count);
    call.in_place = choices.below(2) != 0;
    call.offset = choices.below(4);
    call.memory = memory;
    if (call.type.is_double) {
      run<double>(call, code, limit, report);
    } else {
      run<float>(call, code, limit, report);
    }
  }
  std::ostringstream what;
  what << cases << " random cases, seed " << seed << ", N = " << code.ranks
       << ", c = " << code.components << ", epsilon = " << code.epsilon;
  const int status = report.finish(what.str());
  MPI_Finalize();
  return status;
}
