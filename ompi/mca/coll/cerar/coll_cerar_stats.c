/* What happened on a communicator: coll_cerar_stats in one line at its end, the code when it
 * changes.
 *
 * A team is one thread's at a time, and other threads may have the communicator's other ones: so
 * who has a team notes what it has counted, and sums are made of notes. */
#include <inttypes.h>
#include <stdio.h>

#include "coll_cerar.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *transport_of(const cerar_team_stats_t *stats) {
    if (NULL == stats->transport) {
        return "none";
    }
    return 'u' == stats->transport[0] ? "ucx" : "pml";
}

static void add(cerar_team_stats_t *sum, const cerar_team_stats_t *part) {
    sum->bytes_sent += part->bytes_sent;
    sum->scratch_bytes += part->scratch_bytes;
    sum->exact_ring_bytes += part->exact_ring_bytes;
    sum->rounds += part->rounds;
    sum->combine_seconds += part->combine_seconds;
    sum->decode_seconds += part->decode_seconds;
    sum->wait_seconds += part->wait_seconds;
}

/* Teams that are there at the same time add up in what they hold; what ended teams held is not held
 * any more, but may have been the most. */
static cerar_team_stats_t sum_up(const mca_coll_cerar_module_t *module) {
    cerar_team_stats_t sum = module->past;
    sum.scratch_bytes = 0;
    for (const coll_cerar_team_t *team = module->teams; NULL != team; team = team->next) {
        add(&sum, &team->counted);
    }
    if (sum.scratch_bytes < module->past.scratch_bytes) {
        sum.scratch_bytes = module->past.scratch_bytes;
    }
    return sum;
}

void coll_cerar_get_stats(mca_coll_cerar_module_t *module, cerar_team_stats_t *stats) {
    pthread_mutex_lock(&lock);
    *stats = sum_up(module);
    pthread_mutex_unlock(&lock);
}

/* With the lock held: what the team has counted, and its last call's code. */
static void note(mca_coll_cerar_module_t *module, coll_cerar_team_t *team) {
    cerar_team_stats_t *last = &module->past;
    cerar_team_stats_t *counted = &team->counted;
    cerar_team_get_stats(team->handle, counted);
    last->components = counted->components;
    last->epsilon = counted->epsilon;
    last->predicted_error = counted->predicted_error;
    last->design = counted->design;
    last->tolerance = counted->tolerance;
    last->rule_line = counted->rule_line;
    last->transport = counted->transport;
    last->memory = counted->memory;
}

void coll_cerar_add_team(mca_coll_cerar_module_t *module, coll_cerar_team_t *team) {
    pthread_mutex_lock(&lock);
    team->next = module->teams;
    module->teams = team;
    cerar_team_get_stats(team->handle, &team->counted);
    pthread_mutex_unlock(&lock);
}

/* With the lock held. */
static void remove_team(mca_coll_cerar_module_t *module, coll_cerar_team_t *team) {
    cerar_team_get_stats(team->handle, &team->counted);
    const uint64_t most = sum_up(module).scratch_bytes;
    add(&module->past, &team->counted);
    module->past.scratch_bytes = most;
    coll_cerar_team_t **link = &module->teams;
    while (*link != team) {
        link = &(*link)->next;
    }
    *link = team->next;
}

void coll_cerar_end_team(mca_coll_cerar_module_t *module, coll_cerar_team_t *team) {
    if (NULL == team->handle) {
        return;
    }
    pthread_mutex_lock(&lock);
    remove_team(module, team);
    if (team == &module->team) {
        module->error_told = -1; /* the next one may have another tolerance */
    }
    pthread_mutex_unlock(&lock);
    coll_cerar_team_destroy(team);
}

void coll_cerar_count_fallback(mca_coll_cerar_module_t *module, coll_cerar_reason_t reason) {
    static const char *const texts[COLL_CERAR_REASONS] = {
        [COLL_CERAR_OPERATION] = "not MPI_SUM",
        [COLL_CERAR_TYPE] = "neither float nor double, nor complex",
        [COLL_CERAR_SIZE] = "less than coll_cerar_min_bytes, or fewer than coll_cerar_min_ranks",
        [COLL_CERAR_RULE] = "a rule of coll_cerar_rules_file says off",
        [COLL_CERAR_NOT_ENABLED] = "cerar_enable is false",
        [COLL_CERAR_NOT_SET_UP] = "not blocking, and no blocking one has set CERAR up",
        [COLL_CERAR_FAST_LINKS] = "coll_cerar_topology leaves such links alone",
        [COLL_CERAR_STEPPED_ASIDE] = "CERAR has stepped aside",
    };
    ++module->fallbacks[reason];
    if (0 == ompi_comm_rank(module->comm)) {
        char name[64];
        COLL_CERAR_VERBOSE_LINE(2, "coll:cerar: %s: a call is passed on: %s",
                                coll_cerar_comm_name(module->comm, name, sizeof name),
                                texts[reason]);
    }
}

