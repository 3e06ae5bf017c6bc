/* The stdio front of `serve --stdio`: one client of either era on the standard input and output of this process. */
#ifndef MCT_FRONT_STDIO_H
#define MCT_FRONT_STDIO_H

#include "gateway/gateway.h"
#include "io/transport.h"

struct mcti_front_stdio {
    struct mcti_transport *transport; /* owned */
    struct mcti_peer *peer;
    struct mcti_view view;
    struct mcti_gateway *gateway; /* NULL: it was never opened */
    struct mcti_sched *sched;
    struct mcti_timer drain; /* after the end of input: polls until the open requests are answered */
    uint64_t drain_until_ms;
    bool is_command;                /* set by the owner: the client is a command of this user, over the socket */
    const struct mcti_offer *offer; /* set by the owner; NULL: that of the gateway */
    int out_fd;                     /* set by the owner: output to check for a lost reader while draining; -1: none */
    void (*done)(void *data);       /* the connection has closed */
    void *data;
};

/* Opens the front on a transport, which it takes even on failure. On failure returns -1 and sets *err. */
int mcti_front_stdio_open(struct mcti_front_stdio *f, struct mcti_gateway *g, struct mcti_transport *take_t,
                          const struct mcti_view_opts *opts, struct mct_error *err);

/* Returns true if the client waits for an answer. */
bool mcti_front_stdio_is_busy(const struct mcti_front_stdio *f);
void mcti_front_stdio_close(struct mcti_front_stdio *f);

#endif
