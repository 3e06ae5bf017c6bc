/* Serving what is in a registry as one MCP endpoint: tools of this program, or all there is. It is said before
 * mct_instance_start(), because servers are told at their handshake what clients can be asked. */
#ifndef MCPTOOLS_SERVE_H
#define MCPTOOLS_SERVE_H

#include <mcptools/instance.h>

MCT_BEGIN_DECLS

/* On HOST:PORT (port 0: any that is free; NULL: serve.http of the configuration) as `mcptools serve --http` does,
 * with the tokens and limits of the configuration. The port it listens on, or -1 with *err. Only loopback hosts,
 * unless tokens are configured. */
MCT_API int mct_instance_serve_http(struct mct_instance *r, const char *address, struct mct_error *err);

/* One client on stdin and stdout, which nobody else may use then. `gone` is called when it has gone; may be NULL. */
MCT_API int mct_instance_serve_stdio(struct mct_instance *r, void (*gone)(void *data), void *data,
                                     struct mct_error *err);

/* Serves stdin and stdout, starts the registry, and returns when the client has gone: 0, or -1 with *err. */
MCT_API int mct_instance_serve_stdio_wait(struct mct_instance *r, struct mct_error *err);

/* Turns the loop until *stop, which a signal handler may set (mct_instance_wake() ends a turn that waits), or until the
 * registry has been closed. */
MCT_API void mct_instance_run_wait(struct mct_instance *r, const volatile bool *stop);
/* From any thread and from signal handlers. */
MCT_API void mct_instance_wake(struct mct_instance *r);

MCT_END_DECLS

#endif
