/* Calls that go to the previous component, untouched. But where Open MPI has no CUDA support, it
 * would read device memory with host code: such buffers are copied through the host. And where
 * nobody has asked for CERAR, nothing is done at all. */
#include <stdlib.h>

#include "coll_cerar.h"

/* What the previous component gets in place of one of the user's buffers. */
typedef struct staged {
    char *original;
    char *copy; /* NULL: it gets the original */
    size_t bytes;
    ptrdiff_t gap; /* from the buffer's address to its first byte */
} staged_t;

/* Managed memory too: host code may read it, but not before the device has written it. */
static bool must_be_staged(const void *buffer) {
    cerar_memory_kind_t kind;
    return MPI_IN_PLACE != buffer && !COLL_CERAR_MPI_TAKES_DEVICE_MEMORY &&
           CERAR_OK == cerar_memory_kind(buffer, &kind) && CERAR_MEMORY_HOST != kind;
}

/* The copy has what the original has, also between the elements and of a receive buffer. */
static cerar_status_t stage(staged_t *buffer, const void *original, size_t count,
                            struct ompi_datatype_t *dtype) {
    *buffer = (staged_t){.original = (char *)original};
    if (0 == count || !must_be_staged(original)) {
        return CERAR_OK;
    }
    buffer->bytes = (size_t)opal_datatype_span(&dtype->super, count, &buffer->gap);
    buffer->copy = malloc(buffer->bytes + 1);
    if (NULL == buffer->copy) {
        return CERAR_ERR_NO_MEMORY;
    }
    return cerar_memory_copy(buffer->copy, buffer->original + buffer->gap, buffer->bytes);
}

static void *address(const staged_t *buffer) {
    return NULL == buffer->copy ? buffer->original : buffer->copy - buffer->gap;
}

static cerar_status_t write_back(const staged_t *buffer) {
    if (NULL == buffer->copy) {
        return CERAR_OK;
    }
    return cerar_memory_copy(buffer->original + buffer->gap, buffer->copy, buffer->bytes);
}

int coll_cerar_pass_on(mca_coll_cerar_module_t *module, const void *sbuf, void *rbuf,
                       coll_cerar_count_t count, struct ompi_datatype_t *dtype,
                       struct ompi_op_t *op) {
    if (!module->asked) {
        return module->previous_allreduce(sbuf, rbuf, count, dtype, op, module->comm,
                                          module->previous_module);
    }
    staged_t send = {0}, recv = {0};
    int rc = OMPI_SUCCESS;
    cerar_status_t status = stage(&send, sbuf, (size_t)count, dtype);
    if (CERAR_OK == status) {
        status = stage(&recv, rbuf, (size_t)count, dtype);
    }
    if (CERAR_OK == status) {
        rc = module->previous_allreduce(address(&send), address(&recv), count, dtype, op,
                                        module->comm, module->previous_module);
    }
    if (CERAR_OK == status && OMPI_SUCCESS == rc) {
        status = write_back(&recv);
    }
    free(send.copy);
    free(recv.copy);
    return CERAR_OK == status ? rc : coll_cerar_failed(module, status);
}
