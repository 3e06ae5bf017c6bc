/*
 * The loopback listener of an authorization (RFC 8252 section 7.3): takes GET /callback, shows a fixed page, and passes
 * the query on. It knows nothing of OAuth.
 */
#ifndef MCT_AUTH_NET_REDIRECT_H
#define MCT_AUTH_NET_REDIRECT_H

#include "base/error.h"
#include "io/loop.h"

struct mcti_redirect;

enum mcti_redirect_page {
    MCT_PAGE_DONE,    /* the login goes on: this window can be closed */
    MCT_PAGE_DENIED,  /* the person or the authorization server has refused */
    MCT_PAGE_UNKNOWN, /* the query does not belong to this login */
};

struct mcti_redirect_opts {
    struct mcti_loop *loop;
    unsigned port;       /* 0: any free one */
    bool says_localhost; /* the redirect URI has "localhost" instead of 127.0.0.1 */
    const char *server;  /* name of the MCP server for the page; plain text, copied */
    /* A query has arrived (empty: none). Returns what the person is shown. The listener stays open until it is closed,
     * which the callback may do itself. */
    enum mcti_redirect_page (*arrived)(void *data, struct mcti_str query);
    void *data;
};

/* Listens at 127.0.0.1, and at ::1 where there is one: a browser may take either for "localhost". Returns NULL and sets
 * *err on failure, with MCT_ERR_CONNECT if the port is in use. */
struct mcti_redirect *mcti_redirect_open(const struct mcti_redirect_opts *opts, struct mct_error *err);

/* Returns the redirect URI, "http://127.0.0.1:PORT/callback". */
const char *mcti_redirect_uri(const struct mcti_redirect *r);

/* Answers what is in progress, then closes. `r` must not be used afterwards. NULL does nothing. */
void mcti_redirect_close(struct mcti_redirect *r);

#endif
