/* CERAR, the coded approximate ring all-reduce, as a component of Open MPI's coll framework.
 *
 * The way of a call: coll_cerar_allreduce (is it ours?) → on a communicator's first float sum, do
 * all ranks have the same parameters (coll_cerar_peers_agree, nothing is sent) → on its first call
 * above the thresholds, a team that all ranks could make (coll_cerar_prepare, through the previous
 * component's all-reduce) → libcerar. Whatever is not ours goes to the previous component
 * untouched, and for good if something failed: the communicator is then ASIDE.
 */
#ifndef MCA_COLL_CERAR_H
#define MCA_COLL_CERAR_H

#include "coll_cerar_compat.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coll_cerar_params.h"
#include "coll_cerar_pml.h"
#include "core/cerar.h"
#include "ompi/datatype/ompi_datatype.h"
#include "opal/util/output.h"

BEGIN_C_DECLS

typedef struct mca_coll_cerar_component {
    mca_coll_base_component_t super;
    coll_cerar_values_t params;
    bool on;              /* the user asked for CERAR */
    bool thread_multiple; /* several threads may be in MPI at a time */
    int output;           /* stream of coll_cerar_verbose */
    pthread_mutex_t lock; /* of what follows */
    cerar_context_t *context;
} mca_coll_cerar_component_t;

OMPI_MODULE_DECLSPEC extern mca_coll_cerar_component_t mca_coll_cerar_component;

typedef enum {
    COLL_CERAR_UNCHECKED, /* nothing is known of the other ranks */
    COLL_CERAR_AGREED,    /* all ranks have the same parameters; there is no team yet */
    COLL_CERAR_RUNNING,   /* there is a team */
    COLL_CERAR_ASIDE      /* every call goes to the previous component */
} coll_cerar_state_t;

/* CERAR on one communicator. MPI lets one thread at a time call a collective on it, so no lock. */
typedef struct mca_coll_cerar_module {
    mca_coll_base_module_t super;
    struct ompi_communicator_t *comm; /* which owns the module */
    mca_coll_base_module_allreduce_fn_t previous_allreduce;
    mca_coll_base_module_t *previous_module; /* retained */
    coll_cerar_state_t state;
    bool preparing; /* what the previous component may start while agreeing is passed on */
    coll_cerar_pml_t *pml;
    cerar_team_t *team;
    double error_told;  /* of the code that the user was told of last */
    uint64_t calls;     /* that CERAR ran */
    uint64_t fallbacks; /* that were passed on */
} mca_coll_cerar_module_t;

OBJ_CLASS_DECLARATION(mca_coll_cerar_module_t);

/* An all-reduce in libcerar's terms: send is NULL in place, count is of the real type. */
typedef struct coll_cerar_call {
    const void *send;
    void *recv;
    size_t count;
    cerar_type_t type;
} coll_cerar_call_t;

/* module.c */
int coll_cerar_init_query(bool enable_progress_threads, bool enable_mpi_threads);
mca_coll_base_module_t *coll_cerar_comm_query(struct ompi_communicator_t *comm, int *priority);

/* allreduce.c */
int coll_cerar_allreduce(const void *sbuf, void *rbuf, coll_cerar_count_t count,
                         struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                         struct ompi_communicator_t *comm, mca_coll_base_module_t *module);

/* After a call that can't be made any more: says so, steps aside, and is what MPI_Allreduce
 * returns.
 */
int coll_cerar_failed(mca_coll_cerar_module_t *module, cerar_status_t status);

/* pass_on.c */
int coll_cerar_pass_on(mca_coll_cerar_module_t *module, const void *sbuf, void *rbuf,
                       coll_cerar_count_t count, struct ompi_datatype_t *dtype,
                       struct ompi_op_t *op);

/* types.c: the real type that dtype is made of, and how many of it make one element; false if it is
 * none of CERAR's. */
bool coll_cerar_type(const struct ompi_datatype_t *dtype, cerar_type_t *type, size_t *per_element);

/* peers.c: publishes this process's parameters, before the exchange in MPI_Init. */
int coll_cerar_peers_publish(void);
/* Whether all ranks of the communicator run CERAR with the same parameters, all in range; says so
 * if not. The answer is the same on all ranks that run it. */
bool coll_cerar_peers_agree(struct ompi_communicator_t *comm);
void coll_cerar_peers_forget(void);

/* agree.c: makes the communicator's team, which can run this call; collective. The module is
 * RUNNING or ASIDE afterwards, the same on all ranks. Returns an error only if the previous
 * component's all-reduce did. */
int coll_cerar_prepare(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call);

/* context.c: libcerar's context, made at the first use; NULL if it can't be made. */
cerar_context_t *coll_cerar_context(void);
/* Whether this libcerar has UCX, and it works here. */
bool coll_cerar_has_ucx(cerar_context_t *context);
void coll_cerar_context_release(void);

/* stats.c */
void coll_cerar_print_stats(const mca_coll_cerar_module_t *module);
/* On rank 0: which code the last call ran, if it is another than that of the call before; and if
 * its error exceeds the tolerance, as it may where the user names components, says so. */
void coll_cerar_tell_code(mca_coll_cerar_module_t *module);

/* say.c: messages to the user. coll_cerar_comm_name writes to buffer if the communicator has none.
 */
const char *coll_cerar_comm_name(struct ompi_communicator_t *comm, char *buffer, size_t size);
void coll_cerar_say_out_of_range(struct ompi_communicator_t *comm, coll_cerar_param_t param);
void coll_cerar_say_different(struct ompi_communicator_t *comm, coll_cerar_param_t param,
                              int rank_a, double value_a, int rank_b, double value_b);
void coll_cerar_say_not_everywhere(struct ompi_communicator_t *comm, int rank);
void coll_cerar_say_no_team(struct ompi_communicator_t *comm, const char *transport,
                            const char *reason);
void coll_cerar_say_exceeds(struct ompi_communicator_t *comm, double error);
void coll_cerar_say_failed(struct ompi_communicator_t *comm, const char *reason);

#define COLL_CERAR_VERBOSE_LINE(level, ...) \
    opal_output_verbose(level, mca_coll_cerar_component.output, __VA_ARGS__)

END_C_DECLS

#endif
