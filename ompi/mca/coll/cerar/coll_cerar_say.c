/* What the component has to say to the user.
 *
 * The texts are in help-mpi-coll-cerar.txt, which lies beside the component: in whatever directory
 * that is, Open MPI does not look there by itself. Without the file a plain line has to do. One
 * rank speaks, so the message goes straight to its standard error and not to mpirun for comparison
 * with others: on that way mpirun 4.1.4, with the PMIx 4.2 that Debian gives it, loses one in five.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll_cerar.h"
#include "opal/util/show_help.h"

#define HELP_FILE "help-mpi-coll-cerar.txt"

#ifdef COLL_CERAR_IN_TREE
/* Built with Open MPI, its file is among Open MPI's. */
static bool have_help(void) { return true; }
#else
/* Writes the path of a file beside this component; false if there is none that can be read. */
static bool beside_component(char *path, size_t size, const char *file) {
    Dl_info info;
    if (0 == dladdr((void *)&mca_coll_cerar_component, &info) || NULL == info.dli_fname) {
        return false;
    }
    char copy[4096];
    if (strlen(info.dli_fname) >= sizeof copy) {
        return false;
    }
    strcpy(copy, info.dli_fname);
    const char *directory = dirname(copy);
    const int length = '\0' == file[0] ? snprintf(path, size, "%s", directory)
                                       : snprintf(path, size, "%s/%s", directory, file);
    return length > 0 && (size_t)length < size && 0 == access(path, R_OK);
}

static bool have_help(void) {
    static int found = -1; /* not looked yet; two threads would find the same */
    if (found < 0) {
        char path[4200], directory[4200];
        found = beside_component(path, sizeof path, HELP_FILE) &&
                beside_component(directory, sizeof directory, "") &&
                OPAL_SUCCESS == opal_show_help_add_dir(directory);
    }
    return found;
}
#endif

static void print_text(char *text) {
    if (NULL != text) {
        fputs(text, stderr);
        free(text);
    }
}

const char *coll_cerar_comm_name(struct ompi_communicator_t *comm, char *buffer, size_t size) {
    const char *name = comm->c_name;
    if (NULL != name && '\0' != name[0]) {
        return name;
    }
    snprintf(buffer, size, "communicator %u", (unsigned)COLL_CERAR_CID(comm));
    return buffer;
}

/* Says one topic of the help file, or else the same in one line. */
#define SAY(topic, line, ...)                                                       \
    do {                                                                            \
        if (have_help()) {                                                          \
            print_text(opal_show_help_string(HELP_FILE, topic, true, __VA_ARGS__)); \
        } else {                                                                    \
            fprintf(stderr, "cerar: " line "\n", __VA_ARGS__);                      \
        }                                                                           \
    } while (0)

void coll_cerar_say_out_of_range(struct ompi_communicator_t *comm, coll_cerar_param_t param) {
    char name[64];
    SAY("out of range", "%s = \"%s\" is not in its range: %s. CERAR steps aside on %s (%d ranks).",
        coll_cerar_param_name(param), coll_cerar_param_text(param), coll_cerar_param_range(param),
        coll_cerar_comm_name(comm, name, sizeof name), ompi_comm_size(comm));
}

void coll_cerar_say_not_taken(coll_cerar_param_t param, double value) {
    char text[32];
    coll_cerar_param_print(param, value, text, sizeof text);
    SAY("not taken", "%s = \"%s\" is not in its range: %s. It is not taken, and stays %s.",
        coll_cerar_param_name(param), coll_cerar_param_text(param), coll_cerar_param_range(param),
        text);
}

void coll_cerar_say_different(struct ompi_communicator_t *comm, coll_cerar_param_t param,
                              int rank_a, double value_a, int rank_b, double value_b) {
    char name[64], text_a[32], text_b[32];
    coll_cerar_param_print(param, value_a, text_a, sizeof text_a);
    coll_cerar_param_print(param, value_b, text_b, sizeof text_b);
    SAY("different",
        "%s is not the same on all ranks: %s on rank %d, %s on rank %d (range: %s). "
        "CERAR steps aside on %s (%d ranks).",
        coll_cerar_param_name(param), text_a, rank_a, text_b, rank_b, coll_cerar_param_range(param),
        coll_cerar_comm_name(comm, name, sizeof name), ompi_comm_size(comm));
}

