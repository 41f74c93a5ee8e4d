/* A communicator's team: what all ranks can do, found out through the previous component's
 * all-reduce, and nothing but what all ranks have done. */
#include <stdio.h>
#include <string.h>

#include "coll_cerar.h"

#include "ompi/group/group.h"

/* Smallest over all ranks of each of count numbers, in place. */
static int minimum(mca_coll_cerar_module_t *module, int *numbers, int count) {
    return module->previous_allreduce(MPI_IN_PLACE, numbers, (coll_cerar_count_t)count, MPI_INT,
                                      MPI_MIN, module->comm, module->previous_module);
}

int coll_cerar_reserve_tags(struct ompi_communicator_t *comm, int agreed, int count) {
    if (agreed - count < MCA_COLL_BASE_TAG_NONBLOCKING_END) {
        agreed = MCA_COLL_BASE_TAG_NONBLOCKING_BASE;
    }
    comm->c_nbc_tag = agreed - count;
    return agreed;
}

/* What the communicator's own hints decide, whatever the rules say. */
static unsigned kept(const mca_coll_cerar_module_t *module) {
    const bool *hinted = module->team_hinted;
    return (hinted[COLL_CERAR_HINT_TOLERANCE] ? CERAR_KEEP_TOLERANCE : 0u) |
           (hinted[COLL_CERAR_HINT_COMPONENTS] ? CERAR_KEEP_COMPONENTS : 0u) |
           (hinted[COLL_CERAR_HINT_SEGMENT_BYTES] ? CERAR_KEEP_SEGMENT : 0u);
}

static cerar_status_t make_team(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call,
                                cerar_context_t *context, cerar_transport_kind_t transport,
                                size_t segment_bytes) {
    const double *values = mca_coll_cerar_component.params.value;
    const double *hints = module->team_hints;
    const int components = (int)hints[COLL_CERAR_HINT_COMPONENTS];
    const cerar_transport_ops_t ops = coll_cerar_pml_ops(module->pml);
    const cerar_team_params_t params = {.rank = coll_cerar_ring_order(module->ring).position,
                                        .size = ompi_comm_size(module->comm),
                                        .transport = transport,
                                        .ops = &ops,
                                        .oob = coll_cerar_pml_oob(module->pml),
                                        .components = components,
                                        .epsilon = values[COLL_CERAR_EPSILON],
                                        .segment_bytes = segment_bytes,
                                        .tolerance = hints[COLL_CERAR_HINT_TOLERANCE],
                                        .design = coll_cerar_ring_design(module->ring, components),
                                        .max_condition = values[COLL_CERAR_MAX_CONDITION],
                                        .rules = mca_coll_cerar_component.rules,
                                        .keep = kept(module)};
    const cerar_status_t status = cerar_team_create(context, &params, &module->team);
    if (CERAR_OK != status) {
        return status;
    }
    return cerar_team_prepare(module->team, call->send, call->recv, call->count, call->type);
}

static const char *transport_name(cerar_transport_kind_t transport) {
    return CERAR_TRANSPORT_UCX == transport ? "ucx" : "pml";
}

/* Makes the team on this transport, on all ranks or on none. The first rank that could not says
 * why. */
static int try_transport(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call,
                         cerar_context_t *context, cerar_transport_kind_t transport,
                         size_t segment_bytes, bool *made) {
    const int rank = ompi_comm_rank(module->comm), size = ompi_comm_size(module->comm);
    const cerar_status_t status = make_team(module, call, context, transport, segment_bytes);
    const char *details = cerar_last_error();
    char reason[256];
    snprintf(reason, sizeof reason, "%s",
             '\0' != details[0] ? details : cerar_status_string(status));

    int first_failed = CERAR_OK == status ? size : rank;
    const int rc = minimum(module, &first_failed, 1);
    *made = OMPI_SUCCESS == rc && size == first_failed;
    if (*made) {
        if (0 == rank) {
            char name[64];
            COLL_CERAR_VERBOSE_LINE(
                1,
                "coll:cerar: %s: %d ranks, transport %s, segments of %zu bytes, "
                "links: %s",
                coll_cerar_comm_name(module->comm, name, sizeof name), size,
                transport_name(transport), segment_bytes, coll_cerar_ring_links_name(module->ring));
        }
        return rc;
    }
    cerar_team_destroy(module->team);
    module->team = NULL;
    if (rank == first_failed) {
        coll_cerar_say_no_team(module->comm, transport_name(transport), reason);
    }
    return rc;
}

