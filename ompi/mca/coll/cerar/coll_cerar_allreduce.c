/* MPI_Allreduce. */
#include <sched.h>

#include "coll_cerar.h"
#include "opal/runtime/opal_progress.h"

static int pass_on(mca_coll_cerar_module_t *module, const void *sbuf, void *rbuf,
                   coll_cerar_count_t count, struct ompi_datatype_t *dtype, struct ompi_op_t *op) {
    ++module->fallbacks;
    return module->previous_allreduce(sbuf, rbuf, count, dtype, op, module->comm,
                                      module->previous_module);
}

/* Nothing is sent here, so ranks need not come by at the same call. */
static void check_peers(mca_coll_cerar_module_t *module) {
    const bool agreed = coll_cerar_peers_agree(module->comm);
    module->state = agreed ? COLL_CERAR_AGREED : COLL_CERAR_ASIDE;
}

static int failed(mca_coll_cerar_module_t *module, cerar_status_t status) {
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

static int run(mca_coll_cerar_module_t *module, const void *sbuf, void *rbuf, size_t count,
               cerar_type_t type) {
    const bool in_place = MPI_IN_PLACE == sbuf || sbuf == rbuf;
    cerar_request_t *request = NULL;
    cerar_status_t status =
        cerar_allreduce_post(module->team, in_place ? NULL : sbuf, rbuf, count, type, &request);
    if (CERAR_OK == status) {
        status = wait_for(request);
    }
    if (CERAR_OK != status) {
        const int rc = failed(module, status);
        cerar_request_free(request);
        return rc;
    }
    cerar_request_free(request);
    ++module->calls;
    coll_cerar_tell_code(module);
    return OMPI_SUCCESS;
}

int coll_cerar_allreduce(const void *sbuf, void *rbuf, coll_cerar_count_t count,
                         struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *base) {
    mca_coll_cerar_module_t *module = (mca_coll_cerar_module_t *)base;
    cerar_type_t type;
    size_t per_element, bytes;
    (void)comm;

    if (COLL_CERAR_ASIDE == module->state || module->preparing || MPI_SUM != op ||
        !coll_cerar_type(dtype, &type, &per_element)) {
        return pass_on(module, sbuf, rbuf, count, dtype, op);
    }
    if (COLL_CERAR_UNCHECKED == module->state) {
        check_peers(module);
    }
    /* A double is large enough for any number of bytes that fits in memory. */
    bytes = (size_t)count * dtype->super.size;
    if (COLL_CERAR_ASIDE != module->state &&
        (0 == count ||
         (double)bytes < mca_coll_cerar_component.params.value[COLL_CERAR_MIN_BYTES])) {
        return pass_on(module, sbuf, rbuf, count, dtype, op);
    }
    if (COLL_CERAR_AGREED == module->state) {
        const int rc = coll_cerar_prepare(module);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    if (COLL_CERAR_RUNNING != module->state) {
        return pass_on(module, sbuf, rbuf, count, dtype, op);
    }
    return run(module, sbuf, rbuf, (size_t)count * per_element, type);
}
