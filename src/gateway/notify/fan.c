/*
 * Log messages of servers that go to very many clients. Messages that do not fit into one turn of the loop wait, in
 * order. If a server logs faster than its clients can receive, further messages are dropped, and one message reports
 * their number.
 */
#include "gateway/fan.h"

#include "gateway/log.h"

#include "base/limits.h"

#include <stdlib.h>

enum { TICK_MS = 1 };

static const char method[] = "notifications/message";

struct fan_item {
    struct mcti_list node;
    struct mcti_provider *provider;
    int level;
    bool busy;                  /* the server has an open call: only sessions with a call there receive the message */
    bool notice;                /* the gateway's own message about dropped ones */
    bool lost;                  /* its text could not be allocated */
    uint64_t until;             /* number of the newest peer at arrival; later peers do not receive the message */
    struct mcti_text *texts[2]; /* made when needed: unchanged; and with the server's name as its logger */
    size_t len;
    char params[];
};

static struct fan_item *fan_item_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct fan_item, node);
}

static void fan_tick(void *data);

void mcti_gw_fan_init(struct mcti_gateway *g)
{
    g->fan.left = MCT_LIMIT_FAN_WORK;
    mcti_list_init(&g->fan.items);
    mcti_timer_init(&g->fan.tick, fan_tick, g);
}

static void item_free(struct mcti_gateway *g, struct fan_item *i)
{
    if (g->fan.items.next == &i->node)
        g->fan.at = NULL;
    i->provider->n_told_later--;
    g->fan.bytes -= i->len;
    mcti_list_remove(&i->node);
    mcti_text_unref(i->texts[0]);
    mcti_text_unref(i->texts[1]);
    free(i);
}

void mcti_gw_fan_done(struct mcti_gateway *g)
{
    mcti_timer_stop(g->sched, &g->fan.tick);
    while (!mcti_list_empty(&g->fan.items))
        item_free(g, fan_item_of(g->fan.items.next));
}

void mcti_gw_fan_skip(struct mcti_peer *p)
{
    struct mcti_fan *f = &p->gateway->fan;
    if (f->at == &p->node)
        f->at = p->node.next;
}

void mcti_gw_fan_forget(struct mcti_gateway *g, struct mcti_provider *p)
{
    MCT_LIST_EACH(it, &g->fan.items)
        if (fan_item_of(it)->provider == p)
            item_free(g, fan_item_of(it));
}

bool mcti_gw_fan_spend(struct mcti_gateway *g, unsigned work)
{
    struct mcti_fan *f = &g->fan;
    if (f->turn_ms != g->sched->now_ms)
        f->left = MCT_LIMIT_FAN_WORK;
    f->turn_ms = g->sched->now_ms;
    if (f->left < work) {
        mcti_timer_set(g->sched, &f->tick, TICK_MS);
        return false;
    }
    f->left -= work;
    return true;
}

/* ---- sending ---- */

void mcti_gw_put_notification(struct mcti_buf *to, const char *name, struct mcti_str params)
{
    mcti_buf_printf(to, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":", name);
    mcti_json_put_line(to, params);
    mcti_buf_addc(to, '}');
}

void mcti_gw_tell_peer(struct mcti_peer *p, struct mcti_text *frame, bool wanted)
{
    if (p->ops->tell)
        p->ops->tell(p->data, frame, wanted);
    else
        p->ops->send(p->data, mcti_text_str(frame), NULL, false);
}

/* Returns the frame for clients of the view `v`, made once for all of them. */
static struct mcti_text *text_for(struct mcti_gateway *g, struct fan_item *i, const struct mcti_view *v)
{
    struct mcti_text **text = &i->texts[mcti_view_n_providers(v) > 1];
    struct mcti_str params = { i->params, i->len };
    struct mcti_buf said, b;
    if (*text)
        return *text;
    mcti_buf_init(&said, params.len + 16384);
    mcti_buf_init(&b, params.len + 16384);
    mcti_gw_put_message(&said, v, i->provider, params);
    mcti_gw_put_notification(&b, method, mcti_buf_str(&said));
    if (mcti_buf_ok(&said) && mcti_buf_ok(&b))
        *text = mcti_text_new(mcti_buf_str(&b), &g->memory.whole, gw_server_payer(g, i->provider));
    mcti_buf_done(&said);
    mcti_buf_done(&b);
    return *text;
}

