/*
 * Lines of text to a file, pipe or terminal, written at the end of a turn of the loop. Whoever reads them may be
 * slow or gone: nothing waits for that. What cannot be written yet is kept up to a ceiling and tried again; lines
 * beyond that are lost, and counted. Lines are lost whole: a reader never sees a part of one, unless the program
 * ends, or the descriptor fails, in the middle of it. Lines up to PIPE_BUF leave in one write, so that those of
 * several writers do not mix.
 *
 * The descriptor may be shared with other programs, and so is never made non-blocking. That a terminal can be written
 * to does not say how much it takes: it is opened again, for a description of its own that does not block. Lines hold
 * names and messages of others: control characters are written to a terminal as \uXXXX.
 */
#ifndef MCT_IO_LINE_FILE_H
#define MCT_IO_LINE_FILE_H

#include "base/buf.h"
#include "base/log/log.h"
#include "base/sched/sched.h"

struct mcti_line_file {
    int fd;        /* borrowed; -1: there is none */
    int out;       /* what is written to: fd, or its terminal opened again; -1: writing would block, all is lost */
    uint64_t lost; /* lines that were not written and never will be */
    struct mcti_sched *sched;
    struct mcti_buf text;
    size_t from;    /* where the line being made begins */
    size_t at_once; /* bytes that never block where poll() says that one can write */
    bool mid_line, torn, is_socket, is_terminal, failing;
    const struct mcti_log *log; /* borrowed; NULL: nobody hears of failures */
    const char *name;           /* the same: of the file in messages */
    struct mcti_task flush;
    struct mcti_timer retry;
};

/* Keeps at most `pending_bytes`, which is also the longest line. */
void mcti_line_file_init(struct mcti_line_file *f, struct mcti_sched *sched, int fd, size_t pending_bytes);

/* Logs, once for each series of them, that writes fail: the disk is full, the file may not grow further. */
void mcti_line_file_report(struct mcti_line_file *f, const struct mcti_log *log, const char *name);

/* A line in two steps: begin gives the buffer to append to, without a line break; end takes what is there now. */
struct mcti_buf *mcti_line_file_begin(struct mcti_line_file *f);
void mcti_line_file_end(struct mcti_line_file *f);

/* Writes what is left, waiting up to `wait_ms` for a reader that takes nothing, and frees. */
void mcti_line_file_done(struct mcti_line_file *f, unsigned wait_ms);

#endif
