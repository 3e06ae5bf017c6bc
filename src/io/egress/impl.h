/* Shared by egress.c (the list) and link.c (one connection through it). */
#ifndef MCT_IO_EGRESS_IMPL_H
#define MCT_IO_EGRESS_IMPL_H

#include "base/list.h"
#include "io/egress/egress.h"

enum {
    MCT_EGRESS_LINKS = 256,       /* connections at once */
    MCT_EGRESS_HEAD_BYTES = 8192, /* longest request head */
    MCT_EGRESS_BUFFER_BYTES = 16384,
    MCT_EGRESS_HEAD_MS = 10000,
    MCT_EGRESS_CONNECT_MS = 30000,
};

struct mcti_egress_rule {
    char *host;
    unsigned port;
};

struct mcti_egress {
    struct mcti_loop *loop;
    const struct mcti_log *log;
    char *name, *secret;
    struct mcti_egress_rule *rules;
    size_t n_rules;
    bool private_addresses;
    bool freed; /* by its owner; the memory is kept until every handle is closed */
    bool listens;
    uv_tcp_t listener;
    struct mcti_list links;
    size_t n_links;
};

/* What the list says of a peer. */
enum mcti_egress_verdict { EGRESS_NO, EGRESS_PUBLIC, EGRESS_ANY };
enum mcti_egress_verdict mcti_egress_judge(const struct mcti_egress *e, struct mcti_str host, unsigned port);

/* Frees the memory if the owner has freed it and nothing is open. */
void mcti_egress_release(struct mcti_egress *e);

/* ---- link.c ---- */

/* Accepts a connection. */
void mcti_egress_accept(struct mcti_egress *e);

/* Closes all links. */
void mcti_egress_close_links(struct mcti_egress *e);

#endif
