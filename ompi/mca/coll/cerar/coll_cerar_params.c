#define _GNU_SOURCE /* uselocale */
#include "coll_cerar_params.h"

#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cerar.h"

typedef enum { FLAG, INTEGER, BYTES, REAL, CHOICE, RULES } kind_t;

typedef struct spec {
    const char *name; /* in full; what the component system wants begins at SHORT_NAME */
    kind_t kind;
    const char *initial;
    double min, max;
    bool zero;       /* 0 is allowed below min, and means automatic */
    bool may_differ; /* ranks need not have the same value */
    int level;
    bool settable; /* by MPI_T_cvar_write: it is read again */
    const char *range;
    const char *help;
    const char *const *words; /* of a choice: what value 0, 1, … max is called */
} spec_t;

#define PREFIX "coll_cerar_"
#define SHORT_NAME (sizeof PREFIX - 1)
#define MAX_INTEGER 2147483647.0
#define BELOW_ONE (1 - DBL_EPSILON / 2)

static const char *const designs[] = {
    [CERAR_DESIGN_AUTO] = "auto",
    [CERAR_DESIGN_EXACT] = "exact",
    [CERAR_DESIGN_EPSILON] = "epsilon",
    [CERAR_DESIGN_VANDERMONDE] = "vandermonde",
    [CERAR_DESIGN_CONSTRAINED] = "constrained",
};
static const char *const transports[] = {
    [COLL_CERAR_TRANSPORT_AUTO] = "auto",
    [COLL_CERAR_TRANSPORT_UCX] = "ucx",
    [COLL_CERAR_TRANSPORT_PML] = "pml",
};
static const char *const rings[] = {
    [COLL_CERAR_RING_RANK] = "rank",
    [COLL_CERAR_RING_TOPOLOGY] = "topology",
};
static const char *const topologies[] = {
    [COLL_CERAR_TOPOLOGY_AUTO] = "auto",
    [COLL_CERAR_TOPOLOGY_ALWAYS] = "always",
    [COLL_CERAR_TOPOLOGY_SLOW_LINKS] = "slow-links",
};