void coll_cerar_say_not_everywhere(struct ompi_communicator_t *comm, int rank) {
    char name[64];
    SAY("not everywhere",
        "%s is on, but not on rank %d (range: %s). CERAR steps aside on %s (%d ranks).",
        coll_cerar_param_name(COLL_CERAR_ENABLE), rank, coll_cerar_param_range(COLL_CERAR_ENABLE),
        coll_cerar_comm_name(comm, name, sizeof name), ompi_comm_size(comm));
}

void coll_cerar_say_no_team(struct ompi_communicator_t *comm, const char *transport,
                            const char *reason) {
    char name[64];
    SAY("no team", "transport %s can't be used on %s (%d ranks, this is rank %d): %s.", transport,
        coll_cerar_comm_name(comm, name, sizeof name), ompi_comm_size(comm), ompi_comm_rank(comm),
        reason);
}

void coll_cerar_say_no_memory(struct ompi_communicator_t *comm) {
    if (0 == ompi_comm_rank(comm)) {
        coll_cerar_say_no_team(comm, "any", cerar_status_string(CERAR_ERR_NO_MEMORY));
    }
}

void coll_cerar_say_bad_rules(struct ompi_communicator_t *comm) {
    char name[64];
    const char *param = coll_cerar_param_name(COLL_CERAR_RULES_FILE);
    SAY("bad rules",
        "%s can't be used: %s (on rank %d of %s, %d ranks). CERAR goes by its parameters.", param,
        mca_coll_cerar_component.bad_rules, ompi_comm_rank(comm),
        coll_cerar_comm_name(comm, name, sizeof name), ompi_comm_size(comm));
}

/* Name and value of a hint that is in force, or of the parameter that holds without it. */
typedef struct setting {
    const char *name;
    char value[64];
} setting_t;

static setting_t setting_of(const coll_cerar_team_t *team, coll_cerar_hint_t hint) {
    const coll_cerar_param_t param = coll_cerar_hint_param(hint);
    const bool hinted = team->hinted[hint];
    setting_t setting = {.name = hinted ? coll_cerar_hint_key(hint) : coll_cerar_param_name(param)};
    if (hinted) {
        coll_cerar_hint_print(hint, team->hints[hint], setting.value, sizeof setting.value);
    } else {
        snprintf(setting.value, sizeof setting.value, "%s", coll_cerar_param_text(param));
    }
    return setting;
}

void coll_cerar_say_exceeds(struct ompi_communicator_t *comm, const coll_cerar_team_t *team,
                            const cerar_team_stats_t *last) {
    setting_t by = setting_of(team, COLL_CERAR_HINT_COMPONENTS);
    const setting_t allowed = setting_of(team, COLL_CERAR_HINT_TOLERANCE);
    const bool by_rule = team->hints[COLL_CERAR_HINT_COMPONENTS] != last->components;
    char name[64], predicted[32], line[32] = "";
    if (by_rule) {
        snprintf(line, sizeof line, ", line %d", last->rule_line);
    }
    snprintf(predicted, sizeof predicted, "%.2g", last->predicted_error);
    SAY("exceeds tolerance",
        "%s = %s%s gives a predicted relative error of %s, more than %s = %s (range: %s), on %s "
        "(%d ranks).",
        by_rule ? coll_cerar_param_name(COLL_CERAR_RULES_FILE) : by.name,
        by_rule ? coll_cerar_param_text(COLL_CERAR_RULES_FILE) : by.value, line, predicted,
        allowed.name, allowed.value, coll_cerar_param_range(COLL_CERAR_TOLERANCE),
        coll_cerar_comm_name(comm, name, sizeof name), ompi_comm_size(comm));
}

void coll_cerar_say_bad_hint(struct ompi_communicator_t *comm, coll_cerar_hint_t hint,
                             const char *text) {
    char name[64];
    SAY("bad hint", "hint %s = \"%s\" is not in its range: %s. It is not taken on %s (%d ranks).",
        coll_cerar_hint_key(hint), text, coll_cerar_param_range(coll_cerar_hint_param(hint)),
        coll_cerar_comm_name(comm, name, sizeof name), ompi_comm_size(comm));
}