static uint64_t all_fallbacks(const mca_coll_cerar_module_t *module) {
    uint64_t all = 0;
    for (int reason = 0; reason < COLL_CERAR_REASONS; ++reason) {
        all += module->fallbacks[reason];
    }
    return all;
}

void coll_cerar_print_stats(mca_coll_cerar_module_t *module) {
    coll_cerar_component_refresh();
    if (0 == mca_coll_cerar_component.params.value[COLL_CERAR_STATS] || !module->asked ||
        0 != ompi_comm_rank(module->comm)) {
        return;
    }
    cerar_team_stats_t stats;
    coll_cerar_get_stats(module, &stats);
    char name[64];
    fprintf(stderr,
            "cerar: %s ranks=%d calls=%" PRIu64 " fallbacks=%" PRIu64 " bytes_sent=%" PRIu64
            " scratch_bytes=%" PRIu64 " c=%d epsilon=%g transport=%s memory=%s\n",
            coll_cerar_comm_name(module->comm, name, sizeof name), ompi_comm_size(module->comm),
            module->calls, all_fallbacks(module), stats.bytes_sent, stats.scratch_bytes,
            stats.components, stats.epsilon, transport_of(&stats),
            NULL == stats.memory ? "none" : stats.memory);
}

/* With the lock held, on rank 0. */
static void tell_code(mca_coll_cerar_module_t *module, const coll_cerar_team_t *team) {
    static bool said; /* once a process */
    const cerar_team_stats_t *stats = &team->counted;
    /* Of another type, or of other components, a code has another error. */
    if (stats->predicted_error == module->error_told) {
        return;
    }
    const int level = module->error_told < 0 ? 1 : 2; /* once, or at every change */
    module->error_told = stats->predicted_error;
    const double tolerance = stats->tolerance;
    char name[64], design[16], rule[64] = "";
    if (0 != stats->rule_line) {
        snprintf(rule, sizeof rule, ", by line %d of coll_cerar_rules_file", stats->rule_line);
    }
    coll_cerar_param_print(COLL_CERAR_DESIGN, stats->design, design, sizeof design);
    COLL_CERAR_VERBOSE_LINE(
        level,
        "coll:cerar: %s: c=%d (%s), epsilon=%g, predicted relative error %.2g of %g allowed%s",
        coll_cerar_comm_name(module->comm, name, sizeof name), stats->components, design,
        stats->epsilon, stats->predicted_error, tolerance, rule);
    if (CERAR_DESIGN_EXACT != stats->design && stats->predicted_error > tolerance && !said) {
        said = true;
        coll_cerar_say_exceeds(module->comm, team, stats);
    }
}

/* Said once a communicator, by every rank that it happens to: the sums are right, and slow. */
static void tell_fallback(mca_coll_cerar_module_t *module, const cerar_team_stats_t *stats) {
    if ('\0' != stats->fallback[0] && !module->told_fallback) {
        module->told_fallback = true;
        coll_cerar_say_fallback(module->comm, stats->memory, stats->fallback);
    }
}

void coll_cerar_posted(mca_coll_cerar_module_t *module, coll_cerar_team_t *team) {
    pthread_mutex_lock(&lock);
    note(module, team);
    if (0 == ompi_comm_rank(module->comm)) {
        tell_code(module, team);
    }
    tell_fallback(module, &team->counted);
    pthread_mutex_unlock(&lock);
}

/* Said once a communicator, by every rank that sees it: another may not. */
static void tell_range(mca_coll_cerar_module_t *module, cerar_range_t range) {
    if (CERAR_RANGE_NOT_FINITE == range && !module->told_not_finite) {
        module->told_not_finite = true;
        coll_cerar_say_not_finite(module->comm);
    }
    if (CERAR_RANGE_SMALL == range && !module->told_small) {
        module->told_small = true;
        coll_cerar_say_small(module->comm);
    }
}

void coll_cerar_ran(mca_coll_cerar_module_t *module, coll_cerar_team_t *team, cerar_range_t range) {
    pthread_mutex_lock(&lock);
    cerar_team_get_stats(team->handle, &team->counted);
    tell_range(module, range);
    ++module->calls;
    pthread_mutex_unlock(&lock);
}
