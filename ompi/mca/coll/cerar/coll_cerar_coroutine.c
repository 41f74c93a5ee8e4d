/* A coroutine is a thread that runs only while the one that resumes it waits: never two of them at
 * a time, so what it does needs no locks beside those that a single thread needs. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "coll_cerar_coroutine.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct coll_cerar_coroutine {
    void (*body)(void *arg);
    void *arg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t handed_over;
    bool runs; /* and the one that has resumed it waits; else the other way round */
    bool returned;
    bool (*is_there)(void *arg); /* what it waits for */
    void *awaited;
};

enum { STACK_BYTES = 2 << 20 };

static bool nothing(void *arg) {
    (void)arg;
    return true;
}

static _Thread_local coll_cerar_coroutine_t *current;

/* With the lock held: lets the other side run until it hands over in turn. */
static void hand_over(coll_cerar_coroutine_t *coroutine, bool to_coroutine) {
    coroutine->runs = to_coroutine;
    pthread_cond_signal(&coroutine->handed_over);
    while (coroutine->runs == to_coroutine) {
        pthread_cond_wait(&coroutine->handed_over, &coroutine->lock);
    }
}

static void *run(void *arg) {
    coll_cerar_coroutine_t *coroutine = current = arg;
    pthread_mutex_lock(&coroutine->lock);
    while (!coroutine->runs) {
        pthread_cond_wait(&coroutine->handed_over, &coroutine->lock);
    }
    coroutine->body(coroutine->arg);
    coroutine->returned = true;
    coroutine->runs = false;
    pthread_cond_signal(&coroutine->handed_over);
    pthread_mutex_unlock(&coroutine->lock);
    return NULL;
}

/* One that is left waiting at the end of MPI must not find its code gone with the component. */
static void stay_loaded(void) {
    static bool done;
    Dl_info here;
    if (!done && 0 != dladdr(&done, &here)) {
        (void)dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
    done = true;
}

/* Signals are for the program's own threads. */
static int start_thread(coll_cerar_coroutine_t *coroutine) {
    sigset_t all, before;
    pthread_attr_t attributes;
    if (0 != pthread_attr_init(&attributes)) {
        return ENOMEM;
    }
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(&coroutine->thread, &attributes, run, coroutine);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}

coll_cerar_coroutine_t *coll_cerar_coroutine_create(void (*body)(void *arg), void *arg) {
    coll_cerar_coroutine_t *coroutine = calloc(1, sizeof *coroutine);
    if (NULL == coroutine) {
        return NULL;
    }
    stay_loaded();
    coroutine->body = body;
    coroutine->arg = arg;
    coroutine->is_there = nothing;
    pthread_mutex_init(&coroutine->lock, NULL);
    pthread_cond_init(&coroutine->handed_over, NULL);
    if (0 != start_thread(coroutine)) {
        free(coroutine);
        return NULL;
    }
    return coroutine;
}

bool coll_cerar_coroutine_resume(coll_cerar_coroutine_t *coroutine) {
    if (!coroutine->is_there(coroutine->awaited)) {
        return false;
    }
    pthread_mutex_lock(&coroutine->lock);
    hand_over(coroutine, true);
    const bool returned = coroutine->returned;
    pthread_mutex_unlock(&coroutine->lock);
    return returned;
}

void coll_cerar_coroutine_destroy(coll_cerar_coroutine_t *coroutine) {
    if (coroutine->returned) {
        pthread_join(coroutine->thread, NULL);
        pthread_cond_destroy(&coroutine->handed_over);
        pthread_mutex_destroy(&coroutine->lock);
        free(coroutine);
    }
}

bool coll_cerar_coroutine_wait(bool (*is_there)(void *arg), void *arg) {
    if (NULL == current) {
        return false;
    }
    current->is_there = is_there;
    current->awaited = arg;
    hand_over(current, false);
    return true;
}
