/*
 * Multi round-trip requests (2026-07-28, "Input required"): a server answers a request with questions;
 * their answers go with the same request once more. This gathers the answers of one round.
 */
#ifndef MCT_MCP_MRTR_H
#define MCT_MCP_MRTR_H

#include "mcp/ask.h"

struct mcti_round_ask;

struct mcti_round {
    /* set by the caller */
    const struct mcti_answerer *answerer; /* may be NULL: then every question fails */
    const char *server;
    void *about; /* for the asks */
    /* Once, unless mcti_round_stop(); maybe before mcti_round_start() returns. On success `responses` is the
     * inputResponses object, absent when nothing was asked. */
    void (*done)(struct mcti_round *r, struct mcti_str responses, const struct mct_error *err);

    char *questions; /* the inputRequests object, owned */
    char *state;     /* requestState as written, owned; NULL: none was given */
    struct mcti_round_ask *asks;
    size_t n_asks, n_open;
    bool starting;
    struct mct_error failed;
};

/* Whether a result asks instead of answering. */
bool mcti_result_asks(struct mcti_str result);

/* -32042 (2025-11-25 "URL Elicitation Required"): writes the pages to visit as an inputRequests object. False when
 * the error (absent: none) says something else. */
bool mcti_error_asks_for_urls(struct mcti_str error, struct mcti_buf *ret_questions);

/* `questions` is an inputRequests object or absent, `state` a raw requestState or absent; both are
 * copied. */
void mcti_round_start(struct mcti_round *r, struct mcti_str questions, struct mcti_str state);

/* Withdraws what is open and frees everything; safe when nothing is going on. */
void mcti_round_stop(struct mcti_round *r);

#endif
