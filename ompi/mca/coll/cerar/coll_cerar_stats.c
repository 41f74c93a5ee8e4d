/* coll_cerar_stats: what happened on a communicator, in one line. */
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

void coll_cerar_print_stats(const mca_coll_cerar_module_t *module) {
    if (0 == mca_coll_cerar_component.params.value[COLL_CERAR_STATS] ||
        0 != ompi_comm_rank(module->comm)) {
        return;
    }
    cerar_team_stats_t stats = {0};
    if (NULL != module->team) {
        cerar_team_get_stats(module->team, &stats);
    }
    char name[64];
    fprintf(stderr,
            "cerar: %s ranks=%d calls=%" PRIu64 " fallbacks=%" PRIu64 " bytes_sent=%" PRIu64
            " scratch_bytes=%" PRIu64 " c=%d epsilon=%g transport=%s\n",
            coll_cerar_comm_name(module->comm, name, sizeof name), ompi_comm_size(module->comm),
            module->calls, module->fallbacks, stats.bytes_sent, stats.scratch_bytes,
            stats.components, stats.epsilon, transport_of(module, &stats));
}
