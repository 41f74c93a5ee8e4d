/* What differs between Open MPI 4.1, 5.0 and main. No other file tells them apart.
 *
 *                      4.1                  5.0                  main, 6.0
 * interface version    2.0.0                2.4.0                3.0.0
 * counts               int                  int                  size_t
 * functions installed  by the framework     by the framework     by the module itself
 * modex                opal_pmix            PMIx                 PMIx
 * texts of hints       char *               const char *         const char *
 * what the user gave   under another key    not kept             not kept
 */
#ifndef MCA_COLL_CERAR_COMPAT_H
#define MCA_COLL_CERAR_COMPAT_H

#include "ompi_config.h"

#include <stdio.h>

#include "mpi.h"
#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/mca/coll/coll.h"
#include "opal/runtime/opal_params.h"
#include "opal/util/info.h"

#if defined(MCA_COLL_BASE_VERSION_3_0_0)
#define COLL_CERAR_BASE_VERSION MCA_COLL_BASE_VERSION_3_0_0
typedef size_t coll_cerar_count_t;
#elif defined(MCA_COLL_BASE_VERSION_2_4_0)
#define COLL_CERAR_BASE_VERSION MCA_COLL_BASE_VERSION_2_4_0
typedef int coll_cerar_count_t;
#elif defined(MCA_COLL_BASE_VERSION_2_0_0)
#define COLL_CERAR_BASE_VERSION MCA_COLL_BASE_VERSION_2_0_0
typedef int coll_cerar_count_t;
#else
#error "this version of Open MPI's coll interface is not known"
#endif

/* Open MPI 4.1 keeps what the user gave for a hint under another key, and MPI_Comm_get_info shows
 * it in place of the hint's value. Later versions don't, and opal_info_delete is not for
 * components. */
static inline void coll_cerar_forget_original_hint(opal_info_t *info, const char *key) {
#ifdef OPAL_INFO_SAVE_PREFIX
    char original[OPAL_MAX_INFO_KEY + 1];
    snprintf(original, sizeof original, OPAL_INFO_SAVE_PREFIX "%s", key);
    (void)opal_info_delete(info, original);
#else
    (void)info, (void)key;
#endif
}

/* A hint's key or value, as Open MPI gives it to who subscribed to it, and gets it back. */
#if OMPI_MAJOR_VERSION < 5
typedef char *coll_cerar_hint_text_t;
#else
typedef const char *coll_cerar_hint_text_t;
#endif

#if OMPI_MAJOR_VERSION < 5
#include "opal/mca/pmix/pmix.h"
#define COLL_CERAR_MODEX_GLOBAL OPAL_PMIX_GLOBAL
#define COLL_CERAR_CID(comm) ompi_comm_get_cid(comm)
#else
#include "opal/mca/pmix/pmix-internal.h"
#define COLL_CERAR_MODEX_GLOBAL PMIX_GLOBAL
#define COLL_CERAR_CID(comm) ompi_comm_get_local_cid(comm)
#endif

/* Whether Open MPI's own components can be given device memory. */
#define COLL_CERAR_MPI_TAKES_DEVICE_MEMORY opal_built_with_cuda_support

/* Takes over one of comm's functions (api: allreduce, iallreduce, …), whose holder so far was saved
 * in (function, module) by the caller, and gives it back. Where the framework installs functions
 * itself there is nothing to do. */
#if defined(MCA_COLL_BASE_VERSION_3_0_0)
#define COLL_CERAR_INSTALL(comm, api, function, module) \
    MCA_COLL_INSTALL_API(comm, api, function, module, "cerar")
#define COLL_CERAR_UNINSTALL(comm, api, ours, function, module)         \
    do {                                                                \
        if ((comm)->c_coll->coll_##api##_module == (ours)) {            \
            MCA_COLL_INSTALL_API(comm, api, function, module, "cerar"); \
        }                                                               \
    } while (0)
#else
#define COLL_CERAR_INSTALL(comm, api, function, module) ((void)0)
#define COLL_CERAR_UNINSTALL(comm, api, ours, function, module) ((void)0)
#endif

#endif
