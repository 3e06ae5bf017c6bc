/*
 * Direct connections: HTTP/1.1 without TLS to servers on this machine, on libuv and llhttp. libcurl, which does
 * everything else, takes several times as long for such an exchange as the exchange itself.
 *
 * A connection has one fetch at a time, and is kept for MCT_HTTP_REUSE_S after a complete answer.
 */
#ifndef MCT_IO_HTTP_DIRECT_H
#define MCT_IO_HTTP_DIRECT_H

#include "io/fetch/client_impl.h"

#include <llhttp.h>
#include <zlib.h>

struct mcti_direct {
    uv_tcp_t tcp;
    uv_connect_t connecting;
    uv_write_t writing;
    struct mcti_http_client *client;
    struct mcti_list node;    /* among the client's */
    struct mcti_fetch *fetch; /* NULL: kept */
    struct mcti_timer late;   /* limits the time until it is connected */
    struct mcti_direct_host host;
    unsigned n_tried; /* addresses of the host */
    llhttp_t parser;
    z_stream *unpack;             /* of the present answer; NULL: it is not compressed */
    uint64_t kept_ms;             /* since when */
    size_t n_received, n_trailer; /* bytes of the present answer, and of its trailers */
    bool reused, writes, in_name, head_done, complete, keeps, closing;
};

/* ---- direct_request.c ---- */

/* Reads a URL. Returns true if a direct connection suits it: http, and a host that is certainly this machine. */
bool mcti_direct_read_url(const char *url, struct mcti_direct_host *ret);

/* Sets f->request to the request line and the headers, for the URL that f->host was read from. Returns -1 if they are
 * too long or memory is out. */
int mcti_direct_put_request(struct mcti_fetch *f, const struct mcti_headers *headers);

/* Puts the path of f->url, which has changed, into the request. Fails if it cannot be sent as it stands. */
int mcti_direct_redirect(struct mcti_fetch *f, struct mct_error *err);

/* ---- direct_answer.c ---- */

/* Begins to wait for the answer of d->fetch. */
void mcti_direct_expect(struct mcti_direct *d);

/* Takes bytes of the answer, and passes them on. Returns false with *ret_code if the exchange has failed, or the fetch
 * was cancelled. d->complete: the answer has ended. */
bool mcti_direct_take(struct mcti_direct *d, struct mcti_str bytes, CURLcode *ret_code);

/* Ends the answer with the connection. Returns whether it is complete. */
bool mcti_direct_take_end(struct mcti_direct *d);

/* Frees what the present answer needs. */
void mcti_direct_forget(struct mcti_direct *d);

/* ---- direct.c ---- */

/* Starts the exchange of a fetch for which mcti_direct_read_url() returned true. The end of a failure comes later. */
int mcti_direct_start(struct mcti_fetch *f, struct mct_error *err);

/* Stops (true) or continues reading the answer. */
void mcti_direct_hold(struct mcti_fetch *f, bool hold);

/* The fetch has no further interest in its connection, which is closed. */
void mcti_direct_leave(struct mcti_fetch *f);

/* Closes connections that have been kept for long. `data`: the client */
void mcti_direct_on_prune(void *data);

/* Closes all connections, none of which has a fetch. */
void mcti_direct_close_all(struct mcti_http_client *c);

#endif
