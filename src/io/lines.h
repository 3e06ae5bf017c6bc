/*
 * Newline framing, sans I/O: bytes in, lines out. A line is handed out without its "\n" or "\r\n",
 * straight from the bytes fed where it arrived whole; only the unfinished rest is kept, and it is
 * never scanned twice.
 */
#ifndef MCT_IO_LINES_H
#define MCT_IO_LINES_H

#include "base/buf.h"

struct mcti_lines {
    struct mcti_buf rest;
    bool skipping; /* inside a line that went over the limit */
};

/* Called for each line that is not blank; return false to stop behind it. */
typedef bool (*mcti_line_fn)(void *data, struct mcti_str line);

void mcti_lines_init(struct mcti_lines *l, size_t max_line);
void mcti_lines_done(struct mcti_lines *l);

/* Takes from the front of *bytes, all of them unless `fn` stops it. -1 when a line went over the limit:
 * it is dropped up to its end and reading goes on behind it. */
int mcti_lines_feed(struct mcti_lines *l, struct mcti_str *bytes, mcti_line_fn fn, void *data);

/* Appends the frame and a line end; line breaks in its white space become spaces. */
void mcti_lines_put(struct mcti_buf *to, struct mcti_str frame);

#endif
