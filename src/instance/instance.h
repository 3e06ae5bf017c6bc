/*
 * One instance: a configuration, its servers, the view of the program itself, and the gateway with its clients. The
 * owner, which is the library or the command line, assembles an instance in these steps, always in this order:
 *
 *     mcti_instance_init()      opens the loop; then the owner reads files into `config` and adds its tools and hooks
 *     mcti_instance_configure() combines the configuration with the choices of the owner
 *     mcti_instance_connect()   creates the servers and their hooks
 *     mcti_instance_serve_…()   serves clients, if any
 *     mcti_instance_open_view() opens the view of the program itself, if it makes requests
 *     mcti_instance_start()     starts the servers
 *     mcti_instance_stop(), mcti_instance_step(), mcti_instance_done() end it
 *
 * An instance owns everything in it. It never waits: its owner runs the loop. Requests of the program, answers to
 * questions, and signals are up to the owner.
 */
#ifndef MCT_INSTANCE_INSTANCE_H
#define MCT_INSTANCE_INSTANCE_H

#include "config/connect/connect.h"
#include "front/http/http.h"
#include "front/stdio.h"
#include "hub/hooks/hosts.h"
#include "hub/vet/vet.h"
#include "resources/reach.h"

#include <limits.h>

/* Clients that the owner serves beside the fronts of the instance. */
struct mcti_other_clients {
    void (*drain)(void *data); /* stops accepting clients */
    bool (*is_drained)(void *data);
    void (*close)(void *data); /* ends all of them */
    void *data;
};

/* The gateway, its fronts and its log files. */
struct mcti_service {
    struct mcti_gateway *gateway; /* NULL: no clients are served */
    char *task_key_file;          /* NULL: none */
    struct mcti_front_http *http; /* NULL: HTTP is not served */
    const char *address;          /* that HTTP is served at; borrowed */
    bool any_host;                /* other machines are allowed without tokens */
    struct mcti_front_stdio stdio;
    bool on_stdio;                           /* `stdio` is open */
    const struct mcti_other_clients *others; /* set by the owner when it serves them; NULL: none */
    struct mcti_event_log audit;
    int access_fd, audit_fd; /* descriptors of the logs; -1: none */
};

struct mcti_stop_opts {
    unsigned hooks_ms;             /* longest wait for hooks that still run; 0: none */
    void (*hub_freed)(void *data); /* servers and clients have ended: the owner closes its handles. May be NULL */
    void *data;
};

#define MCTI_HOOKS_TO_THEIR_END UINT_MAX /* hooks_ms: wait until the time limits of the hooks */

/* The progress of the end, see stop.c. */
struct mcti_ending {
    struct mcti_stop_opts opts;
    size_t step;
    bool has_begun, drained, turned, late, hurried, stopped, flushed;
    struct mcti_timer deadline;
    struct mcti_task turn;
};

struct mcti_telemetry;
struct mcti_config_watch;

struct mcti_instance {
    const struct mcti_log *log;       /* `tee`; NULL: the instance is not initialised */
    const struct mcti_log *owner_log; /* borrowed */
    struct mcti_log tee;              /* writes to `owner_log` and to telemetry */
    struct mcti_telemetry *telemetry; /* NULL: off */
    struct mcti_config config;
    struct mcti_offer offer; /* for the program itself, and the default for clients */
    struct mcti_naming naming;
    struct mcti_dialect_opts dialect;
    struct mcti_policy policy;
    const struct mcti_strings *names; /* names of the selected servers; borrowed. NULL or empty: all */
    struct mcti_loop loop;
    struct mcti_reaper reaper;
    struct mcti_events events;
    struct mcti_registry registry;
    struct mcti_outside outside;          /* results from outside, and what they guard */
    struct mcti_vet vet;                  /* what servers say is judged here; the judges are rows of vetting.c */
    struct mcti_judge *pins;              /* owned by `vet` */
    struct mcti_config_watch *pins_watch; /* of the files of pins; NULL: they are not watched */
    struct mcti_timer pins_retry;         /* reads files of pins again that could not be used */
    struct mcti_verdicts verdicts;
    struct mcti_catalogue catalogue;
    struct mcti_connect_env env;
    struct mcti_hooks hooks;
    struct mcti_hook_hosts hook_hosts;
    struct mcti_view view;            /* zeroed: not opened */
    struct mcti_reach reach;          /* for reading resources of the view */
    struct mcti_presentation present; /* for clients; borrowed texts. Set before the gateway is opened */
    struct mcti_service service;
    struct mcti_reload *reload; /* see reload.h; NULL: the configuration is read once */
    struct mcti_ending ending;
};

/* ---- open.c ---- */

/* Opens the loop, with an empty configuration and no servers. `log` is borrowed. Returns -1 with *err. */
int mcti_instance_init(struct mcti_instance *i, const struct mcti_log *log, struct mct_error *err);

/* Fails with *err if a mistake makes the whole configuration unusable. */
int mcti_instance_check(const struct mcti_instance *i, struct mct_error *err);

/* Choices of the owner that override the configuration. Texts are borrowed during the call. */
struct mcti_choices {
    struct mcti_client_prefs prefs; /* mode and dialects; not set: as configured */
    enum mcti_prefix prefix;
    const char *as;      /* name of a token: the view is that of its client; NULL: none */
    unsigned timeout_ms; /* for calls and starts of all servers; 0: as configured */
    bool read_only;      /* refuses tools that may change something, whatever is configured */
    bool stranger;       /* the program does not act for the owner: owner-only tools are not offered */
    bool shows_servers;  /* the program shows the error of each server: those of entries are not logged */
};

