/* A function that can stop within a call, to go on later: what blocks, where nothing may block. */
#ifndef MCA_COLL_CERAR_COROUTINE_H
#define MCA_COLL_CERAR_COROUTINE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct coll_cerar_coroutine coll_cerar_coroutine_t;

/* body runs with arg within coll_cerar_coroutine_resume. NULL: no memory, or no thread. */
coll_cerar_coroutine_t *coll_cerar_coroutine_create(void (*body)(void *arg), void *arg);

/* Runs body, if what it waits for is there, until it waits again or returns; whether it has
 * returned. Not after that. */
bool coll_cerar_coroutine_resume(coll_cerar_coroutine_t *coroutine);

/* Of one that has returned; one that has not is left as it is, with its stack. */
void coll_cerar_coroutine_destroy(coll_cerar_coroutine_t *coroutine);

/* In a coroutine: ends coll_cerar_coroutine_resume, and returns true in the first one that finds
 * is_there(arg) to be true, which it asks outside of the coroutine. Elsewhere returns false at
 * once. */
bool coll_cerar_coroutine_wait(bool (*is_there)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif
