/* Shared by the files of config/edit: a text that has been read, and places in it. All places are offsets. */
#ifndef MCT_CONFIG_EDIT_IMPL_H
#define MCT_CONFIG_EDIT_IMPL_H

#include "config/edit/edit.h"
#include "json/scan.h"

/* How a file is written, as far as it shows. */
struct mcti_edit_style {
    const char *newline;
    struct mcti_str indent; /* one step; absent: not known yet */
    const char *colon;      /* ": " or ":" */
    const char *comma;      /* ", " or ",", on one line */
    const char *pad;        /* " " or "", inside the braces of one line */
    bool tall_arrays;       /* arrays of short values take several lines */
    bool has_colon, has_pad, has_array;
};

struct mcti_edit_read {
    const struct mcti_edit *edit;
    struct mcti_str text; /* of the file */
    char *plain;          /* the same length, without comments; owned */
    struct mcti_str root; /* in `plain` */
    struct mcti_edit_style style;
};

/* A member or item: from its key, or its value, to behind its value. */
struct mcti_edit_child {
    size_t from, key_end, value, to; /* key_end: behind the key; equals `from` for an item */
};

/* The place that a step leads to. */
struct mcti_edit_spot {
    bool is_object, found, has_prev, has_next;
    size_t opens, closes; /* the brackets of the container */
    size_t holder;        /* where the member begins whose value the container is; equals `opens` for the root */
    struct mcti_edit_child prev, now, next, last;
    size_t n; /* number of children */
};

static inline struct mcti_str mcti_edit_span(struct mcti_str text, size_t from, size_t to)
{
    return mcti_str_range(text.p + from, text.p + to);
}

static inline bool mcti_edit_has_newline(struct mcti_str text, size_t from, size_t to)
{
    return memchr(text.p + from, '\n', to - from);
}

/* ---- read.c ---- */

/* Reads the text. Returns -1 and sets *err if it is not a JSON object; there is nothing to end then. */
int mcti_edit_open(const struct mcti_edit *e, struct mcti_edit_read *ret, struct mct_error *err);
void mcti_edit_close(struct mcti_edit_read *r);

/* Follows a path as far as it exists. Sets *ret to the place of the last step that could be taken, and *ret_rest to the
 * part of the path that begins with this step. Returns -1 and sets *err. */
int mcti_edit_walk(const struct mcti_edit_read *r, const char *const *path, struct mcti_edit_spot *ret,
                   const char *const **ret_rest, struct mct_error *err);

/* Sets *err to a mistake at an offset; returns -1. */
int mcti_edit_fail(const struct mcti_edit_read *r, size_t at, struct mct_error *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

unsigned mcti_edit_line(const struct mcti_edit_read *r, size_t at);
unsigned mcti_edit_column(const struct mcti_edit_read *r, size_t at);

/* Returns the white space in front of the line of an offset. */
struct mcti_str mcti_edit_indent(struct mcti_str text, size_t at);

/* Returns true if only white space stands before an offset on its line. */
bool mcti_edit_begins_line(struct mcti_str text, size_t at);

/* Returns the offset behind the comment that begins at `at`, or `at` if none does. */
size_t mcti_edit_behind_comment(struct mcti_str text, size_t at);

/* ---- format.c ---- */

/* Appends a value in the style of the file. `indent` is that of the line on which the value begins; absent: the value
 * must stay on this line. */
void mcti_edit_put_value(struct mcti_buf *to, const struct mcti_edit_style *style, struct mcti_str json,
                         struct mcti_str indent);

/* Fills in what the style lacks from a value and those in it. */
void mcti_edit_learn(struct mcti_edit_style *style, struct mcti_str text, const char *plain, struct mcti_str value);

#endif
