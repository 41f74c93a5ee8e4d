/* libcerar's transport over Open MPI's point-to-point layer (the PML): messages to the right
 * neighbour and from the left one on a communicator. Usable from C++ (it includes mpi.h only). */
#ifndef MCA_COLL_CERAR_PML_H
#define MCA_COLL_CERAR_PML_H

#include <mpi.h>
#include <stdbool.h>

#include "cerar.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls that may be under way at the same time: (call modulo this, stream) is what a tag carries.
 */
#define COLL_CERAR_PML_CALLS 16
/* Tags that one team needs: first_tag, first_tag − 1, … */
#define COLL_CERAR_PML_TAGS (COLL_CERAR_PML_CALLS * CERAR_MAX_STREAMS)

typedef struct coll_cerar_pml coll_cerar_pml_t;

/* The communicator's ranks in the order in which a ring passes them, and this rank's position. */
typedef struct coll_cerar_pml_ring {
    const int *ranks;
    int size, position;
} coll_cerar_pml_ring_t;

/* The communicator and the ring's ranks must outlive the result. NULL if there is no memory. */
coll_cerar_pml_t *coll_cerar_pml_create(MPI_Comm comm, coll_cerar_pml_ring_t ring);
/* Before the first message. first_tag is negative: a tag that no user's message can have. */
void coll_cerar_pml_use_tags(coll_cerar_pml_t *pml, int first_tag);
/* NULL is allowed. */
void coll_cerar_pml_destroy(coll_cerar_pml_t *pml);

/* The functions libcerar calls. There is no progress: whoever waits calls opal_progress. */
cerar_transport_ops_t coll_cerar_pml_ops(coll_cerar_pml_t *pml);

/* The exchange that cerar_team_create wants, over the same communicator. */
cerar_oob_t coll_cerar_pml_oob(coll_cerar_pml_t *pml);

/* exchange.c: sends to one rank and receives from another; in a coroutine it stops meanwhile.
 * Returns one of Open MPI's codes. */
int coll_cerar_exchange(MPI_Comm comm, int to, const void *send, size_t send_bytes, int from,
                        void *recv, size_t recv_bytes);

/* Cancels a request of the PML and frees it. Waits a second at most for it to end; whether it did:
 * else the PML still has its memory. */
struct ompi_request_t;
bool coll_cerar_pml_give_up(struct ompi_request_t *request);

/* Whether cancel gave up on a send that the PML still has: the memory that was sent from then has
 * to stay as it is, for good. */
bool coll_cerar_pml_has_abandoned(const coll_cerar_pml_t *pml);

#ifdef __cplusplus
}
#endif

#endif
