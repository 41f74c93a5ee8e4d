/* CERAR: coded approximate ring all-reduce. The C face of libcerar.
 *
 * A *context* holds what a process needs once (the UCX worker), a *team* is one ring of ranks, a
 * *request* is one all-reduce under way. Nothing here blocks but cerar_team_create (it talks to the
 * neighbours through the caller's exchange function) and nothing here knows of Open MPI or CUDA.
 *
 * Threads: different teams may be used by different threads at the same time; one team by one
 * thread at a time.
 */
#ifndef CERAR_H
#define CERAR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is declared here is what the library shows, also where it is built with -fvisibility=hidden.
 */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef enum cerar_status {
  CERAR_OK = 0,
  CERAR_IN_PROGRESS = 1,
  CERAR_ERR_INVALID = -1,     /* an argument out of its range */
  CERAR_ERR_NO_MEMORY = -2,   /* an allocation failed */
  CERAR_ERR_UNSUPPORTED = -3, /* not in this build, or not on this machine */
  CERAR_ERR_TRANSPORT = -4,   /* the transport failed, or a neighbour was lost */
  CERAR_ERR_INTERNAL = -5,    /* a defect in libcerar */
  CERAR_ERR_DEVICE = -6       /* a GPU or its driver failed */
} cerar_status_t;

/* One sentence for a status; never NULL. */
const char* cerar_status_string(cerar_status_t status);

/* The last error's details in this thread (which argument, what UCX said); "" if there are none. */
const char* cerar_last_error(void);

typedef enum cerar_type { CERAR_FLOAT = 0, CERAR_DOUBLE = 1 } cerar_type_t;

typedef enum cerar_transport_kind {
  CERAR_TRANSPORT_UCX = 0,     /* libcerar's own UCX worker */
  CERAR_TRANSPORT_EXTERNAL = 1 /* cerar_transport_ops_t, given by the caller */
} cerar_transport_kind_t;

typedef struct cerar_context cerar_context_t;
typedef struct cerar_team cerar_team_t;
typedef struct cerar_request cerar_request_t;
typedef struct cerar_rules cerar_rules_t;

/* A vector has at most this many components for each rank; in the Vandermonde design at most so
 * many in all, which is what extended precision can invert. */
#define CERAR_MAX_COMPONENTS_PER_RANK 8
#define CERAR_MAX_VANDERMONDE 16

/* At most this many streams of one call are in flight between two neighbours. */
#define CERAR_MAX_STREAMS 16

/* A transport that the caller provides: messages to the right neighbour, from the left one.
 *
 * (call, stream) is the tag. Messages of one tag arrive in the order sent; between tags there is no
 * order. stream is below CERAR_MAX_STREAMS; call counts a team's calls from 0. send and recv never
 * block. They set *op to a handle, or to NULL if the operation is complete already; test returns
 * CERAR_OK and sets *op to NULL when it is complete, CERAR_IN_PROGRESS before, or an error (the
 * handle is then released too). cancel gives an operation up: after it the transport no longer
 * touches the buffer. progress may be NULL.
 */
typedef struct cerar_transport_ops {
  void* arg;
  cerar_status_t (*send)(void* arg, uint32_t call, uint32_t stream, const void* buffer,
                         size_t bytes, void** op);
  cerar_status_t (*recv)(void* arg, uint32_t call, uint32_t stream, void* buffer, size_t bytes,
                         void** op);
  cerar_status_t (*test)(void* arg, void** op);
  void (*cancel)(void* arg, void** op);
  void (*progress)(void* arg);
} cerar_transport_ops_t;

/* Sends send_bytes to rank `to` and receives exactly recv_bytes from rank `from`, and returns when
 * both are done. Used in cerar_team_create alone, to wire up the UCX endpoints. Returns 0, or
 * anything else for an error. */
typedef struct cerar_oob {
  void* arg;
  int (*exchange)(void* arg, int to, const void* send, size_t send_bytes, int from, void* recv,
                  size_t recv_bytes);
} cerar_oob_t;

/* thread_multiple: non-zero if several threads may call at the same time. */
cerar_status_t cerar_context_create(int thread_multiple, cerar_context_t** context);
/* Moves on what the context's own transport still has to do. To be called whenever the process
 * makes progress in its communication, also when no request is under way: the last data of a call
 * that has ended may still be on their way out, and a neighbour waits for them. Never blocks; any
 * thread, if the context was made for several. */
void cerar_context_progress(cerar_context_t* context);
/* All teams must have been destroyed, and nobody be in cerar_context_progress. NULL is allowed. */
void cerar_context_destroy(cerar_context_t* context);

/* Where a rank and its data are, for cerar_ring_order and cerar_ring_links. Plain numbers that
 * ranks exchange as they are. Those of processors and GPUs follow the node's tree, so near ones
 * share more. */
typedef struct cerar_location {
  uint64_t node;         /* the same on ranks of one node (of one host name) */
  uint64_t nvlinks;      /* bit g: there is NVLink from gpu to the node's GPU g */
  int32_t processor;     /* the first that the process is bound to; −1: to none, or unknown */
  int32_t gpu;           /* that has the data; −1: none has, or unknown */
  int32_t uses_gpu;      /* whether one has */
  int32_t nvlinks_known; /* 0: nothing is known of NVLink */
} cerar_location_t;

