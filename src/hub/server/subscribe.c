/* Hearing of changes of resources: who wants to, and whether the server has agreed. */
#include "hub/server/impl.h"

#include "base/limits.h"

#include <stdlib.h>

static struct mcp_sub *sub_of(struct mct_list *node)
{
    return MCT_CONTAINER(node, struct mcp_sub, node);
}

/* Those who wait for it hear what became of it. */
static void tell_waiting(struct mcp_sub *s, const struct mct_error *err)
{
    struct mct_list waiting;
    s->agreed = !err;
    mct_list_remove(&s->in_waiting);
    mct_list_take(&waiting, &s->waiting);
    while (!mct_list_empty(&waiting)) {
        struct mct_agreement *w = MCT_CONTAINER(waiting.next, struct mct_agreement, node);
        mct_list_remove(&w->node);
        w->done(w, err);
    }
}

/* Tells those for whom it is so; what they do then may end any other subscription. */
static void tell_all(struct mcp *m, bool listed, bool agreed, const struct mct_error *err)
{
    struct mct_list chosen;
    mct_list_init(&chosen);
    MCT_LIST_EACH(it, &m->subs_waiting) {
        const struct mcp_sub *s = MCT_CONTAINER(it, struct mcp_sub, in_waiting);
        if (s->listed < listed || s->agreed < agreed)
            continue;
        mct_list_remove(it);
        mct_list_append(&chosen, it);
    }
    while (!mct_list_empty(&chosen))
        tell_waiting(MCT_CONTAINER(chosen.next, struct mcp_sub, in_waiting), err);
}

static void fail_waiting(struct mcp *m, bool listed, const char *why)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_UNSUPPORTED, "%s", why);
    tell_all(m, listed, false, &err);
}

void mcp_subs_fail(struct mcp *m, const char *why)
{
    fail_waiting(m, true, why);
}

/* ---- telling the server ---- */

static void take_back(struct mcp_sub *s)
{
    s->owner->n_subscribing -= s->out.session != NULL;
    mct_session_cancel(&s->out, NULL);
}

static void sub_free(struct mcp_sub *s)
{
    struct mct_error err;
    take_back(s);
    mct_list_remove(&s->node);
    mct_list_remove(&s->in_due);
    mct_map_remove(&s->owner->subs_by_uri, &s->by_uri);
    mct_fail(&err, MCT_ERR_CANCELLED, "nobody wants to hear of this resource any more");
    tell_waiting(s, &err); /* last: those who are told may subscribe or unsubscribe */
    free(s->uri);
    free(s);
}

static void send_next(struct mcp *m);
static void set_due(struct mcp_sub *s, bool due);

/* A client may have subscribed to it again meanwhile. */
static void on_unsubscribed(struct mct_outbound *o, const struct mct_msg *answer, const struct mct_error *err)
{
    struct mcp_sub *s = MCT_CONTAINER(o, struct mcp_sub, out);
    struct mcp *m = s->owner;
    (void)answer;
    (void)err;
    m->n_subscribing--;
    if (s->n)
        set_due(s, true);
    else
        sub_free(s);
    send_next(m);
}

static void on_subscribed(struct mct_outbound *o, const struct mct_msg *answer, const struct mct_error *err)
{
    struct mcp_sub *s = MCT_CONTAINER(o, struct mcp_sub, out);
    struct mcp *m = s->owner;
    struct mct_error why;
    m->n_subscribing--;
    if (answer && answer->error.p)
        mct_msg_read_error(answer->error, &why);
    else if (answer) /* nobody was told of changes so far */
        mcp_tell_outdated(m);
    tell_waiting(s, answer && answer->error.p ? &why : err);
    send_next(m);
}

/* Handshake servers: one request each. */
static int send_subscribe(struct mcp_sub *s, bool on)
{
    struct mcp *m = s->owner;
    take_back(s);
    s->out = (struct mct_outbound){ .done = on ? on_subscribed : on_unsubscribed, .timeout_ms = m->opts.call_timeout_ms };
    struct mct_buf *b = mct_session_begin(&m->session, &s->out, on ? "resources/subscribe" : "resources/unsubscribe");
    mct_buf_addc(b, '{');
    mct_json_put_member(b, "uri", mct_str_of(s->uri));
    mct_buf_addc(b, '}');
    int r = mct_session_send(&m->session, &s->out, NULL);
    m->n_subscribing += r == 0;
    return r;
}

