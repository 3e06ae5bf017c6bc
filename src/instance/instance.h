/*
 * One instance: a configuration, the servers it names, the view that the program itself has of them, and what serves
 * clients. It is assembled in steps, always in this order, and ended by a table of steps:
 *
 *     mcti_instance_init()      the loop; then the owner reads files into `config` and adds its own tools and hooks
 *     mcti_instance_configure() what the configuration and the owner say together
 *     mcti_instance_connect()   the servers and their hooks
 *     mcti_instance_serve_…()   clients, if any
 *     mcti_instance_open_view() for the program itself, if it asks for anything
 *     mcti_instance_start()     servers begin to run
 *     mcti_instance_stop(), mcti_instance_step(), mcti_instance_done()
 *
 * An instance owns everything in it. It never waits: its owner turns the loop. Requests, questions and signals are the
 * owner's.
 */
#ifndef MCT_INSTANCE_INSTANCE_H
#define MCT_INSTANCE_INSTANCE_H

#include "config/connect/connect.h"
#include "front/http/http.h"
#include "front/stdio.h"
#include "hub/hooks/hosts.h"
#include "resources/reach.h"

#include <limits.h>

/* What serves clients. */
struct mcti_service {
    struct mcti_gateway *gateway; /* NULL: nothing is served */
    struct mcti_front_http *http; /* NULL: not served there */
    struct mcti_front_stdio stdio;
    bool on_stdio;
    struct mcti_event_log audit;
    int access_fd, audit_fd; /* of logs; -1: none */
};

struct mcti_stop_opts {
    unsigned hooks_ms; /* how long handlers that observe calls are waited for; 0: not at all */
    void (*hub_gone)(
        void *data); /* nothing of servers and clients is left: the owner closes its own handles. May be NULL */
    void *data;
};

#define MCTI_HOOKS_TO_THEIR_END UINT_MAX /* hooks_ms: until their own time limits */

/* See stop.c. */
struct mcti_ending {
    struct mcti_stop_opts opts;
    size_t step;
    bool has_begun, drained, turned, late, hurried, stopped;
    struct mcti_timer deadline;
    struct mcti_task turn;
};

struct mcti_instance {
    const struct mcti_log *log; /* borrowed; NULL: the instance is not initialised */
    struct mcti_config config;
    struct mcti_offer offer; /* to the program itself, and to clients that ask for nothing else */
    struct mcti_naming naming;
    struct mcti_dialect_opts dialect;
    struct mcti_policy policy;
    const struct mcti_strings *names; /* of the only servers there are; borrowed. NULL or none: all */
    struct mcti_loop loop;
    struct mcti_reaper reaper;
    struct mcti_events events;
    struct mcti_registry registry;
    struct mcti_verdicts verdicts;
    struct mcti_connect_env env;
    struct mcti_hooks hooks;
    struct mcti_hook_hosts hook_hosts;
    struct mcti_view view;   /* zeroed: not opened */
    struct mcti_reach reach; /* of that view */
    struct mcti_service service;
    struct mcti_ending ending;
};

/* ---- open.c ---- */

/* Opens the loop, with an empty configuration and no servers. `log` is borrowed. -1 with *err. */
int mcti_instance_init(struct mcti_instance *i, const struct mcti_log *log, struct mct_error *err);

/* Fails with *err where one mistake makes the whole configuration unusable. */
int mcti_instance_check(const struct mcti_instance *i, struct mct_error *err);

/* What the owner wants beside the configuration; texts are borrowed during the call. */
struct mcti_choices {
    struct mcti_client_prefs prefs; /* mode and dialects; the configuration says what is left open here */
    enum mcti_prefix prefix;
    const char *as;      /* the name of a token whose client is offered what the view shows; NULL: no token's */
    unsigned timeout_ms; /* for calls and starts of all servers; 0: as configured */
    bool read_only;      /* tools that may change something are refused, whatever is configured */
    bool stranger;       /* the caller is not the owner */
};

