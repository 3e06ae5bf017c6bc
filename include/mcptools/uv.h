/* Driving a registry from a program's own libuv loop. Not part of <mcptools/mcptools.h>, and libuv is linked by the
 * program: `pkg-config --cflags --libs mcptools libuv`. */
#ifndef MCPTOOLS_UV_H
#define MCPTOOLS_UV_H

#include <mcptools/instance.h>
#include <uv.h>

MCT_BEGIN_DECLS

/* Callbacks come from this loop from now on, which the registry keeps alive until it is closed. Once, by the loop's
 * thread; functions with `_wait` are not to be used then. -1 with *err. */
MCT_API int mct_instance_attach(struct mct_instance *r, uv_loop_t *loop, struct mct_error *err);

MCT_END_DECLS

#endif
