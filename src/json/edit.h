/*
 * Copying validated JSON text with a few places changed. All else, white space too, is copied byte for
 * byte in the longest possible runs: without a change that is one. Places come in the order of the text.
 */
#ifndef MCT_JSON_EDIT_H
#define MCT_JSON_EDIT_H

#include "json/write.h"

struct mcti_json_edit {
    struct mcti_buf *to;
    const char *at; /* what stands before has been dealt with */
};

static inline struct mcti_json_edit mcti_json_edit_open(struct mcti_buf *to, struct mcti_str text)
{
    return (struct mcti_json_edit){ to, text.p };
}

/* Copies what stands before `p`. */
void mcti_json_edit_upto(struct mcti_json_edit *e, const char *p);

/* Leaves out `what`; what is written to e->to next stands in its place. */
void mcti_json_edit_cut(struct mcti_json_edit *e, struct mcti_str what);

/* Writes `by` in the place of `what`. */
void mcti_json_edit_replace(struct mcti_json_edit *e, struct mcti_str what, struct mcti_str by);

/* Copies the rest. */
void mcti_json_edit_close(struct mcti_json_edit *e, struct mcti_str text);

/* Over the members of an object (over anything else: none), which may be left out and added. */
struct mcti_json_edit_members {
    struct mcti_json_iter it;
    struct mcti_json_member now;
    const char *end; /* of the last member before `now` that stays, or of the brace */
    size_t n_stay;   /* before `now` */
    bool started, left_out;
};

struct mcti_json_edit_members mcti_json_edit_members(struct mcti_str object);
bool mcti_json_edit_next(struct mcti_json_edit *e, struct mcti_json_edit_members *m);

/* Leaves out m->now. */
void mcti_json_edit_leave_out(struct mcti_json_edit *e, struct mcti_json_edit_members *m);

/* After the last member: `"key":`, and the value is to be written to e->to. */
void mcti_json_edit_add_key(struct mcti_json_edit *e, struct mcti_json_edit_members *m, const char *key);

#endif
