/* Resource subscriptions at a server: one resources/subscribe each (handshake), or the filter of subscriptions/listen.
 */
#include "hub/server/subscribe.h"
#include "hub/server/lazy.h"

#include "base/limits.h"
#include "hub/vet/vet.h"

#include <stdlib.h>

struct mcti_server_sub {
    struct mcti_list node;
    struct mcti_map_node by_uri;
    struct mcti_list in_due;     /* in owner->subs_due: the request to a handshake server has to be sent */
    struct mcti_list in_waiting; /* in owner->subs_waiting while subscribers wait for the server's answer */
    struct mcti_outbound out;    /* resources/subscribe or unsubscribe */
    struct mcti_server *owner;
    unsigned n;               /* subscribers; 0: the server is being unsubscribed */
    bool agreed;              /* the server has accepted the subscription on this connection */
    bool was_agreed;          /* value of `agreed` before the server's newest acknowledgement */
    bool listed;              /* in the filter of the newest subscriptions/listen */
    struct mcti_list waiting; /* struct mcti_agreement */
    char *uri;
};

static struct mcti_server_sub *server_subscribe_sub_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_server_sub, node);
}

/* Reports the server's answer to the waiting subscribers; `err` NULL: it has accepted the subscription. */
static void sub_report(struct mcti_server_sub *s, const struct mct_error *err)
{
    struct mcti_list waiting;
    s->agreed = !err;
    mcti_list_remove(&s->in_waiting);
    mcti_list_take(&waiting, &s->waiting);
    while (!mcti_list_empty(&waiting)) {
        struct mcti_agreement *w = MCT_CONTAINER(waiting.next, struct mcti_agreement, node);
        mcti_list_remove(&w->node);
        w->done(w, err);
    }
}

/* Reports the outcome for the waiting subscriptions that are `listed` and `agreed`, if these are true. Collects them
 * first, because a callback may end any other subscription. */
static void server_subscribe_report_all(struct mcti_server *m, bool listed, bool agreed, const struct mct_error *err)
{
    struct mcti_list chosen;
    mcti_list_init(&chosen);
    MCT_LIST_EACH(it, &m->subs_waiting) {
        const struct mcti_server_sub *s = MCT_CONTAINER(it, struct mcti_server_sub, in_waiting);
        if (s->listed < listed || s->agreed < agreed)
            continue;
        mcti_list_remove(it);
        mcti_list_append(&chosen, it);
    }
    while (!mcti_list_empty(&chosen))
        sub_report(MCT_CONTAINER(chosen.next, struct mcti_server_sub, in_waiting), err);
}

static void fail_waiting(struct mcti_server *m, bool listed, const char *why)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_UNSUPPORTED, "%s", why);
    server_subscribe_report_all(m, listed, false, &err);
}

void mcti_server_subs_fail(struct mcti_server *m, const char *why)
{
    fail_waiting(m, true, why);
}

/* ---- requests to the server ---- */

static void sub_cancel_request(struct mcti_server_sub *s)
{
    s->owner->n_subscribing -= s->out.session != NULL;
    mcti_session_cancel(&s->out, NULL);
}

static void server_subscribe_sub_free(struct mcti_server_sub *s)
{
    struct mct_error err;
    sub_cancel_request(s);
    mcti_list_remove(&s->node);
    mcti_list_remove(&s->in_due);
    mcti_map_remove(&s->owner->subs_by_uri, &s->by_uri);
    mcti_fail(&err, MCT_ERR_CANCELLED, "the subscription has ended");
    sub_report(s, &err); /* last: callbacks may subscribe or unsubscribe */
    free(s->uri);
    free(s);
}

static void send_next(struct mcti_server *m);
static void set_due(struct mcti_server_sub *s, bool due);

/* Frees the subscription, unless a client has subscribed again in the meantime. */
static void server_subscribe_on_unsubscribed(struct mcti_outbound *o, const struct mcti_msg *answer,
                                             const struct mct_error *err)
{
    struct mcti_server_sub *s = MCT_CONTAINER(o, struct mcti_server_sub, out);
    struct mcti_server *m = s->owner;
    (void)answer;
    (void)err;
    m->n_subscribing--;
    if (s->n)
        set_due(s, true);
    else
        server_subscribe_sub_free(s);
    send_next(m);
}

static void server_subscribe_on_subscribed(struct mcti_outbound *o, const struct mcti_msg *answer,
                                           const struct mct_error *err)
{
    struct mcti_server_sub *s = MCT_CONTAINER(o, struct mcti_server_sub, out);
    struct mcti_server *m = s->owner;
    struct mct_error why;
    m->n_subscribing--;
    if (answer && answer->error.p)
        mcti_msg_read_error(answer->error, &why);
    else if (answer) /* changes so far were not reported */
        mcti_server_report_outdated(m);
    sub_report(s, answer && answer->error.p ? &why : err);
    send_next(m);
}