static void fan_tell(struct mcti_gateway *g, struct fan_item *i, struct mcti_peer *p)
{
    struct mcti_text *text = text_for(g, i, p->view);
    i->lost |= !text;
    if (text)
        mcti_gw_tell_peer(p, text, false);
}

/* Sends a message to the remaining peers. Returns false if the work of this turn is used up. */
static bool fan_tell_all(struct mcti_gateway *g, struct fan_item *i)
{
    struct mcti_fan *f = &g->fan;
    if (!f->at) {
        f->at = g->peers.next;
        i->busy = mcti_gw_is_called(g, i->provider);
    }
    while (f->at != &g->peers) {
        struct mcti_peer *p = MCT_CONTAINER(f->at, struct mcti_peer, node);
        bool hears = p->number <= i->until && mcti_gw_hears(p, i->provider, i->level, i->busy);
        if (!mcti_gw_fan_spend(g, hears ? MCT_LIMIT_FAN_TOLD : 1))
            return false;
        f->at = f->at->next;
        if (hears)
            fan_tell(g, i, p);
    }
    return true;
}

static void fan_forward(struct mcti_gateway *g, struct mcti_provider *p, struct mcti_str params, bool notice);

static void tell_lost(struct mcti_gateway *g, struct mcti_provider *p)
{
    struct mcti_buf b;
    size_t n = p->n_not_told;
    p->n_not_told = 0;
    mcti_log(g->log, MCT_LOG_WARN, "server '%s' logs faster than its clients can receive; dropped %zu messages",
             p->name, n);
    mcti_buf_init(&b, 4096);
    mcti_buf_printf(
        &b,
        "{\"level\":\"warning\",\"data\":\"dropped %zu log messages: the server logs faster than clients can "
        "receive\"}",
        n);
    fan_forward(g, p, mcti_buf_str(&b), true);
    mcti_buf_done(&b);
}

static void fan_continue(struct mcti_gateway *g)
{
    while (!mcti_list_empty(&g->fan.items)) {
        struct fan_item *i = fan_item_of(g->fan.items.next);
        struct mcti_provider *p = i->provider;
        if (!fan_tell_all(g, i))
            return;
        p->n_not_told += i->lost && !i->notice;
        item_free(g, i);
        if (!p->n_told_later && p->n_not_told)
            tell_lost(g, p);
    }
}

static void fan_tick(void *data)
{
    fan_continue(data);
}

/* Sends a message of the connection of one session or principal at once: it has few clients, and none after its end. */
static void tell_branch(struct mcti_gateway *g, struct fan_item *i)
{
    i->busy = mcti_gw_is_called(g, i->provider);
    MCT_LIST_EACH(it, &g->peers) {
        struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        if (mcti_gw_hears(p, i->provider, i->level, i->busy))
            fan_tell(g, i, p);
    }
    item_free(g, i);
}

/* Returns whether all clients, or all handshake clients, share the connection. */
static bool is_shared(const struct mcti_provider *p)
{
    return !p->origin || p->origin->handshake == p;
}

static void fan_forward(struct mcti_gateway *g, struct mcti_provider *p, struct mcti_str params, bool notice)
{
    bool shared = is_shared(p);
    bool room = p->n_told_later < MCT_LIMIT_FAN_MESSAGES && g->fan.bytes + params.len <= MCT_LIMIT_FAN_BYTES;
    struct fan_item *i = room || !shared || mcti_list_empty(&g->fan.items) ? malloc(sizeof *i + params.len) : NULL;
    if (!i) {
        p->n_not_told++;
        return;
    }
    *i = (struct fan_item){
        .provider = p, .level = mcti_gw_level_of(params), .notice = notice, .until = g->n_peers, .len = params.len
    };
    memcpy(i->params, params.p, params.len);
    mcti_list_append(&g->fan.items, &i->node);
    p->n_told_later++;
    g->fan.bytes += params.len;
    if (!shared)
        tell_branch(g, i);
    else if (i->node.prev == &g->fan.items)
        fan_continue(g);
}

void mcti_gw_forward_message(struct mcti_gateway *g, struct mcti_provider *p, struct mcti_str params)
{
    fan_forward(g, p, params, false);
}
