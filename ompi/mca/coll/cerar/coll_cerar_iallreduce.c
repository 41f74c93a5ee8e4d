/* MPI_Iallreduce, and persistent all-reduces.
 *
 * Setting CERAR up on a communicator takes all its ranks, and a call that is not to block must not
 * wait for them. So MPI_Iallreduce is CERAR's once a blocking call has set it up: an MPI_Allreduce,
 * or the making of a persistent request. As that is the same call on all ranks, they decide
 * alike. */
#include "coll_cerar_request.h"

static int out_of_memory(mca_coll_cerar_module_t *module) {
    return coll_cerar_failed(module, CERAR_ERR_NO_MEMORY);
}

/* Open MPI makes non-blocking all-reduces of its own, of whole numbers, when it makes
 * communicators: those that could not be CERAR's whatever the parameters are not counted. */
static void count_fallback(mca_coll_cerar_module_t *module, coll_cerar_reason_t reason) {
    if (COLL_CERAR_OPERATION != reason && COLL_CERAR_TYPE != reason) {
        coll_cerar_count_fallback(module, reason);
    }
}

int coll_cerar_iallreduce(const void *sbuf, void *rbuf, coll_cerar_count_t count,
                          struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                          struct ompi_communicator_t *comm, ompi_request_t **request,
                          mca_coll_base_module_t *base) {
    mca_coll_cerar_module_t *module = (mca_coll_cerar_module_t *)base;
    const coll_cerar_arguments_t arguments = {sbuf, rbuf, count, dtype, op};
    coll_cerar_call_t call;
    const coll_cerar_reason_t reason = coll_cerar_choose_now(module, &arguments, &call);
    const bool ours = COLL_CERAR_TAKEN == reason;
    if (!ours) {
        count_fallback(module, reason);
        if (!module->asked || !coll_cerar_needs_staging(&arguments)) {
            return module->previous_iallreduce(sbuf, rbuf, count, dtype, op, comm, request,
                                               module->previous_iallreduce_module);
        }
    }
    coll_cerar_request_t *made =
        coll_cerar_request_create(module, &arguments, ours ? &call : NULL, false);
    if (NULL == made) {
        return out_of_memory(module);
    }
    coll_cerar_request_start(made);
    *request = &made->super;
    return OMPI_SUCCESS;
}

int coll_cerar_allreduce_init(const void *sbuf, void *rbuf, coll_cerar_count_t count,
                              struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                              struct ompi_communicator_t *comm, struct ompi_info_t *info,
                              ompi_request_t **request, mca_coll_base_module_t *base) {
    mca_coll_cerar_module_t *module = (mca_coll_cerar_module_t *)base;
    const coll_cerar_arguments_t arguments = {sbuf, rbuf, count, dtype, op};
    coll_cerar_call_t call;
    coll_cerar_reason_t reason;
    int rc = coll_cerar_choose(module, &arguments, &call, &reason);
    if (OMPI_SUCCESS == rc) {
        rc = coll_cerar_watch_end(module->watch);
    }
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    const bool ours = COLL_CERAR_TAKEN == reason;
    if (!ours && (!module->asked || !coll_cerar_needs_staging(&arguments))) {
        return module->previous_init(sbuf, rbuf, count, dtype, op, comm, info, request,
                                     module->previous_init_module);
    }
    coll_cerar_request_t *made =
        coll_cerar_request_create(module, &arguments, ours ? &call : NULL, true);
    if (NULL == made) {
        return out_of_memory(module);
    }
    if (!ours) {
        rc = coll_cerar_request_pass_on(made, info);
        if (OMPI_SUCCESS != rc) {
            OBJ_RELEASE(made);
            return rc;
        }
    }
    *request = &made->super;
    return OMPI_SUCCESS;
}