/* Sends resources/subscribe (`on`) or unsubscribe to a handshake server. */
static int send_subscribe(struct mcti_server_sub *s, bool on)
{
    struct mcti_server *m = s->owner;
    sub_cancel_request(s);
    s->out = (struct mcti_outbound){ .done = on ? server_subscribe_on_subscribed : server_subscribe_on_unsubscribed,
                                     .timeout_ms = m->opts.call_timeout_ms };
    struct mcti_buf *b = mcti_session_begin(&m->session, &s->out, on ? "resources/subscribe" : "resources/unsubscribe");
    mcti_buf_addc(b, '{');
    mcti_json_put_member(b, "uri", mcti_str_of(s->uri));
    mcti_buf_addc(b, '}');
    int r = mcti_session_send(&m->session, &s->out, NULL);
    m->n_subscribing += r == 0;
    return r;
}

static bool sub_is_requested(const struct mcti_server_sub *s)
{
    return s->out.session && s->out.done == server_subscribe_on_subscribed;
}

static void set_due(struct mcti_server_sub *s, bool due)
{
    mcti_list_remove(&s->in_due);
    if (due)
        mcti_list_append(&s->owner->subs_due, &s->in_due);
}

/* Sends the due requests, but limits their number at a time, so that calls are not delayed. */
static void send_next(struct mcti_server *m)
{
    MCT_LIST_EACH(it, &m->subs_due) {
        if (m->n_subscribing >= MCT_LIMIT_SUBSCRIBING)
            return; /* each answer calls this function again */
        struct mcti_server_sub *s = MCT_CONTAINER(it, struct mcti_server_sub, in_due);
        if (send_subscribe(s, true) == 0)
            set_due(s, false);
    }
}

static void server_subscribe_on_disagree(void *data)
{
    struct mcti_server *m = data;
    struct mct_error err;
    if (mcti_server_is_stateless(m)) {
        mcti_server_subs_fail(m, "the server has not acknowledged the subscription");
        return;
    }
    mcti_fail(&err, MCT_ERR_TIMEOUT, "timed out waiting for other subscriptions at this server");
    while (!mcti_list_empty(&m->subs_due)) {
        struct mcti_server_sub *s = MCT_CONTAINER(m->subs_due.next, struct mcti_server_sub, in_due);
        set_due(s, false);
        sub_report(s, &err);
    }
}

static struct mcti_server_sub *find_sub(const struct mcti_server *m, struct mcti_str uri)
{
    struct mcti_map_node *n = mcti_map_get(&m->subs_by_uri, uri);
    return n ? MCT_CONTAINER(n, struct mcti_server_sub, by_uri) : NULL;
}

static struct mcti_server_sub *server_subscribe_sub_new(struct mcti_server *m, struct mcti_str uri)
{
    struct mcti_server_sub *s = calloc(1, sizeof *s);
    char *copy = s ? mcti_str_dup(uri) : NULL;
    if (!copy || mcti_map_put(&m->subs_by_uri, &s->by_uri, (struct mcti_str){ copy, uri.len }) < 0) {
        free(copy);
        free(s);
        return NULL;
    }
    s->owner = m;
    s->uri = copy;
    mcti_list_init(&s->waiting);
    mcti_list_init(&s->in_due);
    mcti_list_init(&s->in_waiting);
    mcti_list_append(&m->subs, &s->node);
    return s;
}

/* Plans the request to the server; mcti_server_subs_begin() sends it if there is no connection now. */
static void server_subscribe_want(struct mcti_server_sub *s)
{
    struct mcti_server *m = s->owner;
    bool due = !mcti_server_is_stateless(m) && !sub_is_requested(s);
    set_due(s, due);
    if (due && !m->disagree.set)
        mcti_timer_set(m->opts.sched, &m->disagree, m->opts.call_timeout_ms);
    if (!mcti_server_is_stateless(m))
        send_next(m);
    else
        mcti_timer_set(m->opts.sched, &m->relisten, MCT_LISTEN_GATHER_MS);
}

static void server_subscribe_unwant(struct mcti_server_sub *s)
{
    struct mcti_server *m = s->owner;
    bool refused = !s->agreed && !s->out.session;
    s->agreed = false;
    set_due(s, false);
    if (m->up && !mcti_server_is_stateless(m) && !refused && send_subscribe(s, false) == 0)
        return; /* on_unsubscribed frees it */
    if (m->up)
        mcti_timer_set(m->opts.sched, &m->relisten, MCT_LISTEN_GATHER_MS);
    server_subscribe_sub_free(s);
}

int mcti_server_subscribe(struct mcti_provider *p, struct mcti_str uri, struct mcti_agreement *w, struct mct_error *err)
{
    struct mcti_server *m = mcti_server_of(p);
    struct mcti_server_sub *s = find_sub(m, uri);
    if (p->state == MCT_CONNECTED && !mcti_server_can(&p->info, "resources", "subscribe"))
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "the server does not support resource subscriptions");
    if (p->vetter && mcti_vet_check_uri(p, uri, err) < 0)
        return -1;
    if (!s && !(s = server_subscribe_sub_new(m, uri)))
        return mcti_no_memory(err);
    s->n++;
    if (mcti_server_may_wake(m))
        mcti_server_wake(m);
    if (s->agreed || !m->up)
        return 1;
    if (w) {
        mcti_list_append(&s->waiting, &w->node);
        mcti_list_remove(&s->in_waiting);
        mcti_list_append(&m->subs_waiting, &s->in_waiting);
    }
    server_subscribe_want(s);
    return 0;
}

