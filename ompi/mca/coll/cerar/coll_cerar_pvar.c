/* Performance variables of MPI_T: what happened on a communicator, on this rank. They are bound to
 * it, run all the time, and count from the moment that a handle is made. */
#include "coll_cerar.h"
#include "opal/mca/base/mca_base_pvar.h"

typedef enum {
    CALLS,
    FALLBACKS,
    BYTES_SENT,
    ROUNDS,
    BYTES_SAVED,
    COMBINE,
    DECODE,
    WAIT,
    ERROR
} what_t;

typedef struct variable {
    const char *name;
    what_t what;
    int class;
    coll_cerar_reason_t reason; /* of a fallback */
    const char *help;
} variable_t;

#define COUNTER MCA_BASE_PVAR_CLASS_COUNTER
#define AGGREGATE MCA_BASE_PVAR_CLASS_AGGREGATE
#define TIMER MCA_BASE_PVAR_CLASS_TIMER
#define LEVEL MCA_BASE_PVAR_CLASS_LEVEL

static const variable_t variables[] = {
    {"calls", CALLS, COUNTER, 0, "All-reduces that CERAR ran"},
    {"fallbacks_operation", FALLBACKS, COUNTER, COLL_CERAR_OPERATION,
     "All-reduces left to the previous component: not MPI_SUM"},
    {"fallbacks_type", FALLBACKS, COUNTER, COLL_CERAR_TYPE,
     "All-reduces left to the previous component: none of CERAR's types"},
    {"fallbacks_size", FALLBACKS, COUNTER, COLL_CERAR_SIZE,
     "All-reduces left to the previous component: less than coll_cerar_min_bytes, or fewer ranks "
     "than coll_cerar_min_ranks"},
    {"fallbacks_rule", FALLBACKS, COUNTER, COLL_CERAR_RULE,
     "All-reduces left to the previous component: a rule of coll_cerar_rules_file says off"},
    {"fallbacks_off", FALLBACKS, COUNTER, COLL_CERAR_NOT_ENABLED,
     "All-reduces left to the previous component: CERAR is off on this communicator"},
    {"fallbacks_setup", FALLBACKS, COUNTER, COLL_CERAR_NOT_SET_UP,
     "All-reduces left to the previous component: not blocking, and no blocking one has set CERAR "
     "up on this communicator"},
    {"fallbacks_topology", FALLBACKS, COUNTER, COLL_CERAR_FAST_LINKS,
     "All-reduces left to the previous component: the links are fast, and coll_cerar_topology "
     "leaves such ones alone"},
    {"fallbacks_aside", FALLBACKS, COUNTER, COLL_CERAR_STEPPED_ASIDE,
     "All-reduces left to the previous component: CERAR has stepped aside on this communicator, "
     "and said why"},
    {"bytes_sent", BYTES_SENT, COUNTER, 0, "Bytes that this rank sent in CERAR's all-reduces"},
    {"bytes_saved", BYTES_SAVED, AGGREGATE, 0,
     "Bytes that an exact ring would have sent more than CERAR did (negative where it is less)"},
    {"rounds", ROUNDS, COUNTER, 0, "Rounds of the ring, of all calls"},
    {"time_combine", COMBINE, TIMER, 0,
     "Seconds spent combining what came in with this rank's data"},
    {"time_decode", DECODE, TIMER, 0, "Seconds spent decoding"},
    {"time_wait", WAIT, TIMER, 0, "Seconds of CERAR's all-reduces that were spent waiting"},
    {"predicted_error", ERROR, LEVEL, 0,
     "Predicted relative error of the last all-reduce that CERAR ran"},
};

static double real_value(what_t what, const cerar_team_stats_t *stats) {
    switch (what) {
        case BYTES_SAVED:
            return (double)stats->exact_ring_bytes - (double)stats->bytes_sent;
        case COMBINE:
            return stats->combine_seconds;
        case DECODE:
            return stats->decode_seconds;
        case WAIT:
            return stats->wait_seconds;
        default:
            return stats->predicted_error;
    }
}

static unsigned long long count(const variable_t *variable, const mca_coll_cerar_module_t *module,
                                const cerar_team_stats_t *stats) {
    switch (variable->what) {
        case CALLS:
            return module->calls;
        case FALLBACKS:
            return module->fallbacks[variable->reason];
        case BYTES_SENT:
            return stats->bytes_sent;
        default:
            return stats->rounds;
    }
}

static bool is_counter(const variable_t *variable) { return COUNTER == variable->class; }

/* All are 0 on a communicator where CERAR has never been. */
static int read_value(const mca_base_pvar_t *pvar, void *value, void *comm) {
    const variable_t *variable = pvar->ctx;
    mca_coll_cerar_module_t *module = coll_cerar_registry_find(comm);
    cerar_team_stats_t stats = {0};
    if (NULL != module) {
        coll_cerar_get_stats(module, &stats);
    }
    if (is_counter(variable)) {
        *(unsigned long long *)value = NULL == module ? 0 : count(variable, module, &stats);
    } else {
        *(double *)value = real_value(variable->what, &stats);
    }
    return OPAL_SUCCESS;
}

int coll_cerar_pvars_register(const mca_base_component_t *component) {
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i) {
        const variable_t *variable = &variables[i];
        const int index = mca_base_component_pvar_register(
            component, variable->name, variable->help, OPAL_INFO_LVL_4, variable->class,
            is_counter(variable) ? MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG : MCA_BASE_VAR_TYPE_DOUBLE,
            NULL, MCA_BASE_VAR_BIND_MPI_COMM,
            MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, read_value, NULL, NULL,
            (void *)variable);
        if (index < 0) {
            return index;
        }
    }
    return OPAL_SUCCESS;
}
