/* MPI_Iallreduce.
 *
 * Setting CERAR up on a communicator takes all its ranks, and a call that is not to block must not
 * wait for them. So either the call waits as a request, until CERAR is set up meanwhile, or, where
 * that can't be (coll_cerar_setting_up.c), MPI_Iallreduce is CERAR's once an MPI_Allreduce has set
 * it up. As both are the same calls on all ranks, they decide alike. */
#include "coll_cerar_request.h"

/* Open MPI makes non-blocking all-reduces of its own, of whole numbers, when it makes
 * communicators: those that could not be CERAR's whatever the parameters are not counted. */
static void count_fallback(mca_coll_cerar_module_t *module, coll_cerar_reason_t reason) {
    if (COLL_CERAR_OPERATION != reason && COLL_CERAR_TYPE != reason) {
        coll_cerar_count_fallback(module, reason);
    }
}

static void begin(mca_coll_cerar_module_t *module, coll_cerar_request_t *request) {
    request->undecided = true;
    if (NULL == module->setting_up) {
        coll_cerar_setting_up_begin(module, &request->call);
    }
}

int coll_cerar_iallreduce(const void *sbuf, void *rbuf, coll_cerar_count_t count,
                          struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                          struct ompi_communicator_t *comm, ompi_request_t **request,
                          mca_coll_base_module_t *base) {
    mca_coll_cerar_module_t *module = (mca_coll_cerar_module_t *)base;
    const coll_cerar_arguments_t arguments = {sbuf, rbuf, count, dtype, op};
    coll_cerar_call_t call;
    if (OMPI_SUCCESS != module->set_up_rc) {
        return module->set_up_rc;
    }
    const coll_cerar_reason_t reason = coll_cerar_choose_now(module, &arguments, &call);
    const bool waits = COLL_CERAR_NOT_SET_UP == reason && module->sets_up_meanwhile;
    const bool ours = COLL_CERAR_TAKEN == reason || waits;
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
        return coll_cerar_failed(module, CERAR_ERR_NO_MEMORY);
    }
    if (ours && module->sets_up_meanwhile) {
        made->tag = coll_cerar_reserve_tags(comm, 1);
    }
    if (waits) {
        begin(module, made);
    }
    coll_cerar_request_start(made);
    *request = &made->super;
    return OMPI_SUCCESS;
}
