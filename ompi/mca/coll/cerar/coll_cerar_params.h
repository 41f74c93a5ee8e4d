/* The component's parameters, coll_cerar_*: what they are called, what they may be, what they are.
 *
 * All are registered as texts and read here: so a value that isn't a number is noticed, sizes may
 * have a suffix, and messages show what the user wrote. */
#ifndef MCA_COLL_CERAR_PARAMS_H
#define MCA_COLL_CERAR_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "opal/mca/base/base.h"

typedef enum coll_cerar_param {
    COLL_CERAR_ENABLE,
    COLL_CERAR_HINTS,
    COLL_CERAR_PRIORITY,
    COLL_CERAR_MIN_BYTES,
    COLL_CERAR_MIN_RANKS,
    COLL_CERAR_RULES_FILE,
    COLL_CERAR_TOLERANCE,
    COLL_CERAR_DESIGN,
    COLL_CERAR_COMPONENTS,
    COLL_CERAR_EPSILON,
    COLL_CERAR_MAX_CONDITION,
    COLL_CERAR_SEGMENT_BYTES,
    COLL_CERAR_TRANSPORT,
    COLL_CERAR_RING,
    COLL_CERAR_TOPOLOGY,
    COLL_CERAR_VERBOSE,
    COLL_CERAR_STATS,
    COLL_CERAR_PARAM_COUNT
} coll_cerar_param_t;

enum { COLL_CERAR_TRANSPORT_AUTO, COLL_CERAR_TRANSPORT_UCX, COLL_CERAR_TRANSPORT_PML };
enum { COLL_CERAR_RING_RANK, COLL_CERAR_RING_TOPOLOGY };
enum { COLL_CERAR_TOPOLOGY_AUTO, COLL_CERAR_TOPOLOGY_ALWAYS, COLL_CERAR_TOPOLOGY_SLOW_LINKS };

/* All values are numbers that a double holds; design is a cerar_design_t, transport, ring and
 * topology are of the enumerations above, rules_file is a hash of what the file says, and 0 if that
 * is nothing. */
typedef struct coll_cerar_values {
    double value[COLL_CERAR_PARAM_COUNT];
    uint32_t
        invalid; /* bit p: parameter p's text is no value of it; value[p] is then its default */
} coll_cerar_values_t;

/* Registers all parameters of the component. */
int coll_cerar_params_register(const mca_base_component_t *component);

/* Reads the registered texts. */
void coll_cerar_params_read(coll_cerar_values_t *values);

/* Reads those again that may change while the program runs, and whose text has changed. Who is no
 * value keeps its last one, and is told to bad. Returns whether any has a new value. */
bool coll_cerar_params_refresh(coll_cerar_values_t *values,
                               void (*bad)(coll_cerar_param_t param, double value));

/* The value of a text, if it is one of the parameter's, in its range; false otherwise. */
bool coll_cerar_param_parse(coll_cerar_param_t param, const char *text, double *value);

/* Its name in full, coll_cerar_…; what the user gave; what it may be; whether ranks may differ. */
const char *coll_cerar_param_name(coll_cerar_param_t param);
const char *coll_cerar_param_text(coll_cerar_param_t param);
const char *coll_cerar_param_range(coll_cerar_param_t param);
bool coll_cerar_param_may_differ(coll_cerar_param_t param);

/* A value as text, in the form that the user would give it. */
void coll_cerar_param_print(coll_cerar_param_t param, double value, char *buffer, size_t size);

/* Whether a parameter is in its range on a communicator of that many ranks, the others being what
 * they are. */
bool coll_cerar_param_in_range(const coll_cerar_values_t *values, coll_cerar_param_t param,
                               int ranks);

#endif
