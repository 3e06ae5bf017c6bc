/* Newline-framed frames over two descriptors that are already open: a server's own stdin and stdout. */
#ifndef MCT_IO_TRANSPORT_FD_H
#define MCT_IO_TRANSPORT_FD_H

#include "io/loop.h"
#include "io/transport.h"

/* The descriptors (pipes, sockets, terminals or files) are closed with the transport. The end of the
 * input closes the transport once everything queued has been written. NULL when out of memory. */
struct mcti_transport *mcti_transport_fd_new(struct mcti_loop *loop, int fd_in, int fd_out, size_t message_bytes);

#endif
