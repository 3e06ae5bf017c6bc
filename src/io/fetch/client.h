/*
 * An HTTP client, run by our event loop: connection reuse, TLS, proxies (HTTPS_PROXY, NO_PROXY; never for loopback),
 * compressed answers, and redirects to the same origin only. Plain HTTP to this machine, and HTTP/1.1 over TLS, go over
 * direct connections (direct.h), everything else over libcurl, which is loaded when it is first needed. Knows nothing
 * of MCP.
 */
#ifndef MCT_IO_HTTP_CLIENT_H
#define MCT_IO_HTTP_CLIENT_H

#include "base/buf.h"
#include "io/loop.h"

struct mcti_http_client;
struct mcti_fetch;
struct mcti_body;

/* Headers that every request has: those that its owner does not give are added. */
enum mcti_header { MCT_HEADER_HOST, MCT_HEADER_USER_AGENT, MCT_HEADER_ACCEPT, MCT_HEADER_N };

/* Request headers, as HTTP writes them. */
struct mcti_headers {
    struct mcti_buf text;
    unsigned given; /* bits 1 << enum mcti_header */
};

void mcti_headers_init(struct mcti_headers *h);
void mcti_headers_done(struct mcti_headers *h);

/* Appends a header. A value with line breaks, or a name that is not a token, makes the list invalid
 * (mcti_buf_ok(&h->text) returns false). */
void mcti_headers_add(struct mcti_headers *h, const char *name, struct mcti_str value);
void mcti_headers_add_all(struct mcti_headers *h, const struct mcti_headers *more);

/* Creates a client, which must outlive its fetches. Returns NULL and sets *err when out of memory. */
struct mcti_http_client *mcti_http_client_new(struct mcti_loop *loop, struct mct_error *err);

/* Cancels all fetches and frees the client. Must be called before mcti_loop_done(). */
void mcti_http_client_free(struct mcti_http_client *c);

struct mcti_fetch_opts {
    const char *method;                 /* string literal */
    const char *url;                    /* http or https */
    const struct mcti_headers *headers; /* copied */
    struct mcti_str body;               /* copied; absent: no body, or `pieces` */
    const struct mcti_pieces *pieces;   /* a body that shares its chunk; several pieces imply `once`. NULL: none */
    const struct mcti_body *shared;     /* a body of which nothing is copied; NULL: none, or one of the others */
    /* never send a request again that may have reached the server, not even if the server had just closed the kept
     * connection */
    bool once;
    bool fresh;        /* open a new connection */
    bool no_redirects; /* pass on an answer that redirects like any other */
    /* Connect only to public addresses (io/http/address.h), checked after name resolution; a kept connection to another
     * address is not used. Behind a proxy, which resolves names, only an address in the URL itself is checked. */
    bool public_only;
    const char *ca_file, *cert_file,
        *key_file; /* PEM files for TLS, borrowed during the call; NULL: the usual ones, none */
};

/* Callbacks, called from the event loop, never from inside start or cancel. */
struct mcti_fetch_events {
    /* Status and headers of the final answer have arrived. May be NULL. */
    void (*on_head)(void *data, struct mcti_fetch *f);
    /* Part of the decoded body has arrived; consumes bytes from the front of *bytes. Bytes left over are passed again
     * in the next turn (see mcti_fetch_frame()). Returns false to end the fetch without a further callback. */
    bool (*on_body)(void *data, struct mcti_fetch *f, struct mcti_str *bytes);
    /* The fetch has ended; called once. `err` is NULL if the answer is complete. `f` is freed afterwards. */
    void (*on_done)(void *data, struct mcti_fetch *f, const struct mct_error *err);
    void *data;
};

/* Starts a fetch. Returns NULL and sets *err on failure, also if it needs libcurl and that cannot be loaded. */
struct mcti_fetch *mcti_fetch_start(struct mcti_http_client *c, const struct mcti_fetch_opts *opts,
                                    const struct mcti_fetch_events *events, struct mct_error *err);

/* Cancels a fetch at any time, also from inside a callback. No callback follows, and the rest of the body is not read.
 * The connection is closed unless the answer was complete. */
void mcti_fetch_cancel(struct mcti_fetch *f);

/* Counts a message that on_body consumed. Returns false if on_body should leave the rest for the next turn, so that a
 * server that never pauses does not monopolize the loop (see io/intake.h). */
bool mcti_fetch_frame(struct mcti_fetch *f);

/* Reports bytes of the body that nobody asked for: after many of them it is read slowly (io/intake.h). */
void mcti_fetch_waste(struct mcti_fetch *f, size_t n);

/* Status and headers of the answer, available from on_head on. mcti_fetch_header_nth() returns the n-th header of that
 * name, counted from 0, or an absent span; mcti_fetch_header() the first one. */
int mcti_fetch_status(const struct mcti_fetch *f);
struct mcti_str mcti_fetch_header(const struct mcti_fetch *f, const char *name);
struct mcti_str mcti_fetch_header_nth(const struct mcti_fetch *f, const char *name, size_t n);

/* Returns the media type of Content-Type without its parameters; absent if there is none. */
struct mcti_str mcti_fetch_type(const struct mcti_fetch *f);

/* Returns true if the media type is `type`. */
bool mcti_fetch_has_type(const struct mcti_fetch *f, const char *type);

/* Returns true if public_only has ended the fetch. */
bool mcti_fetch_is_refused(const struct mcti_fetch *f);

/* Returns false if the address that answered is not public; available from on_head on. Behind a proxy, only an address
 * in the URL itself is known: a name counts as public there. */
bool mcti_fetch_peer_is_public(const struct mcti_fetch *f);

/* Resolves `reference` against `base`. Returns a string to free(), or NULL and sets *err if the result is not an
 * http(s) URL or has another origin. */
char *mcti_http_resolve(struct mcti_http_client *c, const char *base, const char *reference, struct mct_error *err);

#endif
