/*
 * MCP over stdin and stdout of a child process (the "stdio" transport of every revision), with newline framing. The end
 * of stderr is kept; lines that are not JSON objects are counted and skipped. The child is stopped by closing its
 * stdin, then SIGTERM, then SIGKILL, each sent to its whole process tree.
 */
#ifndef MCT_IO_PROCESS_TRANSPORT_STDIO_H
#define MCT_IO_PROCESS_TRANSPORT_STDIO_H

#include "io/loop.h"
#include "io/process/reaper.h"
#include "io/process/spawn.h"
#include "io/transport.h"

/* Serves the proxy of a sandbox whose network is a list; see io/egress. */
struct mcti_stdio_gate {
    /* Starts to serve; the descriptor in `gate` moves to it. Returns NULL and sets *err on failure. */
    void *(*open)(void *data, const struct mcti_sandbox_gate *gate, struct mct_error *err);
    void (*close)(void *opened);
    void *data; /* used until open returns */
};

struct mcti_stdio_opts {
    struct mcti_spawn spawn;              /* argv, envp and cwd are borrowed until open returns */
    struct mcti_reaper *reaper;           /* may be NULL */
    size_t message_bytes;                 /* longest line in either direction */
    unsigned stop_eof_ms;                 /* time from closing stdin to SIGTERM; 0: MCT_STOP_EOF_MS */
    unsigned stop_term_ms;                /* time from SIGTERM to SIGKILL; 0: MCT_STOP_TERM_MS */
    const struct mcti_sandbox_wish *wish; /* the sandbox of the child; borrowed until open returns; NULL: none */
    struct mcti_stdio_gate gate;
};

/* Creates a transport. Returns NULL if memory is exhausted. */
struct mcti_transport *mcti_transport_stdio_new(struct mcti_loop *loop, const struct mcti_stdio_opts *opts);

#endif