static int make_team_everywhere(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call,
                                cerar_context_t *context, bool all_have_ucx, size_t segment_bytes) {
    const int wanted = (int)mca_coll_cerar_component.params.value[COLL_CERAR_TRANSPORT];
    bool made = false;
    int rc = OMPI_SUCCESS;
    if (COLL_CERAR_TRANSPORT_UCX == wanted && !all_have_ucx) {
        if (0 == ompi_comm_rank(module->comm)) {
            coll_cerar_say_no_team(module->comm, "ucx", "not all ranks have UCX in libcerar");
        }
        return OMPI_SUCCESS;
    }
    if (COLL_CERAR_TRANSPORT_PML != wanted && all_have_ucx) {
        rc = try_transport(module, call, context, CERAR_TRANSPORT_UCX, segment_bytes, &made);
    }
    if (COLL_CERAR_TRANSPORT_UCX != wanted && OMPI_SUCCESS == rc && !made) {
        rc = try_transport(module, call, context, CERAR_TRANSPORT_EXTERNAL, segment_bytes, &made);
    }
    if (made) {
        module->state = COLL_CERAR_RUNNING;
    }
    return rc;
}

/* 256 KiB within a node, where a message costs little and memory is what counts; 16 KiB between
 * nodes, where what counts is how soon a round can follow the one before. */
static size_t segment_for(const mca_coll_cerar_module_t *module, bool one_node) {
    const size_t given = (size_t)module->team_hints[COLL_CERAR_HINT_SEGMENT_BYTES];
    if (0 != given) {
        return given;
    }
    return one_node ? 256 * 1024 : 16 * 1024;
}

/* The ring, and the links on it, on all ranks or on none: made is the same everywhere. */
static int make_links(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call, int next_tag,
                      bool *made) {
    struct ompi_communicator_t *comm = module->comm;
    bool arranged = true;
    int rc = coll_cerar_ring_arrange(module->ring, comm, call, &arranged);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (NULL == module->pml) {
        const int tag = coll_cerar_reserve_tags(comm, next_tag, COLL_CERAR_PML_TAGS);
        module->pml = coll_cerar_pml_create(comm, coll_cerar_ring_order(module->ring), tag);
    }
    int ready = arranged && NULL != module->pml;
    rc = minimum(module, &ready, 1);
    *made = 0 != ready;
    return rc;
}

static void tell_fast_links(const mca_coll_cerar_module_t *module) {
    char name[64];
    if (0 == ompi_comm_rank(module->comm)) {
        COLL_CERAR_VERBOSE_LINE(1, "coll:cerar: %s: %d ranks, links: %s; not for CERAR",
                                coll_cerar_comm_name(module->comm, name, sizeof name),
                                ompi_comm_size(module->comm),
                                coll_cerar_ring_links_name(module->ring));
    }
}

static void tell_order(const mca_coll_cerar_module_t *module) {
    char name[64], ranks[512];
    if (0 == ompi_comm_rank(module->comm)) {
        coll_cerar_ring_print(module->ring, ranks, sizeof ranks);
        COLL_CERAR_VERBOSE_LINE(2, "coll:cerar: %s: the ring passes ranks%s",
                                coll_cerar_comm_name(module->comm, name, sizeof name), ranks);
    }
}

static void say_no_memory(struct ompi_communicator_t *comm) {
    if (0 == ompi_comm_rank(comm)) {
        coll_cerar_say_no_team(comm, "any", cerar_status_string(CERAR_ERR_NO_MEMORY));
    }
}

static int prepare(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call) {
    enum { FACT_READY, FACT_HAVE_UCX, FACT_ONE_NODE, FACT_NEXT_TAG, FACTS };
    struct ompi_communicator_t *comm = module->comm;
    const bool ucx_wanted = COLL_CERAR_TRANSPORT_PML !=
                            (int)mca_coll_cerar_component.params.value[COLL_CERAR_TRANSPORT];
    cerar_context_t *context = coll_cerar_context();
    if (NULL == module->ring) {
        module->ring = coll_cerar_ring_create(comm);
    }

    int facts[FACTS];
    facts[FACT_READY] = NULL != context && NULL != module->ring;
    facts[FACT_HAVE_UCX] = facts[FACT_READY] && ucx_wanted && coll_cerar_has_ucx(context);
    facts[FACT_ONE_NODE] = !ompi_group_have_remote_peers(comm->c_local_group);
    facts[FACT_NEXT_TAG] = comm->c_nbc_tag;
    int rc = minimum(module, facts, FACTS);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    bool made = false;
    if (facts[FACT_READY]) {
        rc = make_links(module, call, facts[FACT_NEXT_TAG], &made);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    if (!made) {
        say_no_memory(comm);
        return OMPI_SUCCESS;
    }
    tell_order(module);
    if (!coll_cerar_ring_is_for_cerar(module->ring)) {
        module->aside_because = COLL_CERAR_FAST_LINKS;
        tell_fast_links(module);
        return OMPI_SUCCESS;
    }
    return make_team_everywhere(module, call, context, facts[FACT_HAVE_UCX],
                                segment_for(module, facts[FACT_ONE_NODE]));
}

int coll_cerar_prepare(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call) {
    module->state = COLL_CERAR_ASIDE; /* unless all goes well */
    coll_cerar_end_team(module);
    memcpy(module->team_hints, module->hints.agreed, sizeof module->team_hints);
    memcpy(module->team_hinted, module->hints.hinted, sizeof module->team_hinted);
    module->preparing = true;
    const int rc = prepare(module, call);
    module->preparing = false;
    return rc;
}
