/* What the other processes' parameters are.
 *
 * Every process that has CERAR publishes its parameters with the addresses that Open MPI
 * exchanges in MPI_Init. So who takes part, and with which parameters, is known without a message:
 * it has to be, since a rank without CERAR would not join a collective operation that asks for it,
 * nor one with another min_bytes at the same call. */
#include "coll_cerar.h"

#include <stdlib.h>
#include <string.h>

#include "ompi/group/group.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/class/opal_hash_table.h"

/* Changes with the layout of what is published; a peer of other byte order does not match it. */
#define MAGIC 0x43455203u

typedef struct published {
    uint32_t magic;
    uint32_t on; /* see coll_cerar_peers_agree */
    coll_cerar_values_t values;
} published_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static opal_hash_table_t *known; /* process name → its published_t, or &absent */
static published_t absent;
static uint32_t said; /* bit p: this process has complained of parameter p already */
enum { BIT_NOT_EVERYWHERE = COLL_CERAR_PARAM_COUNT, BIT_BAD_RULES };

static const mca_base_component_t *me(void) {
    return &mca_coll_cerar_component.super.collm_version;
}

int coll_cerar_peers_publish(void) {
    published_t mine;
    memset(&mine, 0, sizeof mine);
    mine.magic = MAGIC;
    mine.on = mca_coll_cerar_component.on && !ompi_mpi_thread_multiple;
    mine.values = mca_coll_cerar_component.params;
    int rc;
    OPAL_MODEX_SEND(rc, COLL_CERAR_MODEX_GLOBAL, me(), &mine, sizeof mine);
    return rc;
}

/* What a process published; &absent if it did not, or was built otherwise. */
static const published_t *fetch(opal_process_name_t name) {
    void *data = NULL;
    size_t size = 0;
    int rc;
    OPAL_MODEX_RECV(rc, me(), &name, &data, &size);
    if (OPAL_SUCCESS != rc || NULL == data) {
        return &absent;
    }
    if (sizeof(published_t) != size || MAGIC != ((published_t *)data)->magic) {
        free(data);
        return &absent;
    }
    return data;
}

static const published_t *look_up(struct ompi_communicator_t *comm, int rank) {
    const opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, rank);
    const uint64_t key = (uint64_t)name.jobid << 32 | name.vpid;
    void *value = NULL;
    if (OPAL_SUCCESS != opal_hash_table_get_value_uint64(known, key, &value)) {
        value = (void *)fetch(name);
        (void)opal_hash_table_set_value_uint64(known, key, value);
    }
    return value;
}

static bool make_table(void) {
    if (NULL == known) {
        known = OBJ_NEW(opal_hash_table_t);
        if (NULL != known && OPAL_SUCCESS != opal_hash_table_init(known, 256)) {
            OBJ_RELEASE(known);
            known = NULL;
        }
    }
    return NULL != known;
}

void coll_cerar_peers_forget(void) {
    if (NULL == known) {
        return;
    }
    uint64_t key;
    void *value;
    OPAL_HASH_TABLE_FOREACH(key, uint64, value, known) {
        if (value != &absent) {
            free(value);
        }
    }
    OBJ_RELEASE(known);
    known = NULL;
}

/* What is wrong with one parameter: the first rank whose value is out of range, and the first that
 * has another value than rank 0. −1: none. */
typedef struct fault {
    int out_of_range;
    int different;
    double value; /* of rank `different` */
} fault_t;

typedef struct findings {
    int absent; /* the first rank that does not run CERAR, or −1 */
    int first;  /* the first that does */
    bool all_on;
    int speaker; /* who reports what no single rank is to blame for: see speaks_before */
    const coll_cerar_values_t *reference; /* the values of rank `first` */
    fault_t faults[COLL_CERAR_PARAM_COUNT];
} findings_t;

