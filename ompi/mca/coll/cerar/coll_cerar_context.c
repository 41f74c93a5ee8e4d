/* libcerar's context: one a process, made when a communicator first needs it. */
#include "coll_cerar.h"
#include "opal/runtime/opal_progress.h"

/* A call may end here while its last data are still in a queue of UCX, and a neighbour waits for
 * them: they go out whenever MPI makes progress. */
static int progress(void) {
    cerar_context_progress(mca_coll_cerar_component.context);
    return 0;
}

/* With the lock held. */
static void create(mca_coll_cerar_component_t *self) {
    cerar_context_t *context = NULL;
    if (CERAR_OK != cerar_context_create(self->thread_multiple, &context)) {
        return;
    }
    self->context = context;
    if (OPAL_SUCCESS != opal_progress_register(progress)) {
        self->context = NULL;
        cerar_context_destroy(context);
    }
}

cerar_context_t *coll_cerar_context(void) {
    mca_coll_cerar_component_t *self = &mca_coll_cerar_component;
    pthread_mutex_lock(&self->lock);
    if (NULL == self->context) {
        create(self);
    }
    cerar_context_t *context = self->context;
    pthread_mutex_unlock(&self->lock);
    return context;
}

static int refuse(void *arg, int to, const void *send, size_t send_bytes, int from, void *recv,
                  size_t recv_bytes) {
    (void)to, (void)send, (void)send_bytes, (void)from, (void)recv, (void)recv_bytes;
    *(bool *)arg = true;
    return -1;
}

/* A team is asked for that cannot come about: whoever gets as far as exchanging addresses has a
 * UCX worker. */
bool coll_cerar_has_ucx(cerar_context_t *context) {
    bool reached = false;
    const cerar_team_params_t params = {.rank = 0,
                                        .size = 2,
                                        .transport = CERAR_TRANSPORT_UCX,
                                        .oob = {.arg = &reached, .exchange = refuse},
                                        .components = 2};
    cerar_team_t *team = NULL;
    if (CERAR_OK == cerar_team_create(context, &params, &team)) {
        cerar_team_destroy(team);
    }
    return reached;
}

void coll_cerar_context_release(void) {
    if (NULL == mca_coll_cerar_component.context) {
        return;
    }
    opal_progress_unregister(progress);
    cerar_context_destroy(mca_coll_cerar_component.context);
    mca_coll_cerar_component.context = NULL;
}
