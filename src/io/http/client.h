/*
 * HTTP requests to other machines, on libcurl in our loop: connections kept and shared, TLS, proxies
 * (HTTPS_PROXY, NO_PROXY; loopback never), compressed answers, redirects to the same origin only.
 * Knows nothing of MCP.
 */
#ifndef MCT_IO_HTTP_CLIENT_H
#define MCT_IO_HTTP_CLIENT_H

#include "base/buf.h"
#include "io/loop.h"

struct mcti_http_client;
struct mcti_fetch;

/* Request headers: "Name: value" texts, each with a NUL behind it. */
struct mcti_headers {
    struct mcti_buf text;
};

void mcti_headers_init(struct mcti_headers *h);
void mcti_headers_done(struct mcti_headers *h);

/* A value with line breaks or a name that is no token makes the list fail (see mcti_buf_ok(&h->text)). */
void mcti_headers_add(struct mcti_headers *h, const char *name, struct mcti_str value);
void mcti_headers_add_all(struct mcti_headers *h, const struct mcti_headers *more);

/* The client outlives its fetches. NULL with *err when there is no libcurl. */
struct mcti_http_client *mcti_http_client_new(struct mcti_loop *loop, struct mct_error *err);

/* Cancels what is under way. Before mcti_loop_done(). */
void mcti_http_client_free(struct mcti_http_client *c);

struct mcti_fetch_opts {
    const char *method;                 /* literal */
    const char *url;                    /* http or https */
    const struct mcti_headers *headers; /* copied */
    struct mcti_str body;               /* copied; absent: none */
    bool once;  /* what may have been sent is never sent again, not even on a connection that the
                 * server had just closed */
    bool fresh; /* over a connection of its own */
};

/* Called from the loop, never from inside start or cancel. */
struct mcti_fetch_events {
    /* Status and headers of the final answer are there. May be NULL. */
    void (*on_head)(void *data, struct mcti_fetch *f);
    /* A part of the (decoded) body: takes from the front of *bytes. What is left comes again in the next
     * turn, see mcti_fetch_frame(). Return false to end the fetch without another word. */
    bool (*on_body)(void *data, struct mcti_fetch *f, struct mcti_str *bytes);
    /* Once: err is NULL when the answer is complete. The fetch is gone afterwards. */
    void (*on_done)(void *data, struct mcti_fetch *f, const struct mct_error *err);
    void *data;
};

/* NULL with *err when it cannot be started. */
struct mcti_fetch *mcti_fetch_start(struct mcti_http_client *c, const struct mcti_fetch_opts *opts,
                                    const struct mcti_fetch_events *events, struct mct_error *err);

/* At any time, also from inside a callback: nothing is called afterwards, the body is not read any
 * more. The connection is closed unless the answer was complete. */
void mcti_fetch_cancel(struct mcti_fetch *f);

/* Counts a message that on_body took; false: on_body should leave the rest for the next turn, so that a
 * server which never pauses does not keep the loop for itself (see io/intake.h). */
bool mcti_fetch_frame(struct mcti_fetch *f);

/* From on_head on. A header that is there twice gives the first; absent span: none. */
int mcti_fetch_status(const struct mcti_fetch *f);
struct mcti_str mcti_fetch_header(const struct mcti_fetch *f, const char *name);

/* Whether its Content-Type is this one, whatever parameters follow. */
bool mcti_fetch_has_type(const struct mcti_fetch *f, const char *type);

/* `reference` resolved against `base`, to free(); NULL with *err when it is no http(s) URL or leads to
 * another origin. */
char *mcti_http_resolve(struct mcti_http_client *c, const char *base, const char *reference, struct mct_error *err);

#endif
