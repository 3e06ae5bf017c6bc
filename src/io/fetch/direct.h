/*
 * Direct connections: HTTP/1.1 on libuv and llhttp, without TLS to servers on this machine, and with TLS to servers
 * that are known for HTTP/1.1 (origin.h). libcurl, which does everything else, takes several times as long for such an
 * exchange as the exchange itself.
 *
 * A connection has one fetch at a time, and is kept for MCT_HTTP_REUSE_S after a complete answer. Its wire carries the
 * bytes.
 */
#ifndef MCT_IO_HTTP_DIRECT_H
#define MCT_IO_HTTP_DIRECT_H

#include "io/fetch/client_impl.h"

#include <llhttp.h>
#include <zlib.h>

struct mcti_direct;

/* How a connection carries bytes. It reports them with the functions of direct.c. */
struct mcti_wire_ops {
    /* Connects; reports mcti_direct_on_open(), or ends the fetch. */
    void (*open)(struct mcti_direct *d);
    /* Sends the request of d->fetch, at once if the socket takes it. d->writes: not all of it yet. */
    void (*send)(struct mcti_direct *d);
    /* Begins (true) or stops to read. */
    void (*read)(struct mcti_direct *d, bool on);
    /* Returns whether the server has neither closed the connection nor said anything. */
    bool (*is_open)(struct mcti_direct *d);
    /* Closes the connection and frees `d`, not before the present callback of the loop has ended. */
    void (*close)(struct mcti_direct *d);
};

extern const struct mcti_wire_ops mcti_wire_over_tcp, mcti_wire_over_tls;

struct mcti_wire_plain {
    uv_tcp_t tcp;
    uv_connect_t connecting;
    uv_write_t writing;
    struct mcti_timer late; /* limits the time until it is connected */
};

/* libcurl connects and checks the certificate; afterwards its functions encrypt and decrypt, and nothing else. */
struct mcti_wire_tls {
    struct mcti_transfer transfer;
    CURL *easy;
    void *ssl; /* OpenSSL's */
    uv_poll_t poll;
    curl_socket_t fd;
    struct mcti_task more; /* OpenSSL holds bytes, which the socket cannot tell */
    size_t sent;           /* bytes of the request */
    unsigned n_useless;    /* how often the socket of a kept connection was readable */
    bool polls, reads, is_public;
    char why[CURL_ERROR_SIZE];
};

struct mcti_direct {
    const struct mcti_wire_ops *ops;
    struct mcti_http_client *client;
    struct mcti_list node;    /* among the client's */
    struct mcti_fetch *fetch; /* NULL: kept */
    struct mcti_direct_host host;
    unsigned n_tried; /* addresses of the host */
    llhttp_t parser;
    z_stream *unpack;             /* of the present answer; NULL: it is not compressed */
    uint64_t kept_ms;             /* since when */
    size_t n_received, n_trailer; /* bytes of the present answer, and of its trailers */
    bool reused, writes, in_name, head_done, complete, keeps, closing;
    union {
        struct mcti_wire_plain plain;
        struct mcti_wire_tls tls;
    };
};

/* ---- direct_request.c ---- */

/* Reads a URL with this scheme, "https://", into name and path. Returns false if libcurl must read it. */
bool mcti_direct_split_url(const char *url, struct mcti_str scheme, struct mcti_direct_host *ret);

/* Reads a URL. Returns true if a direct connection without TLS suits it: http, and a host that is certainly this
 * machine. */
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

/* ---- direct.c, for the wires ---- */

/* The connection is there. */
void mcti_direct_on_open(struct mcti_direct *d);

/* Bytes have arrived. */
void mcti_direct_on_bytes(struct mcti_direct *d, struct mcti_str bytes);

/* The connection has ended; NULL: the server has closed it in good order. */
void mcti_direct_on_end(struct mcti_direct *d, const char *why);

/* The connection of a fetch cannot be used any more. */
void mcti_direct_on_lost(struct mcti_direct *d, const char *why);

/* Begins again with a new connection: to the next address, or to the first one after a kept connection. */
void mcti_direct_again(struct mcti_direct *d);

/* Ends the exchange, and closes the connection. */
void mcti_direct_fail(struct mcti_direct *d, CURLcode code);

/* Returns true if the socket is open and has nothing to read. */
bool mcti_direct_is_silent(int fd);

/* ---- direct.c, for fetches ---- */

/* Starts the exchange of a fetch with f->is_direct. The end of a failure comes later. */
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
