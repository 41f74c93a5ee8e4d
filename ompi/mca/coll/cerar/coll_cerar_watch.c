/* Whether all ranks have got the hints that this one has got.
 *
 * MPI_Comm_set_info is called on all ranks, but a rank that was given other hints than ours does
 * not hear of it, and goes on as before. So each rank tells its right neighbour in each call
 * whether it has new hints. Who has none needs not wait for the answer. Who has waits for its left
 * neighbour's, and then passes on along the ring whether all ranks so far have them: after N − 1
 * ranks it knows. A rank without new hints passes nothing on, and its right neighbour knows that it
 * does not: so all that have new hints find the same, and nobody waits for a message that does not
 * come. */
#include <stdlib.h>

#include "coll_cerar.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/request/request.h"

enum { TAG_CHANGED, TAG_PASSED_ON };

struct coll_cerar_watch {
    struct ompi_communicator_t *comm;
    int first_tag;
    int left, right;
    bool under_way;
    int mine, from_left; /* whether there are new hints */
    ompi_request_t *sending, *receiving;
};

coll_cerar_watch_t *coll_cerar_watch_create(struct ompi_communicator_t *comm) {
    coll_cerar_watch_t *watch = calloc(1, sizeof *watch);
    if (NULL != watch) {
        const int rank = ompi_comm_rank(comm), size = ompi_comm_size(comm);
        watch->comm = comm;
        watch->left = (rank + size - 1) % size;
        watch->right = (rank + 1) % size;
    }
    return watch;
}

void coll_cerar_watch_use_tags(coll_cerar_watch_t *watch, int first_tag) {
    watch->first_tag = first_tag;
}

/* A call that failed leaves its messages to the PML, and their memory with them. */
void coll_cerar_watch_destroy(coll_cerar_watch_t *watch) {
    if (NULL != watch && !watch->under_way) {
        free(watch);
    }
}

static int start(coll_cerar_watch_t *watch, int tag, const int *send, int *recv) {
    watch->sending = watch->receiving = MPI_REQUEST_NULL;
    int rc = OMPI_SUCCESS;
    if (NULL != recv) {
        rc = MCA_PML_CALL(irecv(recv, 1, MPI_INT, watch->left, watch->first_tag - tag, watch->comm,
                                &watch->receiving));
    }
    if (OMPI_SUCCESS == rc && NULL != send) {
        rc = MCA_PML_CALL(isend(send, 1, MPI_INT, watch->right, watch->first_tag - tag,
                                MCA_PML_BASE_SEND_STANDARD, watch->comm, &watch->sending));
    }
    return rc;
}

static int finish(coll_cerar_watch_t *watch) {
    ompi_request_t *requests[2] = {watch->sending, watch->receiving};
    return ompi_request_wait_all(2, requests, MPI_STATUSES_IGNORE);
}

int coll_cerar_watch_begin(coll_cerar_watch_t *watch, bool changed) {
    watch->mine = changed;
    watch->from_left = 0;
    const int rc = start(watch, TAG_CHANGED, &watch->mine, &watch->from_left);
    watch->under_way = true;
    return rc;
}

static int wait_for_left(coll_cerar_watch_t *watch) {
    const int rc = finish(watch);
    watch->under_way = OMPI_SUCCESS != rc;
    return rc;
}

/* After step s this rank knows whether the s ranks to its left all have new hints. */
int coll_cerar_watch_all_changed(coll_cerar_watch_t *watch, bool *all) {
    int rc = wait_for_left(watch);
    int known = watch->from_left;
    for (int step = 1; OMPI_SUCCESS == rc && step < ompi_comm_size(watch->comm) - 1; ++step) {
        const int passed_on = known;
        known = 0;
        rc = start(watch, TAG_PASSED_ON, &passed_on, watch->from_left ? &known : NULL);
        if (OMPI_SUCCESS == rc) {
            rc = finish(watch);
        }
    }
    *all = 0 != known;
    return rc;
}

/* What a left neighbour with new hints has passed on is of no use here, but must be received. */
int coll_cerar_watch_end(coll_cerar_watch_t *watch) {
    if (!watch->under_way) {
        return OMPI_SUCCESS;
    }
    int rc = wait_for_left(watch);
    for (int step = 1;
         OMPI_SUCCESS == rc && 0 != watch->from_left && step < ompi_comm_size(watch->comm) - 1;
         ++step) {
        int unused;
        rc = start(watch, TAG_PASSED_ON, NULL, &unused);
        if (OMPI_SUCCESS == rc) {
            rc = finish(watch);
        }
    }
    return rc;
}

int coll_cerar_watch_left(const coll_cerar_watch_t *watch) { return watch->left; }
bool coll_cerar_watch_left_changed(const coll_cerar_watch_t *watch) {
    return 0 != watch->from_left;
}
