/* A communicator's info hints, cerar_enable and others. They beat the parameters of the same name.
 *
 * Open MPI tells of a hint when the module subscribes, with what MPI_Comm_dup_with_info gave, and
 * at MPI_Comm_set_info. MPI asks for the same hints on all ranks, but nothing makes sure: what was
 * given is only noted here, and counts once the ranks have found that they all have it
 * (agree). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll_cerar.h"
#include "opal/util/info.h"
#include "opal/util/info_subscriber.h"

static const struct {
    const char *key;
    coll_cerar_param_t param; /* which has the same range, and is what holds without the hint */
} hints[COLL_CERAR_HINT_COUNT] = {
    [COLL_CERAR_HINT_ENABLE] = {"cerar_enable", COLL_CERAR_ENABLE},
    [COLL_CERAR_HINT_TOLERANCE] = {"cerar_tolerance", COLL_CERAR_TOLERANCE},
    [COLL_CERAR_HINT_COMPONENTS] = {"cerar_components", COLL_CERAR_COMPONENTS},
    [COLL_CERAR_HINT_SEGMENT_BYTES] = {"cerar_segment_bytes", COLL_CERAR_SEGMENT_BYTES},
};

const char *coll_cerar_hint_key(coll_cerar_hint_t hint) { return hints[hint].key; }
coll_cerar_param_t coll_cerar_hint_param(coll_cerar_hint_t hint) { return hints[hint].param; }

/* On is what enable means where cerar is named in the coll parameter. */
static double without_hint(coll_cerar_hint_t hint) {
    const mca_coll_cerar_component_t *self = &mca_coll_cerar_component;
    return COLL_CERAR_HINT_ENABLE == hint ? self->on : self->params.value[hints[hint].param];
}

void coll_cerar_hint_print(coll_cerar_hint_t hint, double value, char *buffer, size_t size) {
    if (COLL_CERAR_HINT_ENABLE == hint) {
        snprintf(buffer, size, "%s", 0 != value ? "true" : "false");
    } else {
        coll_cerar_param_print(hints[hint].param, value, buffer, size);
    }
}

/* Whether a text is a value of the hint on this communicator: what may be may depend on its ranks.
 */
static bool parse(const mca_coll_cerar_module_t *module, int hint, const char *text,
                  double *value) {
    const coll_cerar_param_t param = hints[hint].param;
    coll_cerar_values_t values = mca_coll_cerar_component.params;
    if (!coll_cerar_param_parse(param, text, value)) {
        return false;
    }
    values.value[param] = *value;
    return coll_cerar_param_in_range(&values, param, ompi_comm_size(module->comm));
}

static int hint_of(const char *key) {
    int hint = 0;
    while (hint < COLL_CERAR_HINT_COUNT && 0 != strcmp(key, hints[hint].key)) {
        ++hint;
    }
    return hint;
}

/* NULL: what Open MPI then shows is no hint of this name. Where nobody had asked for CERAR when the
 * ranks agreed, they do not talk of hints any more. */
static coll_cerar_hint_text_t given(opal_infosubscriber_t *object, coll_cerar_hint_text_t key,
                                    coll_cerar_hint_text_t text) {
    mca_coll_cerar_module_t *module =
        coll_cerar_registry_find((struct ompi_communicator_t *)object);
    const int hint = hint_of(key);
    if (NULL == module || COLL_CERAR_HINT_COUNT == hint || '\0' == text[0]) {
        return text;
    }
    coll_cerar_setting_up_wait(module); /* which takes the hints that there were when it began */
    if (COLL_CERAR_ASIDE == module->state) {
        if (0 == ompi_comm_rank(module->comm)) {
            coll_cerar_say_hint_too_late(module->comm, (coll_cerar_hint_t)hint, text);
        }
        return NULL;
    }
    coll_cerar_hints_t *of_comm = &module->hints;
    double value;
    of_comm->changed = true;
    module->asked = module->asked || !of_comm->known;
    if (!parse(module, hint, text, &value)) {
        snprintf(of_comm->refused[hint], sizeof of_comm->refused[hint], "%s", text);
        return NULL;
    }
    of_comm->given[hint] = true;
    of_comm->wanted[hint] = value;
    return text;
}

