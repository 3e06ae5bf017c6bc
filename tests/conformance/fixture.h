/*
 * The server that the official conformance suite's server scenarios are written for, and an example of how to write an
 * MCP server with the library: fixture.c sets it up and serves it, the other files are what it offers.
 */
#ifndef MCT_CONFORMANCE_FIXTURE_H
#define MCT_CONFORMANCE_FIXTURE_H

#include "hub/local/local.h"

struct fixture_item {
    enum mct_kind kind;
    const char *json;  /* as it is listed */
    mct_local_fn fn;
    const void *data;  /* for fn */
};

/* -1 with *err naming the first that cannot be added. */
int fixture_add(struct mct_provider *p, const struct fixture_item *items, size_t n, struct mct_error *err);

/* A handler whose result is always the same: the JSON in `data`. */
void fixture_constant(struct mct_local_request *r, void *data);

int fixture_add_tools(struct mct_provider *p, struct mct_error *err); /* that only answer */
int fixture_add_asks(struct mct_provider *p, struct mct_error *err);  /* that need something from the client first */
int fixture_add_data(struct mct_provider *p, struct mct_error *err);  /* resources, prompts, completion */

#endif
