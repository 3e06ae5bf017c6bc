/* Lines that a person types on the controlling terminal, read beside everything else that the loop does. */
#ifndef MCT_IO_TYPED_H
#define MCT_IO_TYPED_H

#include "base/buf.h"
#include "io/loop.h"

/* Embedded in its owner. */
struct mcti_typed {
    /* Called from the loop: a line without the white space around it. It may stop the reading. */
    void (*line)(void *data, struct mcti_str line);
    void (*end)(void *data); /* called from the loop: nothing more can be read */
    void *data;
    struct mcti_buf text; /* was read and has no line end yet */
    uv_poll_t *poll;      /* NULL: not reading */
    int fd; /* a descriptor of its own for the terminal: polling makes it non-blocking, and stdin and stdout
                           * must stay blocking */
};

/* Opens the terminal and does not read yet; the caller has set the callbacks. Returns -1 if the process has no
 * controlling terminal. */
int mcti_typed_open(struct mcti_typed *t);

/* Reads until mcti_typed_stop(). Returns -1 if that is impossible. */
int mcti_typed_start(struct mcti_typed *t, struct mcti_loop *loop);
void mcti_typed_stop(struct mcti_typed *t); /* further lines that have been read are dropped */

/* Stops reading and closes the terminal; does nothing if mcti_typed_open() failed. */
void mcti_typed_close(struct mcti_typed *t);

#endif
