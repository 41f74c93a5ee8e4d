/* MPI_Allreduce_init: persistent all-reduces.
 *
 * All ranks make the call, in the same order, and it may wait for them: so it sets CERAR up as
 * MPI_Allreduce does, and decides for all starts, whatever hints and parameters become later. As
 * ranks may start their requests in different orders, each has a team of its own on the ring, from
 * here until it is freed. */
#include "coll_cerar_request.h"

/* MPI_Start, MPI_Startall. */
static int start(size_t count, ompi_request_t **requests) {
    for (size_t i = 0; i < count; ++i) {
        coll_cerar_request_start((coll_cerar_request_t *)requests[i]);
    }
    return OMPI_SUCCESS;
}

/* The module may end here, with the communicator. */
static int release(ompi_request_t **handle) {
    coll_cerar_request_t *request = (coll_cerar_request_t *)*handle;
    struct ompi_communicator_t *comm = request->module->comm;
    if (!REQUEST_COMPLETE(&request->super)) {
        return MPI_ERR_REQUEST;
    }
    coll_cerar_end_team(request->module, &request->own);
    if (NULL != request->passed_on) {
        ompi_request_free(&request->passed_on);
    }
    OMPI_REQUEST_FINI(&request->super);
    OBJ_RELEASE(request);
    OBJ_RELEASE(comm);
    *handle = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static coll_cerar_request_t *create(mca_coll_cerar_module_t *module,
                                    const coll_cerar_arguments_t *arguments,
                                    const coll_cerar_call_t *call) {
    coll_cerar_request_t *request = coll_cerar_request_create(module, arguments, call, true);
    if (NULL != request) {
        request->super.req_start = start;
        request->super.req_free = release;
    }
    return request;
}

static void discard(coll_cerar_request_t *request) {
    ompi_request_t *handle = &request->super;
    (void)release(&handle);
}

/* On all ranks or on none, and then CERAR steps aside: *made is NULL. */
static int make(mca_coll_cerar_module_t *module, const coll_cerar_arguments_t *arguments,
                const coll_cerar_call_t *call, coll_cerar_request_t **made) {
    coll_cerar_request_t *request = create(module, arguments, call);
    const int rc = coll_cerar_team_make(module, call, NULL != request ? &request->own : NULL);
    if (NULL != request && NULL == request->own.handle) {
        discard(request);
        request = NULL;
    }
    if (NULL == request) {
        module->state = COLL_CERAR_ASIDE;
    }
    *made = request;
    return rc;
}

static int previous(mca_coll_cerar_module_t *module, const void *sbuf, void *rbuf,
                    const coll_cerar_arguments_t *arguments, struct ompi_info_t *info,
                    ompi_request_t **request) {
    return module->previous_allreduce_init(sbuf, rbuf, arguments->count, arguments->dtype,
                                           arguments->op, module->comm, info, request,
                                           module->previous_allreduce_init_module);
}

/* The previous component gets copies of the buffers: they are made again at each start. */
static int pass_on_staged(mca_coll_cerar_module_t *module, const coll_cerar_arguments_t *arguments,
                          struct ompi_info_t *info, ompi_request_t **request) {
    coll_cerar_request_t *made = create(module, arguments, NULL);
    cerar_status_t status = CERAR_ERR_NO_MEMORY;
    if (NULL != made) {
        status = coll_cerar_stage(&made->staged, arguments);
    }
    int rc = OMPI_SUCCESS;
    if (CERAR_OK == status) {
        rc = previous(module, coll_cerar_staged_address(&made->staged.send),
                      coll_cerar_staged_address(&made->staged.recv), arguments, info,
                      &made->passed_on);
    } else {
        rc = coll_cerar_failed(module, status);
    }
    if (OMPI_SUCCESS == rc) {
        *request = &made->super;
    } else if (NULL != made) {
        discard(made);
    }
    return rc;
}

static int pass_on(mca_coll_cerar_module_t *module, const coll_cerar_arguments_t *arguments,
                   struct ompi_info_t *info, ompi_request_t **request) {
    if (module->asked && coll_cerar_needs_staging(arguments)) {
        return pass_on_staged(module, arguments, info, request);
    }
    return previous(module, arguments->sbuf, arguments->rbuf, arguments, info, request);
}

int coll_cerar_allreduce_init(const void *sbuf, void *rbuf, coll_cerar_count_t count,
                              struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                              struct ompi_communicator_t *comm, struct ompi_info_t *info,
                              ompi_request_t **request, mca_coll_base_module_t *base) {
    mca_coll_cerar_module_t *module = (mca_coll_cerar_module_t *)base;
    const coll_cerar_arguments_t arguments = {sbuf, rbuf, count, dtype, op};
    coll_cerar_call_t call;
    coll_cerar_reason_t reason;
    coll_cerar_request_t *made = NULL;
    (void)comm;

    int rc = coll_cerar_choose(module, &arguments, &call, &reason);
    if (OMPI_SUCCESS == rc && COLL_CERAR_TAKEN == reason) {
        rc = make(module, &arguments, &call, &made);
        reason = NULL != made ? COLL_CERAR_TAKEN : module->aside_because;
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (NULL != made) {
        *request = &made->super;
    } else {
        coll_cerar_count_fallback(module, reason);
        rc = pass_on(module, &arguments, info, request);
    }
    return OMPI_SUCCESS == rc ? coll_cerar_watch_end(module->watch) : rc;
}
