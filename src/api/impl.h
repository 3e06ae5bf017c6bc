/* Internals of the public functions: the structures behind the handles of include/mcptools. For src/api only. */
#ifndef MCT_API_IMPL_H
#define MCT_API_IMPL_H

#include "base/sized.h"
#include "instance/call.h"
#include "hub/core/lease.h"
#include "hub/local/tool.h"

#include <mcptools/lists.h>
#include <mcptools/request.h>
#include <mcptools/serve.h>
#include <stdatomic.h>

enum mcti_api_phase {
    API_OPEN,    /* the program configures the instance */
    API_STARTED, /* servers run */
    API_CLOSING, /* clients and servers are being stopped */
    API_CLOSED,  /* ready to be freed */
};

struct api_attached; /* attach.c */

/* The instance of a program. */
struct mct_instance {
    struct mcti_instance inst;
    struct mct_instance_opts opts;    /* the texts are NULL after they were read */
    struct mcti_choices choices;      /* from the options */
    char *workspace, *address;        /* workspace folder; HOST:PORT of HTTP, NULL: as configured */
    char *server_info, *instructions; /* of mct_instance_identify(); NULL: none */
    enum mcti_api_phase phase;
    unsigned depth; /* not 0: the loop is running, the program is in a callback */
    struct mcti_log log;
    uv_async_t wake;
    atomic_bool stopping; /* mct_instance_stop() was called */
    struct mcti_answerer answerer;
    struct mcti_provider *own;    /* tools of the program; NULL: none yet */
    struct mcti_text **own_names; /* its former names, see own.c */
    size_t n_own_names;
    bool serves;               /* the instance serves clients, which can answer questions of servers */
    bool prepared, stdio_gone; /* mcti_api_prepare() was called; the client on stdio has left */
    struct mct_error failure;  /* error of mcti_api_prepare(); kind NONE: none */
    struct mcti_watcher watcher;
    struct mcti_task report_states;
    struct api_reported *reported; /* see changes.c */
    size_t n_reported;
    struct mcti_timer report_lists; /* reports a burst of changes of lists once for each server */
    struct api_changed *changed;    /* see changes.c */
    size_t n_changed;
    struct mcti_list requests, questions, tokens;
    struct mcti_list watches, events; /* see watch.c */
    struct mcti_task report_events;
    bool reporting;        /* callbacks of watches are being called */
    struct mcti_list subs; /* see subscribe.c */
    const char *log_level; /* JSON string that mct_instance_set_log_level() has set; NULL: none */
    const char *log_level_word;
    void (*gone)(void *data); /* called when the client on stdio disconnects */
    void *gone_data;
    struct api_attached *attached; /* NULL: not attached to a loop of the program */
    struct mcti_api_auth *auth;    /* login/; NULL: logins as without a program */
    void (*closed)(void *data);
    void *closed_data;
};

struct mct_instance *mcti_api_of(const struct mct_instance *r);

/* ---- start.c ---- */

void mcti_api_free(struct mct_instance *a);

/* Creates the servers from the configuration, which must not change afterwards. Later calls do nothing and return the
 * same result. Returns -1 with *err (may be NULL). */
int mcti_api_prepare(struct mct_instance *a, struct mct_error *err);

/* Returns false for the provider of the program's own tools, which is not shown to the program as a server. */
static inline bool mcti_api_is_server(const struct mct_instance *a, const struct mcti_provider *p)
{
    return p != a->own;
}

/* ---- changes.c ---- */

/* Starts to report changes of lists and states to the callbacks in the options and to watches. */
void mcti_api_report_changes(struct mct_instance *a);

/* Stops to report them, and frees what is kept for that. */
void mcti_api_end_changes(struct mct_instance *a);

/* Reports the removal of a server to opts.state_changed, and of states that have changed. */
void mcti_api_check_states(struct mct_instance *a);

/* ---- watch.c ---- */

void mcti_api_watch_init(struct mct_instance *a);
void mcti_api_end_watches(struct mct_instance *a);

