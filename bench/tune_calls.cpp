#include "bench/tune_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "bench/gaussian.hpp"
#include "bench/tune_rules.hpp"

namespace cerar::tune {
namespace {

constexpr double kShort = 0.05;  // seconds
constexpr int kShortCalls = 3;   // in a turn

MPI_Comm duplicate_with(MPI_Comm of,
                        const std::vector<std::pair<const char*, std::string>>& hints) {
  MPI_Info info;
  MPI_Info_create(&info);
  for (const auto& [key, value] : hints) MPI_Info_set(info, key, value.c_str());
  MPI_Comm comm;
  MPI_Comm_dup_with_info(of, info, &comm);
  MPI_Info_free(&info);
  return comm;
}

bool cerar_is_on(MPI_Comm comm) {
  MPI_Info info;
  MPI_Comm_get_info(comm, &info);
  char value[16];
  int found = 0;
  MPI_Info_get(info, "cerar_enable", sizeof value - 1, value, &found);
  MPI_Info_free(&info);
  return found != 0 && std::string(value) == "true";
}

template <class T>
void fill(std::vector<std::byte>& bytes, std::size_t count, int rank) {
  bench::Gaussian(1, static_cast<std::uint64_t>(rank))
      .fill(reinterpret_cast<T*>(bytes.data()), 0, count);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double since(Calls::Clock::time_point time) {
  return std::chrono::duration<double>(Calls::Clock::now() - time).count();
}

}  // namespace

void ask_for_cerar() {
  // No thresholds, no rules, and codes as a rule names them.
  static constexpr const char* settings[][2] = {
      {"enable", "0"},     {"hints", "1"},     {"min_bytes", "0"},
      {"min_ranks", "2"},  {"rules_file", ""}, {"design", "auto"},
      {"components", "0"}, {"epsilon", "0"},   {"max_condition", "0"}};
  for (const auto& [name, value] : settings) {
    setenv((std::string("OMPI_MCA_coll_cerar_") + name).c_str(), value, 1);
  }
}

Ranks::Ranks() {
  comm_ = duplicate();
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

Ranks::~Ranks() { MPI_Comm_free(&comm_); }

// Where nobody asks for CERAR it is out of the way after the first call. If it is named in the
// parameter coll it is asked for everywhere: then a hint has to turn it off.
MPI_Comm Ranks::duplicate() const {
  MPI_Comm comm = duplicate_with(MPI_COMM_WORLD, {});
  if (cerar_is_on(comm)) {
    MPI_Comm_free(&comm);
    comm = duplicate_with(MPI_COMM_WORLD, {{"cerar_enable", "false"}});
  }
  return comm;
}

bool Ranks::one_node() const {
  MPI_Comm node;
  MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int size = 0;
  MPI_Comm_size(node, &size);
  MPI_Comm_free(&node);
  return of_first(size == size_);
}

// Whatever the error: only what keeps the tolerance is timed, and messages are not wanted.
Communicator::Communicator(const Ranks& ranks, const Configuration& configuration) {
  if (configuration.own()) {
    comm_ = ranks.duplicate();
    return;
  }
  comm_ = duplicate_with(MPI_COMM_WORLD,
                         {{"cerar_enable", "true"},
                          {"cerar_tolerance", "1"},
                          {"cerar_components", std::to_string(configuration.components)},
                          {"cerar_segment_bytes", std::to_string(configuration.segment_bytes)}});
}

Communicator::~Communicator() { MPI_Comm_free(&comm_); }

CallCounter::CallCounter(MPI_Comm comm) : comm_(comm) {
  int index = 0, count = 0, provided = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (MPI_T_pvar_get_index("coll_cerar_calls", MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS) {
    return;
  }
  MPI_T_pvar_session_create(&session_);
  MPI_T_pvar_handle_alloc(session_, index, &comm_, &handle_, &count);
}

CallCounter::~CallCounter() {
  if (handle_ != MPI_T_PVAR_HANDLE_NULL) MPI_T_pvar_handle_free(session_, &handle_);
  if (session_ != MPI_T_PVAR_SESSION_NULL) MPI_T_pvar_session_free(&session_);
  MPI_T_finalize();
}

long CallCounter::calls() const {
  unsigned long long value = 0;
  if (handle_ == MPI_T_PVAR_HANDLE_NULL) return -1;
  return MPI_T_pvar_read(session_, handle_, &value) == MPI_SUCCESS ? static_cast<long>(value) : -1;
}

Calls::Calls(const Ranks& ranks, cerar_type_t type, std::size_t bytes, Clock::time_point deadline,
             Show show)
    : ranks_(ranks),
      type_(type),
      count_(bytes / (type == CERAR_FLOAT ? sizeof(float) : sizeof(double))),
      begin_(Clock::now()),
      deadline_(deadline),
      show_(std::move(show)),
      send_(bytes),
      receive_(bytes) {
  if (type == CERAR_FLOAT) {
    fill<float>(send_, count_, ranks.rank());
  } else {
    fill<double>(send_, count_, ranks.rank());
  }
}

// Seconds on this rank.
double Calls::call(MPI_Comm comm) {
  const MPI_Datatype type = type_ == CERAR_FLOAT ? MPI_FLOAT : MPI_DOUBLE;
  MPI_Barrier(ranks_.comm());
  const auto start = Clock::now();
  MPI_Allreduce(send_.data(), receive_.data(), static_cast<int>(count_), type, MPI_SUM, comm);
  return since(start);
}

// A first call makes the communicator's team, and shows whether CERAR runs there.
MPI_Comm Calls::comm_for(const Configuration& configuration) {
  std::unique_ptr<Communicator>& known = communicators_[configuration];
  if (known) return known->get();
  known = std::make_unique<Communicator>(ranks_, configuration);
  call(known->get());
  const CallCounter counter(known->get());
  call(known->get());
  const int mine = configuration.own() == (counter.calls() <= 0);
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, ranks_.comm());
  if (all == 0) {
    throw Refusal(
        fmt::format("CERAR does not run {} (on one node it wants coll_cerar_topology "
                    "always; coll_cerar_verbose 2 tells why)",
                    action_of(configuration, ranks_.size())));
  }
  return known->get();
}

// Whether that much time is left, for all ranks alike.
bool Calls::may_go_on(double seconds) {
  const bool mine = since(deadline_) + seconds < 0;
  return ranks_.of_first(mine);
}

bool Calls::in_time() {
  // Half is for those that are timed to the end.
  const double half = std::chrono::duration<double>(deadline_ - begin_).count() / 2;
  return may_go_on(half);
}

// A connection that has been idle begins slowly, while the others have their turns: of short calls
// the first is left out, and some follow. As many on all ranks.
void Calls::take_turn(MPI_Comm comm, std::vector<double>& seconds) {
  const double first = call(comm);
  if (!ranks_.of_first(first < kShort)) {
    seconds.push_back(first);
    return;
  }
  for (int i = 0; i < kShortCalls; ++i) seconds.push_back(call(comm));
}

// The median of the slowest rank's times.
double Calls::median_of(const std::vector<double>& mine) const {
  std::vector<double> slowest(mine.size());
  MPI_Allreduce(mine.data(), slowest.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MAX,
                ranks_.comm());
  return median(slowest);
}

std::vector<double> Calls::medians(const std::vector<Configuration>& configurations, int rounds) {
  std::vector<MPI_Comm> comms;
  for (const Configuration& configuration : configurations) {
    comms.push_back(comm_for(configuration));
  }
  std::vector<std::vector<double>> seconds(comms.size());
  for (int round = 1; round <= rounds; ++round) {
    const auto start = Clock::now();
    for (std::size_t k = 0; k < comms.size(); ++k) take_turn(comms[k], seconds[k]);
    if (show_ && ranks_.rank() == 0) show_(configurations.size(), round, rounds);
    if (round < rounds && !may_go_on(since(start))) break;
  }
  std::vector<double> medians;
  for (const std::vector<double>& mine : seconds) medians.push_back(median_of(mine));
  return medians;
}

}  // namespace cerar::tune
