/* Answers initialize, server/discover and ping. */
#include "gateway/local.h"

#include "gateway/answer.h"
#include "gateway/ask.h"
#include "gateway/branch.h"
#include "gateway/foreign.h"
#include "gateway/listen.h"
#include "gateway/tasks.h"

#include "base/limits.h"
#include "mcp/handshake.h"

#include <stdlib.h>

enum { INSTRUCTIONS_EACH = 2048 };

/* ---- who answers ---- */

/* Writes the Implementation object of the endpoint: that of the server at the endpoint of one server, otherwise that of
 * the gateway. Returns true in the first case. */
static bool put_identity(struct mcti_buf *to, const struct mcti_peer *peer, enum mcti_rev rev)
{
    const struct mcti_view *v = peer->view;
    bool single = v->single && mcti_view_n_providers(v) == 1;
    const struct mcti_provider *p = single ? mcti_view_source(v, mcti_view_provider(v, 0)) : NULL;
    struct mcti_str own = p ? mcti_provider_server_info(p) : MCT_STR_NONE;
    bool is_own = mcti_json_type(own) == '{' && mcti_json_get(own, "name").p;
    if (is_own)
        mcti_shape_implementation(to, own, rev);
    else
        mcti_buf_addz(to, peer->gateway->present.server_info);
    return is_own;
}

void mcti_gw_put_result_meta(struct mcti_buf *to, const struct mcti_peer *peer)
{
    mcti_buf_addz(to, ",\"_meta\":{\"" MCT_META_SERVER_INFO "\":");
    if (put_identity(to, peer, MCT_REV_LATEST))
        mcti_json_put_raw(to, MCT_META_GATEWAY, mcti_str_of(peer->gateway->present.server_info));
    mcti_buf_addc(to, '}');
}

/* ---- initialize, server/discover, ping ---- */

/* Returns whether any server of the view offers the capability; true while a server is still starting. */
static bool any_can(const struct mcti_view *v, const char *capability, const char *flag)
{
    if (v->own && !flag && (!strcmp(capability, "tools") || (v->own->prompts && !strcmp(capability, "prompts"))))
        return true;
    for (size_t i = 0; i < mcti_view_n_providers(v); i++) {
        const struct mcti_provider *p = mcti_view_source(v, mcti_view_provider(v, i));
        if ((!p->settled && !p->bare) || mcti_server_can(&p->info, capability, flag))
            return true;
    }
    return false;
}

static void gateway_local_put_capabilities(struct mcti_buf *to, const struct mcti_peer *peer, enum mcti_rev rev)
{
    static const struct {
        const char *key, *value, *with_subscribe;
        unsigned kinds;        /* as in struct mcti_presentation */
        bool handshake_always; /* implemented by the gateway */
    } rows[] = {
        { "tools", "{\"listChanged\":true}", NULL, 1u << MCT_TOOL, false },
        { "resources", "{\"listChanged\":true}", "{\"subscribe\":true,\"listChanged\":true}", 1u << MCT_RESOURCE,
          false },
        { "prompts", "{\"listChanged\":true}", NULL, 1u << MCT_PROMPT, false },
        { "completions", "{}", NULL, 0, false },
        { "logging", "{}", NULL, 0, true },
    };
    const struct mcti_view *v = peer->view;
    unsigned declared = peer->gateway->present.kinds;
    mcti_buf_addc(to, '{');
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool subscribe = rows[i].with_subscribe && any_can(v, rows[i].key, "subscribe");
        bool kept = mcti_results_on(peer->gateway->results) && rows[i].kinds == 1u << MCT_RESOURCE;
        bool always = kept || (rows[i].handshake_always && !mcti_rev_is_stateless(rev)) || (rows[i].kinds & declared);
        if (always || any_can(v, rows[i].key, NULL))
            mcti_json_put_raw(to, rows[i].key, mcti_str_of(subscribe ? rows[i].with_subscribe : rows[i].value));
    }
    if (rev == MCT_REV_2025_11_25 && mcti_gw_offers_tasks_2025(v)) {
        mcti_json_put_raw(to, "tasks", MCT_STR("{\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}"));
        mcti_buf_addz(to, mcti_gw_lists_tasks(peer) ? ",\"list\":{}}" : "}");
    }
    mcti_gw_put_extensions(to, peer->view, rev);
    mcti_buf_addc(to, '}');
}

