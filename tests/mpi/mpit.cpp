// MPI_T, as a tool would use it: reads CERAR's performance variables and checks them against what
// is known of the calls; writes its control variables.
//
//   mpit pvars --components C    c is C on the ring of all ranks
//   mpit cvars NAME=VALUE…       writes each in turn and prints "write NAME=VALUE: WHAT CAME OF
//   IT",
//                                then sums on a new communicator and prints "result: …"
//   mpit nonblocking NAME=VALUE… the same, but the communicator is there before, and the sum is
//                                an MPI_Iallreduce
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "tests/mpi/mpi_test.hpp"

namespace {

using cerar::mpi_test::rank_of;
using cerar::mpi_test::Report;
using cerar::mpi_test::size_of;

constexpr int kCount = 128 * 8 * 100;

struct Variable {
  std::string name, help;
  int index, verbosity, var_class, bind, readonly, continuous, atomic;
  MPI_Datatype type;
};

std::vector<Variable> performance_variables() {
  std::vector<Variable> found;
  int number = 0;
  MPI_T_pvar_get_num(&number);
  for (int i = 0; i < number; ++i) {
    std::array<char, 256> name;
    std::array<char, 1024> help;
    int name_size = name.size(), help_size = help.size();
    MPI_T_enum values;
    Variable v{};
    v.index = i;
    if (MPI_T_pvar_get_info(i, name.data(), &name_size, &v.verbosity, &v.var_class, &v.type,
                            &values, help.data(), &help_size, &v.bind, &v.readonly, &v.continuous,
                            &v.atomic) != MPI_SUCCESS)
      continue;
    v.name = name.data();
    v.help = help.data();
    if (v.name.rfind("coll_cerar_", 0) == 0) found.push_back(v);
  }
  return found;
}

// Handles of all variables on one communicator.
class Reader {
 public:
  explicit Reader(MPI_Comm comm) : comm_(comm), variables_(performance_variables()) {
    MPI_T_pvar_session_create(&session_);
    for (const Variable& v : variables_) {
      int count = 0;
      MPI_T_pvar_handle_alloc(session_, v.index, &comm_, &handles_[v.name], &count);
      if (count != 1) std::fprintf(stderr, "%s has %d values\n", v.name.c_str(), count);
    }
  }
  ~Reader() {
    for (auto& [name, handle] : handles_) MPI_T_pvar_handle_free(session_, &handle);
    MPI_T_pvar_session_free(&session_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::map<std::string, double> read() const {
    std::map<std::string, double> values;
    for (const Variable& v : variables_) {
      union {
        unsigned long long whole;
        double real;
      } value{};
      const int rc = MPI_T_pvar_read(session_, handles_.at(v.name), &value);
      if (rc != MPI_SUCCESS) std::fprintf(stderr, "%s can't be read: %d\n", v.name.c_str(), rc);
      const bool is_real = v.type == MPI_DOUBLE;
      values[v.name.substr(11)] = is_real ? value.real : static_cast<double>(value.whole);
    }
    return values;
  }

 private:
  MPI_Comm comm_;
  std::vector<Variable> variables_;
  MPI_T_pvar_session session_;
  std::map<std::string, MPI_T_pvar_handle> handles_;
};

template <class T>
void reduce(MPI_Comm comm, int count, MPI_Datatype type, MPI_Op op) {
  std::vector<T> data(count);
  for (int i = 0; i < count; ++i) data[i] = static_cast<T>((i * 37 + rank_of(comm)) % 1001);
  MPI_Allreduce(MPI_IN_PLACE, data.data(), count, type, op, comm);
}

void check_description(Report& report) {
  const auto variables = performance_variables();
  report.check(variables.size() == 16, std::to_string(variables.size()) + " variables");
  for (const Variable& v : variables) {
    report.check(v.help.size() > 10, v.name + " has no description");
    report.check(v.bind == MPI_T_BIND_MPI_COMM && v.readonly == 1 && v.continuous == 1,
                 v.name + " is not bound to a communicator, read-only and continuous");
  }
}

void check_values(MPI_Comm comm, double components, Report& report) {
  Reader reader(comm), world(MPI_COMM_WORLD);
  const double ranks = size_of(comm), calls = 3;
  const double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) reduce<float>(comm, kCount, MPI_FLOAT, MPI_SUM);
  const double seconds = MPI_Wtime() - start;
  for (int i = 0; i < 4; ++i) reduce<float>(comm, kCount, MPI_FLOAT, MPI_MAX);
  for (int i = 0; i < 5; ++i) reduce<int>(comm, kCount, MPI_INT, MPI_SUM);
  for (int i = 0; i < 6; ++i) reduce<float>(comm, 1, MPI_FLOAT, MPI_SUM);

  auto value = reader.read();
  for (const auto& [name, number] : value) {
    if (rank_of(comm) == 0) std::printf("pvar %s %g\n", name.c_str(), number);
  }
  const auto is = [&](const char* name, double expected) {
    report.check(value.count(name) == 1 && value[name] == expected,
                 std::string(name) + " is " + std::to_string(value[name]) + ", not " +
                     std::to_string(expected));
  };
  const double rounds = calls * (components + ranks - 2), bytes = 4.0 * kCount;
  is("calls", calls);
  is("fallbacks_operation", 4);
  is("fallbacks_type", 5);
  is("fallbacks_size", 6);
  is("fallbacks_rule", 0);
  is("fallbacks_off", 0);
  is("fallbacks_setup", 0);
  is("fallbacks_topology", 0);
  is("fallbacks_aside", 0);
  is("rounds", rounds);
  is("bytes_sent", rounds * bytes / components);
  is("bytes_saved", calls * 2 * (ranks - 1) / ranks * bytes - rounds * bytes / components);
  report.check(value["predicted_error"] > 1e-5 && value["predicted_error"] < 1e-3,
               "predicted_error is " + std::to_string(value["predicted_error"]));
  const double sum = value["time_combine"] + value["time_decode"] + value["time_wait"];
  report.check(value["time_combine"] > 0 && value["time_decode"] > 0 && value["time_wait"] > 0,
               "a time is 0");
  report.check(sum <= seconds, "times add up to " + std::to_string(sum) + " of " +
                                   std::to_string(seconds) + " seconds");
  for (const auto& [name, number] : world.read()) {
    report.check(number == 0, name + " counts other communicators' calls");
  }

  // From a new handle on, a counter begins at 0.
  Reader later(comm);
  reduce<float>(comm, kCount, MPI_FLOAT, MPI_SUM);
  report.check(later.read()["calls"] == 1 && reader.read()["calls"] == calls + 1, "a later handle");
}

int read_all(int argc, char** argv) {
  Report report;
  check_description(report);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const auto components = cerar::mpi_test::option(argc, argv, "components", 8L);
  check_values(comm, static_cast<double>(components), report);
  MPI_Comm_free(&comm);
  // Below min_ranks there is no module: all is 0.
  Reader self(MPI_COMM_SELF);
  reduce<float>(MPI_COMM_SELF, kCount, MPI_FLOAT, MPI_SUM);
  for (const auto& [name, number] : self.read()) report.check(number == 0, name + " on self");
  return report.finish("performance variables");
}

std::string write(const std::string& name, const std::string& value) {
  int index = 0, count = 0;
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) return "no such variable";
  MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count);
  std::vector<char> buffer(count);
  std::snprintf(buffer.data(), buffer.size(), "%s", value.c_str());
  const int rc = MPI_T_cvar_write(handle, buffer.data());
  MPI_T_cvar_handle_free(&handle);
  if (rc == MPI_T_ERR_CVAR_SET_NEVER) return "never";
  return rc == MPI_SUCCESS ? "written" : "error";
}

