#include "hub/core/provider.h"

#include <stdlib.h>

const char *mct_state_word(enum mct_state state)
{
    static const char *const words[] = { "disconnected", "connecting", "connected", "error" };
    return words[state];
}

const char *mct_reason_word(enum mct_reason reason)
{
    static const char *const words[] = { NULL, "needs_auth", "backoff", "configuration" };
    return words[reason];
}

int mct_provider_init(struct mct_provider *p, const struct mct_provider_ops *ops, const char *name,
                      struct mct_sched *sched, const struct mct_log *log)
{
    *p = (struct mct_provider){ .ops = ops, .sched = sched, .log = log, .name = strdup(name) };
    return p->name ? 0 : -1;
}

void mct_provider_done(struct mct_provider *p)
{
    free(p->name);
    free(p->last_diagnostics);
    mct_server_info_clear(&p->info);
    for (int k = 0; k < MCT_KIND_N; k++)
        mct_items_clear(&p->items[k]);
}

void mct_provider_set_state(struct mct_provider *p, enum mct_state state, const struct mct_error *err)
{
    p->state = state;
    p->next_try_ms = 0;
    if (err)
        p->error = *err;
    else if (state == MCT_CONNECTED)
        p->error = (struct mct_error){ 0 };
    p->reason = !err ? MCT_REASON_NONE : err->kind == MCT_ERR_AUTH ? MCT_REASON_NEEDS_AUTH
                : err->kind == MCT_ERR_CONFIG ? MCT_REASON_CONFIG : MCT_REASON_NONE;
    if (state == MCT_CONNECTED || state == MCT_FAILED)
        p->settled = true;
    if (p->events.state)
        p->events.state(p->events.data, p);
}

unsigned mct_provider_hold_ms(const struct mct_provider *p, unsigned max_ms)
{
    uint64_t now = mct_sched_now(p->sched), until = p->started_ms + max_ms;
    return !p->settled && until > now ? (unsigned)(until - now) : 0;
}

/* The state of one connection, its revision, and what has gone wrong. */
static void put_connection(struct mct_buf *to, const struct mct_provider *p, uint64_t now_ms)
{
    bool down = p->state != MCT_CONNECTED;
    mct_json_put_member(to, "state", mct_str_of(mct_state_word(p->state)));
    if (down && mct_reason_word(p->reason))
        mct_json_put_member(to, "reason", mct_str_of(mct_reason_word(p->reason)));
    if (p->transport)
        mct_json_put_member(to, "transport", mct_str_of(p->transport));
    if (p->info.rev)
        mct_json_put_member(to, "protocolVersion", mct_str_of(mct_rev_text(p->info.rev)));
    if (down && p->next_try_ms) {
        mct_json_put_key(to, "nextTryMs");
        mct_buf_addu(to, p->next_try_ms > now_ms ? p->next_try_ms - now_ms : 0);
    }
    if (!down || !p->error.kind)
        return;
    mct_json_put_key(to, "error");
    mct_buf_addc(to, '{');
    mct_json_put_member(to, "kind", mct_str_of(mct_error_word(p->error.kind)));
    mct_json_put_member(to, "message", mct_str_of(p->error.message));
    mct_buf_addc(to, '}');
}

void mct_provider_put_status(struct mct_buf *to, const struct mct_provider *p, uint64_t now_ms)
{
    mct_json_put_member(to, "name", mct_str_of(p->name));
    put_connection(to, p, now_ms);
    if (!p->handshake)
        return;
    mct_json_put_key(to, "handshake");
    mct_buf_addc(to, '{');
    put_connection(to, p->handshake, now_ms);
    mct_buf_addc(to, '}');
}

void mct_provider_take_items(struct mct_provider *p, enum mct_kind kind, struct mct_items *fresh)
{
    bool differs = !mct_items_same(&p->items[kind], fresh);
    struct mct_items *drop = differs ? &p->items[kind] : fresh;
    mct_items_clear(drop);
    if (differs)
        p->items[kind] = *fresh;
    *fresh = (struct mct_items){ 0 };
    if (differs && p->events.changed)
        p->events.changed(p->events.data, p, 1u << kind);
}

bool mct_provider_admits(const struct mct_provider *p, const struct mct_item *item)
{
    return item->kind != MCT_TOOL || ((!p->n_allow || mct_str_glob_any(p->allow, p->n_allow, item->id)) &&
                                      !mct_str_glob_any(p->deny, p->n_deny, item->id));
}