/* Appends the instructions for the tools of the endpoint itself, in addition to those of the servers. */
static void put_own_instructions(struct mcti_buf *to, const struct mcti_view *v)
{
    struct mcti_buf own;
    mcti_buf_init(&own, MCT_LIMIT_INSTRUCTIONS);
    if (v->own)
        v->own->instruct(v->own, &own);
    struct mcti_str text = mcti_str_trim_white(mcti_buf_str(&own));
    to->max += text.len + 2;
    if (text.len)
        mcti_buf_printf(to, "%s%.*s", to->len ? "\n\n" : "", MCT_STR_ARG(text));
    mcti_buf_done(&own);
}

/* Writes the instructions of the gateway and of all servers, with a heading for each server. The text is bounded
 * because a model reads it. */
static void put_instructions(struct mcti_buf *to, const struct mcti_peer *peer)
{
    const struct mcti_view *v = peer->view;
    struct mcti_buf text;
    mcti_buf_init(&text, MCT_LIMIT_INSTRUCTIONS);
    mcti_buf_add(&text, mcti_str_of(peer->gateway->present.instructions));
    for (size_t i = 0; i < mcti_view_n_providers(v); i++) {
        const struct mcti_provider *p = mcti_view_source(v, mcti_view_provider(v, i));
        struct mcti_str own = mcti_provider_instructions(p);
        size_t before = text.len;
        if (!own.len)
            continue;
        if (mcti_view_n_providers(v) > 1 || text.len)
            mcti_buf_printf(&text, "%s# %s\n", text.len ? "\n\n" : "", p->name);
        mcti_buf_add(&text, own.len > INSTRUCTIONS_EACH ? (struct mcti_str){ own.p, INSTRUCTIONS_EACH } : own);
        if (!mcti_buf_ok(&text)) {
            text.failed = false;
            text.len = before;
            break;
        }
    }
    put_own_instructions(&text, v);
    if (text.len)
        mcti_json_put_member(to, "instructions", mcti_buf_str(&text));
    mcti_buf_done(&text);
}

/* ---- instructions of servers that are still starting ---- */

static bool is_starting(const struct mcti_provider *p)
{
    return p->state == MCT_CONNECTING && !p->settled;
}

static bool all_have_started(const struct mcti_settle *w)
{
    const struct mcti_view *v = MCT_CONTAINER(w, struct mcti_gw_request, wait)->peer->view;
    for (size_t i = 0; i < mcti_view_n_providers(v); i++)
        if (is_starting(mcti_view_provider(v, i)))
            return false;
    return true;
}

/* Returns the time for which an answer waits for the servers of this view. */
static unsigned patience_ms(const struct mcti_gateway *g, const struct mcti_view *v)
{
    unsigned longest = 0;
    for (size_t i = 0; i < mcti_view_n_providers(v); i++) {
        const struct mcti_provider *p = mcti_view_provider(v, i);
        unsigned ms = is_starting(p) ? mcti_provider_hold_ms(p, g->instructions_wait_ms) : 0;
        if (ms > longest)
            longest = ms;
    }
    return longest;
}

/* Waits for servers that are still starting, because only this answer can carry their instructions. */
static enum mcti_gw_step wait_for_instructions(struct mcti_gw_request *r, const struct mcti_msg *msg)
{
    unsigned ms = r->kept ? 0 : patience_ms(r->peer->gateway, r->peer->view);
    if (ms)
        mcti_gw_wait_until(r, msg, all_have_started, ms);
    return ms ? TAKEN : GO_ON;
}

/* ---- the first answer ---- */

