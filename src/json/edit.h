/*
 * Copies validated JSON text with a few changes. All other text, including white space, is copied byte for byte in the
 * longest possible runs; without a change this is a single copy. Changes must be made in the order of the text.
 */
#ifndef MCT_JSON_EDIT_H
#define MCT_JSON_EDIT_H

#include "json/write.h"

struct mcti_json_edit {
    struct mcti_buf *to;
    const char *at; /* everything before has been copied or removed */
};

static inline struct mcti_json_edit mcti_json_edit_open(struct mcti_buf *to, struct mcti_str text)
{
    return (struct mcti_json_edit){ to, text.p };
}

/* Copies the text before `p`. */
void mcti_json_edit_upto(struct mcti_json_edit *e, const char *p);

/* Removes `what`; text written to e->to next takes its place. */
void mcti_json_edit_cut(struct mcti_json_edit *e, struct mcti_str what);

/* Replaces `what` by `by`. */
void mcti_json_edit_replace(struct mcti_json_edit *e, struct mcti_str what, struct mcti_str by);

/* Copies the rest. */
void mcti_json_edit_close(struct mcti_json_edit *e, struct mcti_str text);

/* Iterates over the members of an object (any other value has none), which can be removed and added. */
struct mcti_json_edit_members {
    struct mcti_json_iter it;
    struct mcti_json_member now;
    const char *end; /* end of the last kept member before `now`, or of the opening brace */
    size_t n_stay;   /* number of kept members before `now` */
    bool started, left_out;
};

struct mcti_json_edit_members mcti_json_edit_members(struct mcti_str object);
bool mcti_json_edit_next(struct mcti_json_edit *e, struct mcti_json_edit_members *m);

/* Removes m->now. */
void mcti_json_edit_leave_out(struct mcti_json_edit *e, struct mcti_json_edit_members *m);

/* After the last member: writes `"key":`; the caller then writes the value to e->to. */
void mcti_json_edit_add_key(struct mcti_json_edit *e, struct mcti_json_edit_members *m, const char *key);

#endif
