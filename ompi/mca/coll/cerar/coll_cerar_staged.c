/* Buffers for the previous component. Where Open MPI has no CUDA support it would read device
 * memory with host code: it gets copies in the host's memory instead. */
#include <stdlib.h>

#include "coll_cerar.h"

/* Managed memory too: host code may read it, but not before the device has written it. */
static bool must_be_staged(const void *buffer) {
    cerar_memory_kind_t kind;
    return MPI_IN_PLACE != buffer && !COLL_CERAR_MPI_TAKES_DEVICE_MEMORY &&
           CERAR_OK == cerar_memory_kind(buffer, &kind) && CERAR_MEMORY_HOST != kind;
}

static cerar_status_t make_copy(coll_cerar_staged_t *buffer, const void *original, size_t count,
                                struct ompi_datatype_t *dtype) {
    *buffer = (coll_cerar_staged_t){.original = (char *)original};
    if (0 == count || !must_be_staged(original)) {
        return CERAR_OK;
    }
    buffer->bytes = (size_t)opal_datatype_span(&dtype->super, count, &buffer->gap);
    buffer->copy = malloc(buffer->bytes + 1);
    return NULL == buffer->copy ? CERAR_ERR_NO_MEMORY : CERAR_OK;
}

/* What is between the elements too, and in a receive buffer. */
static cerar_status_t copy_in(const coll_cerar_staged_t *buffer) {
    return NULL == buffer->copy
               ? CERAR_OK
               : cerar_memory_copy(buffer->copy, buffer->original + buffer->gap, buffer->bytes);
}

bool coll_cerar_needs_staging(const coll_cerar_arguments_t *arguments) {
    return must_be_staged(arguments->sbuf) || must_be_staged(arguments->rbuf);
}

cerar_status_t coll_cerar_stage(coll_cerar_staged_pair_t *pair,
                                const coll_cerar_arguments_t *arguments) {
    const size_t count = (size_t)arguments->count;
    pair->recv.copy = NULL;
    const cerar_status_t status = make_copy(&pair->send, arguments->sbuf, count, arguments->dtype);
    return CERAR_OK == status ? make_copy(&pair->recv, arguments->rbuf, count, arguments->dtype)
                              : status;
}

void *coll_cerar_staged_address(const coll_cerar_staged_t *buffer) {
    return NULL == buffer->copy ? buffer->original : buffer->copy - buffer->gap;
}

cerar_status_t coll_cerar_staged_copy_in(const coll_cerar_staged_pair_t *pair) {
    const cerar_status_t status = copy_in(&pair->send);
    return CERAR_OK == status ? copy_in(&pair->recv) : status;
}

cerar_status_t coll_cerar_staged_copy_out(const coll_cerar_staged_pair_t *pair) {
    const coll_cerar_staged_t *buffer = &pair->recv;
    return NULL == buffer->copy
               ? CERAR_OK
               : cerar_memory_copy(buffer->original + buffer->gap, buffer->copy, buffer->bytes);
}

void coll_cerar_unstage(coll_cerar_staged_pair_t *pair) {
    free(pair->send.copy);
    free(pair->recv.copy);
    pair->send.copy = pair->recv.copy = NULL;
}
