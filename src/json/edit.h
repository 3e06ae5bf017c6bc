/*
 * Copying validated JSON text with a few places changed. All else, white space too, is copied byte for
 * byte in the longest possible runs: without a change that is one. Places come in the order of the text.
 */
#ifndef MCT_JSON_EDIT_H
#define MCT_JSON_EDIT_H

#include "json/write.h"

struct mct_json_edit {
    struct mct_buf *to;
    const char *at; /* what stands before has been dealt with */
};

static inline struct mct_json_edit mct_json_edit_open(struct mct_buf *to, struct mct_str text)
{
    return (struct mct_json_edit){ to, text.p };
}

/* Copies what stands before `p`. */
void mct_json_edit_upto(struct mct_json_edit *e, const char *p);

/* Leaves out `what`; what is written to e->to next stands in its place. */
void mct_json_edit_cut(struct mct_json_edit *e, struct mct_str what);

/* Writes `by` in the place of `what`. */
void mct_json_edit_replace(struct mct_json_edit *e, struct mct_str what, struct mct_str by);

/* Copies the rest. */
void mct_json_edit_close(struct mct_json_edit *e, struct mct_str text);

/* Over the members of an object (over anything else: none), which may be left out and added. */
struct mct_json_edit_members {
    struct mct_json_iter it;
    struct mct_json_member now;
    const char *end; /* of the last member before `now` that stays, or of the brace */
    size_t n_stay;   /* before `now` */
    bool started, left_out;
};

struct mct_json_edit_members mct_json_edit_members(struct mct_str object);
bool mct_json_edit_next(struct mct_json_edit *e, struct mct_json_edit_members *m);

/* Leaves out m->now. */
void mct_json_edit_leave_out(struct mct_json_edit *e, struct mct_json_edit_members *m);

/* After the last member: `"key":`, and the value is to be written to e->to. */
void mct_json_edit_add_key(struct mct_json_edit *e, struct mct_json_edit_members *m, const char *key);

#endif
