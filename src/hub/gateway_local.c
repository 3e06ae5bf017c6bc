/* Methods the gateway answers from what it knows. */
#include "hub/gateway_impl.h"

#include "mcp/handshake.h"

enum { INSTRUCTIONS_EACH = 2048, INSTRUCTIONS_ALL = 16384 };

/* ---- initialize, server/discover, ping ---- */

/* What a client may use: what any server offers; everything while some are still starting. */
static bool any_can(const struct mct_view *v, const char *capability)
{
    for (size_t i = 0; i < mct_view_n_providers(v); i++) {
        const struct mct_provider *p = mct_view_provider(v, i);
        if (!p->settled || mct_server_can(&p->info, capability, NULL))
            return true;
    }
    return false;
}

static void put_capabilities(struct mct_buf *to, const struct mct_view *v, enum mct_rev rev)
{
    static const struct {
        const char *key, *value;
        bool handshake_only;
    } rows[] = {
        { "tools", "{\"listChanged\":true}", false },
        { "resources", "{\"listChanged\":true}", false },
        { "prompts", "{\"listChanged\":true}", false },
        { "completions", "{}", false },
        { "logging", "{}", true },
    };
    mct_buf_addc(to, '{');
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!any_can(v, rows[i].key) || (rows[i].handshake_only && mct_rev_is_stateless(rev)))
            continue;
        mct_json_put_key(to, rows[i].key);
        mct_buf_addz(to, rows[i].value);
    }
    mct_buf_addc(to, '}');
}

