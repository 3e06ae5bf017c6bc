/*
 * Reads one URI, from a named server or from the first server that has it. Candidates are, in this order: servers that
 * list exactly that URI, servers with a matching template, the preferred server, the others in the order of the view.
 * The first success ends the reading; a failure is recorded and the next candidate is tried. Every attempt is reported
 * in `attempts`.
 */
#ifndef MCT_RESOURCES_READING_H
#define MCT_RESOURCES_READING_H

#include "resources/cache.h"
#include "resources/reach.h"

struct mcti_read_attempt {
    struct mcti_provider *provider;
    struct mct_error error; /* kind NONE: the read succeeded */
    unsigned duration_ms;
};

struct mcti_reading {
    /* set by the caller */
    const struct mcti_reach *reach;
    struct mcti_provider *only; /* NULL: any server that has it */
    bool insists;               /* with `only`: asks even if the server announces no resources */
    struct mcti_str uri;        /* decoded; copied */
    unsigned deadline_ms;       /* for all attempts together; 0: each attempt has its server's time limit only */
    void (*progress)(struct mcti_reading *r, struct mcti_str params); /* progress of an attempt; may be NULL */
    void (*done)(struct mcti_reading *r); /* once, from the loop; the result is valid until mcti_reading_done() */
    void *data;

    struct mcti_provider *provider; /* the server that answered; NULL: none, or a result that is kept was read */
    struct mcti_str result;         /* the server's ReadResourceResult; absent: see error */
    struct mct_error error;         /* why there is no result; MCT_ERR_NOT_FOUND if every server says that it does not
                                     * have the resource */
    const struct mcti_provider *refused; /* the server whose JSON-RPC error `error` is; NULL: it is no server's */
    char *refusal;                       /* the last error object of a server, raw JSON; NULL: none. With `only` it is
                                          * the one that `error` is made from */
    struct mcti_read_attempt *attempts;  /* in the order they were made */
    size_t n_attempts;
    size_t n_listed; /* number of servers that list exactly this URI; more than one makes it ambiguous */
    struct mcti_provider **candidates;
    size_t n_candidates;

    char *kept, *text;         /* private from here on */
    struct mcti_settle settle; /* runs until all servers have settled, or a connected one lists the URI */
    struct mcti_watcher watcher;
    struct mcti_task look;
    struct mcti_ready ready;
    struct mcti_call call;
    struct mcti_cache_place *place; /* for the result of the current attempt; NULL: none */
    struct mcti_buf params;
    uint64_t started_ms, begun_ms; /* start of the reading, and of the current attempt */
    struct mcti_timer deadline, turn;
    struct mcti_task step;
    bool over;
};

/* Starts the reading. Returns -1 with *err set if the URI is not allowed, or when out of memory; then `done` is not
 * called. */
int mcti_reading_start(struct mcti_reading *r, struct mct_error *err);

/* Cancels requests and frees everything; safe on a zeroed reading. */
void mcti_reading_done(struct mcti_reading *r);

#endif
