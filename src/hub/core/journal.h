/*
 * The journal of one provider: the last lines that its process wrote to stderr, and what the gateway says about it
 * (started, connected, failed and why). A bounded ring; the oldest lines leave it. The text of stderr is foreign: it is
 * kept as it came, so whoever shows it makes it harmless (base/log/visible.h, or a string of JSON).
 */
#ifndef MCT_HUB_CORE_JOURNAL_H
#define MCT_HUB_CORE_JOURNAL_H

#include "base/buf.h"
#include "base/list.h"

#include <stdint.h>

enum mcti_said { MCT_SAID_STDERR, MCT_SAID_GATEWAY };

const char *mcti_said_word(enum mcti_said by); /* "stderr", "gateway" */

struct mcti_journal_line {
    struct mcti_list node;
    uint64_t seq;     /* from 1, without gaps */
    uint64_t wall_ms; /* since 1970 */
    enum mcti_said by;
    struct mcti_str text; /* without line end; NUL-terminated */
};

struct mcti_journal {
    struct mcti_list lines; /* struct mcti_journal_line, the oldest first */
    size_t n, bytes;        /* lines kept, and the memory that they take */
    uint64_t last_seq;      /* 0: nothing was said yet */
    uint64_t start_seq;     /* last line before the latest start of the server */
};

/* The memory of lines is charged to no account: the limits bound it for each server. */
void mcti_journal_init(struct mcti_journal *j);
void mcti_journal_done(struct mcti_journal *j);

/* Appends a line and drops the oldest ones beyond the limits. Returns the line; NULL when out of memory. */
const struct mcti_journal_line *mcti_journal_add(struct mcti_journal *j, enum mcti_said by, struct mcti_str text);

/* Calls `fn` for each kept line with a seq greater than `after`, the oldest first. */
void mcti_journal_each(const struct mcti_journal *j, uint64_t after,
                       void (*fn)(void *data, const struct mcti_journal_line *line), void *data);

/* Appends a line as an object: {"seq","time","by","text"}. */
void mcti_journal_put_line(struct mcti_buf *to, const struct mcti_journal_line *line);

/* Appends the last lines that the process wrote to stderr since its latest start, at most `max`, each with a line end.
 * Leaves out the frames of JavaScript traces ("    at …"), because the reason stands above them. Returns the number of
 * lines of stderr since that start which were not appended. */
size_t mcti_journal_put_stderr(const struct mcti_journal *j, struct mcti_buf *to, size_t max);

#endif
