/* CERAR, the coded approximate ring all-reduce, as a component of Open MPI's coll framework.
 *
 * The way of a call: coll_cerar_allreduce (is it ours?) → on a communicator's first float sum, do
 * all ranks have the same parameters (coll_cerar_peers_agree, nothing is sent) → on its first call
 * that the rules or thresholds let pass (coll_cerar_rules_ask), it is set up there
 * (coll_cerar_set_up, by messages between the ranks): has anybody asked for CERAR, and all for the
 * same (coll_cerar_hints_begin)? → a team that all ranks could make → libcerar. Whatever is not
 * ours goes to the previous component untouched, and for good if something failed or nobody asked:
 * the communicator is then ASIDE. Persistent all-reduces go this way when they are made, and then
 * keep what was found. Non-blocking ones may wait, as requests, while CERAR is set up
 * (coll_cerar_setting_up.c).
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
#include "cerar.h"
#include "ompi/datatype/ompi_datatype.h"
#include "opal/util/output.h"

BEGIN_C_DECLS

typedef struct mca_coll_cerar_component {
    mca_coll_base_component_t super;
    coll_cerar_values_t params; /* those that may change at run time: with the lock held */
    bool on;                    /* the parameters ask for CERAR, on communicators without a hint */
    bool stays;                 /* on, or a hint may turn it on for a communicator */
    bool thread_multiple;       /* several threads may be in MPI at a time */
    int output;                 /* stream of coll_cerar_verbose */
    cerar_rules_t *rules;       /* of coll_cerar_rules_file; NULL: none */
    char bad_rules[512];        /* why its file can't be used; "" */
    pthread_mutex_t lock;       /* of what follows */
    cerar_context_t *context;
} mca_coll_cerar_component_t;

OMPI_DECLSPEC extern mca_coll_cerar_component_t mca_coll_cerar_component;

typedef enum {
    COLL_CERAR_UNCHECKED, /* nothing is known of the other ranks */
    COLL_CERAR_AGREED,    /* all ranks have the same parameters; there is no team for them yet */
    COLL_CERAR_RUNNING,   /* there is a team */
    COLL_CERAR_OFF,       /* no rank wants CERAR, until a hint says otherwise */
    COLL_CERAR_ASIDE      /* every call goes to the previous component */
} coll_cerar_state_t;

/* Why a call is left to the previous component. */
typedef enum {
    COLL_CERAR_TAKEN, /* it is not */
    COLL_CERAR_OPERATION,
    COLL_CERAR_TYPE,
    COLL_CERAR_SIZE,
    COLL_CERAR_RULE,
    COLL_CERAR_NOT_ENABLED,
    COLL_CERAR_NOT_SET_UP,
    COLL_CERAR_FAST_LINKS,
    COLL_CERAR_STEPPED_ASIDE,
    COLL_CERAR_REASONS
} coll_cerar_reason_t;

typedef enum {
    COLL_CERAR_HINT_ENABLE,
    COLL_CERAR_HINT_TOLERANCE,
    COLL_CERAR_HINT_COMPONENTS,
    COLL_CERAR_HINT_SEGMENT_BYTES,
    COLL_CERAR_HINT_COUNT
} coll_cerar_hint_t;

/* A communicator's hints. A value is a parameter's where there is no hint. */
typedef struct coll_cerar_hints {
    double wanted[COLL_CERAR_HINT_COUNT];    /* here, from the next agreement on */
    double agreed[COLL_CERAR_HINT_COUNT];    /* on all ranks */
    bool given[COLL_CERAR_HINT_COUNT];       /* it is a hint's value */
    char refused[COLL_CERAR_HINT_COUNT][64]; /* what was no value of it; "": nothing */
    bool changed;                            /* some were given since the ranks have agreed */
    bool hinted[COLL_CERAR_HINT_COUNT];      /* what is agreed is a hint's, of some rank */
    bool known;                              /* the ranks have agreed */
} coll_cerar_hints_t;

typedef struct coll_cerar_watch coll_cerar_watch_t;
typedef struct coll_cerar_ring coll_cerar_ring_t;

/* A team of libcerar with what is its own: the communicator has one, and each persistent request.
 */
typedef struct coll_cerar_team {
    cerar_team_t *handle; /* NULL: there is none */
    cerar_transport_kind_t transport;
    coll_cerar_pml_t *pml;
    double hints[COLL_CERAR_HINT_COUNT]; /* what was agreed when it was made, */
    bool hinted[COLL_CERAR_HINT_COUNT];  /* and what of it was a hint's */
    cerar_team_stats_t counted;          /* up to the beginning or the end of its last call */
    struct coll_cerar_team *next;        /* of the module's */
} coll_cerar_team_t;

