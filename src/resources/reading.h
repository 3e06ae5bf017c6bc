/*
 * Reading one URI, from the server that is named, or from whichever has it: those whose list has exactly that URI,
 * those with a template for it, the preferred one, the others in the order of the view. The first that answers counts;
 * one that does not have it, or fails, is followed by the next, and every attempt is told.
 */
#ifndef MCT_RESOURCES_READING_H
#define MCT_RESOURCES_READING_H

#include "resources/cache.h"
#include "resources/reach.h"

struct mcti_attempt_made {
    struct mcti_provider *provider;
    struct mct_error error; /* kind NONE: this one answered */
    unsigned duration_ms;
};

struct mcti_reading {
    /* set by the caller */
    const struct mcti_reach *reach;
    struct mcti_provider *only; /* NULL: whichever has it */
    struct mcti_str uri;        /* text; copied */
    unsigned deadline_ms;       /* for all attempts together; 0: each has its server's time limit, and no other */
    void (*progress)(struct mcti_reading *r, struct mcti_str params); /* of an attempt; may be NULL */
    void (*done)(struct mcti_reading *r); /* once, from the loop; what it tells is good until mcti_reading_done() */
    void *data;

    struct mcti_provider *provider; /* who answered; NULL: nobody */
    struct mcti_str result;         /* as it answered: a ReadResourceResult; absent: see error */
    struct mct_error error; /* why there is no result: MCT_ERR_NOT_FOUND when all say that they do not have it */
    const struct mcti_provider *refused; /* whose refusal `error` is; NULL: it is none, or everybody's */
    struct mcti_attempt_made *made;      /* in the order they were made */
    size_t n_made;
    size_t n_listed; /* servers that list exactly this URI: more than one makes it ambiguous */
    struct mcti_provider **candidates;
    size_t n_candidates;

    char *kept, *text;         /* below: its own */
    struct mcti_settle settle; /* until it is known who has the URI: all have said, or one that lists it is there */
    struct mcti_watcher watcher;
    struct mcti_task look;
    struct mcti_ready ready;
    struct mcti_call call;
    struct mcti_cache_place *place; /* for the answer of the attempt that is under way; NULL: none */
    struct mcti_buf params;
    uint64_t started_ms, begun_ms; /* the whole, and the attempt that is under way */
    struct mcti_timer deadline, turn;
    struct mcti_task step;
    bool over;
};

/* -1 with *err when the URI may not be read, or memory is short: then done is not called. */
int mcti_reading_start(struct mcti_reading *r, struct mct_error *err);

/* Ends and frees everything; safe on a zeroed one. */
void mcti_reading_done(struct mcti_reading *r);

#endif
