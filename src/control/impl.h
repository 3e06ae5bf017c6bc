/* A connection to the socket, shared by the files of this room. */
#ifndef MCT_CONTROL_IMPL_H
#define MCT_CONTROL_IMPL_H

#include "control/control.h"
#include "control/greeting.h"

enum mcti_control_phase { CONTROL_GREETING, CONTROL_WAITING, CONTROL_SERVER, CONTROL_METHODS, CONTROL_CLOSED };

struct mcti_control_conn {
    struct mcti_list node;
    struct mcti_control *control;
    enum mcti_control_phase phase;
    int fd; /* -1: a transport has it */
    uv_poll_t poll;
    struct mcti_timer deadline;
    char line[MCT_GREETING_BYTES]; /* the greeting, as far as it has come */
    size_t len;
    struct mcti_greeting greeting;
    struct mcti_front_stdio front;    /* CONTROL_SERVER */
    struct mcti_transport *transport; /* CONTROL_METHODS */
    struct mcti_provider *follows;    /* its new lines are sent to the client; NULL: none */
    struct mcti_provider *restarts;   /* the client waits for its restart; NULL: none */
    char restart_id[32];              /* of that request */
};

/* ---- control.c ---- */

/* Returns a transport over the descriptor of the connection, which it takes; NULL when out of memory. */
struct mcti_transport *mcti_control_take_fd(struct mcti_control_conn *c, size_t message_bytes);

/* Ends a connection. */
void mcti_control_drop(struct mcti_control_conn *c);

/* ---- method.c ---- */

/* Serves the control protocol on the connection. Returns -1 if that is impossible. */
int mcti_control_serve_methods(struct mcti_control_conn *c);

/* Tell the clients of the control protocol what a server says, and the end of its restart. */
void mcti_control_tell_said(struct mcti_control *c, struct mcti_provider *p, const struct mcti_journal_line *line);
void mcti_control_tell_state(struct mcti_control *c, struct mcti_provider *p);

/* Lets the clients that follow a server, or wait for its restart, go on with the one that has replaced it. */
void mcti_control_tell_joined(struct mcti_control *c, struct mcti_provider *p);

/* Forgets a server that was removed and not replaced. */
void mcti_control_tell_left(struct mcti_control *c, const struct mcti_provider *p);

/* Appends the members that describe the gateway, without braces. */
void mcti_control_put_self(struct mcti_buf *to, const struct mcti_control *c);

#endif
