/* Which module is on a communicator: for what Open MPI calls with a communicator and no module, the
 * hints' and the performance variables' functions. */
#include "coll_cerar.h"

#include "opal/class/opal_hash_table.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static opal_hash_table_t *modules; /* communicator's address → module */

static uint64_t key_of(const struct ompi_communicator_t *comm) { return (uint64_t)(uintptr_t)comm; }

static opal_hash_table_t *make_table(void) {
    opal_hash_table_t *table = OBJ_NEW(opal_hash_table_t);
    if (NULL != table && OPAL_SUCCESS != opal_hash_table_init(table, 64)) {
        OBJ_RELEASE(table);
        return NULL;
    }
    return table;
}

int coll_cerar_registry_add(mca_coll_cerar_module_t *module) {
    pthread_mutex_lock(&lock);
    if (NULL == modules) {
        modules = make_table();
    }
    int rc = OMPI_ERR_OUT_OF_RESOURCE;
    if (NULL != modules) {
        rc = opal_hash_table_set_value_uint64(modules, key_of(module->comm), module);
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

void coll_cerar_registry_remove(const mca_coll_cerar_module_t *module) {
    pthread_mutex_lock(&lock);
    if (NULL != modules) {
        (void)opal_hash_table_remove_value_uint64(modules, key_of(module->comm));
    }
    pthread_mutex_unlock(&lock);
}

mca_coll_cerar_module_t *coll_cerar_registry_find(const struct ompi_communicator_t *comm) {
    void *module = NULL;
    pthread_mutex_lock(&lock);
    if (NULL == modules ||
        OPAL_SUCCESS != opal_hash_table_get_value_uint64(modules, key_of(comm), &module)) {
        module = NULL;
    }
    pthread_mutex_unlock(&lock);
    return module;
}

void coll_cerar_registry_for_each(void (*visit)(mca_coll_cerar_module_t *module)) {
    uint64_t key;
    void *module;
    if (NULL != modules) {
        OPAL_HASH_TABLE_FOREACH(key, uint64, module, modules) { visit(module); }
    }
}

void coll_cerar_registry_forget(void) {
    if (NULL != modules) {
        OBJ_RELEASE(modules);
        modules = NULL;
    }
}
