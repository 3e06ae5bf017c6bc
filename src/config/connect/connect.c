#include "config/connect/impl.h"

#include "base/rand.h"
#include "config/expand/expand.h"
#include "json/write.h"

#include <limits.h>
#include <stdlib.h>

static const struct {
    enum mcti_server_type type;
    bool url;
    const struct mcti_connect_kind *kind;
} rows[] = {
    { MCT_SERVER_UNSET, false, &mcti_connect_stdio },       { MCT_SERVER_STDIO, false, &mcti_connect_stdio },
    { MCT_SERVER_UNSET, true, &mcti_connect_url },          { MCT_SERVER_STREAMABLE_HTTP, true, &mcti_connect_http },
    { MCT_SERVER_HTTP, true, &mcti_connect_http },          { MCT_SERVER_SSE, true, &mcti_connect_sse },
    { MCT_SERVER_OPENCLAW, false, &mcti_connect_openclaw }, { MCT_SERVER_PLUGIN, false, &mcti_connect_plugin },
    { MCT_SERVER_SKILLS, false, &mcti_connect_skills },
};

static const struct mcti_connect_kind *connect_kind_of(const struct mcti_config_server *s,
                                                       const struct mcti_connect_env *env)
{
    bool stateless;
    if (env->attach && env->attach->has(env->attach->data, s->name, &stateless))
        return &mcti_connect_attached;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].type == s->type && rows[i].url == (s->url != NULL))
            return rows[i].kind;
    return &mcti_connect_stdio; /* the entry has a mistake, which was reported */
}

/* ---- roots ---- */

static void put_path_uri(struct mcti_buf *b, const char *path)
{
    mcti_buf_addz(b, "\"file://");
    struct mcti_str rest = mcti_str_of(path), part;
    for (bool first = true; mcti_str_split(&rest, '/', &part); first = false) {
        mcti_buf_addz(b, first ? "" : "/");
        mcti_buf_add_percent(b, part);
    }
    mcti_buf_addc(b, '"');
}

void mcti_put_root(struct mcti_buf *b, const char *path)
{
    char full[PATH_MAX];
    const char *shown = realpath(path, full) ? full : path;
    const char *name = strrchr(shown, '/');
    mcti_buf_addz(b, "{\"uri\":");
    put_path_uri(b, shown);
    if (name && name[1])
        mcti_json_put_member(b, "name", mcti_str_of(name + 1));
    mcti_buf_addc(b, '}');
}

/* Returns the roots of a server as JSON: the given ones, or else its own folder. */
static char *make_roots(const struct mcti_strings *given, const char *cwd)
{
    struct mcti_buf b;
    size_t n = given ? given->n : 0;
    char *own = n || !cwd ? NULL : mcti_expand_path(cwd, NULL);
    if (!n && !own)
        return NULL;
    mcti_buf_init(&b, 1u << 20);
    mcti_buf_addc(&b, '[');
    for (size_t i = 0; i < n; i++) {
        mcti_buf_addz(&b, i ? "," : "");
        mcti_put_root(&b, given->v[i]);
    }
    if (own)
        mcti_put_root(&b, own);
    mcti_buf_addc(&b, ']');
    free(own);
    return mcti_buf_take(&b);
}

/* ---- providers ---- */

static void free_target(void *data)
{
    struct mcti_target_server *t = data;
    free(t->roots);
    mcti_strings_clear(&t->allow);
    mcti_strings_clear(&t->deny);
    t->free(t);
}

static struct mcti_transport *do_connect(void *data, unsigned variant, struct mct_error *err)
{
    struct mcti_target_server *t = data;
    if (!t->error.kind)
        return t->kind->connect(t, variant, err);
    *err = t->error;
    return NULL;
}

static void connect_explain(void *data, struct mcti_str said, struct mct_error *err)
{
    const struct mcti_target_server *t = data;
    if (t->kind->explain)
        t->kind->explain(t, said, err);
}

