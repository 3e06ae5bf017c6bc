#include "json/edit.h"

void mcti_json_edit_upto(struct mcti_json_edit *e, const char *p)
{
    if (p <= e->at)
        return;
    mcti_buf_add(e->to, mcti_str_range(e->at, p));
    e->at = p;
}

void mcti_json_edit_cut(struct mcti_json_edit *e, struct mcti_str what)
{
    mcti_json_edit_upto(e, what.p);
    e->at = what.p + what.len;
}

void mcti_json_edit_replace(struct mcti_json_edit *e, struct mcti_str what, struct mcti_str by)
{
    mcti_json_edit_cut(e, what);
    mcti_buf_add(e->to, by);
}

void mcti_json_edit_close(struct mcti_json_edit *e, struct mcti_str text)
{
    mcti_buf_mind(e->to, text);
    mcti_json_edit_upto(e, text.p + text.len);
}

struct mcti_json_edit_members mcti_json_edit_members(struct mcti_str object)
{
    struct mcti_json_edit_members m = { .it = { NULL, NULL } };
    if (mcti_json_type(object) == '{') {
        m.it = mcti_json_open(object);
        m.end = object.p + 1;
    }
    return m;
}

static const char *end_of(struct mcti_json_member m)
{
    return m.value.p + m.value.len;
}

bool mcti_json_edit_next(struct mcti_json_edit *e, struct mcti_json_edit_members *m)
{
    if (m->started && !m->left_out) {
        m->end = end_of(m->now);
        m->n_stay++;
    }
    bool alone = m->started && !m->n_stay; /* every member before was removed: its comma goes, too */
    if (!mcti_json_next_member(&m->it, &m->now)) {
        m->started = false;
        return false;
    }
    if (alone)
        e->at = m->now.key.p - 1;
    m->started = true;
    m->left_out = false;
    return true;
}

void mcti_json_edit_leave_out(struct mcti_json_edit *e, struct mcti_json_edit_members *m)
{
    mcti_json_edit_cut(e, mcti_str_range(m->end, end_of(m->now)));
    m->left_out = true;
}

void mcti_json_edit_add_key(struct mcti_json_edit *e, struct mcti_json_edit_members *m, const char *key)
{
    mcti_json_edit_upto(e, m->end);
    if (m->n_stay++)
        mcti_buf_addc(e->to, ',');
    mcti_json_put_string(e->to, mcti_str_of(key));
    mcti_buf_addc(e->to, ':');
}
