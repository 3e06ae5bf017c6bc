/*
 * The server behind the proxies that the benchmark compares. All results are written once, at the start, so that an
 * answer costs one parse of the request and one system call: the proxy is what is measured.
 */
#ifndef BENCH_SERVER_H
#define BENCH_SERVER_H

#include "base/buf.h"

#include <sys/uio.h>

struct server {
    bool stateless; /* speaks 2026-07-28 only; otherwise 2025-11-25 only */
    unsigned tools;
    size_t bytes; /* length of the text that each call is answered with */
    struct mcti_buf initialize, discover, list, call, ping, unknown; /* all that follows the id of an answer */
};

/* ---- answers.c ---- */

/* The pieces of an answer: beginning, id, rest. The rest belongs to the server, the id to the message. */
enum { ANSWER_PIECES = 3 };

void server_init(struct server *s);
void server_done(struct server *s);

/* Answers a message. Returns the length of the answer, 0 if the message wants none. */
size_t server_answer(const struct server *s, struct mcti_str message, struct iovec ret_answer[ANSWER_PIECES]);

/* Writes all of the pieces, which it changes. Returns -1 if the peer has gone. */
int server_write(int fd, struct iovec *pieces, int n_pieces);

/* ---- http.c ---- */

/* Listens on 127.0.0.1, prints the port, and serves until it is killed. Port 0: any. */
void server_listen(const struct server *s, unsigned port);

#endif