void mcti_server_unsubscribe(struct mcti_provider *p, struct mcti_str uri)
{
    struct mcti_server_sub *s = find_sub(mcti_server_of(p), uri);
    if (s && s->n && --s->n == 0)
        server_subscribe_unwant(s);
}

/* ---- for listen.c ---- */

void mcti_server_subs_put(struct mcti_server *m, struct mcti_buf *b)
{
    if (mcti_list_empty(&m->subs))
        return;
    mcti_json_put_key(b, "resourceSubscriptions");
    mcti_buf_addc(b, '[');
    MCT_LIST_EACH(it, &m->subs) {
        if (it != m->subs.next)
            mcti_buf_addc(b, ',');
        mcti_json_put_string(b, mcti_str_of(server_subscribe_sub_of(it)->uri));
        server_subscribe_sub_of(it)->listed = true;
    }
    mcti_buf_addc(b, ']');
}

/* Marks the subscription of the URI `item` as accepted. Returns true if the server had not accepted it before. */
static bool note_agreed(struct mcti_server *m, struct mcti_str item)
{
    struct mcti_buf uri;
    mcti_buf_init(&uri, MCT_LIMIT_URI_BYTES);
    struct mcti_server_sub *s =
        mcti_json_unescape(item, &uri) == 0 && mcti_buf_ok(&uri) ? find_sub(m, mcti_buf_str(&uri)) : NULL;
    bool more = s && s->listed && !s->agreed && !s->was_agreed;
    if (s && s->listed)
        s->agreed = true;
    mcti_buf_done(&uri);
    return more;
}

void mcti_server_subs_agreed(struct mcti_server *m, struct mcti_str uris)
{
    struct mcti_str one;
    bool more = false;
    mcti_timer_stop(m->opts.sched, &m->disagree);
    MCT_LIST_EACH(it, &m->subs) {
        struct mcti_server_sub *s = server_subscribe_sub_of(it);
        s->was_agreed = s->agreed;
        s->agreed &= !s->listed;
    }
    for (struct mcti_json_iter it = mcti_json_open(uris); mcti_json_next_item(&it, &one);)
        more |= note_agreed(m, one);
    if (more) /* changes of the newly accepted resources were not reported before */
        mcti_server_report_outdated(m);
    server_subscribe_report_all(m, true, true, NULL);
    mcti_server_subs_fail(m, "the server did not accept the subscription to this resource");
}

void mcti_server_subs_init(struct mcti_server *m)
{
    mcti_list_init(&m->subs);
    mcti_list_init(&m->subs_due);
    mcti_list_init(&m->subs_waiting);
    mcti_map_init(&m->subs_by_uri);
    mcti_timer_init(&m->disagree, server_subscribe_on_disagree, m);
}

void mcti_server_subs_begin(struct mcti_server *m)
{
    MCT_LIST_EACH(it, &m->subs) {
        struct mcti_server_sub *s = server_subscribe_sub_of(it);
        set_due(s, true);
        if (!s->n)
            server_subscribe_sub_free(s); /* unknown on the new connection */
    }
    send_next(m);
}

void mcti_server_subs_touch(struct mcti_server *m)
{
    const struct mcti_provider_events *e = &m->base.events;
    MCT_LIST_EACH(it, &m->subs) {
        struct mcti_buf b;
        mcti_buf_init(&b, MCT_LIMIT_URI_BYTES * 6);
        mcti_buf_addc(&b, '{');
        mcti_json_put_member(&b, "uri", mcti_str_of(server_subscribe_sub_of(it)->uri));
        mcti_buf_addc(&b, '}');
        if (e->updated && mcti_buf_ok(&b))
            e->updated(e->data, &m->base, mcti_buf_str(&b));
        mcti_buf_done(&b);
    }
}

void mcti_server_subs_stop(struct mcti_server *m)
{
    fail_waiting(m, false, "the connection was lost");
    mcti_timer_stop(m->opts.sched, &m->disagree);
    MCT_LIST_EACH(it, &m->subs) {
        server_subscribe_sub_of(it)->agreed = server_subscribe_sub_of(it)->listed = false;
        set_due(server_subscribe_sub_of(it), false);
        if (server_subscribe_sub_of(it)->n)
            sub_cancel_request(server_subscribe_sub_of(it));
        else
            server_subscribe_sub_free(server_subscribe_sub_of(it));
    }
}

void mcti_server_subs_done(struct mcti_server *m)
{
    while (!mcti_list_empty(&m->subs))
        server_subscribe_sub_free(server_subscribe_sub_of(m->subs.next));
    mcti_map_done(&m->subs_by_uri);
}
