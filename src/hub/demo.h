/* What the demo server offers, as data and pure functions; provider_builtin.c runs it. */
#ifndef MCT_HUB_DEMO_H
#define MCT_HUB_DEMO_H

#include "base/error.h"
#include "json/scan.h"
#include "mcp/method.h"

/* The items of a kind as JSON objects; *ret_n of them. */
const char *const *mct_demo_items(enum mct_kind kind, size_t *ret_n);

/*
 * Writes the result object of a request; -1 with *err for a JSON-RPC error. `params` is the request's.
 * A tool that takes time returns how many more steps it wants in *ret_steps: after each of them the
 * caller sends a progress notification, after the last it calls again with `last` set.
 */
int mct_demo_answer(enum mct_verb verb, struct mct_str params, bool last, struct mct_buf *to,
                    unsigned *ret_steps, struct mct_error *err);

/* Milliseconds between two steps. */
unsigned mct_demo_step_ms(struct mct_str params);

#endif