void coll_cerar_say_different_hint(struct ompi_communicator_t *comm, coll_cerar_hint_t hint,
                                   int rank_a, double value_a, int rank_b, double value_b) {
    char name[64], text_a[32], text_b[32];
    coll_cerar_hint_print(hint, value_a, text_a, sizeof text_a);
    coll_cerar_hint_print(hint, value_b, text_b, sizeof text_b);
    SAY("different hint",
        "hint %s is not the same on all ranks: %s on rank %d, %s on rank %d (range: %s). CERAR "
        "steps aside on %s (%d ranks).",
        coll_cerar_hint_key(hint), text_a, rank_a, text_b, rank_b,
        coll_cerar_param_range(coll_cerar_hint_param(hint)),
        coll_cerar_comm_name(comm, name, sizeof name), ompi_comm_size(comm));
}

void coll_cerar_say_missing_hint(struct ompi_communicator_t *comm, coll_cerar_hint_t hint,
                                 double value, double value_elsewhere, int elsewhere) {
    char name[64], text[32], text_elsewhere[32];
    coll_cerar_hint_print(hint, value, text, sizeof text);
    coll_cerar_hint_print(hint, value_elsewhere, text_elsewhere, sizeof text_elsewhere);
    SAY("missing hint",
        "hint %s = %s was given on rank %d, but not on rank %d (still %s). It is not taken on %s "
        "(%d ranks).",
        coll_cerar_hint_key(hint), text, ompi_comm_rank(comm), elsewhere, text_elsewhere,
        coll_cerar_comm_name(comm, name, sizeof name), ompi_comm_size(comm));
}

void coll_cerar_say_hint_too_late(struct ompi_communicator_t *comm, coll_cerar_hint_t hint,
                                  const char *text) {
    char name[64];
    SAY("hint too late",
        "hint %s = %s comes when CERAR is out of use on %s (%d ranks). It is not taken.",
        coll_cerar_hint_key(hint), text, coll_cerar_comm_name(comm, name, sizeof name),
        ompi_comm_size(comm));
}

void coll_cerar_say_failed(struct ompi_communicator_t *comm, const char *reason) {
    char name[64];
    SAY("failed", "an all-reduce failed on %s (%d ranks, this is rank %d): %s.",
        coll_cerar_comm_name(comm, name, sizeof name), ompi_comm_size(comm), ompi_comm_rank(comm),
        reason);
}

/* Often of all ranks: the first says all, they say a line. */
void coll_cerar_say_fallback(struct ompi_communicator_t *comm, const char *memory,
                             const char *reason) {
    const int rank = ompi_comm_rank(comm), size = ompi_comm_size(comm);
    char name[64];
    const char *comm_name = coll_cerar_comm_name(comm, name, sizeof name);
    if (0 == rank && have_help()) {
        print_text(opal_show_help_string(HELP_FILE, "fallback", true, memory, comm_name, size, rank,
                                         reason));
        return;
    }
    fprintf(stderr,
            "cerar: rank %d: buffers in a device's memory are \"%s\" on %s (%d ranks): %s.\n", rank,
            memory, comm_name, size, reason);
}

/* What one rank sees the others see too, nearly always: the first says all, they say a line. */
static void say_range(struct ompi_communicator_t *comm, const char *topic, const char *what) {
    char name[64];
    const char *tolerance = coll_cerar_param_name(COLL_CERAR_TOLERANCE);
    if (0 == ompi_comm_rank(comm) && have_help()) {
        print_text(opal_show_help_string(HELP_FILE, topic, true,
                                         coll_cerar_comm_name(comm, name, sizeof name),
                                         ompi_comm_size(comm), ompi_comm_rank(comm), tolerance));
        return;
    }
    fprintf(stderr, "cerar: rank %d: %s, on %s (%d ranks); see %s.\n", ompi_comm_rank(comm), what,
            coll_cerar_comm_name(comm, name, sizeof name), ompi_comm_size(comm), tolerance);
}

void coll_cerar_say_not_finite(struct ompi_communicator_t *comm) {
    say_range(comm, "not finite", "a sum has infinities or NaNs, and the data may have none");
}

void coll_cerar_say_small(struct ompi_communicator_t *comm) {
    say_range(comm, "small", "a sum is so small that its error may be greater than allowed");
}