/* An all-reduce in libcerar's terms: send is NULL in place, count is of the real type. */
typedef struct coll_cerar_call {
    const void *send;
    void *recv;
    size_t count;
    cerar_type_t type;
} coll_cerar_call_t;

/* CERAR on one communicator. MPI lets one thread at a time call a collective on it, so no lock. */
typedef struct mca_coll_cerar_module {
    mca_coll_base_module_t super;
    struct ompi_communicator_t *comm; /* which owns the module */
    mca_coll_base_module_allreduce_fn_t previous_allreduce;
    mca_coll_base_module_t *previous_allreduce_module; /* retained, as the others */
    mca_coll_base_module_iallreduce_fn_t previous_iallreduce;
    mca_coll_base_module_t *previous_iallreduce_module; /* NULL: MPI_Iallreduce is not ours */
    mca_coll_base_module_allreduce_init_fn_t previous_allreduce_init;
    mca_coll_base_module_t *previous_allreduce_init_module; /* NULL: persistent ones are not */
    coll_cerar_state_t state;
    coll_cerar_reason_t aside_because; /* of calls that are passed on when it is ASIDE */
    bool sets_up_meanwhile; /* MPI_Iallreduce does: see coll_cerar_can_set_up_meanwhile */
    int first_tag;          /* of its own: see coll_cerar_take_tags */
    int persistent;         /* requests that were made */
    /* While MPI_Iallreduce sets CERAR up: the state is that of all ranks only afterwards. */
    struct coll_cerar_coroutine *setting_up; /* else NULL */
    coll_cerar_call_t first_call;            /* for which that is done */
    /* What it ended with. An error is that of all calls from then on: the program may not have seen
     * it yet, and waits for what the other ranks do not begin. */
    int set_up_rc;
    coll_cerar_ring_t *ring;
    bool all_have_ucx, one_node; /* what the ranks have agreed on */
    coll_cerar_team_t team;
    coll_cerar_hints_t hints;
    bool asked; /* by a parameter or a hint, here; once the ranks have agreed: anywhere */
    coll_cerar_watch_t *watch;
    _Atomic int outstanding;                /* requests that are not at their end */
    uint64_t posted;                        /* requests in libcerar, so far */
    uint64_t fallbacks[COLL_CERAR_REASONS]; /* calls that were passed on */
    /* Persistent requests run in any thread: what follows is changed with stats.c's lock held. */
    coll_cerar_team_t *teams; /* the communicator's, and its persistent requests' */
    cerar_team_stats_t past;  /* sums over the teams before, and the code of the last call */
    uint64_t calls;           /* that CERAR ran */
    bool told_not_finite, told_small; /* what this rank has said of its sums */
    bool told_fallback;               /* and of where it makes them */
    double error_told;                /* of the code that the user was told of last */
} mca_coll_cerar_module_t;

OBJ_CLASS_DECLARATION(mca_coll_cerar_module_t);

/* What the user called. */
typedef struct coll_cerar_arguments {
    const void *sbuf;
    void *rbuf;
    coll_cerar_count_t count;
    struct ompi_datatype_t *dtype;
    struct ompi_op_t *op;
} coll_cerar_arguments_t;

/* What the previous component gets in place of one of the user's buffers. */
typedef struct coll_cerar_staged {
    char *original;
    char *copy; /* NULL: it gets the original */
    size_t bytes;
    ptrdiff_t gap; /* from the buffer's address to its first byte */
} coll_cerar_staged_t;

typedef struct coll_cerar_staged_pair {
    coll_cerar_staged_t send, recv;
} coll_cerar_staged_pair_t;

/* component.c: takes over what MPI_T_cvar_write has changed since. */
void coll_cerar_component_refresh(void);

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

/* Whether CERAR runs a call, and then what it is in libcerar's terms. choose is for calls that may
 * block: the ranks may agree first, which coll_cerar_watch_end ends after the call. It returns an
 * error only if the communication did. */
int coll_cerar_choose(mca_coll_cerar_module_t *module, const coll_cerar_arguments_t *arguments,
                      coll_cerar_call_t *call, coll_cerar_reason_t *reason);
coll_cerar_reason_t coll_cerar_choose_now(mca_coll_cerar_module_t *module,
                                          const coll_cerar_arguments_t *arguments,
                                          coll_cerar_call_t *call);
