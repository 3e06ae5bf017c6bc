/*
 * What the gateway does not know passes at /mcp/SERVER, where the client means this server, and ids and URIs keep
 * their meaning. At an endpoint of several servers, route.c finds the one that is meant. Policy is about tools, and
 * nothing says what a foreign method does with them. Clients whose tools are restricted in any way therefore get only
 * methods that are known to read.
 */
#include "gateway/foreign.h"

#include "gateway/answer.h"
#include "gateway/apps.h"
#include "gateway/call.h"
#include "gateway/foreign/route.h"
#include "gateway/skills.h"
#include "gateway/tasks.h"
#include "mcp/apps/ui.h"

#include <stdio.h>
#include <stdlib.h>

enum { METHOD_BYTES = 128 };

/* Methods that change nothing and call no tool. */
static const struct {
    const char *name;
    bool has_uri; /* it reads resources */
} reads[] = { { "skills/list", false }, { "skills/get", true }, { "resources/directory/read", true } };

/* ---- what passes ---- */

static bool is_method_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("/._-$:", c));
}

/* Returns whether the protocol has the method, in any revision, or may get it: servers exist that compare names without
 * case, so upper and lower case are the same here. */
static bool is_of_protocol(struct mcti_str method)
{
    static const char *const families[] = { "tools/", "prompts/",     "completion/", "logging/",  "sampling/",
                                            "roots/", "elicitation/", "tasks/",      "openclaw/", "rpc.",
                                            NULL };
    for (int verb = MCT_VERB_UNKNOWN + 1; verb < MCT_VERB_FOREIGN; verb++)
        if (mcti_str_eq_nocase(method, mcti_str_of(mcti_method((enum mcti_verb)verb)->name)))
            return true;
    for (const char *const *family = families; *family; family++) {
        struct mcti_str begin = { method.p, strlen(*family) };
        if (method.len >= begin.len && mcti_str_eq_nocase(begin, mcti_str_of(*family)))
            return true;
    }
    return false;
}

/* Returns what is behind "notifications/", in any case; absent: the method does not begin so. */
static struct mcti_str without_notifications(struct mcti_str method)
{
    static const struct mcti_str begin = { "notifications/", sizeof "notifications/" - 1 };
    bool is = method.len > begin.len && mcti_str_eq_nocase((struct mcti_str){ method.p, begin.len }, begin);
    return is ? mcti_str_range(method.p + begin.len, method.p + method.len) : MCT_STR_NONE;
}

/* The same for notifications: which of the protocol's own there are is known. */
static bool tells_of_protocol(struct mcti_str method)
{
    static const char *const names[] = { "initialized",
                                         "cancelled",
                                         "progress",
                                         "message",
                                         "roots/list_changed",
                                         "tools/list_changed",
                                         "prompts/list_changed",
                                         "resources/list_changed",
                                         "resources/updated",
                                         "elicitation/complete",
                                         "subscriptions/acknowledged",
                                         "openclaw/plugins",
                                         "tasks/status",
                                         "tasks",
                                         NULL };
    struct mcti_str rest = without_notifications(method);
    for (const char *const *name = names; rest.p && *name; name++)
        if (mcti_str_eq_nocase(rest, mcti_str_of(*name)))
            return true;
    return false;
}

/* Returns whether it may be a method of an extension: none of the protocol itself in any revision, and without
 * characters that would have to be escaped. */
static bool is_foreign(struct mcti_str method)
{
    if (!method.len || method.len > METHOD_BYTES || is_of_protocol(method))
        return false;
    for (size_t i = 0; i < method.len; i++)
        if (!is_method_char(method.p[i]))
            return false;
    return true;
}

static bool tells_foreign(struct mcti_str method)
{
    return is_foreign(method) && !tells_of_protocol(method);
}

/* Returns the server of an endpoint of one server, if its extensions cross; NULL: they do not, or there are several. */
static struct mcti_provider *foreign_server(const struct mcti_view *v)
{
    struct mcti_provider *p = v->single && mcti_view_n_providers(v) == 1 ? mcti_view_provider(v, 0) : NULL;
    return p && mcti_gw_has_extensions(v, p) ? p : NULL;
}

