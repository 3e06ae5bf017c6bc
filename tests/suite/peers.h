/*
 * The rows of the transport suite: each makes a transport whose peer answers every request with
 * {"jsonrpc":"2.0","id":…,"result":PARAMS}. A new transport is one new row.
 */
#ifndef MCT_TESTS_PEERS_H
#define MCT_TESTS_PEERS_H

#include "io/fetch/client.h"
#include "io/http/server.h"
#include "io/transport.h"

enum { MESSAGE_BYTES = 32 << 20 };

/* How the peer of a row behaves. */
enum manner {
    ANSWERS,
    SILENT, /* takes what it is sent and says nothing */
    DEAF,   /* does not even read */
    HALF,   /* ends in the middle of its answer */
    ABSENT, /* is not there */
    FLOODS, /* sends messages without end, from a process of its own */
};

struct peer {
    struct mcti_loop *loop;
    struct mcti_http_client *client;
    enum manner manner;
    struct mcti_transport *end;        /* rows whose peer is the other end of a stream */
    struct mcti_http_server *server;   /* rows whose peer is an HTTP server */
    struct mcti_http_exchange *stream; /* of HTTP+SSE */
    uv_tcp_t raw;                      /* SILENT, DEAF, HALF over HTTP */
    bool raw_open, stateless;
    int flooder; /* the process of FLOODS; 0: none */
    unsigned n_answers;
};

struct row {
    const char *name;
    /* A transport that is not opened; NULL when the row has no peer of that manner. */
    struct mcti_transport *(*make)(struct peer *p);
    bool ordered;        /* one stream: answers come in the order of the requests */
    bool stateless;      /* requests carry the `_meta` of 2026-07-28 */
    bool limits_sending; /* messages beyond MESSAGE_BYTES are refused; those without are a server's side */
    unsigned many;       /* how many requests may be in flight at once here */
};

extern const struct row rows[];
enum { N_ROWS = 6 };

void peer_open(struct peer *p, struct mcti_loop *loop, enum manner manner);

/* The peer goes away at once. */
void peer_vanish(struct peer *p);
void peer_close(struct peer *p);

/* The child of the stdio row: answers lines on stdin until it ends. */
int peer_main(const char *manner);

/* The child's command line: set by main. */
extern char *peer_program;

#endif
