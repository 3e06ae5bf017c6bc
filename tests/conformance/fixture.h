/*
 * The server that the official conformance suite's server scenarios are written for, and an example of how to write an
 * MCP server with the library: fixture.c sets it up and serves it, the other files are what it offers.
 */
#ifndef MCT_CONFORMANCE_FIXTURE_H
#define MCT_CONFORMANCE_FIXTURE_H

#include "hub/local/local.h"

struct fixture_item {
    enum mcti_kind kind;
    const char *json; /* as it is listed */
    mcti_local_fn fn;
    const void *data; /* for fn */
};

/* -1 with *err naming the first that cannot be added. */
int fixture_add(struct mcti_provider *p, const struct fixture_item *items, size_t n, struct mct_error *err);

/* A handler whose result is always the same: the JSON in `data`. */
void fixture_constant(struct mcti_local_request *r, void *data);

int fixture_add_tools(struct mcti_provider *p, struct mct_error *err); /* that only answer */
int fixture_add_asks(struct mcti_provider *p, struct mct_error *err);  /* that need something from the client first */
int fixture_add_data(struct mcti_provider *p, struct mct_error *err);  /* resources, prompts, completion */

#endif
