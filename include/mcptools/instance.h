/*
 * The instance: MCP servers, tools of the program, C plugins and OpenClaw plugins in one array of tools.
 *
 *     struct mct_instance *instance = mct_instance_new(NULL, &err);
 *     mct_instance_load(instance, &err);                 // the servers that `mcptools serve` would find
 *     mct_instance_add_tool(instance, &my_tool, &err);   // a tool of the program
 *     mct_instance_start(instance, &err);
 *     mct_instance_wait_ready(instance, 30000, &err);
 *     struct mct_request *q = mct_instance_call(instance, "fs__read_file", "{\"path\":\"a\"}", NULL, &err);
 *     puts(mct_request_wait(q, &err) == 0 ? mct_request_text(q, NULL) : err.message);
 *     mct_request_free(q);
 *     mct_instance_close_wait(instance);
 *
 * With two servers or more, tools are named SERVER__TOOL; with one they keep their own names, except for a tool
 * that has the name of a tool of the program. `prefix` changes that. Calls accept SERVER__TOOL and SERVER.TOOL
 * always.
 *
 * Instances are independent of each other; a process may have several. An instance belongs to one thread at a
 * time: unless its description names other threads, a function is called by that thread only.
 *
 * Functions with `_wait` in their name and mct_instance_run() wait, and functions that load or start read
 * files. No other function waits.
 *
 * Callbacks come from mct_instance_dispatch() and from functions that wait, never from the function that
 * started the operation. A callback may call every function except those two kinds. There are exceptions:
 * `log` and the callbacks of a store for logins may be called at any time and must not call the library;
 * `free_data` and `withdrawn` may be called whenever something ends.
 *
 * An instance needs somebody to drive it, in one of three ways:
 *
 *   own loop  poll mct_instance_fd() for reading, for at most mct_instance_timeout() milliseconds, then call
 *             mct_instance_dispatch(); <mcptools/request.h> shows a complete loop
 *   libuv     mct_instance_attach() of <mcptools/uv.h> attaches the instance to a uv_loop_t of the program
 *   no loop   functions that wait drive the instance while they wait
 *
 * The library blocks SIGPIPE and SIGXFSZ for the thread while it drives the instance, and discards those that
 * its own writes have caused.
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
    size_t size;
    mct_log_fn log;               /* receives log lines; NULL: they are discarded */
    enum mct_log_level log_level; /* the most verbose level that `log` receives; 0: errors only */

    /* Tools were added, changed or removed; called for each server, once for a burst of changes (200 ms). `server` is
     * NULL for tools of the program. */
    void (*tools_changed)(struct mct_instance *instance, const char *server, void *data);
    /* The state of a server has changed, see mct_instance_state(); its lists could not be fetched, or are complete
     * again; or it was removed. */
    void (*state_changed)(struct mct_instance *instance, const char *server, void *data);

    /* Questions of servers (question.h). NULL: the handshake declares no support for that kind of question. */
    mct_question_fn sampling;   /* sampling/createMessage */
    mct_question_fn elicit;     /* elicitation/create with a form */
    mct_question_fn elicit_url; /* elicitation/create with a URL to visit */
    mct_question_fn roots;      /* roots/list; NULL: the library answers with workspace_dir, or with the root in the
                                 * configuration of the server */

    const char *workspace_dir; /* the root of servers (roots/list); NULL: the `cwd` of the server's entry */
    const char *mode;          /* "full" (all tools), "router" (resource tools only) or "search" (three tools that
                                * search, describe and call the others); NULL: as configured */
    const char *dialects;      /* resource tools in addition to the servers' tools: "nexo,codex"; NULL: as configured */
    const char *prefix;        /* when names have the prefix SERVER__: "auto" (with two servers or more), "always",
                                * "conflict" (if another server has that name) or "never"; NULL: "auto" */
    bool stranger;             /* the caller is not the owner: owner-only tools are hidden and refused */
    bool read_only;            /* tools that may change something are refused */
    bool no_restart;           /* a server that ends is not started again */
    void *data;                /* passed to the callbacks above */
};

