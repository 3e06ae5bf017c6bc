#include "json/edit.h"

void mct_json_edit_upto(struct mct_json_edit *e, const char *p)
{
    if (p <= e->at)
        return;
    mct_buf_add(e->to, mct_str_range(e->at, p));
    e->at = p;
}

void mct_json_edit_cut(struct mct_json_edit *e, struct mct_str what)
{
    mct_json_edit_upto(e, what.p);
    e->at = what.p + what.len;
}

void mct_json_edit_replace(struct mct_json_edit *e, struct mct_str what, struct mct_str by)
{
    mct_json_edit_cut(e, what);
    mct_buf_add(e->to, by);
}

void mct_json_edit_close(struct mct_json_edit *e, struct mct_str text)
{
    mct_buf_mind(e->to, text);
    mct_json_edit_upto(e, text.p + text.len);
}

struct mct_json_edit_members mct_json_edit_members(struct mct_str object)
{
    struct mct_json_edit_members m = { .it = { NULL, NULL } };
    if (mct_json_type(object) == '{') {
        m.it = mct_json_open(object);
        m.end = object.p + 1;
    }
    return m;
}

static const char *end_of(struct mct_json_member m)
{
    return m.value.p + m.value.len;
}

bool mct_json_edit_next(struct mct_json_edit *e, struct mct_json_edit_members *m)
{
    if (m->started && !m->left_out) {
        m->end = end_of(m->now);
        m->n_stay++;
    }
    bool alone = m->started && !m->n_stay; /* all before are left out: the comma goes with them */
    if (!mct_json_next_member(&m->it, &m->now)) {
        m->started = false;
        return false;
    }
    if (alone)
        e->at = m->now.key.p - 1;
    m->started = true;
    m->left_out = false;
    return true;
}

void mct_json_edit_leave_out(struct mct_json_edit *e, struct mct_json_edit_members *m)
{
    mct_json_edit_cut(e, mct_str_range(m->end, end_of(m->now)));
    m->left_out = true;
}

void mct_json_edit_add_key(struct mct_json_edit *e, struct mct_json_edit_members *m, const char *key)
{
    mct_json_edit_upto(e, m->end);
    if (m->n_stay++)
        mct_buf_addc(e->to, ',');
    mct_json_put_string(e->to, mct_str_of(key));
    mct_buf_addc(e->to, ':');
}
