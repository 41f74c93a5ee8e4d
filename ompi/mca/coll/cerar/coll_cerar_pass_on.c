/* Calls that go to the previous component, untouched; where it could not take their buffers, with
 * copies of them. And where nobody has asked for CERAR, nothing is done at all. */
#include "coll_cerar.h"

static int previous(mca_coll_cerar_module_t *module, const void *sbuf, void *rbuf,
                    const coll_cerar_arguments_t *arguments) {
    return module->previous_allreduce(sbuf, rbuf, arguments->count, arguments->dtype, arguments->op,
                                      module->comm, module->previous_allreduce_module);
}

int coll_cerar_pass_on(mca_coll_cerar_module_t *module, const coll_cerar_arguments_t *arguments) {
    if (!module->asked) {
        return previous(module, arguments->sbuf, arguments->rbuf, arguments);
    }
    coll_cerar_staged_pair_t staged;
    cerar_status_t status = coll_cerar_stage(&staged, arguments);
    int rc = OMPI_SUCCESS;
    if (CERAR_OK == status) {
        status = coll_cerar_staged_copy_in(&staged);
    }
    if (CERAR_OK == status) {
        rc = previous(module, coll_cerar_staged_address(&staged.send),
                      coll_cerar_staged_address(&staged.recv), arguments);
    }
    if (CERAR_OK == status && OMPI_SUCCESS == rc) {
        status = coll_cerar_staged_copy_out(&staged);
    }
    coll_cerar_unstage(&staged);
    return CERAR_OK == status ? rc : coll_cerar_failed(module, status);
}
