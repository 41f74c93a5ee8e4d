// The C face over ring/ and transport/: exceptions end here, as a status and a text for
// cerar_last_error.
#include "core/cerar.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/error.hpp"
#include "core/plan/rules.hpp"
#include "core/ring/team.hpp"
#include "core/topology/location.hpp"
#include "core/transport/external.hpp"
#include "core/transport/ucx/ucx.hpp"
#include "gpu/gpu.hpp"

struct cerar_context {
  bool thread_multiple = false;
  std::mutex mutex;
  std::shared_ptr<cerar::transport::UcxWorker> ucx;               // made when a team first wants it
  std::atomic<cerar::transport::UcxWorker*> progressed{nullptr};  // the same, once it is complete
};

struct cerar_team {
  cerar_team(const cerar::ring::TeamOptions& options,
             std::unique_ptr<cerar::transport::Transport> transport)
      : ring(options, std::move(transport)) {}
  cerar::ring::Team ring;
  const char* memory = "host";  // of the last call
  char fallback[160] = "";      // why that is not its best: no memory may be left for a longer text
};

struct cerar_rules {
  std::shared_ptr<const cerar::plan::Rules> rules;
};

struct cerar_request {
  std::unique_ptr<cerar::ring::Call> call;
};

namespace {

using cerar::set_last_error;
using cerar::plan::Design;

static_assert(static_cast<int>(Design::automatic) == CERAR_DESIGN_AUTO &&
              static_cast<int>(Design::exact) == CERAR_DESIGN_EXACT &&
              static_cast<int>(Design::epsilon) == CERAR_DESIGN_EPSILON &&
              static_cast<int>(Design::vandermonde) == CERAR_DESIGN_VANDERMONDE &&
              static_cast<int>(Design::constrained) == CERAR_DESIGN_CONSTRAINED);

// Runs body, which returns a status, and turns what it throws into one.
template <class Body>
cerar_status_t guarded(Body body) {
  try {
    set_last_error("");
    return body();
  } catch (const std::invalid_argument& error) {
    set_last_error(error.what());
    return CERAR_ERR_INVALID;
  } catch (const cerar::gpu::Error& error) {
    set_last_error(error.what());
    return CERAR_ERR_DEVICE;
  } catch (const std::bad_alloc&) {
    set_last_error("out of memory");
    return CERAR_ERR_NO_MEMORY;
  } catch (const std::exception& error) {
    set_last_error(error.what());
    return CERAR_ERR_INTERNAL;
  }
}

cerar_status_t invalid(const char* message) {
  set_last_error(message);
  return CERAR_ERR_INVALID;
}

cerar_status_t make_ucx(cerar_context& context, const cerar_team_params_t& params,
                        std::unique_ptr<cerar::transport::Transport>& transport) {
  if (params.oob.exchange == nullptr) return invalid("oob.exchange is NULL, and UCX needs it");
  {
    const std::lock_guard lock(context.mutex);
    if (!context.ucx) {
      const auto status = cerar::transport::UcxWorker::create(context.thread_multiple, context.ucx);
      if (status != CERAR_OK) return status;
      context.progressed.store(context.ucx.get(), std::memory_order_release);
    }
  }
  return cerar::transport::make_ucx_transport(context.ucx, params.rank, params.size, params.oob,
                                              transport);
}

cerar_status_t make_transport(cerar_context& context, const cerar_team_params_t& params,
                              std::unique_ptr<cerar::transport::Transport>& transport) {
  switch (params.transport) {
    case CERAR_TRANSPORT_UCX:
      return make_ucx(context, params, transport);
    case CERAR_TRANSPORT_EXTERNAL:
      if (params.ops == nullptr || !params.ops->send || !params.ops->recv || !params.ops->test ||
          !params.ops->cancel) {
        return invalid("ops, or one of its functions other than progress, is NULL");
      }
      transport = std::make_unique<cerar::transport::ExternalTransport>(*params.ops);
      return CERAR_OK;
  }
  return invalid("transport is neither CERAR_TRANSPORT_UCX nor CERAR_TRANSPORT_EXTERNAL");
}

// Calls body(place) for the best place that these buffers have where it does not throw for lack of
// memory or because a device fails. Falling back is this rank's own affair: what it sends is the
// same.
template <class Body>
void at_best_place(cerar_team& team, const void* send, const void* recv, Body body) {
  namespace gpu = cerar::gpu;
  const gpu::Buffers buffers = gpu::classify(send, recv);
  const auto ways = gpu::ways(buffers, team.ring.transport().takes_device_memory());
  const auto note = [&team](const char* why) {
    snprintf(team.fallback, sizeof team.fallback, "%s", why);
  };
  note("");
  for (const gpu::Way way : ways) {
    const bool last = way == ways.back();
    try {
      body(gpu::make_place(way, buffers));
      team.memory = gpu::name(way);
      return;
    } catch (const std::bad_alloc&) {
      if (last) throw;
      note("no memory is left, on the device or to pin");
    } catch (const gpu::Error& error) {
      if (last) throw;
      note(error.what());
    }
  }
}

template <class T>
void prepare(cerar_team& team, const void* send, const void* recv, std::size_t count) {
  at_best_place(team, send, recv, [&](const cerar::ring::Place& place) {
    team.ring.prepare(static_cast<const T*>(send), static_cast<T*>(const_cast<void*>(recv)), count,
                      place);
  });
}

template <class T>
std::unique_ptr<cerar::ring::Call> post(cerar_team& team, const void* send, void* recv,
                                        std::size_t count) {
  std::unique_ptr<cerar::ring::Call> call;
  at_best_place(team, send, recv, [&](const cerar::ring::Place& place) {
    call = team.ring.post(static_cast<const T*>(send), static_cast<T*>(recv), count, place);
  });
  return call;
}

cerar::ring::TeamOptions options_of(const cerar_team_params_t& params) {
  if (params.design < CERAR_DESIGN_AUTO || params.design > CERAR_DESIGN_CONSTRAINED) {
    throw std::invalid_argument("design is none of cerar_design_t");
  }
  if (params.size < 2) {
    throw std::invalid_argument(fmt::format("size is {}, expected 2 or more", params.size));
  }
  cerar::ring::TeamOptions options;
  options.rank = params.rank;
  options.ranks = params.size;
  options.components = params.components;
  options.epsilon = params.epsilon;
  options.segment_bytes = params.segment_bytes;
  options.tolerance = params.tolerance;
  options.design = static_cast<Design>(params.design);
  options.max_condition = params.max_condition;
  if (params.rules != nullptr) options.rules = params.rules->rules;
  options.kept.tolerance = (params.keep & CERAR_KEEP_TOLERANCE) != 0;
  options.kept.components = (params.keep & CERAR_KEEP_COMPONENTS) != 0;
  options.kept.segment = (params.keep & CERAR_KEEP_SEGMENT) != 0;
  cerar::ring::check(options);
  return options;
}

double seconds(cerar::ring::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

cerar_status_t check_buffers(const cerar_team_t* team, const void* recv, std::size_t count,
                             cerar_type_t type) {
  if (team == nullptr) return invalid("team is NULL");
  if (recv == nullptr && count > 0) return invalid("recv is NULL");
  if (type != CERAR_FLOAT && type != CERAR_DOUBLE) {
    return invalid("type is neither CERAR_FLOAT nor CERAR_DOUBLE");
  }
  return CERAR_OK;
}

}  // namespace

extern "C" {

cerar_status_t cerar_context_create(int thread_multiple, cerar_context_t** context) {
  if (context == nullptr) return invalid("context is NULL");
  *context = nullptr;
  return guarded([&] {
    auto made = std::make_unique<cerar_context>();
    made->thread_multiple = thread_multiple != 0;
    *context = made.release();
    return CERAR_OK;
  });
}

void cerar_context_progress(cerar_context_t* context) {
  auto* worker = context->progressed.load(std::memory_order_acquire);
  if (worker != nullptr) worker->progress();
}

void cerar_context_destroy(cerar_context_t* context) { delete context; }

void cerar_locate(const void* data, cerar_location_t* location) {
  *location = cerar::topology::locate(data);
}

cerar_status_t cerar_ring_order(const cerar_location_t* locations, int size, int* ranks) {
  if (locations == nullptr || ranks == nullptr) return invalid("locations or ranks is NULL");
  if (size < 1) return invalid("size is less than 1");
  return guarded([&] {
    std::ranges::copy(cerar::topology::ring_order({locations, static_cast<std::size_t>(size)}),
                      ranks);
    return CERAR_OK;
  });
}

cerar_links_t cerar_ring_links(const cerar_location_t* locations, int size, const int* ranks) {
  const auto count = static_cast<std::size_t>(size);
  return cerar::topology::ring_links({locations, count}, {ranks, count});
}

cerar_status_t cerar_rules_read(const char* file, cerar_rules_t** rules) {
  if (file == nullptr || rules == nullptr) return invalid("file or rules is NULL");
  *rules = nullptr;
  return guarded([&] {
    auto read = std::make_shared<const cerar::plan::Rules>(cerar::plan::Rules::read(file));
    *rules = new cerar_rules{std::move(read)};
    return CERAR_OK;
  });
}

uint64_t cerar_rules_hash(const cerar_rules_t* rules) {
  return rules == nullptr ? 0 : rules->rules->hash();
}

cerar_rule_t cerar_rules_find(const cerar_rules_t* rules, int size, size_t bytes,
                              cerar_type_t type) {
  const auto* rule = rules == nullptr ? nullptr : rules->rules->find(size, bytes, type);
  if (rule == nullptr) return CERAR_RULE_NONE;
  return rule->action == cerar::plan::Action::off ? CERAR_RULE_OFF : CERAR_RULE_RUN;
}

void cerar_rules_destroy(cerar_rules_t* rules) { delete rules; }

cerar_status_t cerar_team_create(cerar_context_t* context, const cerar_team_params_t* params,
                                 cerar_team_t** team) {
  if (context == nullptr || params == nullptr || team == nullptr) {
    return invalid("context, params or team is NULL");
  }
  *team = nullptr;
  return guarded([&] {
    const auto options = options_of(*params);  // before anything is exchanged
    std::unique_ptr<cerar::transport::Transport> transport;
    const cerar_status_t status = make_transport(*context, *params, transport);
    if (status != CERAR_OK) return status;
    *team = std::make_unique<cerar_team>(options, std::move(transport)).release();
    return CERAR_OK;
  });
}

void cerar_team_destroy(cerar_team_t* team) { delete team; }

cerar_status_t cerar_team_prepare(cerar_team_t* team, const void* send, const void* recv,
                                  size_t count, cerar_type_t type) {
  const cerar_status_t status = check_buffers(team, recv, count, type);
  if (status != CERAR_OK) return status;
  return guarded([&] {
    type == CERAR_FLOAT ? prepare<float>(*team, send, recv, count)
                        : prepare<double>(*team, send, recv, count);
    return CERAR_OK;
  });
}

cerar_status_t cerar_allreduce_post(cerar_team_t* team, const void* send, void* recv, size_t count,
                                    cerar_type_t type, cerar_request_t** request) {
  if (request == nullptr) return invalid("request is NULL");
  *request = nullptr;
  const cerar_status_t status = check_buffers(team, recv, count, type);
  if (status != CERAR_OK) return status;
  return guarded([&] {
    auto made = std::make_unique<cerar_request>();
    made->call = type == CERAR_FLOAT ? post<float>(*team, send, recv, count)
                                     : post<double>(*team, send, recv, count);
    *request = made.release();
    return CERAR_OK;
  });
}

cerar_status_t cerar_request_test(cerar_request_t* request) {
  if (request == nullptr) return invalid("request is NULL");
  return request->call->progress();
}

cerar_range_t cerar_request_range(const cerar_request_t* request) { return request->call->range(); }

void cerar_request_free(cerar_request_t* request) { delete request; }

void cerar_team_get_stats(const cerar_team_t* team, cerar_team_stats_t* stats) {
  const cerar::ring::Team& ring = team->ring;
  stats->calls = ring.calls();
  stats->bytes_sent = ring.transport().bytes_sent();
  stats->scratch_bytes = ring.scratch_bytes();
  stats->rounds = ring.tally().rounds;
  stats->exact_ring_bytes = ring.tally().exact_ring_bytes;
  stats->combine_seconds = seconds(ring.tally().times.combine);
  stats->decode_seconds = seconds(ring.tally().times.decode);
  stats->wait_seconds = seconds(ring.tally().wait);
  stats->components = ring.last_code().spec.components;
  stats->epsilon = ring.last_code().spec.epsilon;
  stats->predicted_error = ring.last_code().error;
  stats->design = static_cast<cerar_design_t>(ring.last_code().design);
  stats->tolerance = ring.last_plan().request.tolerance;
  stats->rule_line = ring.last_plan().rule_line;
  stats->transport = ring.transport().name();
  stats->memory = team->memory;
  stats->fallback = team->fallback;
}

cerar_status_t cerar_memory_kind(const void* pointer, cerar_memory_kind_t* kind) {
  if (kind == nullptr) return invalid("kind is NULL");
  return guarded([&] {
    switch (cerar::gpu::classify(pointer)) {
      case cerar::gpu::Kind::device:
        *kind = CERAR_MEMORY_DEVICE;
        break;
      case cerar::gpu::Kind::managed:
        *kind = CERAR_MEMORY_MANAGED;
        break;
      default:
        *kind = CERAR_MEMORY_HOST;
    }
    return CERAR_OK;
  });
}

cerar_status_t cerar_memory_copy(void* to, const void* from, size_t bytes) {
  return guarded([&] {
    cerar::gpu::copy(to, from, bytes);
    return CERAR_OK;
  });
}

}  // extern "C"
