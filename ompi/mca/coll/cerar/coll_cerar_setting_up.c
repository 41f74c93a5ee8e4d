/* Setting CERAR up while the program goes on, for MPI_Iallreduce.
 *
 * A call that does not block must not wait for other ranks, and setting up takes them all. So it
 * happens in a coroutine, which opal_progress resumes for the calls that wait for it. Only where
 * all ranks are sure to do the same at this call: CERAR is on by all their parameters, which they
 * know without a message. And only where a call that was kept waiting can still be passed on: see
 * coll_cerar_request.c. */
#include <sched.h>
#include <string.h>

#include "coll_cerar.h"
#include "coll_cerar_coroutine.h"
#include "opal/runtime/opal_progress.h"

static bool is_libnbc(const mca_coll_base_module_t *module) {
    return NULL != module &&
           0 == strcmp(module->super.obj_class->cls_name, "ompi_coll_libnbc_module_t");
}

bool coll_cerar_can_set_up_meanwhile(const mca_coll_cerar_module_t *module, bool all_on) {
    return all_on && is_libnbc(module->previous_iallreduce_module);
}

static void set_up(void *arg) {
    mca_coll_cerar_module_t *module = arg;
    module->set_up_rc = coll_cerar_set_up(module, &module->first_call);
}

void coll_cerar_setting_up_begin(mca_coll_cerar_module_t *module, const coll_cerar_call_t *call) {
    coll_cerar_component_refresh();
    module->first_call = *call;
    module->setting_up = coll_cerar_coroutine_create(set_up, module);
    if (NULL == module->setting_up) {
        module->set_up_rc = coll_cerar_failed(module, CERAR_ERR_NO_MEMORY);
    }
}

bool coll_cerar_setting_up_advance(mca_coll_cerar_module_t *module) {
    if (NULL == module->setting_up) {
        return true;
    }
    if (!coll_cerar_coroutine_resume(module->setting_up)) {
        return false;
    }
    coll_cerar_coroutine_destroy(module->setting_up);
    module->setting_up = NULL;
    return true;
}

void coll_cerar_setting_up_wait(const mca_coll_cerar_module_t *module) {
    while (NULL != module->setting_up) {
        opal_progress();
        sched_yield();
    }
}