/* The same of a call that the rules let pass: what follows from the module's state. */
coll_cerar_reason_t coll_cerar_why_not_now(const mca_coll_cerar_module_t *module);

/* iallreduce.c */
int coll_cerar_iallreduce(const void *sbuf, void *rbuf, coll_cerar_count_t count,
                          struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                          struct ompi_communicator_t *comm, struct ompi_request_t **request,
                          mca_coll_base_module_t *module);

/* persistent.c */
int coll_cerar_allreduce_init(const void *sbuf, void *rbuf, coll_cerar_count_t count,
                              struct ompi_datatype_t *dtype, struct ompi_op_t *op,
                              struct ompi_communicator_t *comm, struct ompi_info_t *info,
                              struct ompi_request_t **request, mca_coll_base_module_t *module);

/* request.c: waits for the module's requests, but for persistent ones; gives all up; at the end of
 * all, gives up what no communicator has given up. */
void coll_cerar_requests_wait(mca_coll_cerar_module_t *module);
void coll_cerar_requests_end(mca_coll_cerar_module_t *module);
void coll_cerar_requests_forget(void);

/* pass_on.c */
int coll_cerar_pass_on(mca_coll_cerar_module_t *module, const coll_cerar_arguments_t *arguments);

/* staged.c: where the previous component can't take the buffers, copies of them; else themselves.
 * What stage has made, as far as it came, unstage frees. */
bool coll_cerar_needs_staging(const coll_cerar_arguments_t *arguments);
cerar_status_t coll_cerar_stage(coll_cerar_staged_pair_t *pair,
                                const coll_cerar_arguments_t *arguments);
void *coll_cerar_staged_address(const coll_cerar_staged_t *buffer);
cerar_status_t coll_cerar_staged_copy_in(const coll_cerar_staged_pair_t *pair);
cerar_status_t coll_cerar_staged_copy_out(const coll_cerar_staged_pair_t *pair);
void coll_cerar_unstage(coll_cerar_staged_pair_t *pair);

/* types.c: the real type that dtype is made of, and how many of it make one element; false if it is
 * none of CERAR's. */
bool coll_cerar_type(const struct ompi_datatype_t *dtype, cerar_type_t *type, size_t *per_element);

/* peers.c: publishes this process's parameters, before the exchange in MPI_Init. */
int coll_cerar_peers_publish(void);
/* Whether all ranks of the communicator can run CERAR, with the same parameters, all in range; if
 * aloud, says so if not. all_on: whether by parameter it is on in all of them, and in none may
 * several threads call MPI at a time. The answers are the same on all ranks that can. */
bool coll_cerar_peers_agree(struct ompi_communicator_t *comm, bool aloud, bool *all_on);
void coll_cerar_peers_forget(void);

/* rules.c: reads coll_cerar_rules_file, if it is set. */
void coll_cerar_rules_load(coll_cerar_values_t *values);
void coll_cerar_rules_forget(void);
/* Whether a process with these values may run CERAR on communicators of that many ranks. */
bool coll_cerar_rules_may_take(const coll_cerar_values_t *values, int ranks);
/* Whether a vector of that many bytes is CERAR's by the rules, the file's and the built-in ones:
 * COLL_CERAR_TAKEN, or why not. The same on ranks that coll_cerar_peers_agree has found equal. */
coll_cerar_reason_t coll_cerar_rules_ask(int ranks, size_t bytes, cerar_type_t type);

/* agree.c: at the beginning of a call above the thresholds; collective.
 * The ranks agree on what was hinted, and if that asks for CERAR, there is a team afterwards which
 * can run this call. The state is RUNNING, OFF or ASIDE then, the same on all ranks. Returns an
 * error only if the communication did. */
int coll_cerar_set_up(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call);

/* setting_up.c: whether MPI_Iallreduce may set CERAR up where all_on is as coll_cerar_peers_agree
 * has it; the same on all ranks. If so, each call that CERAR takes, or that waits until it is known
 * whether it does, takes one tag: as many as libnbc takes for one that it gets. */
bool coll_cerar_can_set_up_meanwhile(const mca_coll_cerar_module_t *module, bool all_on);
void coll_cerar_setting_up_begin(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call);
/* Whether it is at its end, with module->set_up_rc: an error too if there was no memory or thread
 * for it. */
bool coll_cerar_setting_up_advance(mca_coll_cerar_module_t *module);
/* Returns at once if nothing is being set up. */
void coll_cerar_setting_up_wait(const mca_coll_cerar_module_t *module);