/* Of this process and its data at that address (NULL: in host memory). What can't be found out
 * stays unknown. */
void cerar_locate(const void* data, cerar_location_t* location);

/* A ring that crosses a node's slow link once on the way in and once on the way out, and on which
 * neighbours share the nearest link there is: node by node, in the order of the nodes' first ranks,
 * within a node by GPU, processor and rank. Writes the ranks in the order in which the ring passes
 * them: position p is of rank ranks[p]. The same on all ranks that have the same locations. */
cerar_status_t cerar_ring_order(const cerar_location_t* locations, int size, int* ranks);

/* What neighbours on a ring share, from the fastest to the slowest. */
typedef enum cerar_links {
  CERAR_LINKS_MEMORY = 0,  /* a node's memory, which has the data of both */
  CERAR_LINKS_NVLINK = 1,  /* GPUs with NVLink between them, or one GPU */
  CERAR_LINKS_UNKNOWN = 2, /* GPUs of one node */
  CERAR_LINKS_SLOW = 3     /* a network, or GPUs of one node without NVLink, or a GPU and memory */
} cerar_links_t;

/* The last in this list of the links that a ring crosses, which passes the ranks in that order. */
cerar_links_t cerar_ring_links(const cerar_location_t* locations, int size, const int* ranks);

/* Which codes may be chosen where components is 0, besides the exact ring; of which kind the code
 * is where it is not. auto: exact for up to N components, epsilon for more. */
typedef enum cerar_design {
  CERAR_DESIGN_AUTO = 0,
  CERAR_DESIGN_EXACT = 1,       /* no approximation */
  CERAR_DESIGN_EPSILON = 2,     /* powers of nodes that are epsilon apart a revolution */
  CERAR_DESIGN_VANDERMONDE = 3, /* one polynomial for all components */
  CERAR_DESIGN_CONSTRAINED = 4  /* powers with free scales */
} cerar_design_t;

/* Rules that say how to run a call by its ranks, bytes and type; docs/rules.md describes the file.
 * Its first rule that matches a call holds. */
typedef enum cerar_rule {
  CERAR_RULE_NONE = 0, /* none matches: the caller decides */
  CERAR_RULE_OFF = 1,  /* libcerar is not to run the call; a team runs it by its params */
  CERAR_RULE_RUN = 2   /* it is to; which code, a team knows that has the rules */
} cerar_rule_t;

/* Reads a file of rules. CERAR_ERR_INVALID if it can't be read or a line is no rule:
 * cerar_last_error then has file, line and what was expected. */
cerar_status_t cerar_rules_read(const char* file, cerar_rules_t** rules);
/* The same for rules that say the same, however they were written; below 2^53; 0 if there are none,
 * or for NULL. */
uint64_t cerar_rules_hash(const cerar_rules_t* rules);
/* Of a vector of that many bytes on a ring of size ranks. NULL has no rules. Any thread. */
cerar_rule_t cerar_rules_find(const cerar_rules_t* rules, int size, size_t bytes,
                              cerar_type_t type);
/* Teams that were created with them keep what they need. NULL is allowed. */
void cerar_rules_destroy(cerar_rules_t* rules);

/* What rules must not change of a team's params. */
enum {
  CERAR_KEEP_TOLERANCE = 1,  /* they choose no code but the exact one */
  CERAR_KEEP_COMPONENTS = 2, /* they choose no code; where components is 0, they name no c */
  CERAR_KEEP_SEGMENT = 4     /* segment_bytes */
};

typedef struct cerar_team_params {
  int rank; /* position on the ring, 0 … size−1 */
  int size; /* N, from 2 */
  cerar_transport_kind_t transport;
  const cerar_transport_ops_t* ops; /* CERAR_TRANSPORT_EXTERNAL: copied */
  cerar_oob_t oob;                  /* CERAR_TRANSPORT_UCX */
  int components; /* c, from 1 to 8·N, whatever its error; 0 = the fastest that keeps the tolerance
                   */
  double epsilon; /* node spacing a revolution, in (0, 1); 0 = the best for the type and order */
  size_t
      segment_bytes; /* payload of a message, 512 … 16 MiB; rounded up to whole lanes; 0 = 64 KiB */
  /* Relative error ‖Ĝ−G‖/‖G‖ allowed, 0 to 1, as predicted for data that are independent between
   * ranks. 0: nothing but rounding, and the same bits on all ranks. */
  double tolerance;
  cerar_design_t design;
  double max_condition;       /* of the decode matrices, from 1; 0 = any */
  const cerar_rules_t* rules; /* say otherwise for the calls that they match; NULL: none */
  unsigned keep;              /* CERAR_KEEP_…, added up */
} cerar_team_params_t;

/* Collective over the team where the transport is UCX (it exchanges addresses). All params but rank
 * must be equal on all ranks, rules too: cerar_rules_hash tells. Allocates what calls on the team
 * need whatever their size, and finds the code for a vector of 1 Mi elements; what others need is
 * found at the first of them. */
