/*
 * The stdio server of the fault campaign and the soak. It answers with the nonce of each request, and does what a call
 * (argument `fault`) or its control socket orders: dies, hangs, writes garbage. fault_verbs.c has the table.
 */
#ifndef MCT_TESTS_FAULT_SERVER_H
#define MCT_TESTS_FAULT_SERVER_H

#include "base/buf.h"
#include "base/list.h"
#include "mcp/message.h"

/* A line that is written later, or once a question is answered. */
struct fault_later {
    struct mcti_list node;
    uint64_t due_ms; /* 0: when the question `ask` is answered */
    uint64_t ask;
    struct mcti_buf line;
};

struct fault_server {
    const char *name, *era, *control; /* `control`: folder of the control socket; NULL: there is none */
    int control_fd;
    bool deaf;     /* stdin is not read */
    bool mute;     /* requests are read and not answered */
    bool stubborn; /* the end of stdin does not end the process */
    bool listening;
    uint64_t n_asked;
    struct mcti_buf out;
    struct mcti_list later;
    char owner[64];      /* the first principal that called */
    char listen_id[128]; /* of the open subscriptions/listen */
};

/* What a verb acts on. */
struct fault_order {
    struct mcti_str id;    /* of the call; absent for orders of the control socket */
    struct mcti_str token; /* its progress token */
    struct mcti_str line;  /* its right answer, with the line end */
    uint64_t n;            /* argument of the verb */
    uint64_t delay_ms;
};

/* Carries out `verb`. It sends the answer of the order itself, or not at all. */
void fault_verb_run(struct fault_server *s, struct mcti_str verb, const struct fault_order *order);

/* Writes everything that is due to stdout; ends the process if nobody reads it. */
void fault_server_flush(struct fault_server *s);

/* Sends a line after `delay_ms`. */
void fault_server_send(struct fault_server *s, struct mcti_str line, uint64_t delay_ms);

#endif
