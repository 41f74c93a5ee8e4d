/* Requests under way, which opal_progress moves on, and with them what they wait for: that CERAR is
 * set up.
 *
 * A communicator's are posted in the order of the user's calls, the same on all ranks. None is
 * posted before the one that comes WINDOW places before it is at its end: where a neighbour is
 * still at call k, this rank can't have ended call k + WINDOW, so it posts none from k + 2·WINDOW
 * on, and the PML transport's tags, which are call numbers modulo that, keep all apart. Persistent
 * ones, which ranks may start in any order, have teams of their own and are posted at once: while a
 * rank is at start k, none can have ended it, so none is beyond start k + 1. One lock is over all
 * requests. They are completed outside of it, since Open MPI may then call anything.
 */
#include "coll_cerar_request.h"

#include <sched.h>
#include <string.h>

#include "opal/class/opal_list.h"
#include "opal/runtime/opal_progress.h"
#include "opal/sys/atomic.h"

enum { WINDOW = COLL_CERAR_PML_CALLS / 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool in_use;         /* what follows is */
static opal_list_t started; /* requests that are not at their end */

/* As those of Open MPI's own, it can't be freed before its end. */
static int release(ompi_request_t **request) {
    if (!REQUEST_COMPLETE(*request)) {
        return MPI_ERR_REQUEST;
    }
    OMPI_REQUEST_FINI(*request);
    OBJ_RELEASE(*request);
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int cannot_cancel(ompi_request_t *request, int flag) {
    (void)request, (void)flag;
    return MPI_ERR_REQUEST;
}

static void construct(coll_cerar_request_t *request) {
    request->super.req_type = OMPI_REQUEST_COLL;
    request->super.req_free = release;
    request->super.req_cancel = cannot_cancel;
    memset(request->kept, 0, sizeof request->kept);
    request->undecided = false;
    request->tag = 0;
    request->under_way = NULL;
    memset(&request->own, 0, sizeof request->own);
    request->failed = false;
    request->passed_on = NULL;
    request->staged.send.copy = request->staged.recv.copy = NULL;
}

static void destruct(coll_cerar_request_t *request) { coll_cerar_unstage(&request->staged); }

OBJ_CLASS_INSTANCE(coll_cerar_request_t, ompi_request_t, construct, destruct);

coll_cerar_request_t *coll_cerar_request_create(mca_coll_cerar_module_t *module,
                                                const coll_cerar_arguments_t *arguments,
                                                const coll_cerar_call_t *call, bool persistent) {
    coll_cerar_request_t *request = OBJ_NEW(coll_cerar_request_t);
    if (NULL == request) {
        return NULL;
    }
    OBJ_RETAIN(module->comm);
    OMPI_REQUEST_INIT(&request->super, persistent);
    request->super.req_mpi_object.comm = module->comm;
    request->module = module;
    request->arguments = *arguments;
    request->runs = NULL != call;
    if (request->runs) {
        request->call = *call;
    }
    return request;
}

static bool is_persistent(const coll_cerar_request_t *request) {
    return request->super.req_persistent;
}

/* The user may free the request as soon as it is complete. The module may end here: nobody holds
 * the lock. */
static void complete(coll_cerar_request_t *request) {
    struct ompi_communicator_t *comm = is_persistent(request) ? NULL : request->module->comm;
    (void)ompi_request_complete(&request->super, true);
    if (NULL != comm) {
        OBJ_RELEASE(comm);
    }
}

static coll_cerar_team_t *team_of(coll_cerar_request_t *request) {
    return is_persistent(request) ? &request->own : &request->module->team;
}

static void enter(coll_cerar_request_t *request) {
    opal_list_append(&started, &request->super.super.super);
    request->module->outstanding += !is_persistent(request);
}

static void leave(coll_cerar_request_t *request) {
    opal_list_remove_item(&started, &request->super.super.super);
    request->module->outstanding -= !is_persistent(request);
}

/* Whether the requests of its communicator before this one let it be posted; *first if there is
 * none of them. */
static bool is_its_turn(const coll_cerar_request_t *request, bool *first) {
    const mca_coll_cerar_module_t *module = request->module;
    coll_cerar_request_t *earlier;
    *first = true;
    if (is_persistent(request)) {
        return true;
    }
    OPAL_LIST_FOREACH(earlier, &started, coll_cerar_request_t) {
        if (earlier == request) {
            return true;
        }
        if (earlier->module != module || !earlier->runs || is_persistent(earlier)) {
            continue;
        }
        if (NULL == earlier->under_way || module->posted - earlier->number >= WINDOW) {
            return false;
        }
        *first = false;
    }
    return true;
}

/* Where there is no memory for one more, those before it give theirs back. */
static cerar_status_t post(coll_cerar_request_t *request) {
    mca_coll_cerar_module_t *module = request->module;
    bool first;
    if (!is_its_turn(request, &first)) {
        return CERAR_IN_PROGRESS;
    }
    const coll_cerar_call_t *call = &request->call;
    const cerar_status_t status =
        cerar_allreduce_post(team_of(request)->handle, call->send, call->recv, call->count,
                             call->type, &request->under_way);
    if (CERAR_OK != status) {
        return CERAR_ERR_NO_MEMORY == status && !first ? CERAR_IN_PROGRESS : status;
    }
    if (!is_persistent(request)) {
        request->number = module->posted++;
    }
    coll_cerar_posted(module, team_of(request));
    return CERAR_IN_PROGRESS;
}

/* At its end in libcerar. */
static void finish(coll_cerar_request_t *request, cerar_status_t status) {
    mca_coll_cerar_module_t *module = request->module;
    int rc = OMPI_SUCCESS;
    if (CERAR_OK == status) {
        coll_cerar_ran(module, team_of(request), cerar_request_range(request->under_way));
    } else {
        rc = coll_cerar_failed(module, status);
        request->failed = true;
    }
    cerar_request_free(request->under_way);
    request->under_way = NULL;
    request->super.req_status.MPI_ERROR = rc;
}

static bool advance_run(coll_cerar_request_t *request) {
    const cerar_status_t status =
        NULL == request->under_way ? post(request) : cerar_request_test(request->under_way);
    if (CERAR_IN_PROGRESS == status) {
        return false;
    }
    finish(request, status);
    return true;
}

static bool advance_passed_on(coll_cerar_request_t *request) {
    if (NULL == request->passed_on) {
        return true; /* it could not be */
    }
    if (!REQUEST_COMPLETE(request->passed_on)) {
        return false;
    }
    opal_atomic_rmb(); /* another thread's progress may have completed it */
    int rc = request->passed_on->req_status.MPI_ERROR;
    if (is_persistent(request)) {
        request->passed_on->req_state = OMPI_REQUEST_INACTIVE;
    } else {
        ompi_request_free(&request->passed_on);
    }
    if (MPI_SUCCESS == rc) {
        const cerar_status_t status = coll_cerar_staged_copy_out(&request->staged);
        rc = CERAR_OK == status ? rc : coll_cerar_failed(request->module, status);
    }
    request->super.req_status.MPI_ERROR = rc;
    return true;
}

/* One that was kept waiting gets the tag that was its at the user's call, whatever was called since
 * then: the same on all ranks, which may have waited or not. */
static int previous_iallreduce(coll_cerar_request_t *request) {
    mca_coll_cerar_module_t *module = request->module;
    const coll_cerar_arguments_t *arguments = &request->arguments;
    const int next_tag = module->comm->c_nbc_tag;
    const bool waited = 0 != request->tag;
    if (waited) {
        module->comm->c_nbc_tag = request->tag;
    }
    const int rc = module->previous_iallreduce(
        coll_cerar_staged_address(&request->staged.send),
        coll_cerar_staged_address(&request->staged.recv), arguments->count, arguments->dtype,
        arguments->op, module->comm, &request->passed_on, module->previous_iallreduce_module);
    if (waited) {
        module->comm->c_nbc_tag = next_tag;
    }
    return rc;
}

/* A persistent one was staged, and is one of the previous component's too. */
static int pass_on(coll_cerar_request_t *request) {
    cerar_status_t status =
        is_persistent(request) ? CERAR_OK : coll_cerar_stage(&request->staged, &request->arguments);
    if (CERAR_OK == status) {
        status = coll_cerar_staged_copy_in(&request->staged);
    }
    if (CERAR_OK != status) {
        return coll_cerar_failed(request->module, status);
    }
    return is_persistent(request) ? request->passed_on->req_start(1, &request->passed_on)
                                  : previous_iallreduce(request);
}

/* As soon as it is known whether CERAR runs it; it may be passed on only now. */
static bool decide(coll_cerar_request_t *request) {
    mca_coll_cerar_module_t *module = request->module;
    if (!coll_cerar_setting_up_advance(module)) {
        return false;
    }
    const coll_cerar_reason_t reason = coll_cerar_why_not_now(module);
    request->undecided = false;
    request->runs = COLL_CERAR_TAKEN == reason;
    int rc = module->set_up_rc;
    if (OMPI_SUCCESS == rc && !request->runs) {
        coll_cerar_count_fallback(module, reason);
        rc = pass_on(request);
    }
    request->super.req_status.MPI_ERROR = rc;
    return true;
}

/* With the lock held: whether the request is at its end. It is in no list then. */
static bool advance(coll_cerar_request_t *request) {
    if (request->undecided && !decide(request)) {
        return false;
    }
    if (!(request->runs ? advance_run(request) : advance_passed_on(request))) {
        return false;
    }
    leave(request);
    return true;
}

/* One request a time: completing it may change the list. Who is in here already, perhaps this
 * thread, does the work. */
static int progress(void) {
    if (0 != pthread_mutex_trylock(&lock)) {
        return 0;
    }
    coll_cerar_request_t *request, *ended = NULL;
    OPAL_LIST_FOREACH(request, &started, coll_cerar_request_t) {
        if (advance(request)) {
            ended = request;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    if (NULL == ended) {
        return 0;
    }
    complete(ended);
    return 1;
}

/* With the lock held. */
static int use(void) {
    if (in_use) {
        return OMPI_SUCCESS;
    }
    const int rc = opal_progress_register(progress);
    if (OPAL_SUCCESS == rc) {
        OBJ_CONSTRUCT(&started, opal_list_t);
        in_use = true;
    }
    return rc;
}

/* What is left is of communicators that unfreed requests keep to the end. */
void coll_cerar_requests_forget(void) {
    if (in_use) {
        coll_cerar_request_t *request;
        (void)opal_progress_unregister(progress);
        OPAL_LIST_FOREACH(request, &started, coll_cerar_request_t) {
            if (CERAR_TRANSPORT_UCX == team_of(request)->transport) {
                cerar_request_free(request->under_way);
            }
        }
        OBJ_DESTRUCT(&started);
        in_use = false;
    }
}

/* Whether it is at its end already. */
static bool enlist(coll_cerar_request_t *request) {
    pthread_mutex_lock(&lock);
    int rc = use();
    bool ended = OMPI_SUCCESS != rc;
    if (ended) {
        request->super.req_status.MPI_ERROR = rc;
    } else {
        enter(request);
        ended = advance(request);
    }
    pthread_mutex_unlock(&lock);
    return ended;
}

void coll_cerar_request_start(coll_cerar_request_t *request) {
    request->super.req_state = OMPI_REQUEST_ACTIVE;
    request->super.req_complete = REQUEST_PENDING;
    int rc = request->failed ? OMPI_ERROR : OMPI_SUCCESS;
    if (!request->runs) {
        rc = pass_on(request);
    }
    request->super.req_status.MPI_ERROR = rc;
    request->super.req_status._cancelled = 0;
    if (OMPI_SUCCESS != rc || enlist(request)) {
        complete(request);
    }
}

void coll_cerar_requests_wait(mca_coll_cerar_module_t *module) {
    while (0 < module->outstanding) {
        opal_progress();
        sched_yield();
    }
}

/* One of the module's, given up; NULL if there is none. What another component still works on is
 * left to it, with its memory. */
static coll_cerar_request_t *give_up(mca_coll_cerar_module_t *module) {
    coll_cerar_request_t *request, *found = NULL;
    pthread_mutex_lock(&lock);
    if (in_use) {
        OPAL_LIST_FOREACH(request, &started, coll_cerar_request_t) {
            if (request->module == module) {
                found = request;
                break;
            }
        }
    }
    if (NULL != found) {
        leave(found);
        cerar_request_free(found->under_way);
        found->under_way = NULL;
        found->staged.send.copy = found->staged.recv.copy = NULL;
        found->super.req_status.MPI_ERROR = OMPI_ERROR;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* A request keeps its communicator: there are some left only where the program ends without having
 * waited for them. */
void coll_cerar_requests_end(mca_coll_cerar_module_t *module) {
    for (coll_cerar_request_t *request; NULL != (request = give_up(module));) {
        (void)ompi_request_complete(&request->super, true);
    }
}