static bool is_being_asked(const struct mcp_sub *s)
{
    return s->out.session && s->out.done == on_subscribed;
}

static void set_due(struct mcp_sub *s, bool due)
{
    mct_list_remove(&s->in_due);
    if (due)
        mct_list_append(&s->owner->subs_due, &s->in_due);
}

/* Not all at once: a client may want to hear of many, and calls must get through. */
static void send_next(struct mcp *m)
{
    MCT_LIST_EACH(it, &m->subs_due) {
        if (m->n_subscribing >= MCT_LIMIT_SUBSCRIBING)
            return; /* the answer to one of them leads here again */
        struct mcp_sub *s = MCT_CONTAINER(it, struct mcp_sub, in_due);
        if (send_subscribe(s, true) == 0)
            set_due(s, false);
    }
}

static void on_disagree(void *data)
{
    struct mcp *m = data;
    struct mct_error err;
    if (mcp_is_stateless(m)) {
        mcp_subs_fail(m, "the server has not acknowledged the subscription");
        return;
    }
    mct_fail(&err, MCT_ERR_TIMEOUT, "the server is busy with other subscriptions");
    while (!mct_list_empty(&m->subs_due)) {
        struct mcp_sub *s = MCT_CONTAINER(m->subs_due.next, struct mcp_sub, in_due);
        set_due(s, false);
        tell_waiting(s, &err);
    }
}

static struct mcp_sub *find_sub(const struct mcp *m, struct mct_str uri)
{
    struct mct_map_node *n = mct_map_get(&m->subs_by_uri, uri);
    return n ? MCT_CONTAINER(n, struct mcp_sub, by_uri) : NULL;
}

static struct mcp_sub *sub_new(struct mcp *m, struct mct_str uri)
{
    struct mcp_sub *s = calloc(1, sizeof *s);
    char *copy = s ? mct_str_dup(uri) : NULL;
    if (!copy || mct_map_put(&m->subs_by_uri, &s->by_uri, (struct mct_str){ copy, uri.len }) < 0) {
        free(copy);
        free(s);
        return NULL;
    }
    s->owner = m;
    s->uri = copy;
    mct_list_init(&s->waiting);
    mct_list_init(&s->in_due);
    mct_list_init(&s->in_waiting);
    mct_list_append(&m->subs, &s->node);
    return s;
}

/* Tells the server, now or, not being connected, in mcp_subs_begin(). */
static void want(struct mcp_sub *s)
{
    struct mcp *m = s->owner;
    bool due = !mcp_is_stateless(m) && !is_being_asked(s);
    set_due(s, due);
    if (due && !m->disagree.set)
        mct_timer_set(m->opts.sched, &m->disagree, m->opts.call_timeout_ms);
    if (!mcp_is_stateless(m))
        send_next(m);
    else
        mct_timer_set(m->opts.sched, &m->relisten, MCT_LISTEN_GATHER_MS);
}

static void unwant(struct mcp_sub *s)
{
    struct mcp *m = s->owner;
    bool refused = !s->agreed && !s->out.session;
    s->agreed = false;
    set_due(s, false);
    if (m->base.state == MCT_CONNECTED && !mcp_is_stateless(m) && !refused && send_subscribe(s, false) == 0)
        return; /* on_unsubscribed frees it */
    if (m->base.state == MCT_CONNECTED)
        mct_timer_set(m->opts.sched, &m->relisten, MCT_LISTEN_GATHER_MS);
    sub_free(s);
}

int mcp_subscribe(struct mct_provider *p, struct mct_str uri, struct mct_agreement *w, struct mct_error *err)
{
    struct mcp *m = mcp_of(p);
    struct mcp_sub *s = find_sub(m, uri);
    if (p->state == MCT_CONNECTED && !mct_server_can(&p->info, "resources", "subscribe"))
        return mct_fail(err, MCT_ERR_UNSUPPORTED, "the server does not tell when resources change");
    if (!s && !(s = sub_new(m, uri)))
        return mct_no_memory(err);
    s->n++;
    if (s->agreed || p->state != MCT_CONNECTED)
        return 1;
    if (w) {
        mct_list_append(&s->waiting, &w->node);
        mct_list_remove(&s->in_waiting);
        mct_list_append(&m->subs_waiting, &s->in_waiting);
    }
    want(s);
    return 0;
}