cerar_status_t cerar_team_create(cerar_context_t* context, const cerar_team_params_t* params,
                                 cerar_team_t** team);
/* Local. No request may be under way. NULL is allowed. */
void cerar_team_destroy(cerar_team_t* team);

/* Makes ready what a call with these arguments needs and keeps it, so that posting it cannot fail
 * for lack of memory (but for the copy that in-place calls with N ∤ c make). Local; sends nothing.
 * It is for the moments when the ranks agree on a call anyway: a rank that alone declines one
 * leaves the others waiting. After CERAR_OK the call can be posted; after CERAR_ERR_NO_MEMORY or
 * CERAR_ERR_DEVICE it must not be posted by any rank. Not needed: posting makes what is missing,
 * and where the device has no memory it falls back to copying the buffers piece by piece through
 * the host (stats.memory and stats.fallback tell), which the other ranks do not notice and which
 * takes no more memory than a call on host buffers. */
cerar_status_t cerar_team_prepare(cerar_team_t* team, const void* send, const void* recv,
                                  size_t count, cerar_type_t type);

/* Starts an all-reduce by sum of count elements. send == NULL: in place, the input is in recv. The
 * buffers must not overlap otherwise, and stay untouched by the caller until the request is done.
 * Posted in the same order on all ranks, with the same count, type and kind of call; in place or
 * not may differ between ranks, and so may the memory: each buffer may be host memory, pinned or
 * not, or a CUDA device's, or managed. Work on device buffers goes to streams of libcerar's own:
 * the caller's must be done when it posts the call, and libcerar's is when the request is. */
cerar_status_t cerar_allreduce_post(cerar_team_t* team, const void* send, void* recv, size_t count,
                                    cerar_type_t type, cerar_request_t** request);
/* Moves the request on as far as it goes without waiting. CERAR_OK when it is done,
 * CERAR_IN_PROGRESS before, or an error: the request is then at its end, and recv undefined. */
cerar_status_t cerar_request_test(cerar_request_t* request);
/* Whether the sum was where the predicted error holds. Codes that decode multiply by up to their
 * condition, and what they round is relative to the numbers' sizes only down to the type's smallest
 * normal one. */
typedef enum cerar_range {
  CERAR_RANGE_GOOD = 0,
  CERAR_RANGE_NOT_FINITE = 1, /* the sum on this rank has infinities or NaNs; the data may have
                                 none */
  CERAR_RANGE_SMALL = 2       /* the sum is so small that the error may be greater than predicted */
} cerar_range_t;

/* Of a request that is done, on this rank. */
cerar_range_t cerar_request_range(const cerar_request_t* request);

/* Frees the request; one that is not done is cancelled first. NULL is allowed. */
void cerar_request_free(cerar_request_t* request);

typedef struct cerar_team_stats {
  uint64_t calls;         /* posted */
  uint64_t bytes_sent;    /* counted by the transport */
  uint64_t scratch_bytes; /* most held at once beyond the user's buffers */
  uint64_t rounds;        /* of all calls */
  /* What an exact ring would have sent from a rank in these calls: 2(N−1)/N of each vector. */
  uint64_t exact_ring_bytes;
  /* Where the time of the calls that are done went, from posting to the end: combining what came in
   * with this rank's data, decoding, and the rest, which is waiting. Where a device computes, the
   * first two are what it takes to give it the work. */
  double combine_seconds, decode_seconds, wait_seconds;
  /* The code of the last call: 0, 0, 0 and auto if there was none. */
  int components;         /* c */
  double epsilon;         /* 0 if the code has none: it is exact, or its scales are free */
  double predicted_error; /* relative, for data that are independent between ranks */
  cerar_design_t design;
  double tolerance;      /* that was allowed; the user's components may exceed it */
  int rule_line;         /* in the file of rules, of the one that it followed; 0: none */
  const char* transport; /* "ucx", or "external" */
  /* Of the last call: "host"; "device": packets in device memory; "mapped": packets in pinned host
   * memory, kernels on the device; "staged": a device's buffers copied through the host piece by
   * piece. */
  const char* memory;
  /* Why the last call did not go the best way that its buffers have; "" if it did. Until the next
   * call on the team, or its end. */
  const char* fallback;
} cerar_team_stats_t;

void cerar_team_get_stats(const cerar_team_t* team, cerar_team_stats_t* stats);

typedef enum cerar_memory_kind {
  CERAR_MEMORY_HOST = 0,   /* pinned or not */
  CERAR_MEMORY_DEVICE = 1, /* host code must not touch it */
  CERAR_MEMORY_MANAGED = 2 /* a GPU's driver moves it; host code may touch it */
} cerar_memory_kind_t;

/* What kind of memory a pointer points to. A quick answer in processes without CUDA. Fails where
 * the driver does. */
cerar_status_t cerar_memory_kind(const void* pointer, cerar_memory_kind_t* kind);
/* memcpy between any kinds of memory; complete on return. */
cerar_status_t cerar_memory_copy(void* to, const void* from, size_t bytes);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
