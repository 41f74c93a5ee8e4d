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
    bool runs;                       /* CERAR runs it */
    bool undecided;                  /* or perhaps does: that is being found out */
    int tag;                         /* taken for the previous component, if it gets it then */
    coll_cerar_call_t call;          /* the same in libcerar's terms, then */
    cerar_request_t *under_way;      /* in libcerar; NULL before it is posted */
    coll_cerar_team_t own;           /* runs it, if it is persistent; else the module's does */
    uint64_t number;                 /* of those that were posted on the module's team */
    bool failed;                     /* persistent: as all starts after this one do */
    ompi_request_t *passed_on;       /* of the previous component */
    coll_cerar_staged_pair_t staged; /* what that reads and writes */
} coll_cerar_request_t;

OBJ_CLASS_DECLARATION(coll_cerar_request_t);

/* call: NULL if it is the previous component's. NULL if there is no memory. It keeps the
 * communicator, and with it the module, which the user may free meanwhile: to its end, or until it
 * is freed. */
coll_cerar_request_t *coll_cerar_request_create(mca_coll_cerar_module_t *module,
                                                const coll_cerar_arguments_t *arguments,
                                                const coll_cerar_call_t *call, bool persistent);

/* Starts it; one that is not persistent once. What fails is told by the request's status. */
void coll_cerar_request_start(coll_cerar_request_t *request);

#endif
