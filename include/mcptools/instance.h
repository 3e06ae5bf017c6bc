/*
 * The registry: MCP servers, tools of this program, C plugins and OpenClaw plugins in one array of tools.
 *
 *     struct mct_instance *r = mct_instance_new(NULL, &err);
 *     mct_instance_load(r, &err);               what `mcptools serve` would find
 *     mct_instance_add_tool(r, &my_tool, &err); tools of the program itself
 *     mct_instance_start(r, &err);
 *     mct_instance_wait_ready(r, 30000, &err);
 *     struct mct_tools *tools = mct_instance_tools(r, &err);
 *     struct mct_request *q = mct_instance_call(r, "fs__read_file", "{\"path\":\"a\"}", NULL, &err);
 *     mct_request_wait(q); puts(mct_request_text(q)); mct_request_free(q);
 *     mct_instance_close_wait(r);
 *
 * (With one server its tools have no prefix: `read_file`; SERVER.TOOL and SERVER__TOOL are understood all the same.)
 *
 * One registry is one instance of the library: several in one process do not meet. An instance belongs to one thread at
 * a time. Functions with `_wait` in their name block, as dlopen and the reading of files do in the functions that load
 * and start; no other waits for anything. Callbacks come from mct_instance_dispatch(), or from a function with `_wait`,
 * never from the function that asked for something; they may call everything but those two kinds of function. The
 * exceptions are small: `log` may be called at any time and must call nothing here, `free_data` and `withdrawn` when
 * something ends.
 *
 * Who drives it, in one of three ways:
 *   - a loop of the program's own: poll mct_instance_fd() for reading (it is level-triggered), for at most
 *     mct_instance_timeout(), then call mct_instance_dispatch();
 *   - libuv: mct_instance_attach() of <mcptools/uv.h> does that in the program's uv_loop_t;
 *   - nobody: functions with `_wait` turn the loop themselves.
 * During a turn SIGPIPE is held back for the thread, and taken away where it came.
 */
#ifndef MCPTOOLS_INSTANCE_H
#define MCPTOOLS_INSTANCE_H

#include <mcptools/hook.h>
#include <mcptools/log.h>
#include <mcptools/question.h>
#include <mcptools/tool.h>

MCT_BEGIN_DECLS

struct mct_instance;

struct mct_instance_opts {
    size_t size;                  /* MCT_SIZE(struct mct_instance_opts) */
    mct_log_fn log;               /* NULL: nobody reads it */
    enum mct_log_level log_level; /* the most verbose that is wanted; 0: errors */

    /* Tools have come, gone or changed: bursts are told once (200 ms). `server`: of which; NULL: of more than one, or
     * of the program itself. */
    void (*tools_changed)(struct mct_instance *r, const char *server, void *data);
    /* A server is in another state; see mct_instance_state(). */
    void (*state_changed)(struct mct_instance *r, const char *server, void *data);

    /* What servers ask in the middle of calls; each NULL: servers are told that it cannot be asked. */
    mct_question_fn sampling;   /* sampling/createMessage */
    mct_question_fn elicit;     /* elicitation/create with a form */
    mct_question_fn elicit_url; /* elicitation/create with a URL to be visited */
    mct_question_fn roots;      /* roots/list; NULL: workspace_dir, or what a server's entry says */

    const char
        *workspace_dir; /* the root every server is told of (roots/list); NULL: the `cwd` of its entry, if it has one */
    const char *mode;   /* "full", "router" (resource tools only), "search" (three tools that search, describe
                         * and call all others); NULL: the configuration's */
    const char *dialects; /* resource tools beside the servers' tools: "nexo,codex"; NULL: the configuration's */
    const char *prefix;   /* of names, where there are two servers or more: "always", "conflict", "never"; NULL:
                           * "always" */
    bool stranger;        /* the caller is not the owner: tools that are the owner's alone are hidden and refused */
    bool read_only;       /* tools that may change something are refused */
    bool no_restart;      /* servers that end stay so */
    void *data;           /* handed to the callbacks above */
};

/* NULL with *err. `opts` may be NULL. What it points to must live until this returns. */
MCT_API struct mct_instance *mct_instance_new(const struct mct_instance_opts *opts, struct mct_error *err);

