/* MPI_Allreduce. */
#include <sched.h>

#include "coll_cerar.h"
#include "opal/runtime/opal_progress.h"

/* Nothing is sent here, so ranks need not come by at the same call. */
static void check_peers(mca_coll_cerar_module_t *module) {
    bool all_on;
    const bool agreed = coll_cerar_peers_agree(module->comm, module->asked, &all_on);
    module->state = agreed ? COLL_CERAR_AGREED : COLL_CERAR_ASIDE;
}

int coll_cerar_failed(mca_coll_cerar_module_t *module, cerar_status_t status) {
    const char *details = cerar_last_error();
    coll_cerar_say_failed(module->comm, '\0' != details[0] ? details : cerar_status_string(status));
    module->state = COLL_CERAR_ASIDE;
    return CERAR_ERR_NO_MEMORY == status ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_ERROR;
}

/* Ranks that share a core hand it on when they have nothing to do: on a busy node that decides how
 * fast a ring is. A rank with a core of its own gets it back at once. */
static cerar_status_t wait_for(cerar_request_t *request) {
    const int polls_before_yield = 10;
    cerar_status_t status;
    int polls = 0;
    while (CERAR_IN_PROGRESS == (status = cerar_request_test(request))) {
        opal_progress();
        if (++polls % polls_before_yield == 0) {
            sched_yield();
        }
    }
    return status;
}

static int run(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call) {
    cerar_request_t *request = NULL;
    cerar_status_t status = cerar_allreduce_post(module->team.handle, call->send, call->recv,
                                                 call->count, call->type, &request);
    if (CERAR_OK == status) {
        coll_cerar_posted(module, &module->team);
        status = wait_for(request);
    }
    if (CERAR_OK == status) {
        coll_cerar_ran(module, &module->team, cerar_request_range(request));
    }
    const int rc = CERAR_OK == status ? OMPI_SUCCESS : coll_cerar_failed(module, status);
    cerar_request_free(request);
    return rc;
}

/* A call that the rules select, on all ranks: they may have to agree first. Requests that are under
 * way use the team that there is. */
static int begin(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call) {
    coll_cerar_requests_wait(module);
    if (OMPI_SUCCESS != module->set_up_rc) {
        return module->set_up_rc;
    }
    coll_cerar_component_refresh();
    return coll_cerar_set_up(module, call);
}

/* Not while CERAR is being set up, when the state is not that of all ranks yet. */
static bool is_aside(const mca_coll_cerar_module_t *module) {
    return COLL_CERAR_ASIDE == module->state && NULL == module->setting_up;
}

/* What this rank knows without the others. Completes the call in libcerar's terms. */
static coll_cerar_reason_t why_not(mca_coll_cerar_module_t *module,
                                   const coll_cerar_arguments_t *arguments,
                                   coll_cerar_call_t *call) {
    const bool in_place = MPI_IN_PLACE == arguments->sbuf || arguments->sbuf == arguments->rbuf;
    const struct ompi_datatype_t *dtype = arguments->dtype;
    size_t per_element;
    if (is_aside(module)) {
        return module->aside_because;
    }
    if (MPI_SUM != arguments->op) {
        return COLL_CERAR_OPERATION;
    }
    if (!coll_cerar_type(dtype, &call->type, &per_element)) {
        return COLL_CERAR_TYPE;
    }
    call->send = in_place ? NULL : arguments->sbuf;
    call->recv = arguments->rbuf;
    call->count = (size_t)arguments->count * per_element;
    const coll_cerar_reason_t selected = coll_cerar_rules_ask(
        ompi_comm_size(module->comm), (size_t)arguments->count * dtype->super.size, call->type);
    if (COLL_CERAR_UNCHECKED == module->state && (module->asked || COLL_CERAR_TAKEN == selected)) {
        check_peers(module);
    }
    if (is_aside(module)) {
        return module->aside_because;
    }
    return selected;
}

/* What the ranks have agreed on, if they have. */
coll_cerar_reason_t coll_cerar_why_not_now(const mca_coll_cerar_module_t *module) {
    if (NULL != module->setting_up) {
        return COLL_CERAR_NOT_SET_UP;
    }
    switch (module->state) {
        case COLL_CERAR_RUNNING:
            return COLL_CERAR_TAKEN;
        case COLL_CERAR_OFF:
            return COLL_CERAR_NOT_ENABLED;
        case COLL_CERAR_ASIDE:
            return module->aside_because;
        default:
            return COLL_CERAR_NOT_SET_UP;
    }
}

coll_cerar_reason_t coll_cerar_choose_now(mca_coll_cerar_module_t *module,
                                          const coll_cerar_arguments_t *arguments,
                                          coll_cerar_call_t *call) {
    const coll_cerar_reason_t reason = why_not(module, arguments, call);
    return COLL_CERAR_TAKEN == reason ? coll_cerar_why_not_now(module) : reason;
}

int coll_cerar_choose(mca_coll_cerar_module_t *module, const coll_cerar_arguments_t *arguments,
                      coll_cerar_call_t *call, coll_cerar_reason_t *reason) {
    if (OMPI_SUCCESS != module->set_up_rc) {
        return module->set_up_rc;
    }
    *reason = why_not(module, arguments, call);
    if (COLL_CERAR_TAKEN != *reason) {
        return OMPI_SUCCESS;
    }
    const int rc = begin(module, call);
    *reason = coll_cerar_why_not_now(module);
    return rc;
}

int coll_cerar_allreduce(const void *sbuf, void *rbuf, coll_cerar_count_t count,
                         struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *base) {
    mca_coll_cerar_module_t *module = (mca_coll_cerar_module_t *)base;
    const coll_cerar_arguments_t arguments = {sbuf, rbuf, count, dtype, op};
    coll_cerar_call_t call;
    coll_cerar_reason_t reason;
    (void)comm;

    int rc = coll_cerar_choose(module, &arguments, &call, &reason);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (COLL_CERAR_TAKEN == reason) {
        rc = run(module, &call);
    } else {
        coll_cerar_count_fallback(module, reason);
        rc = coll_cerar_pass_on(module, &arguments);
    }
    return OMPI_SUCCESS == rc ? coll_cerar_watch_end(module->watch) : rc;
}