#define MCT_INSTANCE_OPTS_INIT MCT_SIZED(struct mct_instance_opts)

/*
 * Creates an instance without servers.
 *
 *   opts  options, copied with their texts; NULL: none
 *
 * Returns the instance, to be closed with mct_instance_close() or mct_instance_close_wait(), or NULL with
 * *err:
 *
 *   MCT_ERR_USAGE        invalid mode, dialect or prefix, or the size of `opts` is not set
 *   MCT_ERR_UNSUPPORTED  `opts` has members that are newer than the library
 *   MCT_ERR_INTERNAL     the system refused the event loop
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_instance *mct_instance_new(const struct mct_instance_opts *opts, struct mct_error *err);

/* ---- content ---- */

/*
 * Load configuration: from the usual places (see mcptools(1)), where it is no error if there is none; from
 * one file; or from a text. If several sources name the same server, the first one counts. A mistake that
 * concerns one server is logged by mct_instance_start() and disables that server. After any other mistake the
 * instance can only be closed. Once the instance is served or started, the servers that it does not have are added
 * and started, other settings are ignored with a warning, and a mistake has no effect on the instance.
 *
 *   path  name of the file
 *   text  content of a file: {"mcpServers":{…},"mcptools":{…}}
 *
 * Return 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE        the instance is being closed; `path` or `text` is NULL
 *   MCT_ERR_CONFIG       the file cannot be read, or the configuration cannot be used
 *   MCT_ERR_UNSUPPORTED  the instance is served or started, and a new server has plugins
 *   MCT_ERR_INTERNAL     the instance is served or started, and the system refused a process
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_load(struct mct_instance *instance, struct mct_error *err);
MCT_API int mct_instance_load_file(struct mct_instance *instance, const char *path, struct mct_error *err);
MCT_API int mct_instance_load_text(struct mct_instance *instance, const char *text, struct mct_error *err);

/*
 * Adds a tool of the program, also after the start; `tools_changed` reports the change. Tools that are added
 * before the start come first in the array. The tool is called by the name in `def`, without a prefix, with
 * `.` replaced by `_`. Its calls time out like those of servers (`limits.call_timeout_s`).
 *
 *   def  the definition, copied with its texts, except for `data`
 *
 * Returns 0, or -1 with *err, without a call of `free_data`:
 *
 *   MCT_ERR_USAGE        invalid definition, a tool of the same name exists, or the instance is being closed
 *   MCT_ERR_UNSUPPORTED  `def` has members that are newer than the library
 *   MCT_ERR_LIMIT        the definition is too large
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_add_tool(struct mct_instance *instance, const struct mct_tool_def *def, struct mct_error *err);

/*
 * Removes a tool of the program. Calls that are already running continue.
 *
 *   name  name of the tool in its definition
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_NOT_FOUND  the program has added no tool of that name
 */
MCT_API int mct_instance_remove_tool(struct mct_instance *instance, const char *name, struct mct_error *err);

/*
 * Adds a hook for all calls: those of the program, and those of clients that the instance serves.
 *
 *   def  the definition, copied with its texts, except for `data`
 *
 * Returns 0, or -1 with *err, without a call of `free_data`:
 *
 *   MCT_ERR_USAGE        invalid definition, or the instance is being closed
 *   MCT_ERR_UNSUPPORTED  `def` has members that are newer than the library
 *   MCT_ERR_LIMIT        too many hooks
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_add_hook(struct mct_instance *instance, const struct mct_hook_def *def, struct mct_error *err);

/*
 * Starts the instance: connects to the servers, and opens the endpoints of <mcptools/serve.h>. A server that
 * cannot be reached is not an error; mct_instance_state() tells its state.
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE      the instance is started already, or is being closed
 *   MCT_ERR_CONFIG     the configuration cannot be used
 *   MCT_ERR_INTERNAL   the system refused a process
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_start(struct mct_instance *instance, struct mct_error *err);

/* ---- driving the instance ---- */

