/* `serve --stdio`: one client on our own stdin and stdout, either era. */
#ifndef MCT_FRONT_STDIO_H
#define MCT_FRONT_STDIO_H

#include "gateway/gateway.h"
#include "io/transport.h"

struct mcti_front_stdio {
    struct mcti_transport *transport; /* owned */
    struct mcti_peer *peer;
    struct mcti_view view;
    struct mcti_sched *sched;
    struct mcti_timer drain; /* after the end of input: until what is open has been answered */
    uint64_t drain_until_ms;
    int out_fd;               /* set by the owner: watched for its reader while draining; -1: not */
    void (*done)(void *data); /* the client has gone */
    void *data;
};

/* Takes the transport. -1 with *err. */
int mcti_front_stdio_open(struct mcti_front_stdio *f, struct mcti_gateway *g, struct mcti_transport *take_t,
                          const struct mcti_view_opts *opts, struct mct_error *err);
void mcti_front_stdio_close(struct mcti_front_stdio *f);

#endif