/* The servers' own words under a heading each; bounded, because a model will read them. */
static void put_instructions(struct mct_buf *to, const struct mct_view *v)
{
    struct mct_buf text;
    mct_buf_init(&text, INSTRUCTIONS_ALL);
    for (size_t i = 0; i < mct_view_n_providers(v); i++) {
        const struct mct_provider *p = mct_view_provider(v, i);
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

void gw_initialize(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_str version = MCT_STR_NONE;
    (void)meta;
    mct_json_plain(mct_json_get(msg->params, "protocolVersion"), &version);
    r->peer->session.rev = mct_rev_negotiate(version);
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

/* `,"ttlMs":…` and what else every cacheable stateless result has, and the closing brace. */
static void put_stateless_end(struct mct_buf *b)
{
    mct_buf_addz(b, ",\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{\""
                    MCT_META_SERVER_INFO "\":" MCT_IMPLEMENTATION "}}");
}

void gw_discover(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    (void)msg;
    (void)meta;
    struct mct_buf *b = mct_inbound_begin(&r->in);
    mct_buf_addz(b, "{\"supportedVersions\":");
    mct_rev_put_stateless(b);
    mct_buf_addz(b, ",\"capabilities\":");
    put_capabilities(b, r->peer->view, MCT_REV_LATEST);
    put_instructions(b, r->peer->view);
    put_stateless_end(b);
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

/* ---- lists ---- */

static enum mct_kind kind_of(enum mct_verb verb)
{
    for (int k = 0; k < MCT_KIND_N; k++)
        if (mct_kind_info((enum mct_kind)k)->list_verb == verb)
            return (enum mct_kind)k;
    return MCT_TOOL;
}

void gw_list(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    enum mct_kind kind = kind_of(r->verb);
    struct mct_error err;
    (void)meta;
    if (mct_json_get(msg->params, "cursor").p) {
        mct_fail(&err, MCT_ERR_USAGE, "unknown cursor: the whole list is on the first page");
        gw_fail(r, &err);
        return;
    }
    struct mct_str items = mct_view_render(r->peer->view, kind);
    struct mct_buf *b = mct_inbound_begin(&r->in);
    mct_view_freshen(r->peer->view); /* what is old is answered now; a change is told when it is known */
    mct_buf_addc(b, '{');
    mct_json_put_key(b, mct_kind_info(kind)->list_key);
    mct_buf_add(b, items);
    if (mct_rev_is_stateless(r->rev))
        put_stateless_end(b);
    else
        mct_buf_addc(b, '}');
    mct_inbound_send(&r->in);
    gw_request_free(r);
}

/* ---- logging ---- */

static const char *const levels[] = { "debug", "info", "notice", "warning", "error", "critical",
                                      "alert", "emergency" };
enum { N_LEVELS = sizeof levels / sizeof *levels };

static int find_level(struct mct_str value)
{
    for (int i = 0; i < N_LEVELS; i++)
        if (mct_json_is(value, levels[i]))
            return i;
    return -1;
}

void gw_update_levels(struct mct_gateway *g)
{
    int lowest = N_LEVELS;
    MCT_LIST_EACH(it, &g->peers) {
        const struct mct_peer *p = MCT_CONTAINER(it, struct mct_peer, node);
        if (p->level >= 0 && p->level < lowest)
            lowest = p->level;
    }
    for (size_t i = 0; lowest < N_LEVELS && i < g->registry->n; i++) {
        struct mct_provider *p = g->registry->v[i];
        if (p->ops->set_level)
            p->ops->set_level(p, levels[lowest]);
    }
}

void gw_set_level(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_error err;
    int level = find_level(mct_json_get(msg->params, "level"));
    (void)meta;
    if (level < 0) {
        mct_fail(&err, MCT_ERR_USAGE, "\"level\" must be one of debug, info, notice, warning, error, "
                 "critical, alert, emergency");
        gw_fail(r, &err);
        return;
    }
    struct mct_gateway *g = r->peer->gateway;
    r->peer->level = level;
    mct_inbound_result(&r->in, MCT_STR("{}"));
    gw_request_free(r);
    gw_update_levels(g);
}

/* With several servers behind one endpoint the logger says which one speaks. */
static void put_message(struct mct_buf *to, const struct mct_view *v, const struct mct_provider *p,
                        struct mct_str params)
{
    struct mct_buf name, quoted;
    mct_buf_init(&name, 4096);
    mct_buf_init(&quoted, 8192);
    mct_buf_addz(&name, p->name);
    struct mct_str logger = mct_json_get(params, "logger");
    if (mct_json_type(logger) == '"') {
        mct_buf_addc(&name, '/');
        mct_json_unescape(logger, &name);
    }
    mct_json_put_string(&quoted, mct_buf_str(&name));
    const struct mct_json_set set = { "logger", mct_buf_str(&quoted) };
    mct_json_put_object(to, params, &set, mct_view_n_providers(v) > 1 ? 1 : 0);
    mct_buf_done(&name);
    mct_buf_done(&quoted);
}

void gw_forward_message(struct mct_gateway *g, struct mct_provider *provider, struct mct_str params)
{
    struct mct_buf text;
    int level = find_level(mct_json_get(params, "level"));
    mct_buf_init(&text, g->message_bytes);
    MCT_LIST_EACH(it, &g->peers) {
        struct mct_peer *p = MCT_CONTAINER(it, struct mct_peer, node);
        if (!p->initialized || level < p->level || !mct_view_shows(p->view, provider))
            continue;
        mct_buf_clear(&text);
        put_message(&text, p->view, provider, params);
        if (mct_buf_ok(&text))
            mct_session_notify(&p->session, "notifications/message", mct_buf_str(&text), NULL);
    }
    mct_buf_done(&text);
}

/* ---- changes ---- */

static const struct {
    enum mct_kind kind;     /* whose notification it is */
    unsigned kinds;         /* bits it stands for */
    const char *filter;     /* member of subscriptions/listen */
} changes[] = {
    { MCT_TOOL, 1u << MCT_TOOL, "toolsListChanged" },
    { MCT_RESOURCE, 1u << MCT_RESOURCE | 1u << MCT_TEMPLATE, "resourcesListChanged" },
    { MCT_PROMPT, 1u << MCT_PROMPT, "promptsListChanged" },
};
enum { N_CHANGES = sizeof changes / sizeof *changes };

/* {"io.modelcontextprotocol/subscriptionId":ID} */
static void put_subscription_meta(struct mct_buf *b, const struct gw_request *r)
{
    mct_json_put_key(b, "_meta");
    mct_buf_addz(b, "{\"" MCT_META_SUBSCRIPTION "\":");
    mct_buf_add(b, (struct mct_str){ r->in.id, r->in.id_len });
    mct_buf_addc(b, '}');
}

static void tell_listener(struct gw_request *r, const char *method)
{
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_ID_BYTES + 256);
    mct_buf_addc(&b, '{');
    put_subscription_meta(&b, r);
    mct_buf_addc(&b, '}');
    mct_inbound_notify(&r->in, method, mct_buf_str(&b));
    mct_buf_done(&b);
}

void gw_tell_changes(struct mct_peer *p)
{
    unsigned dirty = p->dirty;
    p->dirty = 0;
    for (int i = 0; i < N_CHANGES; i++) {
        const char *method = mct_kind_info(changes[i].kind)->changed;
        if (!(dirty & changes[i].kinds))
            continue;
        if (p->initialized)
            mct_session_notify(&p->session, method, MCT_STR_NONE, NULL);
        MCT_LIST_EACH(it, &p->listens) {
            struct gw_request *r = MCT_CONTAINER(it, struct gw_request, listen);
            if (r->listen_kinds & changes[i].kinds)
                tell_listener(r, method);
        }
    }
}

/* 2026-07-28 "Subscriptions": acknowledged with what is honoured, open until either side ends it. */
void gw_listen(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_error err;
    struct mct_buf b;
    struct mct_str wanted = mct_json_get(msg->params, "notifications");
    (void)meta;
    if (mct_json_type(wanted) != '{') {
        mct_fail(&err, MCT_ERR_USAGE, "\"notifications\" must be an object");
        gw_fail(r, &err);
        return;
    }
    mct_buf_init(&b, MCT_LIMIT_ID_BYTES + 1024);
    mct_buf_addz(&b, "{\"notifications\":{");
    for (int i = 0; i < N_CHANGES; i++) {
        if (!mct_json_true(mct_json_get(wanted, changes[i].filter)))
            continue;
        r->listen_kinds |= changes[i].kinds;
        mct_json_put_key(&b, changes[i].filter);
        mct_buf_addz(&b, "true");
    }
    mct_buf_addc(&b, '}');
    put_subscription_meta(&b, r);
    mct_buf_addc(&b, '}');
    mct_list_append(&r->peer->listens, &r->listen);
    mct_inbound_notify(&r->in, "notifications/subscriptions/acknowledged", mct_buf_str(&b));
    mct_buf_done(&b);
}

void mct_peer_end_listens(struct mct_peer *p)
{
    MCT_LIST_EACH(it, &p->listens) {
        struct gw_request *r = MCT_CONTAINER(it, struct gw_request, listen);
        struct mct_buf *b = mct_inbound_begin(&r->in);
        mct_buf_addz(b, "{\"resultType\":\"complete\"");
        put_subscription_meta(b, r);
        mct_buf_addc(b, '}');
        mct_inbound_send(&r->in);
        gw_request_free(r);
    }
}
