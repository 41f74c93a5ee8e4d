/* Requests of non-blocking and persistent all-reduces. */
#ifndef MCA_COLL_CERAR_REQUEST_H
#define MCA_COLL_CERAR_REQUEST_H

#include "coll_cerar.h"
#include "ompi/request/request.h"

typedef struct coll_cerar_request {
    ompi_request_t super;
    /* Open MPI keeps the user's datatypes and operations here, in what it takes for an
     * ompi_coll_base_nbc_request_t (whose header includes one that installations may lack). */
    char kept[128];
    mca_coll_cerar_module_t *module;
    coll_cerar_arguments_t arguments;
    coll_cerar_call_t call;          /* the same in libcerar's terms, if ours */
    bool ours;                       /* CERAR runs it where it has a team */
    bool runs;                       /* this time */
    cerar_request_t *under_way;      /* in libcerar; NULL before it is posted */
    uint64_t number;                 /* of those that were posted */
    ompi_request_t *passed_on;       /* of the previous component */
    coll_cerar_staged_pair_t staged; /* what that reads and writes */
} coll_cerar_request_t;

OBJ_CLASS_DECLARATION(coll_cerar_request_t);

/* call: NULL if it is not CERAR's. NULL if there is no memory. */
coll_cerar_request_t *coll_cerar_request_create(mca_coll_cerar_module_t *module,
                                                const coll_cerar_arguments_t *arguments,
                                                const coll_cerar_call_t *call, bool persistent);

/* Of a persistent one that is not CERAR's: makes the previous component's, which each start then
 * starts. */
int coll_cerar_request_pass_on(coll_cerar_request_t *request, struct ompi_info_t *info);

/* Starts it: in CERAR if it is its own and there is a team, else in the previous component. What
 * fails is told by the request's status. */
void coll_cerar_request_start(coll_cerar_request_t *request);

#endif
