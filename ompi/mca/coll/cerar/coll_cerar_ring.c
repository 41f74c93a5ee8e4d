/* The ring of a communicator: where its ranks are, and in which order it passes them. */
#include <stdio.h>
#include <stdlib.h>

#include "coll_cerar.h"

struct coll_cerar_ring {
    int size;
    int position;                /* of this rank */
    bool located;                /* what follows is known */
    cerar_links_t links;         /* the slowest that it crosses; slow until it is known */
    cerar_location_t *locations; /* of all ranks; room for them until they are known */
    int ranks[];                 /* of the communicator, in the order of the ring */
};

static int value_of(coll_cerar_param_t param) {
    return (int)mca_coll_cerar_component.params.value[param];
}

static bool by_topology(void) { return COLL_CERAR_RING_TOPOLOGY == value_of(COLL_CERAR_RING); }

/* All parameters are the same on all ranks here, so they all exchange or none does. */
static bool wants_locations(void) {
    return by_topology() || COLL_CERAR_TOPOLOGY_ALWAYS != value_of(COLL_CERAR_TOPOLOGY);
}

coll_cerar_ring_t *coll_cerar_ring_create(struct ompi_communicator_t *comm) {
    const int size = ompi_comm_size(comm);
    coll_cerar_ring_t *ring = calloc(1, sizeof *ring + (size_t)size * sizeof(int));
    if (NULL == ring) {
        return NULL;
    }
    ring->size = size;
    ring->position = ompi_comm_rank(comm);
    ring->links = CERAR_LINKS_SLOW;
    for (int rank = 0; rank < size; ++rank) {
        ring->ranks[rank] = rank;
    }
    if (wants_locations()) {
        ring->locations = malloc((size_t)size * sizeof *ring->locations);
        if (NULL == ring->locations) {
            free(ring);
            return NULL;
        }
    }
    return ring;
}

void coll_cerar_ring_destroy(coll_cerar_ring_t *ring) {
    if (NULL != ring) {
        free(ring->locations);
        free(ring);
    }
}

static int exchange_locations(coll_cerar_ring_t *ring, mca_coll_cerar_module_t *module,
                              const coll_cerar_call_t *call) {
    cerar_locate(call->recv, &ring->locations[ompi_comm_rank(module->comm)]);
    return coll_cerar_gather(module, ring->locations, sizeof *ring->locations);
}

static bool put_in_order(coll_cerar_ring_t *ring, int rank) {
    if (by_topology() && CERAR_OK != cerar_ring_order(ring->locations, ring->size, ring->ranks)) {
        return false;
    }
    for (int position = 0; position < ring->size; ++position) {
        if (rank == ring->ranks[position]) {
            ring->position = position;
        }
    }
    ring->links = cerar_ring_links(ring->locations, ring->size, ring->ranks);
    ring->located = true;
    return true;
}

int coll_cerar_ring_arrange(coll_cerar_ring_t *ring, mca_coll_cerar_module_t *module,
                            const coll_cerar_call_t *call, bool *arranged) {
    *arranged = true;
    if (NULL == ring->locations) {
        return OMPI_SUCCESS;
    }
    const int rc = exchange_locations(ring, module, call);
    if (OMPI_SUCCESS == rc) {
        *arranged = put_in_order(ring, ompi_comm_rank(module->comm));
    }
    free(ring->locations);
    ring->locations = NULL;
    return rc;
}

bool coll_cerar_ring_is_for_cerar(const coll_cerar_ring_t *ring) {
    switch (value_of(COLL_CERAR_TOPOLOGY)) {
        case COLL_CERAR_TOPOLOGY_AUTO:
            return CERAR_LINKS_MEMORY != ring->links && CERAR_LINKS_NVLINK != ring->links;
        case COLL_CERAR_TOPOLOGY_SLOW_LINKS:
            return CERAR_LINKS_SLOW == ring->links;
        default:
            return true;
    }
}

const char *coll_cerar_ring_links_name(const coll_cerar_ring_t *ring) {
    static const char *const names[] = {
        [CERAR_LINKS_MEMORY] = "a node's memory",
        [CERAR_LINKS_NVLINK] = "NVLink",
        [CERAR_LINKS_UNKNOWN] = "unknown, in a node",
        [CERAR_LINKS_SLOW] = "slow",
    };
    return ring->located ? names[ring->links] : "not looked at";
}

coll_cerar_pml_ring_t coll_cerar_ring_order(const coll_cerar_ring_t *ring) {
    const coll_cerar_pml_ring_t order = {ring->ranks, ring->size, ring->position};
    return order;
}

void coll_cerar_ring_print(const coll_cerar_ring_t *ring, char *buffer, size_t size) {
    size_t length = 0;
    buffer[0] = '\0';
    for (int position = 0; position < ring->size; ++position) {
        const int written = snprintf(buffer + length, size - length, " %d", ring->ranks[position]);
        if ((size_t)written + sizeof " …" > size - length) {
            snprintf(buffer + length, size - length, " …");
            return;
        }
        length += (size_t)written;
    }
}
