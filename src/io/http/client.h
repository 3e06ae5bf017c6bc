/*
 * HTTP requests to other machines, on libcurl in our loop: connections kept and shared, TLS, proxies
 * (HTTPS_PROXY, NO_PROXY; loopback never), compressed answers, redirects to the same origin only.
 * Knows nothing of MCP.
 */
#ifndef MCT_IO_HTTP_CLIENT_H
#define MCT_IO_HTTP_CLIENT_H

#include "base/buf.h"
#include "io/loop.h"

struct mct_http_client;
struct mct_fetch;

/* Request headers: "Name: value" texts, each with a NUL behind it. */
struct mct_headers {
    struct mct_buf text;
};

void mct_headers_init(struct mct_headers *h);
void mct_headers_done(struct mct_headers *h);

/* A value with line breaks or a name that is no token makes the list fail (see mct_buf_ok(&h->text)). */
void mct_headers_add(struct mct_headers *h, const char *name, struct mct_str value);
void mct_headers_add_all(struct mct_headers *h, const struct mct_headers *more);

/* The client outlives its fetches. NULL with *err when there is no libcurl. */
struct mct_http_client *mct_http_client_new(struct mct_loop *loop, struct mct_error *err);

/* Cancels what is under way. Before mct_loop_done(). */
void mct_http_client_free(struct mct_http_client *c);

struct mct_fetch_opts {
    const char *method; /* literal */
    const char *url;    /* http or https */
    const struct mct_headers *headers; /* copied */
    struct mct_str body; /* copied; absent: none */
    bool once;           /* what may have been sent is never sent again, not even on a connection that the
                          * server had just closed */
    bool fresh;          /* over a connection of its own */
};

/* Called from the loop, never from inside start or cancel. */
struct mct_fetch_events {
    /* Status and headers of the final answer are there. May be NULL. */
    void (*on_head)(void *data, struct mct_fetch *f);
    /* A part of the (decoded) body: takes from the front of *bytes. What is left comes again in the next
     * turn, see mct_fetch_frame(). Return false to end the fetch without another word. */
    bool (*on_body)(void *data, struct mct_fetch *f, struct mct_str *bytes);
    /* Once: err is NULL when the answer is complete. The fetch is gone afterwards. */
    void (*on_done)(void *data, struct mct_fetch *f, const struct mct_error *err);
    void *data;
};

/* NULL with *err when it cannot be started. */
struct mct_fetch *mct_fetch_start(struct mct_http_client *c, const struct mct_fetch_opts *opts,
                                  const struct mct_fetch_events *events, struct mct_error *err);

/* At any time, also from inside a callback: nothing is called afterwards, the body is not read any
 * more. The connection is closed unless the answer was complete. */
void mct_fetch_cancel(struct mct_fetch *f);

/* Counts a message that on_body took; false: on_body should leave the rest for the next turn, so that a
 * server which never pauses does not keep the loop for itself (see io/intake.h). */
bool mct_fetch_frame(struct mct_fetch *f);

/* From on_head on. A header that is there twice gives the first; absent span: none. */
int mct_fetch_status(const struct mct_fetch *f);
struct mct_str mct_fetch_header(const struct mct_fetch *f, const char *name);

/* Whether its Content-Type is this one, whatever parameters follow. */
bool mct_fetch_has_type(const struct mct_fetch *f, const char *type);

/* `reference` resolved against `base`, to free(); NULL with *err when it is no http(s) URL or leads to
 * another origin. */
char *mct_http_resolve(struct mct_http_client *c, const char *base, const char *reference,
                       struct mct_error *err);

#endif
