#include "coll_cerar_pml.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "coll_cerar_compat.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/request/request.h"
#include "opal/runtime/opal_progress.h"
#include "opal/sys/atomic.h"

struct coll_cerar_pml {
    struct ompi_communicator_t *comm;
    coll_cerar_pml_ring_t ring;
    int first_tag;
    int left, right; /* ranks of the neighbours */
    bool abandoned;
};

/* A send that can't be cancelled gets this long to end by itself. */
static const double cancel_seconds = 1;

static int tag_of(const coll_cerar_pml_t *pml, uint32_t call, uint32_t stream) {
    return pml->first_tag - (int)(call % COLL_CERAR_PML_CALLS * CERAR_MAX_STREAMS + stream);
}

static cerar_status_t started(int rc, ompi_request_t *request, void **op) {
    *op = OMPI_SUCCESS == rc ? request : NULL;
    return OMPI_SUCCESS == rc ? CERAR_OK : CERAR_ERR_TRANSPORT;
}

static cerar_status_t pml_send(void *arg, uint32_t call, uint32_t stream, const void *buffer,
                               size_t bytes, void **op) {
    coll_cerar_pml_t *pml = arg;
    ompi_request_t *request = NULL;
    const int rc =
        MCA_PML_CALL(isend(buffer, bytes, MPI_BYTE, pml->right, tag_of(pml, call, stream),
                           MCA_PML_BASE_SEND_STANDARD, pml->comm, &request));
    return started(rc, request, op);
}

static cerar_status_t pml_recv(void *arg, uint32_t call, uint32_t stream, void *buffer,
                               size_t bytes, void **op) {
    coll_cerar_pml_t *pml = arg;
    ompi_request_t *request = NULL;
    const int rc = MCA_PML_CALL(
        irecv(buffer, bytes, MPI_BYTE, pml->left, tag_of(pml, call, stream), pml->comm, &request));
    return started(rc, request, op);
}

/* Takes a complete request apart. */
static cerar_status_t finish(void **op) {
    ompi_request_t *request = *op;
    opal_atomic_rmb(); /* another thread's progress may have completed it */
    const int error = request->req_status.MPI_ERROR;
    ompi_request_free(&request);
    *op = NULL;
    return MPI_SUCCESS == error ? CERAR_OK : CERAR_ERR_TRANSPORT;
}

static cerar_status_t pml_test(void *arg, void **op) {
    (void)arg;
    if (NULL == *op) {
        return CERAR_OK;
    }
    return REQUEST_COMPLETE((ompi_request_t *)*op) ? finish(op) : CERAR_IN_PROGRESS;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A receive that has no message yet is cancelled. One that has, and a send, ends by itself if the
 * neighbour goes on; PMLs don't cancel those. If the neighbour doesn't, the request is left to the
 * PML, and the memory with it. */
bool coll_cerar_pml_give_up(ompi_request_t *request) {
    if (!REQUEST_COMPLETE(request)) {
        ompi_request_cancel(request);
    }
    for (const double end = now() + cancel_seconds; !REQUEST_COMPLETE(request) && now() < end;) {
        opal_progress();
    }
    const bool ended = REQUEST_COMPLETE(request);
    ompi_request_free(&request); /* frees it at its end if that is still to come */
    return ended;
}

static void pml_cancel(void *arg, void **op) {
    coll_cerar_pml_t *pml = arg;
    if (NULL != *op && !coll_cerar_pml_give_up(*op)) {
        pml->abandoned = true;
    }
    *op = NULL;
}

static int pml_exchange(void *arg, int to, const void *send, size_t send_bytes, int from,
                        void *recv, size_t recv_bytes) {
    coll_cerar_pml_t *pml = arg;
    const int *ranks = pml->ring.ranks; /* to and from are positions */
    return coll_cerar_exchange(pml->comm, ranks[to], send, send_bytes, ranks[from], recv,
                               recv_bytes);
}

coll_cerar_pml_t *coll_cerar_pml_create(MPI_Comm comm, coll_cerar_pml_ring_t ring) {
    coll_cerar_pml_t *pml = malloc(sizeof *pml);
    if (NULL != pml) {
        *pml = (coll_cerar_pml_t){
            .comm = comm,
            .ring = ring,
            .first_tag = 0,
            .left = ring.ranks[(ring.position + ring.size - 1) % ring.size],
            .right = ring.ranks[(ring.position + 1) % ring.size],
            .abandoned = false,
        };
    }
    return pml;
}

void coll_cerar_pml_use_tags(coll_cerar_pml_t *pml, int first_tag) { pml->first_tag = first_tag; }

void coll_cerar_pml_destroy(coll_cerar_pml_t *pml) { free(pml); }

cerar_transport_ops_t coll_cerar_pml_ops(coll_cerar_pml_t *pml) {
    const cerar_transport_ops_t ops = {pml, pml_send, pml_recv, pml_test, pml_cancel, NULL};
    return ops;
}

cerar_oob_t coll_cerar_pml_oob(coll_cerar_pml_t *pml) {
    const cerar_oob_t oob = {pml, pml_exchange};
    return oob;
}

bool coll_cerar_pml_has_abandoned(const coll_cerar_pml_t *pml) { return pml->abandoned; }