/* Returns true if the program has watches. */
static inline bool mcti_api_is_watched(const struct mct_instance *a)
{
    return !mcti_list_empty(&a->watches);
}

/* Reports changed lists (bits 1 << kind) of a server to all watches. `server` may be NULL. */
void mcti_api_watch_lists(struct mct_instance *a, const char *server, unsigned kinds);

/* Receive events of a watcher of the registry. */
void mcti_api_watch_on_updated(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params);
void mcti_api_watch_on_message(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params);

/* Requests the log level of the program from a server that was added. */
void mcti_api_request_level(const struct mct_instance *a, struct mcti_provider *p);

/* ---- servers.c ---- */

/* Adds the servers of a configuration that the instance does not have, and starts them if it is started. Returns -1
 * with *err. */
int mcti_api_add_servers(struct mct_instance *a, struct mcti_config *from, struct mct_error *err);

/* ---- login/login.c ---- */

/* Ends the requests that log in at or out of a server that is removed. */
void mcti_api_end_logins(struct mct_instance *a, const struct mcti_provider *p);

/* ---- login/person.c ---- */

/* Returns what the program has set for logins; NULL: nothing. */
const struct mcti_connect_owner *mcti_api_auth_owner(struct mct_instance *a);

void mcti_api_auth_free(struct mcti_api_auth *auth);

/* ---- subscribe.c ---- */

/* Frees the subscriptions of the program to resources of a server that is removed, and fails requests for them; `p`
 * NULL: frees those to all servers. */
void mcti_api_forget_subs(struct mct_instance *a, const struct mcti_provider *p);

/* ---- own.c ---- */

/* Gives a->own a name that no server of the instance and none of `more` (may be NULL) has. Returns -1 when out of
 * memory. */
int mcti_api_name_own(struct mct_instance *a, const struct mcti_config *more);

/* Gives a->own the serverInfo of the instance, which results carry. Returns -1 with *err. */
int mcti_api_present_own(struct mct_instance *a, struct mct_error *err);

/* ---- turn.c ---- */

/* Runs one turn of the loop. `mode`: as for uv_run(). */
void mcti_api_turn(struct mct_instance *a, uv_run_mode mode);

/* Fails with *err where waiting is not allowed: in a callback, and for an attached instance. */
int mcti_api_may_wait(const struct mct_instance *a, struct mct_error *err);

/* ---- close.c ---- */

/* Frees *a if the last step of closing has been taken, and returns whether that is so. To be called after each turn. */
bool mcti_api_close_finish(struct mct_instance *a);

/* ---- attach.c ---- */

/* Detaches the instance from the program's loop, and calls `then` when the handles there are closed. */
void mcti_api_detach(struct mct_instance *a, void (*then)(struct mct_instance *a));

/* ---- question.c ---- */

/* Operations of the answerer of an instance (mcp/ask.h); `data`: the struct mct_instance. */
void mcti_api_ask(void *data, struct mcti_ask *ask);
void mcti_api_withdraw(void *data, struct mcti_ask *ask);

/* Fails all open questions, and calls their callbacks for withdrawal. */
void mcti_api_end_questions(struct mct_instance *a);

/* ---- lists.c ---- */

/* Fails with *err unless the instance is started. */
int mcti_api_check_started(const struct mct_instance *a, struct mct_error *err);

/* ---- read.c ---- */

/* Returns the server of that name, or NULL with *err. */
struct mcti_provider *mcti_api_find_server(const struct mct_instance *r, const char *server, struct mct_error *err);

/* ---- status.c ---- */

/* Appends {"servers":[…]} with the state of each server. */
void mcti_api_put_servers(struct mcti_buf *to, const struct mct_instance *a);

/* Sets err->server if `p` is a server. `p` and `err` may be NULL. */
void mcti_api_name_server(const struct mct_instance *a, const struct mcti_provider *p, struct mct_error *err);

#endif