static void connect_on_found(void *data, const struct mcti_verdict *verdict)
{
    const struct mcti_target_server *t = data;
    if (t->env->verdicts && t->verdict_key[0])
        mcti_verdicts_put(t->env->verdicts, t->verdict_key, verdict);
}

static void connect_on_listed(void *data, const struct mcti_provider *p)
{
    const struct mcti_target_server *t = data;
    if (t->env->catalogue && t->catalogue_key[0] && !mcti_provider_lacks_lists(p, NULL))
        mcti_catalogue_put(t->env->catalogue, t->catalogue_key, p);
}

static void connect_put_strings(struct mcti_buf *to, const char *what, const struct mcti_strings *list)
{
    mcti_buf_printf(to, "\n%s", what);
    for (size_t i = 0; i < list->n; i++)
        mcti_buf_printf(to, "\n%s", list->v[i]);
}

/* Sets the key of the server's lists: they may depend on everything that the entry says of the server. */
static void connect_set_catalogue_key(struct mcti_target_server *t, const struct mcti_config_server *s,
                                      struct mcti_buf *identity)
{
    unsigned char digest[32];
    for (size_t i = 0; i < s->env.n; i++)
        mcti_buf_printf(identity, "\n%s=%s", s->env.v[i].key, s->env.v[i].value);
    connect_put_strings(identity, "allow", &s->allow);
    connect_put_strings(identity, "deny", &s->deny);
    mcti_buf_printf(identity, "\n%d %d", s->protocol.era, s->protocol.rev);
    if (mcti_buf_ok(identity) && mcti_sha256_pair(MCT_STR("lists"), mcti_buf_str(identity), digest) == 0)
        mcti_hex(digest, sizeof digest, t->catalogue_key);
}

static void connect_resolve(struct mcti_target_server *t, const struct mcti_config_server *s)
{
    struct mcti_buf identity;
    struct mct_error err = s->error;
    unsigned char digest[32];
    mcti_buf_init(&identity, 1u << 20);
    if (!err.kind && t->kind->resolve(t, s, &identity, &err) < 0) {
        if (!err.kind)
            mcti_no_memory(&err); /* the only failure without a message */
        if (s->file)
            mcti_error_wrap(&err, "%s:%u", s->file, s->line);
    }
    if (err.kind)
        t->error = err;
    else if (mcti_buf_ok(&identity) && identity.len &&
             mcti_sha256_pair(MCT_STR("server"), mcti_buf_str(&identity), digest) == 0)
        mcti_hex(digest, sizeof digest, t->verdict_key);
    if (t->verdict_key[0] && !t->kind->hosts_plugins && t->kind != &mcti_connect_attached)
        connect_set_catalogue_key(t, s, &identity);
    mcti_buf_done(&identity);
}

static void connect_set_answerer(struct mcti_target_server *t, const struct mcti_config_server *s)
{
    if (t->env->answerer)
        t->answerer = *t->env->answerer;
    t->roots = t->env->asks_roots ? NULL : make_roots(t->env->roots, s->cwd);
    t->answerer.roots = t->roots;
    t->answerer.own = mcti_connect_login_extensions(t->login);
    if (s->extensions == MCT_EXTENSIONS_NONE)
        t->answerer.open = MCT_STR_NONE;
}

/* Sets the properties that the hub needs and the connection does not. */
static void set_flags(struct mcti_provider *p, const struct mcti_connect_kind *kind, const struct mcti_config *c,
                      const struct mcti_config_server *s)
{
    p->required = s->required;
    p->trusted = s->trusted;
    p->external = s->external;
    p->is_attached = kind == &mcti_connect_attached;
    p->only_one = c->n_servers == 1;
    p->hosts_plugins = kind->hosts_plugins;
    p->hooks_pass = s->hooks_if_down == MCT_HOOKS_PASS;
    p->has_credentials = s->auth_type == MCT_AUTH_BEARER || s->auth_type == MCT_AUTH_API_KEY;
    p->resource_tools = s->resource_tools;
}