/* What ompi_info shows, and docs/parameters.md, is the help text and then the range. */
static const spec_t specs[COLL_CERAR_PARAM_COUNT] = {
    [COLL_CERAR_ENABLE] =
        {PREFIX "enable", FLAG, "0", 0, 1, false, true, OPAL_INFO_LVL_2, false, "0 or 1",
         "Whether CERAR takes over MPI_Allreduce where no hint says otherwise. Also on when "
         "cerar is named in the coll parameter's list. Its results are approximate, "
         "within coll_cerar_tolerance"},
    [COLL_CERAR_HINTS] =
        {PREFIX "hints", FLAG, "0", 0, 1, false, false, OPAL_INFO_LVL_2, false, "0 or 1",
         "Whether the hint cerar_enable=true turns CERAR on for a communicator where nothing else "
         "has. Costs every communicator a few small messages, by which the ranks see whether one "
         "has the hint. Where CERAR is on, hints count in any case"},
    [COLL_CERAR_PRIORITY] = {PREFIX "priority", INTEGER, "90", 0, 10000, false, false,
                             OPAL_INFO_LVL_9, false, "0 to 10000",
                             "Priority of the component against the others"},
    [COLL_CERAR_MIN_BYTES] = {PREFIX "min_bytes", BYTES, "256K", 0, 9007199254740991.0, false,
                              false, OPAL_INFO_LVL_3, false,
                              "a number of bytes from 0 (K, M or G may follow it)",
                              "Vectors smaller than this go to the component that would have had "
                              "them without CERAR"},
    [COLL_CERAR_MIN_RANKS] = {PREFIX "min_ranks", INTEGER, "2", 2, MAX_INTEGER, false, false,
                              OPAL_INFO_LVL_3, false, "2 or more",
                              "Communicators with fewer ranks are left alone"},
    [COLL_CERAR_RULES_FILE] =
        {PREFIX "rules_file", RULES, "", 0, 9007199254740991.0, false, false, OPAL_INFO_LVL_3,
         false, "a file of rules, or nothing",
         "File of rules that say, by ranks, bytes and type, which all-reduces CERAR runs and with "
         "which code. Where none matches, the other parameters hold. What the files say must be "
         "the same on all ranks"},
    [COLL_CERAR_TOLERANCE] =
        {PREFIX "tolerance", REAL, "1e-3", 0, 1, false, false, OPAL_INFO_LVL_2, true, "0 to 1",
         "Relative error that results may have, as predicted for "
         "data that are independent between ranks: of the codes that keep it "
         "the fastest is taken. 0: exact only, and the same on all ranks. A hint of the "
         "communicator beats it"},
    [COLL_CERAR_DESIGN] = {PREFIX "design", CHOICE, "auto", 0, CERAR_DESIGN_CONSTRAINED, false,
                           false, OPAL_INFO_LVL_5, false,
                           "auto, exact, epsilon, vandermonde or constrained",
                           "Which codes may be taken besides the exact ring: exact (no "
                           "approximation), epsilon (powers of evenly spaced nodes), vandermonde "
                           "(one polynomial, up to 16 components), constrained (powers with free "
                           "scales), or auto (all of them but vandermonde)",
                           designs},
    [COLL_CERAR_COMPONENTS] =
        {PREFIX "components", INTEGER, "0", 1, MAX_INTEGER, true, false, OPAL_INFO_LVL_3, false,
         "1 to 8 times the number of ranks, or 0; with coll_cerar_design "
         "exact up to the number of ranks, with epsilon and constrained "
         "more, with vandermonde up to 16",
         "Components c that a vector is cut into, whatever coll_cerar_tolerance is. Up to "
         "the number of ranks the result is exact, but for design vandermonde; more "
         "components are faster and less accurate. 0: "
         "the fastest that keeps coll_cerar_tolerance. A hint of the communicator beats it"},
    [COLL_CERAR_EPSILON] = {PREFIX "epsilon", REAL, "0", DBL_MIN, BELOW_ONE, true, false,
                            OPAL_INFO_LVL_5, false,
                            "between 0 and 1, or 0 for the best; 0 with coll_cerar_design "
                            "constrained",
                            "Node spacing of the approximate code. 0: the "
                            "one with the least total error for the type and the number of "
                            "components"},
    [COLL_CERAR_MAX_CONDITION] = {PREFIX "max_condition", REAL, "0", 1, DBL_MAX, true, false,
                                  OPAL_INFO_LVL_6, false, "1 or more, or 0 for no limit",
                                  "Greatest condition number that the matrices of decoding may "
                                  "have: codes beyond it are not taken"},
    [COLL_CERAR_SEGMENT_BYTES] =
        {PREFIX "segment_bytes", BYTES, "0", 512, 16777216, true, false, OPAL_INFO_LVL_5, false,
         "512 to 16777216 (K or M may follow it), or 0 for automatic",
         "Payload of a message in bytes. 0: 256K where all ranks share a node, and 16K "
         "elsewhere. A hint of the communicator beats it"},
    [COLL_CERAR_TRANSPORT] = {PREFIX "transport", CHOICE, "auto", COLL_CERAR_TRANSPORT_AUTO,
                              COLL_CERAR_TRANSPORT_PML, false, false, OPAL_INFO_LVL_4, false,
                              "auto, ucx or pml",
                              "What carries the messages: ucx (CERAR's own UCX endpoints), pml "
                              "(Open MPI's point-to-point layer), or auto (ucx if all ranks have "
                              "it, else pml)",
                              transports},
    [COLL_CERAR_RING] = {PREFIX "ring", CHOICE, "topology", COLL_CERAR_RING_RANK,
                         COLL_CERAR_RING_TOPOLOGY, false, false, OPAL_INFO_LVL_5, false,
                         "rank or topology",
                         "In which order the ring passes the ranks: by rank, or by topology (node "
                         "by node, within a node by GPU and processor), which crosses each node's "
                         "link to the network once on the way in and once on the way out",
                         rings},
    [COLL_CERAR_TOPOLOGY] =
        {PREFIX "topology", CHOICE, "auto", COLL_CERAR_TOPOLOGY_AUTO,
         COLL_CERAR_TOPOLOGY_SLOW_LINKS, false, false, OPAL_INFO_LVL_3, false,
         "auto, always or slow-links",
         "On which links CERAR runs: slow-links (between nodes, and between GPUs of a node "
         "that are known to have no NVLink), auto (also where links are not known; not in a node's "
         "memory, nor where there is NVLink all around the ring), or always. It goes by the "
         "buffers of a communicator's first call",
         topologies},
    [COLL_CERAR_VERBOSE] = {PREFIX "verbose", INTEGER, "0", 0, 100, false, true, OPAL_INFO_LVL_9,
                            true, "0 to 100",
                            "How much the component tells: 1 says once a communicator "
                            "what was chosen, 2 also why a call was passed on. Ranks may differ"},
    [COLL_CERAR_STATS] = {PREFIX "stats", FLAG, "0", 0, 1, false, true, OPAL_INFO_LVL_4, true,
                          "0 or 1",
                          "Whether rank 0 of each communicator prints one line of counters when "
                          "the communicator ends. Ranks may differ"},
};

