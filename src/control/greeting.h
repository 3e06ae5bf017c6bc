/* The first lines of a connection to a running gateway: what the client wants, and the answer. */
#ifndef MCT_CONTROL_GREETING_H
#define MCT_CONTROL_GREETING_H

#include "base/buf.h"
#include "base/error.h"

enum { MCT_GREETING_BYTES = 4096 }; /* of the line of a client */

/* What a client wants: the control protocol, or MCP with one server. */
struct mcti_greeting {
    char *server;     /* owned; NULL: the control protocol */
    unsigned wait_ms; /* for a server that is starting */
};

/* Returns true if the line is one JSON object without white space around it, so that its members can be read. */
bool mcti_line_is_object(struct mcti_str line);

/* Appends the line of a client, with its line end. */
void mcti_greeting_put(struct mcti_buf *to, const struct mcti_greeting *g);

/* Reads such a line, without its line end. Returns -1 with *err; then *ret is empty. */
int mcti_greeting_read(struct mcti_str line, struct mcti_greeting *ret, struct mct_error *err);

/* Appends the member "error" of an answer: {"code","message","kind"}. */
void mcti_answer_put_error(struct mcti_buf *to, const struct mct_error *err);

/* Checks an answer of the gateway. Returns -1 with *err if it is none, or with the error in it. */
int mcti_answer_check(struct mcti_str line, struct mct_error *err);

#endif
