/*
 * Driving an instance from a libuv loop of the program. This header is not part of <mcptools/mcptools.h>. The
 * program links libuv itself: `pkg-config --cflags --libs mcptools libuv`.
 */
#ifndef MCPTOOLS_UV_H
#define MCPTOOLS_UV_H

#include <mcptools/instance.h>
#include <uv.h>

MCT_BEGIN_DECLS

/*
 * Attaches an instance to a loop. All callbacks come from that loop from then on. The instance keeps the loop
 * alive until it is closed. Functions that wait cannot be used any more.
 *
 *   loop  the loop of the calling thread
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE      the instance is attached already, or the function was called in a callback
 *   MCT_ERR_INTERNAL   libuv refused the descriptor
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_attach(struct mct_instance *instance, uv_loop_t *loop, struct mct_error *err);

MCT_END_DECLS

#endif