static char *texts[COLL_CERAR_PARAM_COUNT];

static mca_base_var_scope_t scope_of(const spec_t *spec) {
    if (!spec->settable) {
        return MCA_BASE_VAR_SCOPE_READONLY;
    }
    return spec->may_differ ? MCA_BASE_VAR_SCOPE_LOCAL : MCA_BASE_VAR_SCOPE_ALL_EQ;
}

int coll_cerar_params_register(const mca_base_component_t *component) {
    for (int p = 0; p < COLL_CERAR_PARAM_COUNT; ++p) {
        const spec_t *spec = &specs[p];
        char help[1024]; /* copied */
        snprintf(help, sizeof help, "%s. Range: %s", spec->help, spec->range);
        texts[p] = (char *)spec->initial;
        const int index = mca_base_component_var_register(
            component, spec->name + SHORT_NAME, help, MCA_BASE_VAR_TYPE_STRING, NULL, 0,
            spec->settable ? MCA_BASE_VAR_FLAG_SETTABLE : 0, (mca_base_var_info_lvl_t)spec->level,
            scope_of(spec), &texts[p]);
        if (index < 0) {
            return index;
        }
    }
    return OPAL_SUCCESS;
}

/* Numbers are written with a point, whatever locale the program has set: a thread's own locale is
 * what it goes by meanwhile. */
static locale_t enter_c_locale(void) {
    static locale_t c_locale; /* two threads would make the same, one of them for nothing */
    if ((locale_t)0 == c_locale) {
        c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    }
    return uselocale(c_locale);
}

static void leave_c_locale(locale_t before) { (void)uselocale(before); }

static bool parse_flag(const char *text, double *value) {
    static const char *const words[2][3] = {{"0", "false", "no"}, {"1", "true", "yes"}};
    for (int flag = 0; flag < 2; ++flag) {
        for (int i = 0; i < 3; ++i) {
            if (0 == strcasecmp(text, words[flag][i])) {
                *value = flag;
                return true;
            }
        }
    }
    return false;
}

static bool parse_choice(const spec_t *spec, const char *text, double *value) {
    for (int i = 0; i <= (int)spec->max; ++i) {
        if (0 == strcasecmp(text, spec->words[i])) {
            *value = i;
            return true;
        }
    }
    return false;
}

static bool parse_number(kind_t kind, const char *text, double *value) {
    char *end;
    const locale_t before = enter_c_locale();
    const double number = strtod(text, &end);
    leave_c_locale(before);
    if (end == text || !isfinite(number)) {
        return false;
    }
    double factor = 1;
    if (BYTES == kind && '\0' != *end) {
        static const char suffixes[] = "KMG";
        const char *suffix = strchr(suffixes, toupper((unsigned char)*end));
        if (NULL == suffix) {
            return false;
        }
        factor = ldexp(1, (int)(10 * (suffix - suffixes + 1)));
        ++end;
    }
    *value = number * factor;
    return '\0' == *end && (REAL == kind || *value == floor(*value));
}

static bool parse(const spec_t *spec, const char *text, double *value) {
    switch (spec->kind) {
        case FLAG:
            return parse_flag(text, value);
        case CHOICE:
            return parse_choice(spec, text, value);
        case RULES: /* what it says is in the file: coll_cerar_rules_load */
            *value = 0;
            return true;
        default:
            return parse_number(spec->kind, text, value);
    }
}

