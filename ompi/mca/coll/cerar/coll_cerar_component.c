/* What Open MPI sees first: the component, its parameters, and whether it is asked for. */
#include "coll_cerar.h"

#include <string.h>

#include "opal/util/argv.h"

/* This component's own version; Open MPI keeps it apart from its own. */
#define VERSION_MAJOR 0
#define VERSION_MINOR 1
#define VERSION_RELEASE 0

static int register_params(void);
static int open_component(void);
static int close_component(void);

mca_coll_cerar_component_t mca_coll_cerar_component = {
    .super =
        {
            .collm_version =
                {
                    COLL_CERAR_BASE_VERSION,
                    .mca_component_name = "cerar",
                    MCA_BASE_MAKE_VERSION(component, VERSION_MAJOR, VERSION_MINOR, VERSION_RELEASE),
                    .mca_open_component = open_component,
                    .mca_close_component = close_component,
                    .mca_register_component_params = register_params,
                },
            .collm_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
            .collm_init_query = coll_cerar_init_query,
            .collm_comm_query = coll_cerar_comm_query,
        },
    .output = -1,
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

static int register_params(void) {
    const mca_base_component_t *component = &mca_coll_cerar_component.super.collm_version;
    const int rc = coll_cerar_params_register(component);
    return OPAL_SUCCESS == rc ? coll_cerar_pvars_register(component) : rc;
}

void coll_cerar_component_refresh(void) {
    mca_coll_cerar_component_t *self = &mca_coll_cerar_component;
    pthread_mutex_lock(&self->lock);
    if (coll_cerar_params_refresh(&self->params, coll_cerar_say_not_taken)) {
        opal_output_set_verbosity(self->output, (int)self->params.value[COLL_CERAR_VERBOSE]);
    }
    pthread_mutex_unlock(&self->lock);
}

/* Whether the coll parameter is a list of what to use, not of what to leave out, and has us. */
static bool named_in_selection(void) {
    const char *selection = ompi_coll_base_framework.framework_selection;
    if (NULL == selection || '^' == selection[0]) {
        return false;
    }
    char **names = opal_argv_split(selection, ',');
    bool named = false;
    for (int i = 0; NULL != names && NULL != names[i]; ++i) {
        named = named || 0 == strcmp(names[i], "cerar");
    }
    opal_argv_free(names);
    return named;
}

/* A bad value also means on: the user wants something of us, so the message about it is due. */
static bool is_set(const coll_cerar_values_t *params, coll_cerar_param_t flag) {
    return 0 != params->value[flag] || 0 != (params->invalid & 1u << flag);
}

static bool asked_for(const coll_cerar_values_t *params) {
    return named_in_selection() || is_set(params, COLL_CERAR_ENABLE) ||
           0 != (params->invalid & 1u << COLL_CERAR_HINTS);
}

static int open_component(void) {
    mca_coll_cerar_component_t *self = &mca_coll_cerar_component;
    coll_cerar_params_read(&self->params);
    self->on = asked_for(&self->params);
    self->stays = self->on || is_set(&self->params, COLL_CERAR_HINTS);
    if (!self->stays) {
        return OMPI_SUCCESS;
    }
    coll_cerar_rules_load(&self->params);
    self->output = opal_output_open(NULL);
    opal_output_set_verbosity(self->output, (int)self->params.value[COLL_CERAR_VERBOSE]);
    return coll_cerar_peers_publish();
}

/* Of a communicator that an unfreed request keeps to the end. The PML has ended before, so what is
 * under way there is left as it is. */
static void end_ucx_teams(mca_coll_cerar_module_t *module) {
    for (coll_cerar_team_t *team = module->teams, *next; NULL != team; team = next) {
        next = team->next;
        if (CERAR_TRANSPORT_UCX == team->transport) {
            coll_cerar_end_team(module, team);
        }
    }
}

static int close_component(void) {
    mca_coll_cerar_component_t *self = &mca_coll_cerar_component;
    coll_cerar_requests_forget();
    coll_cerar_registry_for_each(end_ucx_teams);
    coll_cerar_context_release();
    coll_cerar_rules_forget();
    coll_cerar_peers_forget();
    coll_cerar_registry_forget();
    if (-1 != self->output) {
        opal_output_close(self->output);
        self->output = -1;
    }
    return OMPI_SUCCESS;
}
