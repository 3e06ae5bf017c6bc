/*
 * MCP over a child's stdin and stdout (every revision, "stdio transport"): newline framing, stderr
 * drained and its tail kept, lines that are not JSON objects counted and skipped, and an orderly end:
 * close stdin, wait, SIGTERM, wait, SIGKILL, each to the whole process tree of the child.
 */
#ifndef MCT_IO_PROCESS_TRANSPORT_STDIO_H
#define MCT_IO_PROCESS_TRANSPORT_STDIO_H

#include "io/loop.h"
#include "io/process/reaper.h"
#include "io/process/spawn.h"
#include "io/transport.h"

struct mcti_stdio_opts {
    struct mcti_spawn spawn;    /* argv, envp, cwd: borrowed until open returns */
    struct mcti_reaper *reaper; /* NULL: none */
    size_t message_bytes;       /* longest line either way */
    unsigned stop_eof_ms;       /* 0: MCT_STOP_EOF_MS */
    unsigned stop_term_ms;      /* 0: MCT_STOP_TERM_MS */
};

/* NULL when out of memory. */
struct mcti_transport *mcti_transport_stdio_new(struct mcti_loop *loop, const struct mcti_stdio_opts *opts);

#endif
