/*
 * Log messages of servers that go to very many clients. What one turn has no time for waits, in order; of a server that
 * says more than its clients can be told the further messages are dropped, and a message says how many.
 */
#include "gateway/impl.h"

#include "base/limits.h"

#include <stdlib.h>

enum { TICK_MS = 1 };

static const char method[] = "notifications/message";

struct fan_item {
    struct mct_list node;
    struct mct_provider *provider;
    int level;
    bool busy; /* it may belong to an open call, and is for those only who have, or had, one */
    bool notice; /* it is ours: that messages were dropped */
    bool lost; /* there was no room for its text */
    uint64_t until; /* number of the newest peer when it came */
    struct mct_text *texts[2]; /* made when needed: as it is; and with the server's name as its logger */
    size_t len;
    char params[];
};

static struct fan_item *item_of(struct mct_list *node)
{
    return MCT_CONTAINER(node, struct fan_item, node);
}

static void tick(void *data);

void gw_fan_init(struct mct_gateway *g)
{
    g->fan.left = MCT_LIMIT_FAN_WORK;
    mct_list_init(&g->fan.items);
    mct_timer_init(&g->fan.tick, tick, g);
}

static void item_free(struct mct_gateway *g, struct fan_item *i)
{
    if (g->fan.items.next == &i->node)
        g->fan.at = NULL;
    i->provider->n_told_later--;
    g->fan.bytes -= i->len;
    mct_list_remove(&i->node);
    mct_text_unref(i->texts[0]);
    mct_text_unref(i->texts[1]);
    free(i);
}

void gw_fan_done(struct mct_gateway *g)
{
    mct_timer_stop(g->sched, &g->fan.tick);
    while (!mct_list_empty(&g->fan.items))
        item_free(g, item_of(g->fan.items.next));
}

void gw_fan_skip(struct mct_peer *p)
{
    struct mct_fan *f = &p->gateway->fan;
    if (f->at == &p->node)
        f->at = p->node.next;
}

void gw_fan_forget(struct mct_gateway *g, struct mct_provider *p)
{
    MCT_LIST_EACH(it, &g->fan.items)
        if (item_of(it)->provider == p)
            item_free(g, item_of(it));
}

bool gw_fan_spend(struct mct_gateway *g, unsigned work)
{
    struct mct_fan *f = &g->fan;
    if (f->turn_ms != g->sched->now_ms)
        f->left = MCT_LIMIT_FAN_WORK;
    f->turn_ms = g->sched->now_ms;
    if (f->left < work) {
        mct_timer_set(g->sched, &f->tick, TICK_MS);
        return false;
    }
    f->left -= work;
    return true;
}

/* ---- telling ---- */

void gw_put_notification(struct mct_buf *to, const char *name, struct mct_str params)
{
    mct_buf_printf(to, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":", name);
    mct_json_put_line(to, params);
    mct_buf_addc(to, '}');
}

void gw_tell_peer(struct mct_peer *p, struct mct_text *frame, bool wanted)
{
    if (p->ops->tell)
        p->ops->tell(p->data, frame, wanted);
    else
        p->ops->send(p->data, mct_text_str(frame), NULL, false);
}

/* What clients of this view get; made once for all of them. */
static struct mct_text *text_for(struct mct_gateway *g, struct fan_item *i, const struct mct_view *v)
{
    struct mct_text **text = &i->texts[mct_view_n_providers(v) > 1];
    struct mct_str params = { i->params, i->len };
    struct mct_buf said, b;
    if (*text)
        return *text;
    mct_buf_init(&said, params.len + 16384);
    mct_buf_init(&b, params.len + 16384);
    gw_put_message(&said, v, i->provider, params);
    gw_put_notification(&b, method, mct_buf_str(&said));
    if (mct_buf_ok(&said) && mct_buf_ok(&b))
        *text = mct_text_new(mct_buf_str(&b), &g->memory.whole, gw_server_account(g, i->provider));
    mct_buf_done(&said);
    mct_buf_done(&b);
    return *text;
}

