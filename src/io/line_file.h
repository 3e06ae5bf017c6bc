/*
 * A line file writes lines of text to a file, pipe or terminal at the end of a turn of the event loop. It never waits
 * for a slow or closed reader: unwritten text is buffered up to a limit and retried, and lines beyond the limit are
 * dropped and counted. Lines are dropped whole. A reader sees a partial line only if the program ends, or the
 * descriptor fails, in the middle of it. Lines of up to PIPE_BUF bytes are written with one write(), so lines of
 * several writers do not mix.
 *
 * The descriptor may be shared with other programs and is therefore never made non-blocking. For a terminal, poll()
 * does not tell how many bytes a write takes without blocking, so the terminal is opened again with a non-blocking file
 * description of its own. Lines contain names and messages of other programs: on a terminal, control characters are
 * written as \uXXXX.
 */
#ifndef MCT_IO_LINE_FILE_H
#define MCT_IO_LINE_FILE_H

#include "base/buf.h"
#include "base/log/log.h"
#include "base/sched/sched.h"

struct mcti_line_file {
    int fd; /* borrowed; -1: no file */
    /* descriptor written to: fd or the reopened terminal; -1: writing would block, all lines are dropped */
    int out;
    uint64_t lost; /* number of dropped lines */
    struct mcti_sched *sched;
    struct mcti_buf text;
    size_t from;    /* offset of the line being built */
    size_t at_once; /* bytes that one write takes without blocking once poll() reports the descriptor writable */
    bool mid_line, torn, is_socket, is_terminal, failing;
    const struct mcti_log *log; /* borrowed; NULL: write failures are not logged */
    const char *name;           /* borrowed; name of the file in log messages */
    struct mcti_task flush;
    struct mcti_timer retry;
};

/* Initializes `f`. `pending_bytes` limits the buffered text and the length of a line. */
void mcti_line_file_init(struct mcti_line_file *f, struct mcti_sched *sched, int fd, size_t pending_bytes);

/* Makes `f` log write failures to `log`, once per series, with `name` as the name of the file. */
void mcti_line_file_report(struct mcti_line_file *f, const struct mcti_log *log, const char *name);

/* Appends a line in two steps: begin returns the buffer to append to (without a line break), end completes the line. */
struct mcti_buf *mcti_line_file_begin(struct mcti_line_file *f);
void mcti_line_file_end(struct mcti_line_file *f);

/* Writes the buffered text, waiting up to `wait_ms` ms for the reader, and frees `f`. */
void mcti_line_file_done(struct mcti_line_file *f, unsigned wait_ms);

#endif
