/* One connection of the HTTP server: shared by http_server.c (life), http_parse.c and http_reply.c. */
#ifndef MCT_IO_HTTP_CONN_H
#define MCT_IO_HTTP_CONN_H

#include "base/limits.h"
#include "io/http_server.h"
#include "io/out.h"

#include <llhttp.h>

enum mct_http_phase {
    MCT_HTTP_IDLE,      /* between requests */
    MCT_HTTP_READING,   /* part of a request is here */
    MCT_HTTP_ANSWERING, /* the handler has the exchange */
    MCT_HTTP_LINGERING, /* refused: what still comes is thrown away, so that the answer is not lost */
};

struct mct_http_exchange {
    void *user;
    bool streaming, chunked, finished;
};

struct mct_http_span {
    uint32_t name, name_len, value, value_len; /* offsets into head */
};

struct mct_http_conn {
    struct mct_http_exchange x;
    struct mct_http_server *server;
    struct mct_list node;
    uv_tcp_t tcp;
    llhttp_t parser;
    enum mct_http_phase phase;
    bool closing, close_after;
    uint64_t since_ms; /* when the phase began */

    struct mct_buf head; /* target, then names and values */
    size_t target_len;
    struct mct_http_span span[MCT_LIMIT_HTTP_HEADERS];
    size_t n_headers;
    bool in_value;
    bool head_done; /* what comes as header now is a trailer: counted, and dropped */
    size_t trailer_len;
    struct mct_http_lines {
        char last;        /* byte before the next one to look at */
        size_t line_len;  /* bytes of the current line so far */
        bool any, over;   /* a line with text was there; the headers are complete */
    } lines;              /* of the headers as they come, see head_fault() */
    int refuse;     /* status to refuse the request with, 0 = fine */
    const char *refuse_why;

    struct mct_buf body;
    struct mct_buf ahead; /* bytes of pipelined requests */
    struct mct_task resume;
    struct mct_out out;
};

struct mct_http_server {
    struct mct_loop *loop;
    struct mct_http_opts opts;
    struct mct_http_handler handler;
    uv_tcp_t listener;
    int port;
    bool listening, draining;
    struct mct_list conns;
    size_t n_conns;
    struct mct_timer sweep;
    mct_later_fn drained;
    void *drained_data;
    uint64_t date_ms;
    char date[40];
    bool freed;
};

static inline struct mct_http_conn *mct_http_conn_of(const struct mct_http_exchange *x)
{
    return MCT_CONTAINER(x, struct mct_http_conn, x);
}

extern const llhttp_settings_t mct_http_settings;

void mct_http_parse_init(struct mct_http_conn *c);
void mct_http_parse_done(struct mct_http_conn *c);

/* Takes bytes from the peer; hands a complete request to the handler. */
void mct_http_feed(struct mct_http_conn *c, struct mct_str bytes);

/* The answer is complete: the next request, or the end of the connection. */
void mct_http_finished(struct mct_http_conn *c);

void mct_http_conn_close(struct mct_http_conn *c);

#endif
