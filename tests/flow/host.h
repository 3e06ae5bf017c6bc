/*
 * The host program of a transcript: it calls servers directly, answers what they ask, and hears of
 * changes. What it hears is kept as lines of text for the transcript to expect.
 */
#ifndef MCT_TESTS_HOST_H
#define MCT_TESTS_HOST_H

#include "hub/call/start.h"
#include "hub/server/server.h"
#include "hub/core/registry.h"

enum { MAX_HEARD = 256, MAX_CALLS = 64 };

struct host {
    struct mcti_registry *registry;
    struct mcti_watcher watcher;
    struct mcti_answerer answerer;
    struct mcti_events *events; /* who hears of its calls */
    char *heard[MAX_HEARD];
    size_t n_heard, next;
    struct mcti_ask *asks[MAX_CALLS]; /* open, oldest first */
    size_t n_asks;
    struct host_call *calls[MAX_CALLS];
    size_t n_calls;
};

void host_init(struct host *h, struct mcti_registry *r);
void host_done(struct host *h);
void host_clear(struct host *h); /* frees what it heard, until the registry is done */

/* A line of the transcript; false when it is none of the host's. Returns an error text in *ret_wrong. */
bool host_line(struct host *h, struct mcti_str word, struct mcti_str rest, const char **ret_wrong);

#endif
