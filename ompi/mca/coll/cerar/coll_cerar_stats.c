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
    stats->bytes_sent += module->past.bytes_sent;
}

void coll_cerar_end_team(mca_coll_cerar_module_t *module) {
    cerar_team_stats_t stats;
    coll_cerar_get_stats(module, &stats);
    module->past = stats;
    cerar_team_destroy(module->team);
    module->team = NULL;
}

void coll_cerar_print_stats(const mca_coll_cerar_module_t *module) {
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
            module->calls, module->fallbacks, stats.bytes_sent, stats.scratch_bytes,
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
    const double tolerance = module->team_tolerance;
    char name[64], design[16];
    coll_cerar_param_print(COLL_CERAR_DESIGN, stats.design, design, sizeof design);
    COLL_CERAR_VERBOSE_LINE(
        level, "coll:cerar: %s: c=%d (%s), epsilon=%g, predicted relative error %.2g of %g allowed",
        coll_cerar_comm_name(module->comm, name, sizeof name), stats.components, design,
        stats.epsilon, stats.predicted_error, tolerance);
    if (CERAR_DESIGN_EXACT != stats.design && stats.predicted_error > tolerance && !said) {
        said = true;
        coll_cerar_say_exceeds(module->comm, stats.predicted_error, tolerance);
    }
}
