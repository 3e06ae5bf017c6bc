/*
 * The credentials of one request of an HTTP transport: keeps apart a request that waits for them, one that may be sent,
 * and one that the server refused. Embedded in the request; zeroed without credentials, and then free of cost.
 */
#ifndef MCT_MCP_HTTP_CREDENTIAL_H
#define MCT_MCP_HTTP_CREDENTIAL_H

#include "mcp/http/credentials.h"
#include "mcp/message.h"

struct mcti_credential_use {
    struct mcti_credentials *from; /* NULL: none */
    struct mcti_credential_wait wait;
    uint64_t stamp;
    unsigned n_tries;
    bool waits;   /* wait.done() follows, which calls mcti_credential_arrived() first */
    bool granted; /* wait.done() has allowed to send the request */
};

void mcti_credential_init(struct mcti_credential_use *u, struct mcti_credentials *from,
                          void (*done)(struct mcti_credential_wait *w, const struct mct_error *err));

/* Ends the wait, if any, without a callback. */
void mcti_credential_drop(struct mcti_credential_use *u);

/* Records that wait.done() was called with `err`. Returns true if the request is to be sent; otherwise sets *ret_why,
 * with the beginning of the refusal's `body` if `err` says nothing but its status. */
bool mcti_credential_arrived(struct mcti_credential_use *u, const struct mct_error *err, struct mcti_str body,
                             struct mct_error *ret_why);

/* Returns true if the request has to wait for wait.done() before it is sent. */
bool mcti_credential_must_wait(struct mcti_credential_use *u);

/* Adds the credentials to the headers of a request, which are wiped when they are freed. */
void mcti_credential_put(struct mcti_credential_use *u, const struct mcti_credential_request *r,
                         struct mcti_headers *to);
void mcti_credential_answered(struct mcti_credential_use *u, const struct mcti_fetch *f, const char *url);

/* Overwrites the credentials in a message that quotes an answer: some servers repeat the token that they refuse. */
void mcti_credential_hide(struct mcti_credential_use *u, struct mct_error *err);

/* Returns true if the request `msg`, which `f` refused, waits to be sent again. Otherwise replaces *err, the ordinary
 * error of the refusal, if the credentials know a better one, and hides credentials in it. */
bool mcti_credential_refused(struct mcti_credential_use *u, const struct mcti_fetch *f, const char *url,
                             const struct mcti_msg *msg, struct mct_error *err);

#endif
