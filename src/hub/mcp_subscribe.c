/* Hearing of changes of resources: who wants to, and whether the server has agreed. */
#include "hub/mcp_impl.h"

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
    mct_list_take(&waiting, &s->waiting);
    while (!mct_list_empty(&waiting)) {
        struct mct_agreement *w = MCT_CONTAINER(waiting.next, struct mct_agreement, node);
        mct_list_remove(&w->node);
        w->done(w, err);
    }
}

/* The body of tell_waiting() may free any of them: found anew each time. */
static struct mcp_sub *first_waiting(struct mcp *m, bool listed, bool agreed)
{
    MCT_LIST_EACH(it, &m->subs)
        if (!mct_list_empty(&sub_of(it)->waiting) && sub_of(it)->listed >= listed && sub_of(it)->agreed >= agreed)
            return sub_of(it);
    return NULL;
}

static void tell_agreed(struct mcp *m)
{
    struct mcp_sub *s;
    while ((s = first_waiting(m, true, true)))
        tell_waiting(s, NULL);
}

static void fail_waiting(struct mcp *m, bool listed, const char *why)
{
    struct mct_error err;
    struct mcp_sub *s;
    mct_fail(&err, MCT_ERR_UNSUPPORTED, "%s", why);
    while ((s = first_waiting(m, listed, false)))
        tell_waiting(s, &err);
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
    mct_fail(&err, MCT_ERR_CANCELLED, "nobody wants to hear of this resource any more");
    tell_waiting(s, &err);
    take_back(s);
    mct_list_remove(&s->node);
    free(s->uri);
    free(s);
}

static void send_next(struct mcp *m);

static void on_unsubscribed(struct mct_outbound *o, const struct mct_msg *answer, const struct mct_error *err)
{
    struct mcp_sub *s = MCT_CONTAINER(o, struct mcp_sub, out);
    struct mcp *m = s->owner;
    (void)answer;
    (void)err;
    m->n_subscribing--;
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

/* Not all at once: a client may want to hear of many, and calls must get through. */
static void send_next(struct mcp *m)
{
    MCT_LIST_EACH(it, &m->subs) {
        struct mcp_sub *s = sub_of(it);
        if (!s->due || is_being_asked(s))
            continue;
        if (m->n_subscribing >= MCT_LIMIT_SUBSCRIBING)
            return; /* the answer to one of them leads here again */
        s->due = send_subscribe(s, true) < 0;
    }
}

static struct mcp_sub *first_due(struct mcp *m)
{
    MCT_LIST_EACH(it, &m->subs)
        if (sub_of(it)->due && !is_being_asked(sub_of(it)))
            return sub_of(it);
    return NULL;
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
    for (struct mcp_sub *s; (s = first_due(m));) {
        s->due = false;
        tell_waiting(s, &err);
    }
}

static struct mcp_sub *find_sub(struct mcp *m, struct mct_str uri)
{
    MCT_LIST_EACH(it, &m->subs)
        if (mct_str_is(uri, sub_of(it)->uri))
            return sub_of(it);
    return NULL;
}

static struct mcp_sub *sub_new(struct mcp *m, struct mct_str uri)
{
    struct mcp_sub *s = calloc(1, sizeof *s);
    char *copy = s ? mct_str_dup(uri) : NULL;
    if (!copy) {
        free(s);
        return NULL;
    }
    s->owner = m;
    s->uri = copy;
    mct_list_init(&s->waiting);
    mct_list_append(&m->subs, &s->node);
    return s;
}

/* Tells the server, now or, not being connected, in mcp_subs_begin(). */
static void want(struct mcp_sub *s)
{
    struct mcp *m = s->owner;
    s->due = !mcp_is_stateless(m) && !is_being_asked(s);
    if (s->due && !m->disagree.slot)
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
    s->agreed = s->due = false;
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
        return mct_fail(err, MCT_ERR_INTERNAL, "out of memory");
    s->n++;
    if (s->agreed || p->state != MCT_CONNECTED)
        return 1;
    if (w)
        mct_list_append(&s->waiting, &w->node);
    want(s);
    return 0;
}

void mcp_unsubscribe(struct mct_provider *p, struct mct_str uri)
{
    struct mcp_sub *s = find_sub(mcp_of(p), uri);
    if (s && s->n && --s->n == 0)
        unwant(s);
}

/* ---- for mcp_listen.c ---- */

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

static bool lists(struct mct_str array, const char *text)
{
    struct mct_str one;
    for (struct mct_json_iter it = mct_json_open(array); mct_json_next_item(&it, &one);)
        if (mct_json_is(one, text))
            return true;
    return false;
}

void mcp_subs_agreed(struct mcp *m, struct mct_str uris)
{
    bool more = false;
    mct_timer_stop(m->opts.sched, &m->disagree);
    MCT_LIST_EACH(it, &m->subs) {
        struct mcp_sub *s = sub_of(it);
        bool agreed = s->listed ? lists(uris, s->uri) : s->agreed;
        more |= agreed && !s->agreed;
        s->agreed = agreed;
    }
    if (more) /* nobody was told of their changes so far */
        mcp_tell_outdated(m);
    tell_agreed(m);
    mcp_subs_fail(m, "the server does not tell when this resource changes");
}

void mcp_subs_init(struct mcp *m)
{
    mct_list_init(&m->subs);
    mct_timer_init(&m->disagree, on_disagree, m);
}

void mcp_subs_begin(struct mcp *m)
{
    MCT_LIST_EACH(it, &m->subs) {
        struct mcp_sub *s = sub_of(it);
        s->due = true;
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
        sub_of(it)->agreed = sub_of(it)->listed = sub_of(it)->due = false;
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
}
