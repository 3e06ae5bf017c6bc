/* A transport over two descriptors that are already open, with newline framing: stdin and stdout of an MCP server. */
#ifndef MCT_IO_TRANSPORT_FD_H
#define MCT_IO_TRANSPORT_FD_H

#include "io/loop.h"
#include "io/transport.h"

/* Creates a transport that owns both descriptors (pipes, sockets, terminals or files) and closes them. At the end of
 * the input it closes once everything queued has been written. Returns NULL if memory is exhausted. */
struct mcti_transport *mcti_transport_fd_new(struct mcti_loop *loop, int fd_in, int fd_out, size_t message_bytes);

#endif
