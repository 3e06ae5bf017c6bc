/* A client of an HTTP server in the same loop. */
#ifndef MCT_TESTS_TORTURE_VISIT_H
#define MCT_TESTS_TORTURE_VISIT_H

#include "base/buf.h"
#include "io/loop.h"

/* Sends a request to the port of this machine, and appends the body of the answer. Returns -1 if there is none with
 * status 200. */
int visit(struct mcti_loop *loop, unsigned port, struct mcti_str request, struct mcti_buf *to);

#endif