void mcp_unsubscribe(struct mct_provider *p, struct mct_str uri)
{
    struct mcp_sub *s = find_sub(mcp_of(p), uri);
    if (s && s->n && --s->n == 0)
        unwant(s);
}

/* ---- for listen.c ---- */

void mcp_subs_put(struct mcp *m, struct mct_buf *b)
{
    if (mct_list_empty(&m->subs))
        return;
    mct_json_put_key(b, "resourceSubscriptions");
    mct_buf_addc(b, '[');
    MCT_LIST_EACH(it, &m->subs) {
        if (it != m->subs.next)
            mct_buf_addc(b, ',');
        mct_json_put_string(b, mct_str_of(sub_of(it)->uri));
        sub_of(it)->listed = true;
    }
    mct_buf_addc(b, ']');
}

/* Whether the server agrees to one that it did not agree to before. */
static bool note_agreed(struct mcp *m, struct mct_str item)
{
    struct mct_buf uri;
    mct_buf_init(&uri, MCT_LIMIT_URI_BYTES);
    struct mcp_sub *s = mct_json_unescape(item, &uri) == 0 && mct_buf_ok(&uri) ? find_sub(m, mct_buf_str(&uri)) : NULL;
    bool more = s && s->listed && !s->agreed && !s->was_agreed;
    if (s && s->listed)
        s->agreed = true;
    mct_buf_done(&uri);
    return more;
}

void mcp_subs_agreed(struct mcp *m, struct mct_str uris)
{
    struct mct_str one;
    bool more = false;
    mct_timer_stop(m->opts.sched, &m->disagree);
    MCT_LIST_EACH(it, &m->subs) {
        struct mcp_sub *s = sub_of(it);
        s->was_agreed = s->agreed;
        s->agreed &= !s->listed;
    }
    for (struct mct_json_iter it = mct_json_open(uris); mct_json_next_item(&it, &one);)
        more |= note_agreed(m, one);
    if (more) /* nobody was told of their changes so far */
        mcp_tell_outdated(m);
    tell_all(m, true, true, NULL);
    mcp_subs_fail(m, "the server does not tell when this resource changes");
}

void mcp_subs_init(struct mcp *m)
{
    mct_list_init(&m->subs);
    mct_list_init(&m->subs_due);
    mct_list_init(&m->subs_waiting);
    mct_map_init(&m->subs_by_uri);
    mct_timer_init(&m->disagree, on_disagree, m);
}

void mcp_subs_begin(struct mcp *m)
{
    MCT_LIST_EACH(it, &m->subs) {
        struct mcp_sub *s = sub_of(it);
        set_due(s, true);
        if (!s->n)
            sub_free(s); /* the server has forgotten it anyway */
    }
    send_next(m);
}

void mcp_subs_touch(struct mcp *m)
{
    const struct mct_provider_events *e = &m->base.events;
    MCT_LIST_EACH(it, &m->subs) {
        struct mct_buf b;
        mct_buf_init(&b, MCT_LIMIT_URI_BYTES * 6);
        mct_buf_addc(&b, '{');
        mct_json_put_member(&b, "uri", mct_str_of(sub_of(it)->uri));
        mct_buf_addc(&b, '}');
        if (e->updated && mct_buf_ok(&b))
            e->updated(e->data, &m->base, mct_buf_str(&b));
        mct_buf_done(&b);
    }
}

void mcp_subs_stop(struct mcp *m)
{
    fail_waiting(m, false, "the connection was lost");
    mct_timer_stop(m->opts.sched, &m->disagree);
    MCT_LIST_EACH(it, &m->subs) {
        sub_of(it)->agreed = sub_of(it)->listed = false;
        set_due(sub_of(it), false);
        if (sub_of(it)->n)
            take_back(sub_of(it));
        else
            sub_free(sub_of(it));
    }
}

void mcp_subs_done(struct mcp *m)
{
    while (!mct_list_empty(&m->subs))
        sub_free(sub_of(m->subs.next));
    mct_map_done(&m->subs_by_uri);
}
