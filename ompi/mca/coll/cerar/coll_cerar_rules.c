/* Which all-reduces are large enough for CERAR: first the rules of coll_cerar_rules_file, then the
 * built-in ones, which are coll_cerar_min_bytes and coll_cerar_min_ranks.
 *
 * All ranks must decide alike. What is in the file becomes the parameter's value, as a number, so
 * that it is published and compared as the others are; a file that can't be used is like none. */
#include <stdio.h>

#include "coll_cerar.h"

void coll_cerar_rules_load(coll_cerar_values_t *values) {
    mca_coll_cerar_component_t *self = &mca_coll_cerar_component;
    const char *file = coll_cerar_param_text(COLL_CERAR_RULES_FILE);
    if ('\0' == file[0]) {
        return;
    }
    if (CERAR_OK == cerar_rules_read(file, &self->rules)) {
        values->value[COLL_CERAR_RULES_FILE] = (double)cerar_rules_hash(self->rules);
        return;
    }
    values->invalid |= 1u << COLL_CERAR_RULES_FILE;
    snprintf(self->bad_rules, sizeof self->bad_rules, "%s", cerar_last_error());
}

void coll_cerar_rules_forget(void) {
    cerar_rules_destroy(mca_coll_cerar_component.rules);
    mca_coll_cerar_component.rules = NULL;
}

bool coll_cerar_rules_may_take(const coll_cerar_values_t *values, int ranks) {
    return ranks >= values->value[COLL_CERAR_MIN_RANKS] ||
           (ranks >= 2 && 0 != values->value[COLL_CERAR_RULES_FILE]);
}

coll_cerar_reason_t coll_cerar_rules_ask(int ranks, size_t bytes, cerar_type_t type) {
    const mca_coll_cerar_component_t *self = &mca_coll_cerar_component;
    const double *params = self->params.value;
    if (0 == bytes) {
        return COLL_CERAR_SIZE;
    }
    switch (cerar_rules_find(self->rules, ranks, bytes, type)) {
        case CERAR_RULE_OFF:
            return COLL_CERAR_RULE;
        case CERAR_RULE_RUN:
            return COLL_CERAR_TAKEN;
        default:
            break;
    }
    /* A double is large enough for any number of bytes that fits in memory. */
    const bool small =
        (double)bytes < params[COLL_CERAR_MIN_BYTES] || ranks < params[COLL_CERAR_MIN_RANKS];
    return small ? COLL_CERAR_SIZE : COLL_CERAR_TAKEN;
}