void result(MPI_Comm comm, bool blocking) {
  const int ranks = size_of(comm);
  std::vector<float> data(1000000, 1 + static_cast<float>(rank_of(comm)));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] += static_cast<float>(i % 5);
  const int count = static_cast<int>(data.size());
  if (blocking) {
    MPI_Allreduce(MPI_IN_PLACE, data.data(), count, MPI_FLOAT, MPI_SUM, comm);
  } else {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, data.data(), count, MPI_FLOAT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  int inexact = 0, any = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const auto sum = static_cast<float>(ranks * (ranks + 1) / 2 + ranks * static_cast<int>(i % 5));
    if (data[i] != sum) inexact = 1;
  }
  MPI_Reduce(&inexact, &any, 1, MPI_INT, MPI_MAX, 0, comm);
  if (rank_of(comm) == 0) std::printf("result: %s\n", any != 0 ? "approximate" : "exact");
  std::fflush(stdout);
}

int write_all(int argc, char** argv) {
  const bool blocking = std::string(argv[1]) == "cvars";
  result(MPI_COMM_WORLD, blocking);
  for (int i = 2; i < argc; ++i) {
    const std::string text = argv[i];
    MPI_Comm comm;
    if (!blocking) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const auto equal = text.find('=');
    const std::string came = write(text.substr(0, equal), text.substr(equal + 1));
    if (rank_of(MPI_COMM_WORLD) == 0) std::printf("write %s: %s\n", text.c_str(), came.c_str());
    std::fflush(stdout);
    if (blocking) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    result(comm, blocking);
    MPI_Comm_free(&comm);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(&argc, &argv);
  const bool pvars = argc > 1 && std::string(argv[1]) == "pvars";
  const int status = pvars ? read_all(argc, argv) : write_all(argc, argv);
  MPI_T_finalize();  // the other way round Open MPI 4.1.4 crashes, also without CERAR
  MPI_Finalize();
  return status;
}