/* Sets offer, naming, dialect and policy from `config` and `c`, and logs mistakes. Returns -1 with *err. */
int mcti_instance_configure(struct mcti_instance *i, const struct mcti_choices *c, struct mct_error *err);

/* Applies the choices that replace settings. */
void mcti_instance_apply_choices(struct mcti_config *c, const struct mcti_choices *o);

/* Returns the options of a view over the selected servers, valid as long as the instance. */
struct mcti_view_opts mcti_instance_view_opts(const struct mcti_instance *i);

/* Opens the view and the reach. `as_served`: the view is that of a client with this offer; otherwise it shows all tools
 * and those of dialects. Returns -1 with *err. */
int mcti_instance_open_view(struct mcti_instance *i, bool as_served, struct mct_error *err);

/* ---- servers.c ---- */

enum mcti_hooking {
    MCTI_NO_HOOKS,
    MCTI_HOOKS_OF_STARTED, /* hooks of the configuration, and of plugins of the started servers */
    MCTI_HOOKS_OF_ALL,     /* also starts servers that are not selected if their plugins may have hooks */
};

struct mcti_connect_opts {
    const struct mcti_connect_owner *owner; /* what the owner brings for logins; outlives the servers. May be NULL */
    const struct mcti_answerer *answerer;   /* answers questions; outlives the servers. NULL: servers may ask none */
    bool asks_roots;                        /* the answerer also answers roots/list */
    const struct mcti_strings *roots; /* root folders for all servers; outlive them. NULL or empty: as configured */
    const struct mcti_strings *names; /* selected servers; outlive the instance. NULL or empty: all */
    const char *only;                 /* the one selected server of `names`; NULL: all of them */
    const struct mcti_connect_attach *attach; /* the running gateway; outlives the servers. NULL: none */
    enum mcti_hooking hooking;
    bool restart;    /* servers that end are started again */
    bool quick_stop; /* servers get about one second to end instead of four */
    bool demo;       /* the built-in server replaces the configured ones */
    bool unvetted;   /* the owner sees everything that servers say: nothing is quarantined */
    bool traces;     /* telemetry is opened if the configuration switches it on */
    /* Returns a variable that configures telemetry; NULL: only the configuration does. */
    const char *(*variable)(const char *name);
};

/* Creates the servers without starting them, and opens the hooks. Returns -1 with *err. */
int mcti_instance_connect(struct mcti_instance *i, const struct mcti_connect_opts *o, struct mct_error *err);

/* Starts the process that ends orphaned servers, unless it runs. Returns -1 with *err. */
int mcti_instance_start_reaper(struct mcti_instance *i, struct mct_error *err);

/* Returns true if the server is one of those that the owner has selected. */
bool mcti_instance_selects(const struct mcti_instance *i, const char *name);

/* Starts the servers, all at once. */
void mcti_instance_start(struct mcti_instance *i);

/* ---- serve.c ---- */

/* Opens the gateway unless it is open. Returns -1 with *err. */
int mcti_instance_open_gateway(struct mcti_instance *i, struct mct_error *err);

/* Returns the answerer that passes questions of servers on to the clients of the gateway, which may be opened later. It
 * is valid as long as *i. */
struct mcti_answerer mcti_instance_forwarder(struct mcti_instance *i);

struct mcti_service_http_opts {
    const char *address;                    /* HOST:PORT; outlives the instance. NULL: as configured */
    int socket;                             /* a socket that listens at `address`, taken; 0: none */
    size_t connections;                     /* largest number of connections; 0: as configured */
    bool legacy_sse;                        /* serve HTTP+SSE even if it is not configured */
    bool any_host;                          /* allow other machines without tokens */
    const char *any_host_option;            /* name of the option that sets any_host, for the message; NULL: none */
    const struct mcti_event_log *event_log; /* its lost lines are shown in the metrics; NULL: none */
};

/* Opens the gateway and serves it over HTTP. Returns -1 with *err. */
int mcti_instance_serve_http(struct mcti_instance *i, const struct mcti_service_http_opts *o, struct mct_error *err);

/* Opens the gateway and serves one client on stdin and stdout. `gone` is called when the client disconnects. Returns -1
 * with *err. */
int mcti_instance_serve_stdio(struct mcti_instance *i, void (*gone)(void *data), void *data, struct mct_error *err);

/* ---- stop.c ---- */

/* Begins the shutdown, which mcti_instance_step() continues. Safe at any time after mcti_instance_init(), even if that
 * failed. */
void mcti_instance_stop(struct mcti_instance *i, const struct mcti_stop_opts *o);

/* Takes the steps of the shutdown that are due. To be called after each turn of the loop. Returns true after the last
 * step: only mcti_instance_done() remains to be called. */
bool mcti_instance_step(struct mcti_instance *i);

/* Ends the wait for clients and hooks. Returns false if the shutdown waits for neither or has not begun. */
bool mcti_instance_hurry(struct mcti_instance *i);

/* Closes the loop and frees the rest. Does nothing if *i is zeroed or mcti_instance_init() failed. */
void mcti_instance_done(struct mcti_instance *i);

#endif