static void look_at(const coll_cerar_values_t *values, int rank, int ranks, findings_t *findings) {
    for (int p = 0; p < COLL_CERAR_PARAM_COUNT; ++p) {
        fault_t *fault = &findings->faults[p];
        const double value = values->value[p];
        const bool bad = 0 != (values->invalid & 1u << p) ||
                         !coll_cerar_param_in_range(values, (coll_cerar_param_t)p, ranks);
        if (bad && fault->out_of_range < 0) {
            fault->out_of_range = rank;
        }
        if (fault->different < 0 && !coll_cerar_param_may_differ((coll_cerar_param_t)p) &&
            value != findings->reference->value[p]) {
            fault->different = rank;
            fault->value = value;
        }
    }
}

/* A rank whose parameters leave this communicator alone never comes here, nor perhaps one whose
 * priority is below another component's. Of those that may come the one with the greatest priority,
 * the first of several, is there if any is. */
static bool speaks_before(const coll_cerar_values_t *a, const coll_cerar_values_t *b, int ranks) {
    if (!coll_cerar_rules_may_take(a, ranks)) {
        return false;
    }
    return NULL == b || a->value[COLL_CERAR_PRIORITY] > b->value[COLL_CERAR_PRIORITY];
}

static void look_around(struct ompi_communicator_t *comm, findings_t *findings) {
    findings->absent = findings->first = findings->speaker = -1;
    findings->reference = NULL;
    findings->all_on = true;
    const coll_cerar_values_t *speaker = NULL;
    for (int p = 0; p < COLL_CERAR_PARAM_COUNT; ++p) {
        findings->faults[p] = (fault_t){-1, -1, 0};
    }
    const int ranks = ompi_comm_size(comm);
    for (int rank = 0; rank < ranks; ++rank) {
        const published_t *peer = look_up(comm, rank);
        if (peer == &absent) {
            if (findings->absent < 0) {
                findings->absent = rank;
            }
            continue;
        }
        findings->all_on = findings->all_on && 0 != peer->on;
        if (findings->first < 0) {
            findings->first = rank;
            findings->reference = &peer->values;
        }
        if (speaks_before(&peer->values, speaker, ranks)) {
            findings->speaker = rank;
            speaker = &peer->values;
        }
        look_at(&peer->values, rank, ranks, findings);
    }
}

/* True the first time that this process has something to say of the parameter. */
static bool first_time(int bit) {
    const bool first = 0 == (said & 1u << bit);
    said |= 1u << bit;
    return first;
}

/* One rank speaks for each fault: the one with the bad value, which knows what the user wrote, or
 * the first one. Returns whether there is none. */
static bool report(struct ompi_communicator_t *comm, const findings_t *findings, bool aloud) {
    const int rank = aloud ? ompi_comm_rank(comm) : -2; /* no rank that could have to speak */
    bool good = true;
    for (int p = 0; p < COLL_CERAR_PARAM_COUNT; ++p) {
        const coll_cerar_param_t param = (coll_cerar_param_t)p;
        const fault_t *fault = &findings->faults[p];
        /* A file of rules that can't be used is like none. */
        const bool bad_rules = COLL_CERAR_RULES_FILE == param && fault->out_of_range >= 0;
        if (bad_rules && fault->out_of_range == rank && first_time(BIT_BAD_RULES)) {
            coll_cerar_say_bad_rules(comm);
        }
        if (fault->out_of_range >= 0 && !bad_rules) {
            good = false;
            if (fault->out_of_range == rank && first_time(p)) {
                coll_cerar_say_out_of_range(comm, param);
            }
        } else if (fault->different >= 0) {
            good = false;
            if (findings->speaker == rank && first_time(p)) {
                coll_cerar_say_different(comm, param, findings->first,
                                         findings->reference->value[p], fault->different,
                                         fault->value);
            }
        }
    }
    if (findings->absent >= 0) {
        good = false;
        if (findings->speaker == rank && first_time(BIT_NOT_EVERYWHERE)) {
            coll_cerar_say_not_everywhere(comm, findings->absent);
        }
    }
    return good;
}

bool coll_cerar_peers_agree(struct ompi_communicator_t *comm, bool aloud, bool *all_on) {
    pthread_mutex_lock(&lock);
    findings_t findings;
    bool good = make_table();
    if (good) {
        look_around(comm, &findings);
        good = report(comm, &findings, aloud);
        *all_on = findings.all_on;
    }
    pthread_mutex_unlock(&lock);
    return good;
}
