/* Internals of the public functions: the structures behind the handles of include/mcptools. For src/api only. */
#ifndef MCT_API_IMPL_H
#define MCT_API_IMPL_H

#include "base/sized.h"
#include "instance/call.h"
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
    struct mcti_provider *own; /* tools of the program; NULL: none yet */
    bool serves;               /* the instance serves clients, which can answer questions of servers */
    bool prepared, stdio_gone; /* mcti_api_prepare() was called; the client on stdio has left */
    struct mct_error failure;  /* error of mcti_api_prepare(); kind NONE: none */
    struct mcti_watcher watcher;
    struct mcti_task report_states;
    enum mcti_state *reported; /* state of each server that was last reported to the program */
    size_t n_reported;
    struct mcti_timer report_tools; /* calls opts.tools_changed once for a burst of changes */
    struct mcti_provider *changed;  /* provider whose tools changed; NULL: several */
    bool has_changed;
    struct mcti_list requests, questions, tokens;
    void (*gone)(void *data); /* called when the client on stdio disconnects */
    void *gone_data;
    struct api_attached *attached; /* NULL: not attached to a loop of the program */
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

/* Starts to report changes of tools and states to the callbacks in the options. */
void mcti_api_report_changes(struct mct_instance *a);

/* ---- own.c ---- */

/* Gives a->own a name that no configured server has. Returns -1 when out of memory. */
int mcti_api_name_own(struct mct_instance *a);

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