/* exchange.c: collective; on a communicator one at a time. Returns an error only if the
 * communication did. Smallest over all ranks of each of count numbers, in place: */
#define COLL_CERAR_MOST_NUMBERS 32
int coll_cerar_minimum(mca_coll_cerar_module_t *module, double *numbers, int count);
/* A block of bytes from each rank, in the order of ranks. This one's is there already. */
int coll_cerar_gather(mca_coll_cerar_module_t *module, void *blocks, size_t bytes);

/* team.c: on a ring that is arranged, makes a team which can run this call, for what the ranks have
 * agreed on: on all ranks or on none, and then says why. Collective. team is NULL on a rank that
 * has no memory for one. Returns an error only if the communication did. */
int coll_cerar_team_make(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call,
                         coll_cerar_team_t *team);
/* Destroys it, if there is one. No call on it may be under way. */
void coll_cerar_team_destroy(coll_cerar_team_t *team);

/* Takes count tags from those of the communicator's non-blocking collectives: a block that no other
 * operation on it gets. The block's tags are the result and those below it. On all ranks at the
 * same call, so that they are the same. */
int coll_cerar_reserve_tags(struct ompi_communicator_t *comm, int count);
/* The module's own, where the communicator is made. Not later: MPI_Comm_idup makes non-blocking
 * collectives on it whenever it makes progress, on each rank at another time. */
void coll_cerar_take_tags(mca_coll_cerar_module_t *module);

/* ring.c: in the order of ranks until it is arranged. NULL if there is no memory. */
coll_cerar_ring_t *coll_cerar_ring_create(struct ompi_communicator_t *comm);
void coll_cerar_ring_destroy(coll_cerar_ring_t *ring); /* NULL is allowed */
/* Collective, once: learns where the ranks and their data of this call are, and puts them in order.
 * Returns an error if the communication did; arranged is false if this rank had no memory. */
int coll_cerar_ring_arrange(coll_cerar_ring_t *ring, mca_coll_cerar_module_t *module,
                            const coll_cerar_call_t *call, bool *arranged);
/* Valid as long as the ring is. */
coll_cerar_pml_ring_t coll_cerar_ring_order(const coll_cerar_ring_t *ring);
/* Whether CERAR is to run there, by coll_cerar_topology and the links that the ring crosses; the
 * same on all ranks. */
bool coll_cerar_ring_is_for_cerar(const coll_cerar_ring_t *ring);
const char *coll_cerar_ring_links_name(const coll_cerar_ring_t *ring);
/* Its ranks, a space before each; as many as there is room for. */
void coll_cerar_ring_print(const coll_cerar_ring_t *ring, char *buffer, size_t size);

/* registry.c: the module on a communicator, or NULL. */
int coll_cerar_registry_add(mca_coll_cerar_module_t *module);
void coll_cerar_registry_remove(const mca_coll_cerar_module_t *module);
mca_coll_cerar_module_t *coll_cerar_registry_find(const struct ompi_communicator_t *comm);
/* Each module that there still is. */
void coll_cerar_registry_for_each(void (*visit)(mca_coll_cerar_module_t *module));
void coll_cerar_registry_forget(void);

/* hints.c: has Open MPI tell the module of its communicator's hints. */
int coll_cerar_hints_subscribe(mca_coll_cerar_module_t *module);
/* At the beginning of a call above the thresholds, on all ranks: makes what was hinted hold, on all
 * ranks or on none. The state is AGREED, RUNNING, OFF or ASIDE afterwards, the same on all ranks.
 * Returns an error only if the communication did. */
int coll_cerar_hints_begin(mca_coll_cerar_module_t *module);
const char *coll_cerar_hint_key(coll_cerar_hint_t hint);
coll_cerar_param_t coll_cerar_hint_param(coll_cerar_hint_t hint);
void coll_cerar_hint_print(coll_cerar_hint_t hint, double value, char *buffer, size_t size);

/* watch.c: which ranks have new hints. NULL if there is no memory. */
coll_cerar_watch_t *coll_cerar_watch_create(struct ompi_communicator_t *comm);
void coll_cerar_watch_destroy(coll_cerar_watch_t *watch);
/* Once, before the first call: first_tag and those below it. */
#define COLL_CERAR_WATCH_TAGS 2
void coll_cerar_watch_use_tags(coll_cerar_watch_t *watch, int first_tag);
/* In each call, on all ranks: begin; all_changed if this rank has new hints; end. */
int coll_cerar_watch_begin(coll_cerar_watch_t *watch, bool changed);
int coll_cerar_watch_all_changed(coll_cerar_watch_t *watch, bool *all);
int coll_cerar_watch_end(coll_cerar_watch_t *watch);
/* The rank to the left, and whether it has new hints, after all_changed or end. */
int coll_cerar_watch_left(const coll_cerar_watch_t *watch);
bool coll_cerar_watch_left_changed(const coll_cerar_watch_t *watch);