static bool in_range(const spec_t *spec, double value) {
    if (0 == value && spec->zero) {
        return true;
    }
    return value >= spec->min && value <= spec->max;
}

bool coll_cerar_param_parse(coll_cerar_param_t param, const char *text, double *value) {
    return parse(&specs[param], text, value) && in_range(&specs[param], *value);
}

/* Whether it is another than when this was last asked. Longer ones than are kept are no values. */
static bool text_is_new(coll_cerar_param_t param) {
    static char seen[COLL_CERAR_PARAM_COUNT][64];
    const char *text = coll_cerar_param_text(param);
    if (0 == strncmp(seen[param], text, sizeof seen[param] - 1)) {
        return false;
    }
    snprintf(seen[param], sizeof seen[param], "%s", text);
    return true;
}

void coll_cerar_params_read(coll_cerar_values_t *values) {
    memset(values, 0, sizeof *values); /* compared and sent whole, padding too */
    for (int p = 0; p < COLL_CERAR_PARAM_COUNT; ++p) {
        const spec_t *spec = &specs[p];
        double value = 0;
        if (!coll_cerar_param_parse(p, coll_cerar_param_text(p), &value)) {
            values->invalid |= 1u << p;
            (void)parse(spec, spec->initial, &value);
        }
        values->value[p] = value;
        (void)text_is_new((coll_cerar_param_t)p);
    }
}

bool coll_cerar_params_refresh(coll_cerar_values_t *values,
                               void (*bad)(coll_cerar_param_t param, double value)) {
    bool changed = false;
    for (int p = 0; p < COLL_CERAR_PARAM_COUNT; ++p) {
        const coll_cerar_param_t param = (coll_cerar_param_t)p;
        if (!specs[p].settable || !text_is_new(param)) {
            continue;
        }
        double value;
        if (coll_cerar_param_parse(param, coll_cerar_param_text(param), &value)) {
            values->value[p] = value;
            changed = true;
        } else {
            bad(param, values->value[p]);
        }
    }
    return changed;
}

const char *coll_cerar_param_name(coll_cerar_param_t param) { return specs[param].name; }

const char *coll_cerar_param_text(coll_cerar_param_t param) {
    return NULL != texts[param] ? texts[param] : "";
}

const char *coll_cerar_param_range(coll_cerar_param_t param) { return specs[param].range; }

bool coll_cerar_param_may_differ(coll_cerar_param_t param) { return specs[param].may_differ; }

void coll_cerar_param_print(coll_cerar_param_t param, double value, char *buffer, size_t size) {
    if (CHOICE == specs[param].kind) {
        snprintf(buffer, size, "%s", specs[param].words[(int)value]);
    } else if (RULES == specs[param].kind) {
        snprintf(buffer, size, 0 == value ? "no rules" : "rules %" PRIx64, (uint64_t)value);
    } else {
        const locale_t before = enter_c_locale();
        snprintf(buffer, size, "%.15g", value);
        leave_c_locale(before);
    }
}

/* What a design can have at most or at least. 0 is for the planner to choose. */
static bool components_in_range(double components, cerar_design_t design, int ranks) {
    const double most = (double)CERAR_MAX_COMPONENTS_PER_RANK * ranks;
    if (0 == components) {
        return true;
    }
    switch (design) {
        case CERAR_DESIGN_EXACT:
            return components <= ranks;
        case CERAR_DESIGN_EPSILON:
        case CERAR_DESIGN_CONSTRAINED:
            return components > ranks && components <= most;
        case CERAR_DESIGN_VANDERMONDE:
            return components <= CERAR_MAX_VANDERMONDE && components <= most;
        default:
            return components <= most;
    }
}

bool coll_cerar_param_in_range(const coll_cerar_values_t *values, coll_cerar_param_t param,
                               int ranks) {
    const double value = values->value[param];
    const cerar_design_t design = (cerar_design_t)values->value[COLL_CERAR_DESIGN];
    if (COLL_CERAR_COMPONENTS == param && !components_in_range(value, design, ranks)) {
        return false;
    }
    if (COLL_CERAR_EPSILON == param && 0 != value && CERAR_DESIGN_CONSTRAINED == design) {
        return false;
    }
    return in_range(&specs[param], value);
}