/* ---- what is in it; before mct_instance_start() ---- */

/* Reads the configuration in the usual places (see mcptools(1)); none is not an error. A registry that could not load
 * is good for nothing but to be closed. */
MCT_API int mct_instance_load(struct mct_instance *r, struct mct_error *err);
/* Reads one file. The first source that names a server wins. */
MCT_API int mct_instance_load_file(struct mct_instance *r, const char *path, struct mct_error *err);
/* The same for the text of one: {"mcpServers":{…},"mcptools":{…}}. */
MCT_API int mct_instance_load_text(struct mct_instance *r, const char *text, struct mct_error *err);

/* Tools of this program, also later; tools_changed is called then. They stand first in the array if they are added
 * before it is started, and have no prefix: they are called by the name they were given (there `.` becomes `_`, as
 * models want it). They time out as servers' tools do (limits.call_timeout_s). What the definition points to is copied,
 * but for `data`. -1 with *err: it is no tool, or the name is taken; then free_data is not called. */
MCT_API int mct_instance_add_tool(struct mct_instance *r, const struct mct_tool_def *def, struct mct_error *err);
/* -1: there is none of that name. Calls that are under way go on. */
MCT_API int mct_instance_remove_tool(struct mct_instance *r, const char *name);

/* Hooks around every call that is made through the registry, or by clients it serves. */
MCT_API int mct_instance_add_hook(struct mct_instance *r, const struct mct_hook_def *def, struct mct_error *err);

/* Connects to the servers. What is to be served (serve.h) is said before. One that cannot be reached is no error
 * here: its state says so. -1 with *err: the configuration cannot be used. */
MCT_API int mct_instance_start(struct mct_instance *r, struct mct_error *err);

/* ---- driving it ---- */

MCT_API int mct_instance_fd(struct mct_instance *r);      /* readable when there is something to do */
MCT_API int mct_instance_timeout(struct mct_instance *r); /* ms until there is, also without that; -1: never */
MCT_API void mct_instance_dispatch(struct mct_instance *r);

/* Until every server is connected or has failed, at most so long. -1 with *err: time is over (MCT_ERR_TIMEOUT), or
 * servers have failed (MCT_ERR_PARTIAL, or MCT_ERR_CONNECT when all have), with their names. */
MCT_API int mct_instance_wait_ready(struct mct_instance *r, unsigned timeout_ms, struct mct_error *err);
/* The same without waiting: 1; 0: some are still connecting, or it has not been started. */
MCT_API int mct_instance_ready(const struct mct_instance *r);

/* ---- servers ---- */

/* "connected", "connecting", "disconnected" or "error"; NULL: there is no such server. *ret (may be NULL): why it is
 * not connected, kind NONE: there is no reason to give. */
MCT_API const char *mct_instance_state(const struct mct_instance *r, const char *server, struct mct_error *ret);

/* All of them: {"servers":[{"name","state","reason","transport","protocolVersion","tools","error":{"kind","message"},
 * "nextTryMs","handshake"},…]}; "handshake": the state and so on of a second connection, which serves clients of older
 * protocol revisions. To be freed with mct_free(); NULL: out of memory. */
MCT_API char *mct_instance_status(const struct mct_instance *r);

/* Another folder than workspace_dir; servers that want to hear of it do. -1 with *err: they were told of none. */
MCT_API int mct_instance_set_workspace(struct mct_instance *r, const char *dir, struct mct_error *err);
/* The same where `roots` answers: it will answer otherwise from now on. */
MCT_API void mct_instance_roots_changed(struct mct_instance *r);

/* ---- the end ---- */

/* Open requests are cancelled, clients that are served hear the end of their calls (for at most limits.drain_s),
 * servers are stopped, everything is freed; then `closed` is called, from the loop, as the last thing that is. The
 * registry must be driven until then, and not touched otherwise. Once; `closed` may be NULL. */
MCT_API void mct_instance_close(struct mct_instance *r, void (*closed)(void *data), void *data);
MCT_API void mct_instance_close_wait(struct mct_instance *r); /* NULL is fine */

/* Of what this library returned. NULL is fine. */
MCT_API void mct_free(void *p);

/* "0.1.0" */
MCT_API const char *mct_version(void);

MCT_END_DECLS

#endif
