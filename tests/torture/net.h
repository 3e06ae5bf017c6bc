/*
 * A network that answers from a table, in place of auth/net (the linker's --wrap), and a clock that is moved. Rows for
 * the same request are taken in turn; the last one is repeated.
 */
#ifndef MCT_TESTS_TORTURE_NET_H
#define MCT_TESTS_TORTURE_NET_H

#include "auth/net/net.h"

struct net_row {
    const char *request; /* "GET https://…" */
    int status;
    const char *body;
};

/* Answers from now on; `rows` end with an empty one. Returns the loop, of which only the scheduler may be used. */
struct mcti_loop *net_open(const struct net_row *rows);

/* A fetch that is NULL is an answer with this status and challenge from now on. */
void net_refuse(int status, const char *challenge);

/* Runs the scheduler until the flag is set, with time that jumps to the next timer. Returns -1 if nothing is left to do
 * before. */
int net_run(const bool *flag);

#endif