/* context.c: libcerar's context, made at the first use; NULL if it can't be made. */
cerar_context_t *coll_cerar_context(void);
/* Whether this libcerar has UCX, and it works here. */
bool coll_cerar_has_ucx(cerar_context_t *context);
void coll_cerar_context_release(void);

/* stats.c: the communicator's counters: those of all its teams, those of before too, and the code
 * of the last call. */
void coll_cerar_get_stats(mca_coll_cerar_module_t *module, cerar_team_stats_t *stats);
/* Counts what a new team does. */
void coll_cerar_add_team(mca_coll_cerar_module_t *module, coll_cerar_team_t *team);
/* Destroys the team, if there is one, and keeps what it has counted. */
void coll_cerar_end_team(mca_coll_cerar_module_t *module, coll_cerar_team_t *team);
void coll_cerar_print_stats(mca_coll_cerar_module_t *module);
/* Counts a call that is passed on. */
void coll_cerar_count_fallback(mca_coll_cerar_module_t *module, coll_cerar_reason_t reason);
/* After a call was posted: notes which code it has. On rank 0: tells it, if it is another than that
 * of the call before; and if its error exceeds the tolerance, as it may where the user names
 * components, says so. */
void coll_cerar_posted(mca_coll_cerar_module_t *module, coll_cerar_team_t *team);
/* After a call that CERAR has run. */
void coll_cerar_ran(mca_coll_cerar_module_t *module, coll_cerar_team_t *team, cerar_range_t range);

/* pvar.c: registers the performance variables. */
int coll_cerar_pvars_register(const mca_base_component_t *component);

/* say.c: messages to the user. coll_cerar_comm_name writes to buffer if the communicator has none.
 */
const char *coll_cerar_comm_name(struct ompi_communicator_t *comm, char *buffer, size_t size);
void coll_cerar_say_out_of_range(struct ompi_communicator_t *comm, coll_cerar_param_t param);
/* Of a value that came while the program runs. */
void coll_cerar_say_not_taken(coll_cerar_param_t param, double value);
void coll_cerar_say_different(struct ompi_communicator_t *comm, coll_cerar_param_t param,
                              int rank_a, double value_a, int rank_b, double value_b);
void coll_cerar_say_not_everywhere(struct ompi_communicator_t *comm, int rank);
void coll_cerar_say_no_team(struct ompi_communicator_t *comm, const char *transport,
                            const char *reason);
/* The same of a rank that has no memory, on rank 0. */
void coll_cerar_say_no_memory(struct ompi_communicator_t *comm);
/* Of components that a hint names, or a parameter, or the rule that the team's last call followed.
 */
void coll_cerar_say_exceeds(struct ompi_communicator_t *comm, const coll_cerar_team_t *team,
                            const cerar_team_stats_t *last);
/* Of coll_cerar_rules_file, on this rank. */
void coll_cerar_say_bad_rules(struct ompi_communicator_t *comm);
void coll_cerar_say_bad_hint(struct ompi_communicator_t *comm, coll_cerar_hint_t hint,
                             const char *text);
void coll_cerar_say_different_hint(struct ompi_communicator_t *comm, coll_cerar_hint_t hint,
                                   int rank_a, double value_a, int rank_b, double value_b);
void coll_cerar_say_missing_hint(struct ompi_communicator_t *comm, coll_cerar_hint_t hint,
                                 double value, double value_elsewhere, int elsewhere);
void coll_cerar_say_hint_too_late(struct ompi_communicator_t *comm, coll_cerar_hint_t hint,
                                  const char *text);
void coll_cerar_say_not_finite(struct ompi_communicator_t *comm);
void coll_cerar_say_small(struct ompi_communicator_t *comm);
/* This rank can't work as its buffers' memory wants it to, because of reason. */
void coll_cerar_say_fallback(struct ompi_communicator_t *comm, const char *memory,
                             const char *reason);
void coll_cerar_say_failed(struct ompi_communicator_t *comm, const char *reason);

#define COLL_CERAR_VERBOSE_LINE(level, ...) \
    opal_output_verbose(level, mca_coll_cerar_component.output, __VA_ARGS__)

END_C_DECLS

#endif
