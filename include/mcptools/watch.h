/*
 * Watching servers: changed lists, updated resources, log messages.
 *
 *     static void on_updated(struct mct_instance *instance, const char *server, const char *uri, void *data)
 *     {
 *         printf("%s of %s has changed\n", uri, server);
 *     }
 *
 *     struct mct_watch_opts opts = MCT_WATCH_OPTS_INIT;
 *     opts.resource_updated = on_updated;
 *     struct mct_watch *watch = mct_instance_watch(instance, &opts, &err);
 *     struct mct_request *q = mct_instance_subscribe(instance, NULL, "file:///tmp/log", NULL, &err);
 */
#ifndef MCPTOOLS_WATCH_H
#define MCPTOOLS_WATCH_H

#include <mcptools/request.h>

MCT_BEGIN_DECLS

/* Lists of a server, as bits. */
enum mct_watch_list {
    MCT_WATCH_TOOLS = 1,
    MCT_WATCH_RESOURCES = 2,
    MCT_WATCH_TEMPLATES = 4,
    MCT_WATCH_PROMPTS = 8,
};

struct mct_watch;

/* What a watch receives. Texts are valid during the callback. `server` is NULL for the program's own tools,
 * resources and prompts. */
struct mct_watch_opts {
    size_t size;
    /* Lists have changed: `lists` has a bit of enum mct_watch_list for each. Called for each server, once for a
     * burst of changes (200 ms). NULL: not reported, as with the other callbacks. */
    void (*lists_changed)(struct mct_instance *instance, const char *server, unsigned lists, void *data);
    /* A resource to which mct_instance_subscribe() or a served client has subscribed has changed. */
    void (*resource_updated)(struct mct_instance *instance, const char *server, const char *uri, void *data);
    /* A server has sent a log message. `level`: "debug", "info", "notice", "warning", "error", "critical", "alert" or
     * "emergency"; `logger` may be NULL; `json` is the message as JSON, often a string. */
    void (*message)(struct mct_instance *instance, const char *server, const char *level, const char *logger,
                    const char *json, void *data);
    void *data; /* passed to the callbacks */
};

#define MCT_WATCH_OPTS_INIT MCT_SIZED(struct mct_watch_opts)

/*
 * Starts to report events of all servers, before or after the start.
 *
 *   opts  the callbacks, copied
 *
 * Returns the watch, to be freed with mct_watch_free(), or NULL with *err:
 *
 *   MCT_ERR_USAGE        `opts` is NULL or its size is not set, or the instance is being closed
 *   MCT_ERR_UNSUPPORTED  `opts` has members that are newer than the library
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_watch *mct_instance_watch(struct mct_instance *instance, const struct mct_watch_opts *opts,
                                             struct mct_error *err);

/*
 * Ends a watch. May be called in its callbacks, and after its instance was freed.
 *
 *   watch  NULL is allowed
 */
MCT_API void mct_watch_free(struct mct_watch *watch);

/*
 * Requests log messages of a level and of the more severe ones from all servers that can log. Without this call a
 * server sends messages as it likes, or none. Clients that the instance serves may request more messages; a watch then
 * receives these as well.
 *
 *   level  "debug", "info", "notice", "warning", "error", "critical", "alert" or "emergency"
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE  no such level, or the instance is not started or being closed
 */
MCT_API int mct_instance_set_log_level(struct mct_instance *instance, const char *level, struct mct_error *err);

/*
 * Subscribes to the changes of a resource; watches report them. The result is {"server":NAME}. A subscription lasts,
 * across restarts of the server, until mct_instance_unsubscribe().
 *
 *   server  name of the server; NULL: a server that has the resource
 *   uri     URI of the resource
 *   opts    options, copied; NULL: none
 *
 * Returns the request, or NULL with *err:
 *
 *   MCT_ERR_USAGE        the instance is not started or being closed, or the size of `opts` is not set
 *   MCT_ERR_NOT_FOUND    no such server, or no server has the resource
 *   MCT_ERR_UNSUPPORTED  the server has no subscriptions; `opts` has members that are newer than the library
 *   MCT_ERR_CANCELLED    `opts->cancel` has been fired
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_subscribe(struct mct_instance *instance, const char *server, const char *uri,
                                                   const struct mct_call_opts *opts, struct mct_error *err);

/*
 * Ends one subscription of mct_instance_subscribe().
 *
 *   server  name of the server; NULL: any that has the subscription
 *   uri     URI of the resource
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_NOT_FOUND  no such subscription
 */
MCT_API int mct_instance_unsubscribe(struct mct_instance *instance, const char *server, const char *uri,
                                     struct mct_error *err);

MCT_END_DECLS

#endif