/* Sets offer, naming, dialect and policy from what was read into `config` and from `c`, and logs mistakes. -1 with
 * *err. */
int mcti_instance_configure(struct mcti_instance *i, const struct mcti_choices *c, struct mct_error *err);

/* Opens the view and the reach. `as_served`: as a client with this offer sees the servers; otherwise all tools are
 * shown, and those of dialects beside them. -1 with *err. */
int mcti_instance_open_view(struct mcti_instance *i, bool as_served, struct mct_error *err);

/* ---- servers.c ---- */

enum mcti_hooking {
    MCTI_NO_HOOKS,
    MCTI_HOOKS_OF_STARTED, /* of the configuration, and of plugins of the servers that are started */
    MCTI_HOOKS_OF_ALL,     /* servers whose plugins may have hooks are started even if they are not meant */
};

struct mcti_connect_opts {
    const struct mcti_answerer *answerer; /* what servers may ask; outlives them. NULL: nothing */
    bool asks_roots;                      /* it is asked for the roots, too */
    const struct mcti_strings
        *roots; /* folders that all servers are told of; outlive them. NULL or none: as configured */
    const struct mcti_strings *names; /* the only servers that are meant; outlive the instance. NULL or none: all */
    const char *only;                 /* of these the only one; NULL: all */
    enum mcti_hooking hooking;
    bool restart;    /* servers that end are started again */
    bool quick_stop; /* servers get a second to end, not four */
    bool demo;       /* the built-in server takes the place of those that are configured */
};

/* Makes the servers, which are not started yet, and opens the hooks. -1 with *err. */
int mcti_instance_connect(struct mcti_instance *i, const struct mcti_connect_opts *o, struct mct_error *err);

/* Starts the servers, all at once. */
void mcti_instance_start(struct mcti_instance *i);

/* ---- serve.c ---- */

/* Opens the gateway unless it is open. -1 with *err. */
int mcti_instance_open_gateway(struct mcti_instance *i, struct mct_error *err);

/* Returns the answerer that passes what servers ask on to the clients of the gateway, if there is one by then. It lives
 * as long as *i. */
struct mcti_answerer mcti_instance_passes_on(struct mcti_instance *i);

struct mcti_service_http_opts {
    const char *address;         /* HOST:PORT; outlives the instance. NULL: as configured */
    size_t connections;          /* 0: as configured */
    bool legacy_sse;             /* even if it is not configured */
    bool any_host;               /* other machines may use it without tokens */
    const char *any_host_option; /* the name of the option that sets any_host, for the message; NULL: there is none */
    const struct mcti_event_log *event_log; /* whose lost lines are told in the metrics; NULL: none */
};

/* Serves HTTP, through the gateway. -1 with *err. */
int mcti_instance_serve_http(struct mcti_instance *i, const struct mcti_service_http_opts *o, struct mct_error *err);

/* Serves one client on stdin and stdout, through the gateway; `gone` is called when it has gone. -1 with *err. */
int mcti_instance_serve_stdio(struct mcti_instance *i, void (*gone)(void *data), void *data, struct mct_error *err);

/* ---- stop.c ---- */

/* Begins the end; it goes on with mcti_instance_step(). Safe at any time after mcti_instance_init(), also where that
 * failed. */
void mcti_instance_stop(struct mcti_instance *i, const struct mcti_stop_opts *o);

/* Takes the steps of the end that are due; to be called between turns of the loop, after each. Returns whether the last
 * one has been taken: then mcti_instance_done() is left. */
bool mcti_instance_step(struct mcti_instance *i);

/* Waits no longer for clients and handlers. Returns false where the end waits for neither, or has not begun. */
bool mcti_instance_hurry(struct mcti_instance *i);

/* Closes the loop and frees what is left. Does nothing where mcti_instance_init() failed or was not called, if *i is
 * zeroed. */
void mcti_instance_done(struct mcti_instance *i);

#endif
