/* What the ranks of a communicator tell each other while CERAR is set up there: by messages of its
 * own, since at that time they may be at different calls, of the same and of other collectives. */
#include "coll_cerar.h"
#include "coll_cerar_coroutine.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/request/request.h"

/* One will do: all ranks exchange in the same order. Neither the user's, which are not negative,
 * nor one of those that Open MPI 4.1 to main uses. */
enum { TAG = -6 };

static bool are_complete(void *arg) {
    ompi_request_t **requests = arg;
    return REQUEST_COMPLETE(requests[0]) && REQUEST_COMPLETE(requests[1]);
}

int coll_cerar_exchange(MPI_Comm comm, int to, const void *send, size_t send_bytes, int from,
                        void *recv, size_t recv_bytes) {
    ompi_request_t *requests[2];
    int rc = MCA_PML_CALL(irecv(recv, recv_bytes, MPI_BYTE, from, TAG, comm, &requests[0]));
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = MCA_PML_CALL(
        isend(send, send_bytes, MPI_BYTE, to, TAG, MCA_PML_BASE_SEND_STANDARD, comm, &requests[1]));
    if (OMPI_SUCCESS != rc) {
        (void)coll_cerar_pml_give_up(requests[0]); /* recv may be on the stack */
        return rc;
    }
    (void)coll_cerar_coroutine_wait(are_complete, requests);
    return ompi_request_wait_all(2, requests, MPI_STATUSES_IGNORE);
}

/* Before the step of a distance, numbers are the least of that many ranks up to this one. */
int coll_cerar_minimum(mca_coll_cerar_module_t *module, double *numbers, int count) {
    const int rank = ompi_comm_rank(module->comm), size = ompi_comm_size(module->comm);
    double theirs[COLL_CERAR_MOST_NUMBERS];
    for (int distance = 1; distance < size; distance *= 2) {
        const size_t bytes = (size_t)count * sizeof *numbers;
        const int rc = coll_cerar_exchange(module->comm, (rank + distance) % size, numbers, bytes,
                                           (rank + size - distance) % size, theirs, bytes);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
        for (int i = 0; i < count; ++i) {
            numbers[i] = theirs[i] < numbers[i] ? theirs[i] : numbers[i];
        }
    }
    return OMPI_SUCCESS;
}

/* Around the ring of ranks: in each step, on goes what came in the one before. */
int coll_cerar_gather(mca_coll_cerar_module_t *module, void *blocks, size_t bytes) {
    const int rank = ompi_comm_rank(module->comm), size = ompi_comm_size(module->comm);
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int step = 1, have = rank; step < size; ++step) {
        const int next = (have + size - 1) % size;
        const int rc =
            coll_cerar_exchange(module->comm, right, (char *)blocks + (size_t)have * bytes, bytes,
                                left, (char *)blocks + (size_t)next * bytes, bytes);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
        have = next;
    }
    return OMPI_SUCCESS;
}
