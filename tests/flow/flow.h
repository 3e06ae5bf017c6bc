/* A transcript while it runs: its parties, its gateway and its clock. run_flow.c describes the language. */
#ifndef MCT_TESTS_FLOW_H
#define MCT_TESTS_FLOW_H

#include "gateway/gateway.h"
#include "hub/server/server.h"

#include "guard.h"
#include "host.h"
#include "tally.h"
#include "torture/failing.h"

#include <setjmp.h>

enum { MAX_PARTIES = 64, MAX_FRAMES = 256 };

/* A server or a client as the transcript sees it: our end of a pair. */
struct party {
    char name[32], who[32];
    struct mcti_principal principal;
    bool is_client;
    struct flow *flow;
    struct mcti_transport *end;
    struct mcti_transport *other; /* the gateway's end of a client */
    struct mcti_peer *peer;
    char *frames[MAX_FRAMES];
    size_t n_frames, next;
    char *said[MAX_FRAMES];               /* with a tally */
    unsigned said_on[MAX_FRAMES], n_ends; /* on which of its connections */
    size_t n_said;
    unsigned connects;
    bool closed;
    bool http, sessionless;
    bool handshake;       /* the server's connection begins with `initialize`, not with `server/discover` */
    const char *declared; /* pattern for the capabilities that the gateway declares to the server in `initialize` */
    bool many;            /* a server with several connections: the second is NAME.2 */
    unsigned n_others;
};

struct flow {
    struct mcti_sched sched;
    struct mcti_registry registry;
    struct mcti_gateway gateway, *asked;
    struct mcti_answerer asks; /* of servers that ask the clients */
    struct mcti_view view;
    struct mcti_naming naming;
    char scheme[16];
    struct mcti_offer offer;
    struct mcti_cache_opts cache;
    struct mcti_rate_rule rate; /* of clients */
    struct mcti_dialect_opts dialect;
    unsigned instructions_wait_ms;
    char allowed[32];
    const char *allow;
    struct party parties[MAX_PARTIES];
    size_t n_parties;
    uint64_t now_ms;
    bool open, started;
    struct host host;
    struct guards guards;
    struct mcti_events events;
    struct mcti_event_listener listener;
    char *told[MAX_FRAMES]; /* events */
    size_t n_told, next_told;
    char *state, *task; /* with their quotes */
    const char *file;
    unsigned line;
    struct flow_tally *tally; /* NULL: everything comes as the file says */
    jmp_buf next_line;
    bool over; /* the gateway could not be opened */
};

/* Prints the place in the transcript, `what` and `text`, and ends the program with status 1. With a tally, skips the
 * line instead. Never called from inside a callback. */
_Noreturn void flow_fail(struct flow *f, const char *what, const char *text);

/* Runs what is due at the present time of the virtual clock. */
void flow_settle(struct flow *f);

/* Sets up the gateway and the view, once. */
void flow_open(struct flow *f);

/* Starts all servers, once. */
void flow_start(struct flow *f);

/* Checks that the state of the server `name` is `word`. */
void flow_check_state(struct flow *f, struct mcti_str name, struct mcti_str word);

/* ---- told.c ---- */

/* Sets up the events of calls, with the virtual clock. */
void flow_open_events(struct flow *f);

/* Checks that the next event matches the pattern. */
void flow_expect_event(struct flow *f, struct mcti_str pattern);

/* ---- party.c ---- */

/* Returns NULL when no party has that name. */
struct party *party_find(struct flow *f, struct mcti_str name);

/* Adds a configured server with its options: words parted by spaces. */
struct party *party_add_server(struct flow *f, struct mcti_str name, struct mcti_str options);

/* Makes the server NAME (NULL: that of the party) that the new party `name` is, without adding it to the registry. */
struct mcti_provider *party_make_server(struct flow *f, struct mcti_str name, const char *server,
                                        struct mcti_str options);

/* Connects a client on the authority of `who` ("local" if empty). */
struct party *party_add_client(struct flow *f, struct mcti_str name, struct mcti_str who);

void party_leaves(struct party *p);

/* Checks that the gateway has opened a connection to the server. */
void party_connects(struct party *p);

/* Checks that the next frame the party has received matches the pattern; returns the frame. */
const char *party_expect(struct party *p, struct mcti_str pattern);

/* Sends a frame in the party's name. */
void party_say(struct party *p, struct mcti_str frame);

/* Keeps the requestState of the frame that the party received last. */
void party_keep_state(struct party *p);
void party_keep_task(struct party *p);

/* ---- change.c ---- */

/* Takes a line about servers that are replaced and removed. Returns false if the word is none of them. */
bool change_line(struct flow *f, struct mcti_str word, struct mcti_str rest);

/* ---- up.c ---- */

/* The handshake of a server (`NAME up …`) or of a client, whole, with `rest` behind the word. */
void party_up(struct party *p, struct mcti_str rest);

#endif
