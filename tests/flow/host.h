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
    struct mct_registry *registry;
    struct mct_watcher watcher;
    struct mct_answerer answerer;
    struct mct_events *events; /* who hears of its calls */
    char *heard[MAX_HEARD];
    size_t n_heard, next;
    struct mct_ask *asks[MAX_CALLS]; /* open, oldest first */
    size_t n_asks;
    struct host_call *calls[MAX_CALLS];
    size_t n_calls;
};

void host_init(struct host *h, struct mct_registry *r);
void host_done(struct host *h);

/* A line of the transcript; false when it is none of the host's. Returns an error text in *ret_wrong. */
bool host_line(struct host *h, struct mct_str word, struct mct_str rest, const char **ret_wrong);

#endif
