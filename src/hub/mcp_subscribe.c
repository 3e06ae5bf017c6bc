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
static struct mcp_sub *first_waiting(struct mcp *m, bool agreed)
{
    MCT_LIST_EACH(it, &m->subs)
        if (!mct_list_empty(&sub_of(it)->waiting) && (!agreed || sub_of(it)->agreed))
            return sub_of(it);
    return NULL;
}

static void tell_agreed(struct mcp *m)
{
    struct mcp_sub *s;
    while ((s = first_waiting(m, true)))
        tell_waiting(s, NULL);
}

void mcp_subs_fail(struct mcp *m, const char *why)
{
    struct mct_error err;
    struct mcp_sub *s;
    mct_fail(&err, MCT_ERR_UNSUPPORTED, "%s", why);
    while ((s = first_waiting(m, false)))
        tell_waiting(s, &err);
}

static void on_disagree(void *data)
{
    mcp_subs_fail(data, "the server has not acknowledged the subscription");
}

/* ---- telling the server ---- */

static void sub_free(struct mcp_sub *s)
{
    tell_waiting(s, NULL);
    mct_session_cancel(&s->out, NULL);
    mct_list_remove(&s->node);
    free(s->uri);
    free(s);
}

static void on_unsubscribed(struct mct_outbound *o, const struct mct_msg *answer, const struct mct_error *err)
{
    (void)answer;
    (void)err;
    sub_free(MCT_CONTAINER(o, struct mcp_sub, out));
}

static void on_subscribed(struct mct_outbound *o, const struct mct_msg *answer, const struct mct_error *err)
{
    struct mct_error why;
    if (answer && answer->error.p)
        mct_msg_read_error(answer->error, &why);
    tell_waiting(MCT_CONTAINER(o, struct mcp_sub, out), answer && answer->error.p ? &why : err);
}

/* Handshake servers: one request each. */
static int send_subscribe(struct mcp_sub *s, bool on)
{
    struct mcp *m = s->owner;
    mct_session_cancel(&s->out, NULL);
    s->out = (struct mct_outbound){ .done = on ? on_subscribed : on_unsubscribed, .timeout_ms = m->opts.call_timeout_ms };
    struct mct_buf *b = mct_session_begin(&m->session, &s->out, on ? "resources/subscribe" : "resources/unsubscribe");
    mct_buf_addc(b, '{');
    mct_json_put_member(b, "uri", mct_str_of(s->uri));
    mct_buf_addc(b, '}');
    return mct_session_send(&m->session, &s->out, NULL);
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
    if (m->base.state == MCT_CONNECTED && !mcp_is_stateless(m))
        send_subscribe(s, true);
    else if (m->base.state == MCT_CONNECTED)
        mct_timer_set(m->opts.sched, &m->relisten, MCT_LISTEN_GATHER_MS);
}

static void unwant(struct mcp_sub *s)
{
    struct mcp *m = s->owner;
    bool refused = !s->agreed && !s->out.session;
    s->agreed = false;
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
    if (s->n++ == 0)
        want(s);
    if (s->agreed || p->state != MCT_CONNECTED)
        return 1;
    if (w)
        mct_list_append(&s->waiting, &w->node);
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
    mct_timer_stop(m->opts.sched, &m->disagree);
    MCT_LIST_EACH(it, &m->subs)
        sub_of(it)->agreed = lists(uris, sub_of(it)->uri);
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
        if (sub_of(it)->n)
            send_subscribe(sub_of(it), true);
        else
            sub_free(sub_of(it)); /* the server has forgotten it anyway */
    }
}

void mcp_subs_stop(struct mcp *m)
{
    mct_timer_stop(m->opts.sched, &m->disagree);
    MCT_LIST_EACH(it, &m->subs) {
        sub_of(it)->agreed = false;
        if (sub_of(it)->n)
            mct_session_cancel(&sub_of(it)->out, NULL);
        else
            sub_free(sub_of(it));
    }
    mcp_subs_fail(m, "the connection was lost");
}

void mcp_subs_done(struct mcp *m)
{
    while (!mct_list_empty(&m->subs))
        sub_free(sub_of(m->subs.next));
}
