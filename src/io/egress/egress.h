/*
 * The way out of a sandbox whose network is a list: an HTTP proxy (CONNECT only) that resolves names and connects to
 * the peers of the list, at public addresses. One egress serves one child; it owns its connections. It is no cache and
 * looks into nothing that it carries.
 */
#ifndef MCT_IO_EGRESS_EGRESS_H
#define MCT_IO_EGRESS_EGRESS_H

#include "base/strings.h"
#include "io/loop.h"

struct mcti_egress;

/* A peer of the list. */
struct mcti_egress_peer {
    struct mcti_str host; /* "*", "*.example.com", a name or an address; borrowed */
    unsigned port;        /* 0: any */
};

struct mcti_egress_opts {
    struct mcti_loop *loop;
    const struct mcti_log *log; /* may be NULL */
    const char *name;           /* of the server, for logs; copied */
    int fd;                     /* listens; moved in */
    const char *secret;         /* password of clients; empty: none is needed; copied */
    const struct mcti_egress_peer *peers;
    size_t n_peers;
    bool private_addresses; /* names of the list may lead to addresses that are not public */
};

/* Starts to serve. Returns NULL and sets *err on failure; the descriptor is closed then. */
struct mcti_egress *mcti_egress_new(const struct mcti_egress_opts *opts, struct mct_error *err);

/* Ends all connections. NULL does nothing. */
void mcti_egress_free(struct mcti_egress *e);

#endif
