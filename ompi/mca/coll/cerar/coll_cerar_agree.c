/* Setting a communicator up: what all ranks can do, and nothing but what all ranks have done. */
#include "coll_cerar.h"

#include "ompi/group/group.h"

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

/* What all ranks have. ready: memory for the rest. */
static int gather_facts(mca_coll_cerar_module_t *module, bool *ready) {
    enum { FACT_READY, FACT_HAVE_UCX, FACT_ONE_NODE, FACTS };
    struct ompi_communicator_t *comm = module->comm;
    const bool ucx_wanted = COLL_CERAR_TRANSPORT_PML !=
                            (int)mca_coll_cerar_component.params.value[COLL_CERAR_TRANSPORT];
    cerar_context_t *context = coll_cerar_context();
    if (NULL == module->ring) {
        module->ring = coll_cerar_ring_create(comm);
    }
    double facts[FACTS];
    facts[FACT_READY] = NULL != context && NULL != module->ring;
    facts[FACT_HAVE_UCX] = facts[FACT_READY] && ucx_wanted && coll_cerar_has_ucx(context);
    facts[FACT_ONE_NODE] = !ompi_group_have_remote_peers(comm->c_local_group);
    const int rc = coll_cerar_minimum(module, facts, FACTS);
    *ready = OMPI_SUCCESS == rc && 0 != facts[FACT_READY];
    module->all_have_ucx = 0 != facts[FACT_HAVE_UCX];
    module->one_node = 0 != facts[FACT_ONE_NODE];
    return rc;
}

/* The ring on all ranks or on none: made is the same everywhere. */
static int make_ring(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call, bool *made) {
    bool arranged = false;
    int rc = gather_facts(module, made);
    if (OMPI_SUCCESS != rc || !*made) {
        return rc;
    }
    rc = coll_cerar_ring_arrange(module->ring, module, call, &arranged);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    double everywhere = arranged;
    rc = coll_cerar_minimum(module, &everywhere, 1);
    *made = 0 != everywhere;
    return rc;
}

static int prepare(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call) {
    bool made = false;
    module->state = COLL_CERAR_ASIDE; /* unless all goes well */
    coll_cerar_end_team(module, &module->team);
    int rc = make_ring(module, call, &made);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (!made) {
        coll_cerar_say_no_memory(module->comm);
        return OMPI_SUCCESS;
    }
    tell_order(module);
    if (!coll_cerar_ring_is_for_cerar(module->ring)) {
        module->aside_because = COLL_CERAR_FAST_LINKS;
        tell_fast_links(module);
        return OMPI_SUCCESS;
    }
    rc = coll_cerar_team_make(module, call, &module->team);
    if (NULL != module->team.handle) {
        module->state = COLL_CERAR_RUNNING;
    }
    return rc;
}

int coll_cerar_set_up(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call) {
    const int rc = coll_cerar_hints_begin(module);
    if (OMPI_SUCCESS != rc || COLL_CERAR_AGREED != module->state) {
        return rc;
    }
    return prepare(module, call);
}
