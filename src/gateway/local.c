/* Methods the gateway answers from what it knows. */
#include "gateway/impl.h"

#include "base/limits.h"
#include "mcp/handshake.h"

#include <stdlib.h>

enum { INSTRUCTIONS_EACH = 2048, INSTRUCTIONS_ALL = 16384 };

/* ---- initialize, server/discover, ping ---- */

/* What a client may use: what any server offers; everything while some are still starting. */
static bool any_can(const struct mct_view *v, const char *capability, const char *flag)
{
    if (v->own && !flag && !strcmp(capability, "tools"))
        return true;
    for (size_t i = 0; i < mct_view_n_providers(v); i++) {
        const struct mct_provider *p = mct_view_source(v, mct_view_provider(v, i));
        if (!p->settled || mct_server_can(&p->info, capability, flag))
            return true;
    }
    return false;
}

static void put_capabilities(struct mct_buf *to, const struct mct_view *v, enum mct_rev rev)
{
    static const struct {
        const char *key, *value, *with_subscribe;
        bool handshake_always; /* the gateway does it itself */
    } rows[] = {
        { "tools", "{\"listChanged\":true}", NULL, false },
        { "resources", "{\"listChanged\":true}", "{\"subscribe\":true,\"listChanged\":true}", false },
        { "prompts", "{\"listChanged\":true}", NULL, false },
        { "completions", "{}", NULL, false },
        { "logging", "{}", NULL, true },
    };
    mct_buf_addc(to, '{');
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool subscribe = rows[i].with_subscribe && any_can(v, rows[i].key, "subscribe");
        bool always = rows[i].handshake_always && !mct_rev_is_stateless(rev);
        if (always || any_can(v, rows[i].key, NULL))
            mct_json_put_raw(to, rows[i].key, mct_str_of(subscribe ? rows[i].with_subscribe : rows[i].value));
    }
    mct_buf_addc(to, '}');
}

/* The servers' own words under a heading each; bounded, because a model will read them. */
static void put_instructions(struct mct_buf *to, const struct mct_view *v)
{
    struct mct_buf text;
    mct_buf_init(&text, INSTRUCTIONS_ALL);
    for (size_t i = 0; i < mct_view_n_providers(v); i++) {
        const struct mct_provider *p = mct_view_source(v, mct_view_provider(v, i));
        struct mct_str own = mct_str_of(p->info.instructions);
        size_t before = text.len;
        if (!own.len)
            continue;
        if (mct_view_n_providers(v) > 1)
            mct_buf_printf(&text, "%s# %s\n", text.len ? "\n\n" : "", p->name);
        mct_buf_add(&text, own.len > INSTRUCTIONS_EACH ? (struct mct_str){ own.p, INSTRUCTIONS_EACH } : own);
        if (!mct_buf_ok(&text)) {
            text.failed = false;
            text.len = before;
            break;
        }
    }
    if (text.len)
        mct_json_put_member(to, "instructions", mct_buf_str(&text));
    mct_buf_done(&text);
}

/* ---- instructions of servers that are still starting ---- */

static bool is_starting(const struct mct_provider *p)
{
    return p->state == MCT_CONNECTING && !p->settled;
}

static bool none_is_starting(const struct mct_settle *w)
{
    const struct mct_view *v = MCT_CONTAINER(w, struct gw_request, wait)->peer->view;
    for (size_t i = 0; i < mct_view_n_providers(v); i++)
        if (is_starting(mct_view_provider(v, i)))
            return false;
    return true;
}

/* Returns how long an answer waits for the servers of this view. */
static unsigned patience_ms(const struct mct_gateway *g, const struct mct_view *v)
{
    unsigned longest = 0;
    for (size_t i = 0; i < mct_view_n_providers(v); i++) {
        const struct mct_provider *p = mct_view_provider(v, i);
        unsigned ms = is_starting(p) ? mct_provider_hold_ms(p, g->instructions_wait_ms) : 0;
        if (ms > longest)
            longest = ms;
    }
    return longest;
}

/* Only this answer can carry the servers' instructions: it waits for them. True: it is looked at again. */
static bool wait_for_instructions(struct gw_request *r, const struct mct_msg *msg)
{
    unsigned ms = r->kept ? 0 : patience_ms(r->peer->gateway, r->peer->view);
    if (ms)
        gw_wait_until(r, msg, none_is_starting, ms);
    return ms;
}

/* ---- the first answer ---- */

/* For whom it concerns (events); never looked at otherwise. */
static void note_client(struct mct_peer *p, struct mct_str name)
{
    char *text = mct_json_dup(name);
    free(p->client);
    p->client = text ? strndup(text, MCT_LIMIT_CLIENT_NAME_BYTES) : NULL;
    free(text);
}

void gw_take_view(struct mct_peer *p)
{
    struct mct_view *view = p->endpoint->others[p->of];
    p->view = view ? view : p->endpoint;
}

/* Takes note of what the client says of itself. -1 when out of memory. */
static int begin_session(struct mct_peer *p, const struct mct_msg *msg)
{
    struct mct_str version = MCT_STR_NONE;
    mct_json_plain(mct_json_get(msg->params, "protocolVersion"), &version);
    p->session.rev = mct_rev_negotiate(version);
    note_client(p, mct_json_get(mct_json_get(msg->params, "clientInfo"), "name"));
    if (gw_ask_init(p, mct_json_get(msg->params, "capabilities")) < 0)
        return -1;
    p->of = gw_can_be_asked(&p->can) ? MCT_VIEW_ASKED : MCT_VIEW_HANDSHAKE;
    gw_take_view(p);
    p->own_tools = gw_own_tools(p);
    return 0;
}

void gw_initialize(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_peer *p = r->peer; /* outlives the request */
    (void)meta;
    if (!r->kept && begin_session(p, msg) < 0) { /* at once, as the client may say more before it has the answer */
        struct mct_error err;
        mct_no_memory(&err);
        gw_fail(r, &err);
        return;
    }
    if (!r->kept)
        gw_begin_eras(r);
    p->greeting = r; /* until the request is freed */
    if (wait_for_instructions(r, msg) || gw_wait_for_eras(r, msg))
        return;
    gw_forget_changes(r->peer);
    struct mct_buf *b = mct_inbound_begin(&r->in);
    mct_buf_printf(b, "{\"protocolVersion\":\"%s\",\"capabilities\":",
                   mct_rev_text(r->peer->session.rev));
    put_capabilities(b, r->peer->view, r->peer->session.rev);
    mct_buf_addz(b, ",\"serverInfo\":" MCT_IMPLEMENTATION);
    put_instructions(b, r->peer->view);
    mct_buf_addc(b, '}');
    mct_inbound_send(&r->in);
    gw_request_free(r);
}

void gw_discover(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    (void)meta;
    if (wait_for_instructions(r, msg))
        return;
    struct mct_buf *b = mct_inbound_begin(&r->in);
    mct_buf_addz(b, "{\"supportedVersions\":");
    mct_rev_put_stateless(b);
    mct_buf_addz(b, ",\"capabilities\":");
    put_capabilities(b, r->peer->view, MCT_REV_LATEST);
    put_instructions(b, r->peer->view);
    mct_buf_addz(b, ",\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{\""
                    MCT_META_SERVER_INFO "\":" MCT_IMPLEMENTATION "}}");
    mct_inbound_send(&r->in);
    gw_request_free(r);
}

void gw_ping(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    (void)msg;
    (void)meta;
    mct_inbound_result(&r->in, MCT_STR("{}"));
    gw_request_free(r);
}
