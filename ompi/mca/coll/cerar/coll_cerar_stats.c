/* What happened on a communicator: coll_cerar_stats in one line at its end, the code when it
 * changes. */
#include <inttypes.h>
#include <stdio.h>

#include "coll_cerar.h"

static const char *transport_of(const mca_coll_cerar_module_t *module,
                                const cerar_team_stats_t *stats) {
    if (NULL == module->team) {
        return "none";
    }
    return 'u' == stats->transport[0] ? "ucx" : "pml";
}

void coll_cerar_get_stats(const mca_coll_cerar_module_t *module, cerar_team_stats_t *stats) {
    *stats = (cerar_team_stats_t){0};
    if (NULL != module->team) {
        cerar_team_get_stats(module->team, stats);
    }
    const cerar_team_stats_t *past = &module->past;
    stats->bytes_sent += past->bytes_sent;
    stats->exact_ring_bytes += past->exact_ring_bytes;
    stats->rounds += past->rounds;
    stats->combine_seconds += past->combine_seconds;
    stats->decode_seconds += past->decode_seconds;
    stats->wait_seconds += past->wait_seconds;
}

void coll_cerar_end_team(mca_coll_cerar_module_t *module) {
    cerar_team_stats_t stats;
    coll_cerar_get_stats(module, &stats);
    module->past = stats;
    cerar_team_destroy(module->team);
    module->team = NULL;
    module->error_told = -1; /* the next one may have another tolerance */
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

void coll_cerar_print_stats(const mca_coll_cerar_module_t *module) {
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
            " scratch_bytes=%" PRIu64 " c=%d epsilon=%g transport=%s\n",
            coll_cerar_comm_name(module->comm, name, sizeof name), ompi_comm_size(module->comm),
            module->calls, all_fallbacks(module), stats.bytes_sent, stats.scratch_bytes,
            stats.components, stats.epsilon, transport_of(module, &stats));
}

void coll_cerar_tell_code(mca_coll_cerar_module_t *module) {
    static bool said; /* once a process; two threads would say the same */
    if (0 != ompi_comm_rank(module->comm)) {
        return;
    }
    cerar_team_stats_t stats;
    cerar_team_get_stats(module->team, &stats);
    /* Of another type, or of other components, a code has another error. */
    if (stats.predicted_error == module->error_told) {
        return;
    }
    const int level = module->error_told < 0 ? 1 : 2; /* once, or at every change */
    module->error_told = stats.predicted_error;
    const double tolerance = stats.tolerance;
    char name[64], design[16], rule[64] = "";
    if (0 != stats.rule_line) {
        snprintf(rule, sizeof rule, ", by line %d of coll_cerar_rules_file", stats.rule_line);
    }
    coll_cerar_param_print(COLL_CERAR_DESIGN, stats.design, design, sizeof design);
    COLL_CERAR_VERBOSE_LINE(
        level,
        "coll:cerar: %s: c=%d (%s), epsilon=%g, predicted relative error %.2g of %g allowed%s",
        coll_cerar_comm_name(module->comm, name, sizeof name), stats.components, design,
        stats.epsilon, stats.predicted_error, tolerance, rule);
    if (CERAR_DESIGN_EXACT != stats.design && stats.predicted_error > tolerance && !said) {
        said = true;
        coll_cerar_say_exceeds(module, &stats);
    }
}
