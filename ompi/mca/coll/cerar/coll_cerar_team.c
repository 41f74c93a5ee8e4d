/* A team: on all ranks of the communicator or on none, over UCX or else over the PML. */
#include <stdio.h>
#include <string.h>

#include "coll_cerar.h"

int coll_cerar_reserve_tags(struct ompi_communicator_t *comm, int count) {
    int first = comm->c_nbc_tag;
    if (first - count < MCA_COLL_BASE_TAG_NONBLOCKING_END) {
        first = MCA_COLL_BASE_TAG_NONBLOCKING_BASE;
    }
    comm->c_nbc_tag = first - count;
    return first;
}

/* Those of the communicator's team, of the watch, and of so many persistent requests. */
enum { REQUESTS_WITH_TAGS = 4096 };

void coll_cerar_take_tags(mca_coll_cerar_module_t *module) {
    const int count = (1 + REQUESTS_WITH_TAGS) * COLL_CERAR_PML_TAGS + COLL_CERAR_WATCH_TAGS;
    module->first_tag = coll_cerar_reserve_tags(module->comm, count);
    coll_cerar_watch_use_tags(module->watch, module->first_tag - COLL_CERAR_PML_TAGS);
}

/* Each request has its own, since ranks may start them in any order. */
static int tags_of(mca_coll_cerar_module_t *module, const coll_cerar_team_t *team) {
    if (team == &module->team) {
        return module->first_tag;
    }
    if (module->persistent == REQUESTS_WITH_TAGS) {
        return coll_cerar_reserve_tags(module->comm, COLL_CERAR_PML_TAGS);
    }
    return module->first_tag - COLL_CERAR_WATCH_TAGS - ++module->persistent * COLL_CERAR_PML_TAGS;
}

/* What the communicator's own hints decide, whatever the rules say. */
static unsigned kept(const coll_cerar_team_t *team) {
    const bool *hinted = team->hinted;
    return (hinted[COLL_CERAR_HINT_TOLERANCE] ? CERAR_KEEP_TOLERANCE : 0u) |
           (hinted[COLL_CERAR_HINT_COMPONENTS] ? CERAR_KEEP_COMPONENTS : 0u) |
           (hinted[COLL_CERAR_HINT_SEGMENT_BYTES] ? CERAR_KEEP_SEGMENT : 0u);
}

/* 256 KiB within a node, where a message costs little and memory is what counts; 16 KiB between
 * nodes, where what counts is how soon a round can follow the one before. */
static size_t segment_for(const mca_coll_cerar_module_t *module, const coll_cerar_team_t *team) {
    const size_t given = (size_t)team->hints[COLL_CERAR_HINT_SEGMENT_BYTES];
    if (0 != given) {
        return given;
    }
    return module->one_node ? 256 * 1024 : 16 * 1024;
}

static cerar_status_t make_here(const mca_coll_cerar_module_t *module,
                                const coll_cerar_call_t *call, coll_cerar_team_t *team) {
    const double *values = mca_coll_cerar_component.params.value;
    const cerar_transport_ops_t ops = coll_cerar_pml_ops(team->pml);
    const cerar_team_params_t params = {.rank = coll_cerar_ring_order(module->ring).position,
                                        .size = ompi_comm_size(module->comm),
                                        .transport = team->transport,
                                        .ops = &ops,
                                        .oob = coll_cerar_pml_oob(team->pml),
                                        .components = (int)team->hints[COLL_CERAR_HINT_COMPONENTS],
                                        .epsilon = values[COLL_CERAR_EPSILON],
                                        .segment_bytes = segment_for(module, team),
                                        .tolerance = team->hints[COLL_CERAR_HINT_TOLERANCE],
                                        .design = (cerar_design_t)values[COLL_CERAR_DESIGN],
                                        .max_condition = values[COLL_CERAR_MAX_CONDITION],
                                        .rules = mca_coll_cerar_component.rules,
                                        .keep = kept(team)};
    const cerar_status_t status = cerar_team_create(coll_cerar_context(), &params, &team->handle);
    if (CERAR_OK != status) {
        return status;
    }
    return cerar_team_prepare(team->handle, call->send, call->recv, call->count, call->type);
}

static const char *transport_name(const coll_cerar_team_t *team) {
    return CERAR_TRANSPORT_UCX == team->transport ? "ucx" : "pml";
}

