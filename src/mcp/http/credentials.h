/*
 * The credentials of one server, which the requests of the HTTP transports carry. The transports know them only
 * through this table; src/auth and the library implement it.
 *
 * The order for each request: ready(), put(), then the request; answered() with the head of each answer; after 401
 * or 403 refused(), which may hold the request until new credentials are there.
 */
#ifndef MCT_MCP_HTTP_CREDENTIALS_H
#define MCT_MCP_HTTP_CREDENTIALS_H

#include "base/error.h"
#include "base/list.h"
#include "io/fetch/client.h"

struct mcti_credentials;

/* A wait for credentials. Embedded in the request that waits, which removes `node` from its list to end the wait. */
struct mcti_credential_wait {
    struct mcti_list node;
    /* Called once, from the loop. `err` NULL: send the request (again). The node is no longer in a list. */
    void (*done)(struct mcti_credential_wait *w, const struct mct_error *err);
};

/* A request that is about to be sent. */
struct mcti_credential_request {
    const char *method, *url;       /* HTTP method and URL */
    const struct mcti_pieces *body; /* NULL: none */
};

/* A request that the server refused. */
struct mcti_credential_refusal {
    const struct mcti_fetch *fetch; /* status and headers of the answer */
    const char *url;
    struct mcti_str operation; /* "tools/call NAME", or the JSON-RPC method; for messages and for step-up limits */
    uint64_t stamp;            /* what put() returned for this request */
    unsigned *n_tries;         /* counts the refusals of this request; begins with 0, owned by the request */
};

struct mcti_credentials_ops {
    /* Returns true if a request may be sent now. Otherwise w->done() follows. */
    bool (*ready)(struct mcti_credentials *c, struct mcti_credential_wait *w);
    /* Adds headers to a request. Returns a stamp, which tells which credentials the request carries (0: none). */
    uint64_t (*put)(struct mcti_credentials *c, const struct mcti_credential_request *r, struct mcti_headers *to);
    /* The head of any answer has arrived, also of a refusal. May be NULL. */
    void (*answered)(struct mcti_credentials *c, const struct mcti_fetch *fetch, const char *url);
    /* The server answered 401 or 403. Returns true if the request waits for w->done(). Returns false and sets *err to
     * the reason, with kind MCT_ERR_AUTH, if the refusal is final; err->kind NONE: the ordinary error of the transport
     * says enough. */
    bool (*refused)(struct mcti_credentials *c, const struct mcti_credential_refusal *r, struct mcti_credential_wait *w,
                    struct mct_error *err);
    /* Overwrites the credentials in a text for people that quotes an answer. May be NULL. */
    void (*hide)(struct mcti_credentials *c, char *text);
};

struct mcti_credentials {
    const struct mcti_credentials_ops *ops;
};

#endif