/* The gateway speaks both eras: the server's own is used, because nothing is lost on the way then. What else the entry
 * says about connections is the gateway's. */
static void be_attached(struct mcti_target_server *t, struct mcti_mcp_opts *opts)
{
    const struct mcti_connect_attach *attach = t->env->attach;
    bool stateless = false;
    attach->has(attach->data, t->name, &stateless);
    t->wait_ms = opts->start_timeout_ms - opts->start_timeout_ms / 8; /* so that its answer says more */
    opts->era = stateless ? MCT_ERA_STATELESS : MCT_ERA_HANDSHAKE;
    opts->rev = MCT_REV_NONE;
    opts->isolation = MCT_SHARED;
    opts->match = MCT_MATCH_NONE;
    opts->by_capabilities = opts->replay = opts->retry_reads = false;
    opts->ping_ms = opts->idle_ms = 0;
    opts->lazy = false;
}

static int copy_strings(struct mcti_strings *to, const struct mcti_strings *from)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < from->n; i++)
        r = mcti_strings_add(to, mcti_str_of(from->v[i]));
    return r;
}

static unsigned call_limit_ms(const struct mcti_config *c, const struct mcti_config_server *s)
{
    return s->timeout_ms ? s->timeout_ms : c->call_timeout_ms;
}

static struct mcti_gate_opts connect_gate(const struct mcti_config *c, const struct mcti_config_server *s)
{
    return (struct mcti_gate_opts){ .max_calls = s->max_calls ? s->max_calls : c->server_calls,
                                    .max_waiting = c->server_queue,
                                    .rate = s->rate,
                                    .breaker = { s->breaker ? c->breaker_failures : 0, c->breaker_pause_ms } };
}

void mcti_connect_retime(const struct mcti_config *c, const struct mcti_config_server *s, bool restart,
                         struct mcti_provider *p)
{
    struct mcti_start_limits limits = mcti_connect_start_limits(c, s, restart);
    const struct mcti_mcp_times times = { limits.start_ms, limits.page_ms, limits.settle_ms, call_limit_ms(c, s) };
    const struct mcti_gate_opts gate = connect_gate(c, s);
    mcti_provider_mcp_retime(p, &times, &gate);
}

static bool connect_is_lazy(const struct mcti_config *c, const struct mcti_config_server *s)
{
    return (s->lifecycle ? s->lifecycle : c->lifecycle) == MCT_LIFECYCLE_LAZY;
}

static unsigned connect_idle_ms(const struct mcti_config *c, const struct mcti_config_server *s, bool lazy)
{
    unsigned ms = s->idle_ms != MCT_IDLE_PRESET ? s->idle_ms : c->idle_ms;
    return ms != MCT_IDLE_PRESET ? ms : lazy ? MCT_LAZY_IDLE_MS : 0;
}