/*
 * Returns a descriptor that is readable when mct_instance_dispatch() has something to do. It is
 * level-triggered, stays the same, and is not to be read by the program.
 */
MCT_API int mct_instance_fd(struct mct_instance *instance);

/*
 * Returns the number of milliseconds after which mct_instance_dispatch() must be called even if the
 * descriptor is not readable, or -1 for no limit. Ask again before each wait: every function of the library
 * may change it.
 */
MCT_API int mct_instance_timeout(struct mct_instance *instance);

/*
 * Handles all pending events without waiting, and calls callbacks. Does nothing if it is called in a callback. If the
 * instance was being closed, it may be freed when the function returns; `closed` has been called in this case.
 */
MCT_API void mct_instance_dispatch(struct mct_instance *instance);

/*
 * Waits until every server is connected or has failed.
 *
 *   timeout_ms  the longest time to wait
 *
 * Returns 0 if all servers are connected and their lists complete, or -1 with *err; the instance can be used all
 * the same:
 *
 *   MCT_ERR_PARTIAL    some servers are not connected, or lists could not be fetched; the message names them
 *   MCT_ERR_CONNECT    no server is connected; the message names them
 *   MCT_ERR_TIMEOUT    servers are still connecting
 *   MCT_ERR_CANCELLED  the instance is being closed
 *   MCT_ERR_USAGE      not started, called in a callback, or attached to a loop
 */
MCT_API int mct_instance_wait_ready(struct mct_instance *instance, unsigned timeout_ms, struct mct_error *err);

/*
 * Returns true if the instance is started and every server is connected or has failed.
 */
MCT_API bool mct_instance_is_ready(const struct mct_instance *instance);

/* ---- servers ---- */

/*
 * Returns the state of a server: "connected", "connecting", "idle" (its next use starts it), "disconnected" or
 * "error"; NULL if there is no such server.
 *
 *   server  name of the server
 *   ret     receives the reason why the server is not connected, of the kind MCT_ERR_NONE if there is none;
 *           may be NULL
 */
MCT_API const char *mct_instance_state(const struct mct_instance *instance, const char *server, struct mct_error *ret);

/*
 * Returns the state of all servers as JSON:
 * {"servers":[{"name","state","reason","transport","protocolVersion","tools",
 * "error":{"kind","message"},"listErrors":[{"list","kind","message"},…],"nextTryMs","handshake"},…]}.
 * "listErrors" names the lists that a connected server did not give; they are fetched again with growing pauses.
 * "handshake" describes a second connection to the same server, which serves clients of older protocol revisions.
 *
 * The text is to be freed with mct_free(). NULL with *err:
 *
 *   MCT_ERR_NO_MEMORY
 */
MCT_API char *mct_instance_status(const struct mct_instance *instance, struct mct_error *err);

/*
 * Replaces `workspace_dir` of the options, and notifies the servers that requested such notifications.
 *
 *   dir  the new folder
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE      `dir` is NULL, or the instance was started without a workspace
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_set_workspace(struct mct_instance *instance, const char *dir, struct mct_error *err);

/*
 * Notifies servers that the callback `roots` answers differently from now on.
 */
MCT_API void mct_instance_notify_roots(struct mct_instance *instance);

/* ---- the end ---- */

/*
 * Closes an instance: cancels its requests, lets the calls of served clients end (for at most
 * `limits.drain_s`), stops the servers and frees everything. The program drives the instance until `closed`
 * is called, and does not use it otherwise. Further calls do nothing.
 *
 *   instance  NULL is allowed
 *   closed    called from the loop when the instance is freed; may be NULL
 *   data      passed to `closed`
 */
MCT_API void mct_instance_close(struct mct_instance *instance, void (*closed)(void *data), void *data);

/*
 * Closes an instance and waits until it is freed. Must not be called in a callback, or for an instance that is
 * attached to a loop: in these cases it only logs an error.
 *
 *   instance  NULL is allowed
 */
MCT_API void mct_instance_close_wait(struct mct_instance *instance);

MCT_END_DECLS

#endif
