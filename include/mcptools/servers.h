/*
 * Servers of a running instance: what each says of itself, and adding, removing and restarting them.
 *
 *     mct_instance_add_server(instance, "git", "{\"command\":\"mcp-server-git\"}", &err);
 *     …
 *     mct_instance_remove_server(instance, "git", &err);
 */
#ifndef MCPTOOLS_SERVERS_H
#define MCPTOOLS_SERVERS_H

#include <mcptools/request.h>

MCT_BEGIN_DECLS

/* ---- what a server says of itself ---- */

/* A snapshot of one server. A text is NULL where the server gave none, or has not been connected yet. */
struct mct_server {
    const char *name;             /* in the configuration */
    const char *state;            /* "connected", "connecting", "idle", "disconnected", "error" */
    const char *transport;        /* "stdio", "streamable-http", "sse", … */
    const char *protocol_version; /* revision of the connection, such as "2025-11-25" */
    const char *server_name;      /* the server's own name */
    const char *server_version;
    const char *title;
    const char *website_url;
    const char *icons;        /* JSON array */
    const char *instructions; /* how to use the server, for models */
    const char *server_info;  /* the whole Implementation object as JSON */
    const char *capabilities; /* the ServerCapabilities object as JSON */
    size_t n_tools, n_resources, n_templates, n_prompts;
    struct mct_error error;       /* why the server is not connected; of the kind MCT_ERR_NONE if there is no error */
    struct mct_error lists_error; /* why a list of the connected server is missing or incomplete; it is fetched again
                                   * with growing pauses. MCT_ERR_NONE: all lists are complete */
};

/*
 * Takes a snapshot of a server.
 *
 *   server  name of the server
 *
 * Returns the snapshot, to be freed with mct_server_free(), or NULL with *err:
 *
 *   MCT_ERR_NOT_FOUND  no such server
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_server *mct_instance_server(const struct mct_instance *instance, const char *server,
                                               struct mct_error *err);

/*
 * Frees a snapshot and everything that it points to.
 *
 *   server  the snapshot; NULL is allowed
 *
 * Threads: any. The instance may be freed already.
 */
MCT_API void mct_server_free(struct mct_server *server);

/* ---- waiting ---- */

/*
 * Waits as mct_instance_wait_ready() does, but no longer than until a token is fired.
 *
 *   timeout_ms  the longest time to wait
 *   cancel      the token; NULL: none
 *
 * Returns 0 if all servers are connected and their lists complete, or -1 with *err; the instance can be used all
 * the same:
 *
 *   MCT_ERR_PARTIAL    some servers are not connected, or lists could not be fetched; the message names them
 *   MCT_ERR_CONNECT    no server is connected; the message names them
 *   MCT_ERR_TIMEOUT    servers are still connecting
 *   MCT_ERR_CANCELLED  the token was fired, or the instance is being closed
 *   MCT_ERR_USAGE      not started, called in a callback, or attached to a loop
 */
MCT_API int mct_instance_wait_ready_cancel(struct mct_instance *instance, unsigned timeout_ms,
                                           struct mct_cancel *cancel, struct mct_error *err);

/* ---- changing the set of servers ---- */

/*
 * Adds a server, also while the instance is served; `tools_changed`, watches and clients are told about its lists. Its
 * name may be that of a server that was removed. The configuration of the instance stays as it is otherwise.
 *
 *   name   name of the server
 *   entry  its entry in `mcpServers` as JSON: {"command":…} or {"url":…}
 *
 * Returns 0, or -1 with *err. A server that cannot be reached is not an error.
 *
 *   MCT_ERR_USAGE        there is a server of that name, an argument is NULL, or the instance is being closed
 *   MCT_ERR_CONFIG       the entry has a mistake; the server is not added
 *   MCT_ERR_UNSUPPORTED  the entry has plugins, which are loaded before the start only
 *   MCT_ERR_INTERNAL     the system refused a process
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_add_server(struct mct_instance *instance, const char *name, const char *entry,
                                    struct mct_error *err);

/*
 * Removes a server and stops it. Its items leave the lists at once, its calls in flight end with MCT_ERR_CONNECT and
 * say that it was removed, and its subscriptions end.
 *
 *   name  name of the server
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE        the instance is not started or is being closed
 *   MCT_ERR_NOT_FOUND    no such server
 *   MCT_ERR_UNSUPPORTED  the server has plugins
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_remove_server(struct mct_instance *instance, const char *name, struct mct_error *err);

/*
 * Closes the connection to a server and makes a new one: a program is ended and started again. Calls in flight end with
 * MCT_ERR_CONNECT. Connects at once if the server is down.
 *
 *   name  name of the server
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE        the instance is not started or is being closed
 *   MCT_ERR_NOT_FOUND    no such server
 *   MCT_ERR_UNSUPPORTED  the server has no connection: it is a plugin
 */
MCT_API int mct_instance_restart_server(struct mct_instance *instance, const char *name, struct mct_error *err);

MCT_END_DECLS

#endif