static void tell(struct mct_gateway *g, struct fan_item *i, struct mct_peer *p)
{
    struct mct_text *text = text_for(g, i, p->view);
    i->lost |= !text;
    if (text)
        gw_tell_peer(p, text, false);
}

/* True when everybody has been told. */
static bool tell_all(struct mct_gateway *g, struct fan_item *i)
{
    struct mct_fan *f = &g->fan;
    if (!f->at) {
        f->at = g->peers.next;
        i->busy = gw_is_called(g, i->provider);
    }
    while (f->at != &g->peers) {
        struct mct_peer *p = MCT_CONTAINER(f->at, struct mct_peer, node);
        bool hears = p->number <= i->until && gw_hears(p, i->provider, i->level, i->busy);
        if (!gw_fan_spend(g, hears ? MCT_LIMIT_FAN_TOLD : 1))
            return false;
        f->at = f->at->next;
        if (hears)
            tell(g, i, p);
    }
    return true;
}

static void forward(struct mct_gateway *g, struct mct_provider *p, struct mct_str params, bool notice);

static void tell_lost(struct mct_gateway *g, struct mct_provider *p)
{
    struct mct_buf b;
    size_t n = p->n_not_told;
    p->n_not_told = 0;
    mct_log(g->log, MCT_LOG_WARN, "server '%s' logs more than its clients can be told: %zu messages were dropped", p->name, n);
    mct_buf_init(&b, 4096);
    mct_buf_printf(&b, "{\"level\":\"warning\",\"data\":\"%zu log messages were dropped: the server logs faster than clients "
                   "can be told\"}", n);
    forward(g, p, mct_buf_str(&b), true);
    mct_buf_done(&b);
}

static void go_on(struct mct_gateway *g)
{
    while (!mct_list_empty(&g->fan.items)) {
        struct fan_item *i = item_of(g->fan.items.next);
        struct mct_provider *p = i->provider;
        if (!tell_all(g, i))
            return;
        p->n_not_told += i->lost && !i->notice;
        item_free(g, i);
        if (!p->n_told_later && p->n_not_told)
            tell_lost(g, p);
    }
}

static void tick(void *data)
{
    go_on(data);
}

/* The connection of one session or principal has few clients, and none when it goes: what it says does not wait. */
static void tell_branch(struct mct_gateway *g, struct fan_item *i)
{
    i->busy = gw_is_called(g, i->provider);
    MCT_LIST_EACH(it, &g->peers) {
        struct mct_peer *p = MCT_CONTAINER(it, struct mct_peer, node);
        if (gw_hears(p, i->provider, i->level, i->busy))
            tell(g, i, p);
    }
    item_free(g, i);
}

/* Also one that all handshake clients share. */
static bool is_shared(const struct mct_provider *p)
{
    return !p->origin || p->origin->handshake == p;
}

static void forward(struct mct_gateway *g, struct mct_provider *p, struct mct_str params, bool notice)
{
    bool shared = is_shared(p);
    bool room = p->n_told_later < MCT_LIMIT_FAN_MESSAGES && g->fan.bytes + params.len <= MCT_LIMIT_FAN_BYTES;
    struct fan_item *i = room || !shared || mct_list_empty(&g->fan.items) ? malloc(sizeof *i + params.len) : NULL;
    if (!i) {
        p->n_not_told++;
        return;
    }
    *i = (struct fan_item){ .provider = p, .level = gw_level_of(params), .notice = notice, .until = g->n_peers,
                              .len = params.len };
    memcpy(i->params, params.p, params.len);
    mct_list_append(&g->fan.items, &i->node);
    p->n_told_later++;
    g->fan.bytes += params.len;
    if (!shared)
        tell_branch(g, i);
    else if (i->node.prev == &g->fan.items)
        go_on(g);
}

/* To the sessions that have a call open at this server, or had a moment ago, for it may be theirs; if none has, to all. */
void gw_forward_message(struct mct_gateway *g, struct mct_provider *p, struct mct_str params)
{
    forward(g, p, params, false);
}
