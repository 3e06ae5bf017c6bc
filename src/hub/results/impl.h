/* Shared by the files of this folder. */
#ifndef MCT_HUB_RESULTS_IMPL_H
#define MCT_HUB_RESULTS_IMPL_H

#include "base/limits.h"
#include "hub/results/results.h"

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

/* Appends the lines that contain the text, and a note. */
int mcti_range_search(const struct mcti_range *r, struct mct_error *err);

#endif
