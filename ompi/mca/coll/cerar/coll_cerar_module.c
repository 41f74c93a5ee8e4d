/* CERAR's life on a communicator: selected, put before the previous all-reduces, taken away. */
#include <string.h>

#include "coll_cerar.h"

/* Where there is one to pass calls on to. */
#define TAKE_OVER(module, api, function)                                         \
    do {                                                                         \
        const mca_coll_base_comm_coll_t *coll = (module)->comm->c_coll;          \
        if (NULL != coll->coll_##api && NULL != coll->coll_##api##_module) {     \
            (module)->previous_##api = coll->coll_##api;                         \
            (module)->previous_##api##_module = coll->coll_##api##_module;       \
            OBJ_RETAIN((module)->previous_##api##_module);                       \
            (module)->super.coll_##api = function;                               \
            COLL_CERAR_INSTALL((module)->comm, api, function, &(module)->super); \
        }                                                                        \
    } while (0)

#define GIVE_BACK(module, api)                                                                    \
    do {                                                                                          \
        if (NULL != (module)->previous_##api##_module) {                                          \
            COLL_CERAR_UNINSTALL((module)->comm, api, &(module)->super, (module)->previous_##api, \
                                 (module)->previous_##api##_module);                              \
        }                                                                                         \
    } while (0)

#define FORGET(module, api)                                 \
    do {                                                    \
        if (NULL != (module)->previous_##api##_module) {    \
            OBJ_RELEASE((module)->previous_##api##_module); \
        }                                                   \
    } while (0)

static void construct(mca_coll_cerar_module_t *module) {
    module->comm = NULL;
    module->previous_allreduce = NULL;
    module->previous_allreduce_module = NULL;
    module->previous_iallreduce = NULL;
    module->previous_iallreduce_module = NULL;
    module->previous_allreduce_init = NULL;
    module->previous_allreduce_init_module = NULL;
    module->state = COLL_CERAR_UNCHECKED;
    module->aside_because = COLL_CERAR_STEPPED_ASIDE;
    module->first_tag = module->persistent = 0;
    module->sets_up_meanwhile = false;
    module->setting_up = NULL;
    module->set_up_rc = OMPI_SUCCESS;
    module->ring = NULL;
    module->all_have_ucx = module->one_node = false;
    memset(&module->team, 0, sizeof module->team);
    module->teams = NULL;
    memset(&module->past, 0, sizeof module->past);
    memset(&module->hints, 0, sizeof module->hints);
    module->asked = false;
    module->watch = NULL;
    module->outstanding = 0;
    module->posted = 0;
    module->error_told = -1;
    module->told_not_finite = module->told_small = module->told_fallback = false;
    module->calls = 0;
    memset(module->fallbacks, 0, sizeof module->fallbacks);
}

/* Modules end within the end of their communicator, so comm is still there. Not every version of
 * Open MPI calls coll_module_disable where another module came after ours: all is done here. */
static void destruct(mca_coll_cerar_module_t *module) {
    if (NULL == module->comm) {
        return; /* never enabled */
    }
    coll_cerar_requests_end(module);
    coll_cerar_registry_remove(module);
    coll_cerar_print_stats(module);
    coll_cerar_watch_destroy(module->watch);
    while (NULL != module->teams) {
        coll_cerar_end_team(module, module->teams);
    }
    coll_cerar_ring_destroy(module->ring);
    FORGET(module, allreduce);
    FORGET(module, iallreduce);
    FORGET(module, allreduce_init);
}

OBJ_CLASS_INSTANCE(mca_coll_cerar_module_t, mca_coll_base_module_t, construct, destruct);

static int enable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm) {
    mca_coll_cerar_module_t *module = (mca_coll_cerar_module_t *)base;
    if (NULL == comm->c_coll->coll_allreduce || NULL == comm->c_coll->coll_allreduce_module) {
        COLL_CERAR_VERBOSE_LINE(1, "coll:cerar: no other component has an all-reduce; not used");
        return OMPI_ERR_NOT_FOUND;
    }
    module->comm = comm;
    module->watch = coll_cerar_watch_create(comm);
    int rc = NULL == module->watch ? OMPI_ERR_OUT_OF_RESOURCE : coll_cerar_registry_add(module);
    if (OMPI_SUCCESS == rc) {
        rc = coll_cerar_hints_subscribe(module);
    }
    if (OMPI_SUCCESS != rc) {
        return rc; /* the module ends */
    }
    TAKE_OVER(module, allreduce, coll_cerar_allreduce);
    TAKE_OVER(module, iallreduce, coll_cerar_iallreduce);
    TAKE_OVER(module, allreduce_init, coll_cerar_allreduce_init);
    bool all_on;
    if (coll_cerar_peers_agree(comm, false, &all_on)) {
        coll_cerar_take_tags(module);
        module->sets_up_meanwhile = coll_cerar_can_set_up_meanwhile(module, all_on);
    }
    return OMPI_SUCCESS;
}

static int disable(mca_coll_base_module_t *base, struct ompi_communicator_t *comm) {
    mca_coll_cerar_module_t *module = (mca_coll_cerar_module_t *)base;
    (void)comm;
    GIVE_BACK(module, allreduce);
    GIVE_BACK(module, iallreduce);
    GIVE_BACK(module, allreduce_init);
    return OMPI_SUCCESS;
}

/* Whoever does not want to run is closed and unloaded: not asked for, CERAR is gone from here on.
 */
int coll_cerar_init_query(bool enable_progress_threads, bool enable_mpi_threads) {
    (void)enable_progress_threads;
    mca_coll_cerar_component.thread_multiple = enable_mpi_threads;
    return mca_coll_cerar_component.stays ? OMPI_SUCCESS : OMPI_ERR_NOT_AVAILABLE;
}

mca_coll_base_module_t *coll_cerar_comm_query(struct ompi_communicator_t *comm, int *priority) {
    const coll_cerar_values_t *params = &mca_coll_cerar_component.params;
    coll_cerar_component_refresh();
    if (OMPI_COMM_IS_INTER(comm) || !coll_cerar_rules_may_take(params, ompi_comm_size(comm))) {
        return NULL;
    }
    mca_coll_cerar_module_t *module = OBJ_NEW(mca_coll_cerar_module_t);
    if (NULL == module) {
        return NULL;
    }
    module->super.coll_module_enable = enable;
    module->super.coll_module_disable = disable;
    module->super.coll_allreduce = coll_cerar_allreduce;
    *priority = (int)params->value[COLL_CERAR_PRIORITY];
    return &module->super;
}