/* Shows in MPI_Comm_get_info what is in force, and not what the user wrote. */
static void show(mca_coll_cerar_module_t *module) {
    if (NULL == module->comm->super.s_info) {
        return; /* the user has freed the communicator */
    }
    for (int hint = 0; hint < COLL_CERAR_HINT_COUNT; ++hint) {
        char value[32];
        coll_cerar_hint_print((coll_cerar_hint_t)hint, module->hints.wanted[hint], value,
                              sizeof value);
        (void)opal_info_set(module->comm->super.s_info, hints[hint].key, value);
        coll_cerar_forget_original_hint(module->comm->super.s_info, hints[hint].key);
    }
}

/* They may have changed since the communicator was made. */
static void take_parameters(mca_coll_cerar_module_t *module) {
    for (int hint = 0; hint < COLL_CERAR_HINT_COUNT; ++hint) {
        if (!module->hints.given[hint]) {
            module->hints.wanted[hint] = without_hint((coll_cerar_hint_t)hint);
        }
    }
}

int coll_cerar_hints_subscribe(mca_coll_cerar_module_t *module) {
    coll_cerar_hints_t *of_comm = &module->hints;
    for (int hint = 0; hint < COLL_CERAR_HINT_COUNT; ++hint) {
        of_comm->wanted[hint] = without_hint((coll_cerar_hint_t)hint);
        char *key = (char *)hints[hint].key;
        const int rc = opal_infosubscribe_subscribe(&module->comm->super, key, (char *)"", given);
        if (OPAL_SUCCESS != rc) {
            return rc;
        }
    }
    module->asked = module->asked || mca_coll_cerar_component.on;
    show(module);
    return OMPI_SUCCESS;
}

/* What has not been agreed on is forgotten. */
static void settle(mca_coll_cerar_module_t *module) {
    coll_cerar_hints_t *of_comm = &module->hints;
    memcpy(of_comm->given, of_comm->hinted, sizeof of_comm->given);
    memcpy(of_comm->wanted, of_comm->agreed, sizeof of_comm->wanted);
    memset(of_comm->refused, 0, sizeof of_comm->refused);
    of_comm->changed = false;
    show(module);
}

/* What the ranks compare: the least of each over all of them. */
typedef struct facts {
    double asked;                          /* −1 if somebody asked for CERAR here */
    double refused[COLL_CERAR_HINT_COUNT]; /* the first rank with a bad value */
    double hinted[COLL_CERAR_HINT_COUNT];  /* −1 if the hint was given */
    double least[COLL_CERAR_HINT_COUNT], greatest[COLL_CERAR_HINT_COUNT]; /* the latter negated */
} facts_t;

static facts_t facts_of(const mca_coll_cerar_module_t *module) {
    const int rank = ompi_comm_rank(module->comm), size = ompi_comm_size(module->comm);
    facts_t facts = {.asked = -(double)module->asked};
    for (int hint = 0; hint < COLL_CERAR_HINT_COUNT; ++hint) {
        const double value = module->hints.wanted[hint];
        facts.refused[hint] = '\0' != module->hints.refused[hint][0] ? rank : size;
        facts.hinted[hint] = -(double)module->hints.given[hint];
        facts.least[hint] = value;
        facts.greatest[hint] = -value;
    }
    return facts;
}

static void report_refused(mca_coll_cerar_module_t *module, const facts_t *facts) {
    for (int hint = 0; hint < COLL_CERAR_HINT_COUNT; ++hint) {
        if (facts->refused[hint] == ompi_comm_rank(module->comm)) {
            coll_cerar_say_bad_hint(module->comm, (coll_cerar_hint_t)hint,
                                    module->hints.refused[hint]);
        }
    }
}