/* Makes a provider that speaks MCP over the transports of the kind. */
static struct mcti_provider *make_mcp(const struct mcti_connect_kind *kind, const struct mcti_config *c,
                                      const struct mcti_config_server *s, struct mcti_connect_env *env,
                                      struct mcti_registry *r)
{
    struct mcti_target_server *t = kind->new ();
    if (!t)
        return NULL;
    t->kind = kind;
    if (!env->inherited)
        env->inherited = calloc(1, sizeof *env->inherited); /* without it each server has its own */
    t->env = env;
    t->config = c;
    t->inherit = &c->env_inherit;
    t->message_bytes = c->message_bytes;
    t->requests = c->server_requests;
    if (copy_strings(&t->allow, &s->allow) < 0 || copy_strings(&t->deny, &s->deny) < 0) {
        free_target(t);
        return NULL;
    }
    connect_resolve(t, s);
    connect_set_answerer(t, s);
    struct mcti_stored stored;
    bool lazy = connect_is_lazy(c, s) && !kind->hosts_plugins;
    struct mcti_start_limits limits = mcti_connect_start_limits(c, s, env->restart);
    struct mcti_mcp_opts opts = {
        .connect = do_connect,
        .found = connect_on_found,
        .listed = connect_on_listed,
        .lazy = lazy,
        .idle_ms = kind->hosts_plugins ? 0 : connect_idle_ms(c, s, lazy),
        .explain = connect_explain,
        .free_data = free_target,
        .data = t,
        .n_variants = kind->n_variants,
        .handshake_variants = kind->handshake_variants,
        .sched = &env->loop->sched,
        .start_timeout_ms = limits.start_ms,
        .page_timeout_ms = limits.page_ms,
        .settle_ms = limits.settle_ms,
        .call_timeout_ms = call_limit_ms(c, s),
        .ping_ms = s->ping_ms != MCT_PING_PRESET ? s->ping_ms
                   : kind->hosts_plugins         ? MCT_HOST_PING_MS
                                                 : 0,
        .message_bytes = c->message_bytes,
        .answerer = &t->answerer,
        .isolation = s->isolation,
        .extensions = s->extensions,
        .by_capabilities = s->capabilities == MCT_CAPABILITIES_CLIENT,
        .era = s->protocol.era,
        .rev = s->protocol.rev,
        .match = s->protocol.match,
        .gate = connect_gate(c, s),
        .restart = env->restart && !t->error.kind,
        .log_failures = env->restart && !s->error.kind, /* a mistake in the entry was reported */
        .retry_reads = s->retry_reads,
        .replay = s->replay_idempotent,
        .always_progress = s->progress == MCT_PROGRESS_ALWAYS,
        .only_different = s->list_changed == MCT_LIST_CHANGED_DIFFERENT,
        .allow = (const char *const *)t->allow.v,
        .n_allow = t->allow.n,
        .deny = (const char *const *)t->deny.v,
        .n_deny = t->deny.n,
    };
    if (kind == &mcti_connect_attached)
        be_attached(t, &opts);
    if (kind->hosts_plugins)
        opts.match = MCT_MATCH_NONE; /* its hooks and tools must be those of one process */
    if (env->verdicts && t->verdict_key[0] && kind != &mcti_connect_attached)
        mcti_verdicts_get(env->verdicts, t->verdict_key, &opts.known);
    if (env->catalogue && t->catalogue_key[0] && (lazy || env->shows_stored) &&
        mcti_catalogue_get(env->catalogue, t->catalogue_key, env->log, &stored))
        opts.stored = &stored;
    struct mcti_provider *p = mcti_provider_mcp_new(s->name, &opts, env->log);
    if (p && t->login)
        mcti_connect_login_attach(t->login, p, r);
    return p;
}

struct mcti_provider *mcti_connect_make(const struct mcti_config *c, const struct mcti_config_server *s,
                                        struct mcti_connect_env *env, struct mcti_registry *r)
{
    const struct mcti_connect_kind *kind = connect_kind_of(s, env);
    struct mcti_provider *p = kind->make ? kind->make(c, s, env, r) : make_mcp(kind, c, s, env, r);
    if (p)
        set_flags(p, kind, c, s);
    return p;
}

int mcti_connect_server(const struct mcti_config *c, const struct mcti_config_server *s, struct mcti_connect_env *env,
                        struct mcti_registry *r)
{
    return mcti_registry_add(r, mcti_connect_make(c, s, env, r));
}

void mcti_connect_done(struct mcti_connect_env *env)
{
    mcti_connect_logins_free(env->logins);
    env->logins = NULL;
    mcti_http_client_free(env->http);
    env->http = NULL;
    if (env->inherited)
        mcti_strings_clear(env->inherited);
    free(env->inherited);
    env->inherited = NULL;
}