/* Returns whether the client may not use everything of the server. */
static bool is_restricted(const struct mcti_gateway *g, struct mcti_view *v, const struct mcti_client_prefs *prefs,
                          const struct mcti_provider *p)
{
    const struct mcti_exposures *tools = mcti_view_items(v, MCT_TOOL);
    const struct mcti_rules *rules = v->ruled.rules;
    bool by_rules = rules && (rules->n_steps || (v->ruled.stranger && rules->n_owner_only));
    return by_rules || g->policy.read_only || prefs->read_only || p->n_allow || p->n_deny ||
           tools->n_all > tools->n_apps || g->dialect.n_uri_allow;
}

static bool only_reads(const struct mcti_gateway *g, struct mcti_str method)
{
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
        if (mcti_str_is(method, reads[i].name))
            return !reads[i].has_uri || !g->dialect.n_uri_allow;
    return false;
}

/* Returns the server that the method is for; NULL: none, and *err says why. */
static struct mcti_provider *server_for(struct mcti_view *v, const struct mcti_msg *msg, struct mct_error *err)
{
    struct mcti_provider *p = NULL;
    mcti_fail(err, MCT_ERR_UNSUPPORTED, "method not found: %.*s", MCT_STR_ARG(msg->method));
    if (is_foreign(msg->method) && !without_notifications(msg->method).p)
        p = v->single ? foreign_server(v) : mcti_gw_route(v, msg, err);
    return p;
}

int mcti_gateway_passes(const struct mcti_gateway *g, struct mcti_view *v, const struct mcti_client_prefs *prefs,
                        const struct mcti_msg *msg, struct mct_error *err)
{
    if (mcti_gw_is_of_skills(v, msg->method)) /* it only reads, from servers and URIs that the client may use */
        return 0;
    const struct mcti_provider *p = server_for(v, msg, err);
    if (!p)
        return -1;
    if (only_reads(g, msg->method) || !is_restricted(g, v, prefs, p))
        return 0;
    return mcti_fail(err, MCT_ERR_UNSUPPORTED,
                     "method not found: %.*s; it is not passed on to the server, because policy restricts what this "
                     "client may use",
                     MCT_STR_ARG(msg->method));
}

/* ---- requests ---- */

void mcti_gw_foreign(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mcti_view *v = r->peer->view;
    const struct mcti_client_prefs *prefs = mcti_gw_prefs(r->peer, r->in.lane);
    struct mct_error err;
    free(r->method);
    r->method = mcti_str_dup(msg->method);
    if (!r->method)
        mcti_no_memory(&err);
    else if (mcti_gw_skills(r, msg, meta) == TAKEN)
        return;
    else if (mcti_gateway_passes(r->peer->gateway, v, prefs, msg, &err) == 0) { /* lists restrict */
        struct mcti_provider *p = server_for(v, msg, &err);
        const struct mcti_json_set name = { "name", mcti_gw_own_name(v, p, msg) };
        if (mcti_gw_start(r, p, msg, meta, &name, &err) == 0)
            return;
    }
    mcti_gw_fail(r, &err);
}

/* ---- notifications ---- */

/* Returns the connection that is the client's own, or the shared one if all clients are of one owner; NULL: none. */
static struct mcti_provider *foreign_connection(struct mcti_peer *p, struct mcti_provider *server)
{
    struct mcti_provider *shared = server;
    MCT_LIST_EACH(it, &p->gateway->registry->branches) {
        struct mcti_branch *b = MCT_CONTAINER(it, struct mcti_branch, node);
        if (b->origin != server || b->leaving)
            continue;
        if (b->owner == p)
            return b->provider;
        if (b->common && mcti_view_source(p->view, server) == b->provider)
            shared = b->provider;
    }
    return server->isolation == MCT_SHARED && !p->gateway->apart ? shared : NULL;
}

void mcti_gw_foreign_notification(struct mcti_peer *p, const struct mcti_msg *msg)
{
    struct mcti_provider *server = NULL;
    char method[METHOD_BYTES + 1];
    if (p->view->single && mcti_gw_is_ready(p) && tells_foreign(msg->method))
        server = foreign_server(p->view);
    if (!server || is_restricted(p->gateway, p->view, &p->prefs, server))
        return;
    struct mcti_provider *connection = foreign_connection(p, server);
    snprintf(method, sizeof method, "%.*s", MCT_STR_ARG(msg->method));
    if (connection && connection->ops->notify)
        connection->ops->notify(connection, method, msg->params);
}

