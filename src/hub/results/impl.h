/* Shared by the files of this folder. */
#ifndef MCT_HUB_RESULTS_IMPL_H
#define MCT_HUB_RESULTS_IMPL_H

#include "base/limits.h"
#include "hub/results/results.h"
#include "json/step.h"

/* ---- blocks.c ---- */

enum { MCT_RESULT_ABOUT = 3 };

/* A content block: its members of these names, the first of each. */
struct mcti_result_block {
    struct mcti_str whole, type, resource;
    struct mcti_str text; /* of a block that is text, or of an embedded resource; absent for others */
    struct mcti_str about[MCT_RESULT_ABOUT]; /* what is shown of a block that is no text */
    bool is_resource;
};

/* An iteration over the content of a result. */
struct mcti_result_blocks {
    enum { MCT_RESULT_IN_RESULT, MCT_RESULT_IN_CONTENT, MCT_RESULT_IN_BLOCK, MCT_RESULT_IN_RESOURCE } at;
    struct mcti_json_steps members, items, inner;
    struct mcti_str content, structured, meta; /* known with the first block, or at the end */
    struct mcti_buf *others;                   /* receives the other members, each with a comma before it; borrowed */
    size_t max_other;                          /* longer ones are left out */
    struct mcti_result_block block;
};

void mcti_result_blocks_open(struct mcti_result_blocks *b, struct mcti_str result, struct mcti_buf *others,
                             size_t max_other);

/* Finds the next block, b->block. Looks at about *work bytes at most, and subtracts them. */
enum mcti_step mcti_result_blocks_next(struct mcti_result_blocks *b, size_t *work);

/* ---- keep.c ---- */

/* A kept result that is being made. */
struct mcti_keeping {
    struct mcti_buf text, rest, block_at, marks; /* the last two of size_t */
    struct mcti_str span;                        /* is still to be appended to `rest` */
    struct mcti_json_text decoding;              /* is still to be appended to `text` */
    size_t n_blocks, n_lines;
    size_t n_seen, n_counted; /* bytes that were searched for ends of lines, and those up to the last one */
};

/* `max` limits the text and the rest. */
void mcti_keeping_init(struct mcti_keeping *k, size_t max);
void mcti_keeping_done(struct mcti_keeping *k);

/* Returns false if it does not fit or memory is exhausted. */
bool mcti_keeping_ok(const struct mcti_keeping *k);

/* Begins the next block. Returns where it begins in the text. */
size_t mcti_keeping_block(struct mcti_keeping *k, const struct mcti_result_block *block);

/* Goes on with what has begun, for about *work bytes. Returns true if there is more to do. */
bool mcti_keeping_more(struct mcti_keeping *k, size_t *work);

/* Begins the structured content, after the last block. Without blocks the text is the structured content. */
void mcti_keeping_structured(struct mcti_keeping *k, struct mcti_str structured);

/* Returns the kept result, which belongs to the caller, or NULL if memory is exhausted. */
struct mcti_kept *mcti_keeping_take(struct mcti_keeping *k);

/* ---- store.c ---- */

void mcti_kept_free(struct mcti_kept *k);

/* Puts a result into the store for a principal, who may hold half of the store in bytes and number; makes room by
 * dropping the least recently used results. Returns -1 and frees it if it has no room or memory is exhausted. */
int mcti_results_put(struct mcti_results *r, struct mcti_kept *take_kept, uint64_t authority);

/* ---- cut.c ---- */

/* The beginning of a result that is being written. */
struct mcti_result_cut {
    struct mcti_buf to;
    size_t budget;
    size_t room; /* bytes left for content */
    size_t n_shown, n_left_out;
    size_t at;    /* position in the kept text behind what is shown */
    bool is_over; /* something was cut or left out */
};

void mcti_result_cut_init(struct mcti_result_cut *c, size_t budget);

/* Adds the next block if there is room for it, or its beginning. `at` is the place of its text in the kept one. */
void mcti_result_cut_block(struct mcti_result_cut *c, const struct mcti_result_block *block, size_t at);

/* Adds a note, a link to `kept` (NULL: the rest was not kept), and the members other than content: `whole` is the
 * length of the result. */
void mcti_result_cut_end(struct mcti_result_cut *c, const struct mcti_result_blocks *of, size_t whole,
                         const struct mcti_results *r, const struct mcti_kept *kept);

/* ---- job.c ---- */

void mcti_result_jobs_go_on(void *data); /* callback of mcti_results.work */

/* ---- range.c ---- */

/* A text of which a part is asked for. */
struct mcti_range {
    struct mcti_buf *to, *note;
    const struct mcti_result_query *q;
    const struct mcti_kept *kept; /* whose text it is; NULL: it is a part of the structured content */
    struct mcti_str text;
};

/* A cursor over lines. */
struct mcti_range_line {
    const char *p, *end; /* the line with its line feed; p == text end: there is none */
    uint64_t number;
};

/* Returns the largest offset up to `at` that is between two characters. */
size_t mcti_range_boundary(struct mcti_str text, size_t at);

/* Returns the end of the line at p, behind its line feed. */
const char *mcti_range_line_end(const char *p, const char *end);

/* Returns the position after *n lines from `p` on, `end` if there are fewer; subtracts the lines that were passed from
 * *n. A last line without a line feed is one. */
const char *mcti_range_skip_lines(const char *p, const char *end, uint64_t *n);

/* Finds line `number`; ret->number is one more than the number of lines if there are fewer. Returns false then. */
bool mcti_range_seek(const struct mcti_range *r, uint64_t number, struct mcti_range_line *ret);

/* Returns the number of lines of the text, of which `n` end before p. */
uint64_t mcti_range_n_lines(const struct mcti_range *r, const char *p, uint64_t n);

int mcti_range_fail_line(struct mct_error *err, uint64_t asked, uint64_t n_lines);

/* ---- search.c ---- */

/* Appends the lines that contain the text, and a note. */
int mcti_range_search(const struct mcti_range *r, struct mct_error *err);

#endif