/* Records the name of the client, for events, and its clientInfo, for tools of the program. */
static void note_client(struct mcti_peer *p, struct mcti_str info)
{
    char *text = mcti_json_dup(mcti_json_get(info, "name"));
    free(p->client);
    p->client = text ? strndup(text, MCT_LIMIT_CLIENT_NAME_BYTES) : NULL;
    free(text);
    free(p->client_info);
    p->client_info = mcti_json_type(info) == '{' && info.len <= MCT_LIMIT_CLIENT_INFO_BYTES ? mcti_str_dup(info) : NULL;
}

void mcti_gw_take_view(struct mcti_peer *p)
{
    struct mcti_view *view = p->endpoint->others[p->of];
    p->view = view ? view : p->endpoint;
}

/* Records revision, name and capabilities of the client. Returns -1 when out of memory. */
static int begin_session(struct mcti_peer *p, const struct mcti_msg *msg)
{
    struct mcti_str version = MCT_STR_NONE;
    mcti_json_plain(mcti_json_get(msg->params, "protocolVersion"), &version);
    p->session.rev = mcti_rev_negotiate(version);
    note_client(p, mcti_json_get(msg->params, "clientInfo"));
    if (mcti_gw_ask_init(p, mcti_json_get(msg->params, "capabilities")) < 0)
        return -1;
    p->of = mcti_gw_can_be_asked(&p->can) ? MCT_VIEW_ASKED : MCT_VIEW_HANDSHAKE;
    mcti_gw_take_view(p);
    p->own_tools = mcti_gw_own_tools(p);
    mcti_gw_note_client(p);
    return 0;
}

void mcti_gw_initialize(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mcti_peer *p = r->peer; /* outlives the request */
    (void)meta;
    if (!r->kept && begin_session(p, msg) < 0) { /* at once: further messages may come before the answer is sent */
        struct mct_error err;
        mcti_no_memory(&err);
        mcti_gw_fail(r, &err);
        return;
    }
    if (!r->kept)
        mcti_gw_begin_eras(r);
    p->greeting = r; /* until the request is freed */
    if (wait_for_instructions(r, msg) == TAKEN || mcti_gw_wait_for_eras(r, msg) == TAKEN)
        return;
    mcti_gw_forget_changes(r->peer);
    struct mcti_buf *b = mcti_inbound_begin(&r->in);
    mcti_buf_printf(b, "{\"protocolVersion\":\"%s\",\"capabilities\":", mcti_rev_text(r->peer->session.rev));
    gateway_local_put_capabilities(b, r->peer, r->peer->session.rev);
    mcti_json_put_key(b, "serverInfo");
    bool is_own = put_identity(b, r->peer, r->peer->session.rev);
    put_instructions(b, r->peer);
    if (is_own)
        mcti_buf_printf(b, ",\"_meta\":{\"%s\":%s}", MCT_META_GATEWAY, r->peer->gateway->present.server_info);
    mcti_buf_addc(b, '}');
    mcti_inbound_send(&r->in);
    mcti_gw_request_free(r);
}

void mcti_gw_discover(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    (void)meta;
    if (wait_for_instructions(r, msg) == TAKEN)
        return;
    struct mcti_buf *b = mcti_inbound_begin(&r->in);
    mcti_buf_addz(b, "{\"supportedVersions\":");
    mcti_rev_put_stateless(b);
    mcti_buf_addz(b, ",\"capabilities\":");
    gateway_local_put_capabilities(b, r->peer, MCT_REV_LATEST);
    put_instructions(b, r->peer);
    mcti_buf_addz(b, ",\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\"");
    mcti_gw_put_result_meta(b, r->peer);
    mcti_buf_addc(b, '}');
    mcti_inbound_send(&r->in);
    mcti_gw_request_free(r);
}

void mcti_gw_ping(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    (void)msg;
    (void)meta;
    mcti_inbound_result(&r->in, MCT_STR("{}"));
    mcti_gw_request_free(r);
}