/* The first rank with the least value and the first with the greatest; rank 0 tells. */
static int report_different(mca_coll_cerar_module_t *module, const facts_t *facts,
                            coll_cerar_hint_t hint) {
    const int rank = ompi_comm_rank(module->comm), size = ompi_comm_size(module->comm);
    const double least = facts->least[hint], greatest = -facts->greatest[hint];
    const double mine = module->hints.wanted[hint];
    double ranks[2] = {mine == least ? rank : size, mine == greatest ? rank : size};
    const int rc = coll_cerar_minimum(module, ranks, 2);
    if (OMPI_SUCCESS != rc || 0 != rank) {
        return rc;
    }
    if (COLL_CERAR_HINT_ENABLE == hint && 0 == facts->hinted[hint]) {
        coll_cerar_say_not_everywhere(module->comm, (int)ranks[0]);
    } else {
        coll_cerar_say_different_hint(module->comm, hint, (int)ranks[0], least, (int)ranks[1],
                                      greatest);
    }
    return rc;
}

/* Whether there is a team, made for what all ranks want now. */
static bool have_team(const mca_coll_cerar_module_t *module) {
    for (int hint = COLL_CERAR_HINT_ENABLE + 1; hint < COLL_CERAR_HINT_COUNT; ++hint) {
        if (module->team.hints[hint] != module->hints.wanted[hint] ||
            module->team.hinted[hint] != module->hints.hinted[hint]) {
            return false;
        }
    }
    return NULL != module->team.handle;
}

/* The state that follows from what all ranks want. */
static int decide(mca_coll_cerar_module_t *module, const facts_t *facts) {
    for (int hint = 0; hint < COLL_CERAR_HINT_COUNT; ++hint) {
        if (facts->least[hint] != -facts->greatest[hint]) {
            const int rc = report_different(module, facts, (coll_cerar_hint_t)hint);
            module->state = COLL_CERAR_ASIDE;
            module->hints.wanted[COLL_CERAR_HINT_ENABLE] = 0;
            return rc;
        }
    }
    if (0 == module->hints.wanted[COLL_CERAR_HINT_ENABLE]) {
        module->state = module->asked ? COLL_CERAR_OFF : COLL_CERAR_ASIDE;
        return OMPI_SUCCESS;
    }
    module->state = have_team(module) ? COLL_CERAR_RUNNING : COLL_CERAR_AGREED;
    return OMPI_SUCCESS;
}

static int agree(mca_coll_cerar_module_t *module) {
    facts_t facts = facts_of(module);
    int rc = coll_cerar_minimum(module, (double *)&facts, sizeof facts / sizeof(double));
    if (OMPI_SUCCESS != rc) {
        module->state = COLL_CERAR_ASIDE;
        return rc;
    }
    module->asked = 0 != facts.asked;
    for (int hint = 0; hint < COLL_CERAR_HINT_COUNT; ++hint) {
        module->hints.hinted[hint] = 0 != facts.hinted[hint];
    }
    report_refused(module, &facts);
    rc = decide(module, &facts);
    module->hints.known = true;
    memcpy(module->hints.agreed, module->hints.wanted, sizeof module->hints.agreed);
    settle(module);
    return rc;
}

/* New hints that some ranks have not got are taken nowhere. Whoever has such a left neighbour says
 * so. */
static void drop_new(mca_coll_cerar_module_t *module) {
    const coll_cerar_hints_t *of_comm = &module->hints;
    for (int hint = 0; hint < COLL_CERAR_HINT_COUNT; ++hint) {
        if (!coll_cerar_watch_left_changed(module->watch) &&
            of_comm->wanted[hint] != of_comm->agreed[hint]) {
            coll_cerar_say_missing_hint(module->comm, (coll_cerar_hint_t)hint,
                                        of_comm->wanted[hint], of_comm->agreed[hint],
                                        coll_cerar_watch_left(module->watch));
        }
    }
    settle(module);
}

int coll_cerar_hints_begin(mca_coll_cerar_module_t *module) {
    if (!module->hints.known) {
        take_parameters(module);
        return agree(module);
    }
    if (COLL_CERAR_ASIDE == module->state) {
        return OMPI_SUCCESS;
    }
    int rc = coll_cerar_watch_begin(module->watch, module->hints.changed);
    if (OMPI_SUCCESS != rc || !module->hints.changed) {
        return rc;
    }
    bool all;
    rc = coll_cerar_watch_all_changed(module->watch, &all);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (all) {
        return agree(module);
    }
    drop_new(module);
    return OMPI_SUCCESS;
}