static void tell(const mca_coll_cerar_module_t *module, const coll_cerar_team_t *team) {
    const bool shared = team == &module->team;
    char name[64];
    if (0 != ompi_comm_rank(module->comm)) {
        return;
    }
    COLL_CERAR_VERBOSE_LINE(
        shared ? 1 : 2,
        "coll:cerar: %s: %s%d ranks, transport %s, segments of %zu bytes, links: %s",
        coll_cerar_comm_name(module->comm, name, sizeof name),
        shared ? "" : "a persistent request: ", ompi_comm_size(module->comm), transport_name(team),
        segment_for(module, team), coll_cerar_ring_links_name(module->ring));
}

/* On all ranks or on none. The first rank that could not says why. */
static int try_transport(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call,
                         cerar_transport_kind_t transport, coll_cerar_team_t *team) {
    const int rank = ompi_comm_rank(module->comm), size = ompi_comm_size(module->comm);
    team->transport = transport;
    const cerar_status_t status = make_here(module, call, team);
    const char *details = cerar_last_error();
    char reason[256];
    snprintf(reason, sizeof reason, "%s",
             '\0' != details[0] ? details : cerar_status_string(status));

    double first_failed = CERAR_OK == status ? size : rank;
    const int rc = coll_cerar_minimum(module, &first_failed, 1);
    if (OMPI_SUCCESS == rc && size == first_failed) {
        tell(module, team);
        return rc;
    }
    cerar_team_destroy(team->handle);
    team->handle = NULL;
    if (rank == first_failed) {
        coll_cerar_say_no_team(module->comm, transport_name(team), reason);
    }
    return rc;
}

static int try_transports(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call,
                          coll_cerar_team_t *team) {
    const int wanted = (int)mca_coll_cerar_component.params.value[COLL_CERAR_TRANSPORT];
    int rc = OMPI_SUCCESS;
    if (COLL_CERAR_TRANSPORT_UCX == wanted && !module->all_have_ucx) {
        if (0 == ompi_comm_rank(module->comm)) {
            coll_cerar_say_no_team(module->comm, "ucx", "not all ranks have UCX in libcerar");
        }
        return OMPI_SUCCESS;
    }
    if (COLL_CERAR_TRANSPORT_PML != wanted && module->all_have_ucx) {
        rc = try_transport(module, call, CERAR_TRANSPORT_UCX, team);
    }
    if (COLL_CERAR_TRANSPORT_UCX != wanted && OMPI_SUCCESS == rc && NULL == team->handle) {
        rc = try_transport(module, call, CERAR_TRANSPORT_EXTERNAL, team);
    }
    return rc;
}

static void begin(const mca_coll_cerar_module_t *module, coll_cerar_team_t *team) {
    memset(team, 0, sizeof *team);
    memcpy(team->hints, module->hints.agreed, sizeof team->hints);
    memcpy(team->hinted, module->hints.hinted, sizeof team->hinted);
    team->pml = coll_cerar_pml_create(module->comm, coll_cerar_ring_order(module->ring));
}

static int make(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call,
                coll_cerar_team_t *team) {
    const int tag = tags_of(module, team);
    double ready = NULL != team && NULL != team->pml;
    const int rc = coll_cerar_minimum(module, &ready, 1);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (0 == ready) {
        coll_cerar_say_no_memory(module->comm);
        return rc;
    }
    coll_cerar_pml_use_tags(team->pml, tag);
    return try_transports(module, call, team);
}

int coll_cerar_team_make(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call,
                         coll_cerar_team_t *team) {
    if (NULL != team) {
        begin(module, team);
    }
    const int rc = make(module, call, team);
    if (NULL != team && NULL != team->handle) {
        coll_cerar_add_team(module, team);
    } else if (NULL != team) {
        coll_cerar_team_destroy(team);
    }
    return rc;
}

/* Messages that could not be cancelled may still be read from the team's memory. */
void coll_cerar_team_destroy(coll_cerar_team_t *team) {
    if (NULL == team->pml || !coll_cerar_pml_has_abandoned(team->pml)) {
        cerar_team_destroy(team->handle);
        coll_cerar_pml_destroy(team->pml);
    }
    team->handle = NULL;
    team->pml = NULL;
}