/* Returns whether the server of the call declares an extension that the notification can belong to. */
static bool comes_from(const struct mcti_gw_request *r, struct mcti_str method)
{
    struct mcti_str rest = without_notifications(method);
    return r->connection && mcti_gw_declares(r->connection, rest.p ? rest : method);
}

void mcti_gw_on_notified(struct mcti_call *call, struct mcti_str method, struct mcti_str params)
{
    struct mcti_gw_request *r = mcti_gw_of(call);
    char text[METHOD_BYTES + 1];
    const struct mcti_view *v = r->peer->view;
    if (r->park || !tells_foreign(method) || !(v->single ? foreign_server(v) != NULL : comes_from(r, method)))
        return;
    snprintf(text, sizeof text, "%.*s", MCT_STR_ARG(method));
    mcti_inbound_notify(&r->in, text, params);
}

/* ---- capabilities ---- */

/* Returns the settings that the first server of the view declares for the extension; absent: none declares it. */
static struct mcti_str first_settings(const struct mcti_view *v, const char *id)
{
    struct mcti_str found = MCT_STR_NONE;
    for (size_t i = 0; !found.p && i < mcti_view_n_providers(v); i++) {
        const struct mcti_provider *p = mcti_view_source(v, mcti_view_provider(v, i));
        if (p->extensions != MCT_EXTENSIONS_NONE)
            found = mcti_json_get(mcti_json_get(mcti_str_of(p->info.capabilities), "extensions"), id);
    }
    return found;
}

/* Begins or continues the member "extensions"; `n` counts what is in it. */
void mcti_gw_put_extension(struct mcti_buf *to, const char *id, struct mcti_str settings, unsigned *n)
{
    if (!(*n)++) {
        mcti_json_put_key(to, "extensions");
        mcti_buf_addc(to, '{');
    }
    mcti_json_put_raw(to, id, settings);
}

/* Writes the extensions of several servers: those that consist of members only, those whose methods can be routed, and
 * tasks. */
static void put_merged(struct mcti_buf *to, struct mcti_view *v, bool with_tasks)
{
    const char *id;
    unsigned n = 0;
    for (size_t i = 0; (id = mcti_extension_of_members(i)); i++) {
        struct mcti_str settings = first_settings(v, id);
        if (!settings.p && !strcmp(id, MCT_UI_ID) && mcti_gw_has_apps(v))
            settings = MCT_STR("{}");
        if (settings.p)
            mcti_gw_put_extension(to, id, settings, &n);
    }
    if (with_tasks)
        mcti_gw_put_extension(to, MCT_TASKS_ID, MCT_STR("{}"), &n);
    mcti_gw_put_skills(to, v, &n);
    mcti_gw_put_routed(to, v, &n);
    if (n)
        mcti_buf_addc(to, '}');
}

/* Returns whether the extension of Apps is added to what the server of the view declares: many servers with apps do not
 * declare it. */
static bool adds_apps(struct mcti_view *v, struct mcti_str capabilities)
{
    const struct mcti_provider *p = mcti_view_n_providers(v) == 1 ? mcti_view_provider(v, 0) : NULL;
    return p && p->extensions != MCT_EXTENSIONS_NONE && !mcti_ui_declared(capabilities) && mcti_gw_has_apps(v);
}

void mcti_gw_put_extensions(struct mcti_buf *to, struct mcti_view *v, enum mcti_rev rev)
{
    const struct mcti_provider *p = foreign_server(v);
    struct mcti_str capabilities = p ? mcti_str_of(mcti_view_source(v, p)->info.capabilities) : MCT_STR_NONE;
    bool tasks = mcti_rev_is_stateless(rev) && mcti_gw_offers_tasks(v);
    const char *own[3] = { NULL };
    size_t n = 0;
    if (!v->single) {
        put_merged(to, v, tasks);
        return;
    }
    if (tasks)
        own[n++] = MCT_TASKS_ID;
    if (adds_apps(v, capabilities))
        own[n++] = MCT_UI_ID;
    mcti_extensions_put_with(to, capabilities, MCT_EXTENSIONS_SINGLE, own);
}
