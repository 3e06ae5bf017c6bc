/*
 * Multi round-trip requests (2026-07-28, "Input required"): a server answers a request with questions, and the client
 * repeats the request with their answers. A round collects the answers to one set of questions.
 */
#ifndef MCT_MCP_MRTR_H
#define MCT_MCP_MRTR_H

#include "mcp/ask.h"

struct mcti_round_ask;

struct mcti_round {
    /* set by the caller */
    const struct mcti_answerer *answerer; /* may be NULL: then every question fails */
    const char *server;
    void *about; /* call that the questions belong to */
    /* The round has ended; called once, unless mcti_round_stop() was called, possibly before mcti_round_start()
     * returns. On success `responses` is the inputResponses object, absent if there were no questions. */
    void (*done)(struct mcti_round *r, struct mcti_str responses, const struct mct_error *err);

    char *questions; /* the inputRequests object, owned */
    char *state;     /* requestState as written, owned; NULL: none */
    struct mcti_round_ask *asks;
    size_t n_asks, n_open;
    bool starting;
    struct mct_error failed;
};

/* Returns true if a result contains questions instead of an answer. */
bool mcti_result_asks(struct mcti_str result);

/* Handles error -32042 (2025-11-25, "URL Elicitation Required"): writes the URLs to visit as an inputRequests object.
 * Returns false for any other error, or if `error` is absent. */
bool mcti_error_asks_for_urls(struct mcti_str error, struct mcti_buf *ret_questions);

/* Starts a round. `questions` is an inputRequests object or absent, `state` a raw requestState or absent; both are
 * copied. */
void mcti_round_start(struct mcti_round *r, struct mcti_str questions, struct mcti_str state);

/* Withdraws open questions and frees everything; does nothing if no round is active. */
void mcti_round_stop(struct mcti_round *r);

#endif
