/* `serve --stdio`: one client on our own stdin and stdout, either era. */
#ifndef MCT_FRONT_STDIO_H
#define MCT_FRONT_STDIO_H

#include "gateway/gateway.h"
#include "io/transport.h"

struct mct_front_stdio {
    struct mct_transport *transport; /* owned */
    struct mct_peer *peer;
    struct mct_view view;
    struct mct_sched *sched;
    struct mct_timer drain; /* after the end of input: until what is open has been answered */
    uint64_t drain_until_ms;
    int out_fd;             /* set by the owner: watched for its reader while draining; -1: not */
    void (*done)(void *data); /* the client has gone */
    void *data;
};

/* Takes the transport. -1 with *err. */
int mct_front_stdio_open(struct mct_front_stdio *f, struct mct_gateway *g, struct mct_transport *take_t,
                         const struct mct_view_opts *opts, struct mct_error *err);
void mct_front_stdio_close(struct mct_front_stdio *f);

#endif
