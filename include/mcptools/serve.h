/*
 * Serving an instance to MCP clients, over HTTP or on stdin and stdout. Clients get the tools of the program
 * and everything else in the instance.
 *
 * The functions that open an endpoint are called before mct_instance_start(), because the handshake with a server
 * declares which questions clients can answer.
 */
#ifndef MCPTOOLS_SERVE_H
#define MCPTOOLS_SERVE_H

#include <mcptools/instance.h>

MCT_BEGIN_DECLS

/* What clients are told about the server. Every text may be NULL. */
struct mct_identity {
    size_t size;
    const char *name;    /* for programs: "tea-house" */
    const char *version; /* NULL: "" */
    const char *title;   /* for people */
    const char *description;
    const char *website_url;
    const char *icons;        /* JSON array of Icon objects */
    const char *instructions; /* for models: how the server is used; those of other servers follow */
    /* Clients are told that there are such things even if there are none when they connect, because the program will
     * add them later. */
    bool tools, resources, prompts;
};

#define MCT_IDENTITY_INIT MCT_SIZED(struct mct_identity)

/*
 * Sets the name under which the instance serves clients; without it, this is "mcptools". Is called before the
 * functions that open an endpoint.
 *
 *   identity  the identity, copied with its texts
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE        `name` is missing, `icons` is not a JSON array, or the instance is already served or started
 *   MCT_ERR_UNSUPPORTED  `identity` has members that are newer than the library
 *   MCT_ERR_LIMIT        the instructions are longer than 16,384 bytes
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_identify(struct mct_instance *instance, const struct mct_identity *identity,
                                  struct mct_error *err);

/*
 * Serves the instance over HTTP, with the tokens and limits of the configuration, as `mcptools serve --http`
 * does. Without tokens only loopback addresses are allowed.
 *
 *   address  "HOST:PORT", where port 0 means any free one; NULL: `serve.http` of the configuration
 *
 * Returns the port, or -1 with *err:
 *
 *   MCT_ERR_USAGE      the instance is started, being closed, or served over HTTP already; `address` is not
 *                      HOST:PORT
 *   MCT_ERR_CONFIG     the configuration cannot be used, or the address is not loopback and no tokens are
 *                      configured
 *   MCT_ERR_CONNECT    the address is in use, or this machine does not have it
 *   MCT_ERR_INTERNAL   the system refused a socket or a process
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_serve_http(struct mct_instance *instance, const char *address, struct mct_error *err);

/*
 * Serves one client on stdin and stdout. The program must not use them from then on.
 *
 *   gone  called once from the loop when the client has closed the connection; may be NULL
 *   data  passed to `gone`
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE      the instance is started, being closed, or served on stdin and stdout already
 *   MCT_ERR_CONFIG     the configuration cannot be used
 *   MCT_ERR_INTERNAL   the system refused to watch stdin or stdout
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_serve_stdio(struct mct_instance *instance, void (*gone)(void *data), void *data,
                                     struct mct_error *err);

/*
 * Serves one client on stdin and stdout, starts the instance, and waits until the client has closed the
 * connection.
 *
 * Returns 0 when the client has disconnected, or -1 with *err: the errors of mct_instance_serve_stdio() and
 * mct_instance_start(), and
 *
 *   MCT_ERR_USAGE  called in a callback, or the instance is attached to a loop
 */
MCT_API int mct_instance_serve_stdio_wait(struct mct_instance *instance, struct mct_error *err);

/*
 * Drives an instance until mct_instance_stop() is called, or until the instance has been closed. After a stop the
 * instance continues when it is driven again.
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE  called in a callback, or the instance is attached to a loop
 */
MCT_API int mct_instance_run(struct mct_instance *instance, struct mct_error *err);

/*
 * Makes mct_instance_run() return. If it is not running, the next call returns at once. The instance must
 * exist for as long as the function may be called.
 *
 * Threads: any, and signal handlers.
 */
MCT_API void mct_instance_stop(struct mct_instance *instance);

MCT_END_DECLS

#endif
