/* Which dialects there are, and what a view offers of them. */
#include "resources/dialect/impl.h"

#include "base/limits.h"

#include <stdlib.h>

struct dialect_offer {
    const struct dialect_tool *tool;               /* NULL: a server's own */
    const struct dialect_server_tool *server_tool; /* of `server` */
    struct mct_provider *server;
    const struct dialect *dialect;
    struct mct_dialects *set;
    struct mct_map_node by_id; /* of its item */
};

static const struct dialect servers = { .name = "servers", .follows = 1u << MCT_RESOURCE };

/* A dialect's bit is its place in here. */
static const struct dialect *const dialects[] = { &dialect_nexo, &dialect_codex, &dialect_bridge, &dialect_claude,
                                                  &dialect_lines, &servers };

enum { N_DIALECTS = sizeof dialects / sizeof *dialects };

const struct mct_dialect_opts mct_dialect_defaults = {
    .list_max = 200, .list_ceiling = 10000, .read_max = 262144, .read_ceiling = 16u << 20,
    .list_ms = 30000, .read_ms = 60000, .grace_ms = 5000, .settle_ms = 10000, .max_pages = 64, .shown = 1000,
};

/* ---- words ---- */

unsigned mct_dialect_find(struct mct_str name)
{
    for (unsigned i = 0; i < N_DIALECTS; i++)
        if (mct_str_is(name, dialects[i]->name))
            return 1u << i;
    return 0;
}

const char *mct_dialect_name(unsigned i)
{
    return i < N_DIALECTS ? dialects[i]->name : NULL;
}

int mct_dialects_read(struct mct_str words, unsigned *ret_bits, struct mct_error *err)
{
    struct mct_str word;
    unsigned bits = 0;
    while (mct_str_split(&words, ',', &word)) {
        unsigned bit = mct_dialect_find(mct_str_trim(word));
        if (!bit)
            return mct_fail(err, MCT_ERR_USAGE, "unknown dialect '%.*s': it must be " MCT_DIALECT_WORDS,
                            MCT_STR_ARG(word));
        bits |= bit;
    }
    *ret_bits = bits;
    return 0;
}

/* ---- what is offered ---- */

static void on_cancel(struct mct_local_request *request, void *data)
{
    (void)request;
    dialect_call_done(data);
}

static struct dialect_call call_of(const struct dialect_offer *o, struct mct_str params)
{
    return (struct dialect_call){
        .set = o->set, .server = o->server, .args = mct_json_get(params, "arguments"),
        .started_ms = mct_sched_now(o->set->view->registry->sched),
    };
}

/* True: it is refused, and *refusal, which the caller frees, says why. */
static bool is_refused(const struct dialect_offer *o, const struct dialect_call *c, struct mct_buf *refusal)
{
    dialect_check_fn *check = o->tool ? o->tool->check : o->server_tool->check;
    mct_buf_init(refusal, MCT_LIMIT_MESSAGE_BYTES);
    if (check)
        check(c, refusal);
    return refusal->len || refusal->failed;
}

static void on_call(struct mct_local_request *request, void *data)
{
    const struct dialect_offer *o = data;
    const struct mct_dialects *set = o->set;
    struct dialect_call *c = mct_local_memory(request, sizeof *c);
    struct mct_buf refusal;
    if (!c) {
        mct_local_text_error(request, MCT_NO_MEMORY_TEXT);
        return;
    }
    *c = call_of(o, mct_local_params(request));
    c->request = request;
    c->reach = (struct mct_reach){
        .view = set->view, .behalf = mct_local_call(request), .connect = set->connect,
        .uri_allow = set->opts.uri_allow, .n_uri_allow = set->opts.n_uri_allow, .settle_ms = set->opts.settle_ms,
        .cache = set->opts.cache,
    };
    if (is_refused(o, c, &refusal)) {
        dialect_refuse_buf(c, &refusal);
        return;
    }
    mct_buf_done(&refusal);
    mct_local_on_cancel(request, on_cancel, c);
    (o->tool ? o->tool->run : o->server_tool->run)(c);
}

static void put_server_tool(const struct dialect_offer *o, struct mct_buf *to)
{
    struct mct_buf name;
    mct_buf_init(&name, 65536);
    mct_buf_printf(&name, "%s/%s", o->server->name, o->server_tool->name); /* no server's name has a slash */
    mct_buf_addc(to, '{');
    mct_json_put_member(to, "name", mct_buf_str(&name));
    mct_buf_clear(&name);
    mct_buf_printf(&name, "[mcp:%s] %s", o->server->name, o->server_tool->description);
    mct_json_put_member(to, "description", mct_buf_str(&name));
    mct_json_put_raw(to, "inputSchema", mct_str_of(o->server_tool->schema));
    mct_json_put_raw(to, "annotations", MCT_STR("{\"readOnlyHint\":true}"));
    mct_buf_addc(to, '}');
    mct_buf_done(&name);
}

/* The item of the last offer has just been added. */
static void index_last(struct mct_dialects *set)
{
    const struct mct_items *items = &set->own.provider->items[MCT_TOOL];
    struct mct_str id = items->v[items->n - 1]->id;
    if (mct_map_put(&set->by_id, &set->offers[set->n_offers].by_id, id) == 0)
        set->n_offers++;
    else
        mct_local_remove(set->own.provider, MCT_TOOL, id.p);
}

static void offer(struct mct_dialects *set, struct dialect_offer o)
{
    struct mct_buf b;
    struct mct_error err;
    if (set->n_offers == set->cap)
        return;
    struct dialect_offer *at = &set->offers[set->n_offers];
    *at = o;
    at->set = set;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    if (!o.tool)
        put_server_tool(at, &b);
    else if (o.tool->json)
        mct_json_put_compact(&b, mct_str_of(o.tool->json)); /* models pay for white space */
    else
        o.tool->put(set, &b);
    char *json = mct_buf_take(&b);
    if (json && mct_local_add(set->own.provider, MCT_TOOL, json, on_call, at, &err) == 0)
        index_last(set);
    free(json);
}

/* ---- what is told of a call ---- */

static const struct dialect_offer *find_offer(const struct mct_dialects *set, struct mct_str id)
{
    struct mct_map_node *n = mct_map_get(&set->by_id, id);
    return n ? MCT_CONTAINER(n, struct dialect_offer, by_id) : NULL;
}

static const struct dialect_offer *called(const struct mct_dialects *set, const struct mct_call *call)
{
    char *name = mct_json_dup(call->subject.value.p ? call->subject.value : mct_json_get(call->params, "name"));
    const struct dialect_offer *o = name ? find_offer(set, mct_str_of(name)) : NULL;
    free(name);
    return o;
}

/* Which server the call is about; the name of the dialect where it is about all. */
static const char *subject_of(const struct mct_dialects *set, const struct dialect_offer *o, struct mct_str args)
{
    static const char *const keys[] = { "server", "server_name" };
    if (o->server)
        return o->server->name;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t i = 0; i < mct_view_n_providers(set->view); i++)
            if (mct_json_is(mct_json_get(args, keys[k]), mct_view_provider(set->view, i)->name))
                return mct_view_provider(set->view, i)->name;
    return o->dialect->name;
}

static int on_provider_call(struct mct_provider *p, struct mct_call *call, struct mct_error *err)
{
    struct mct_dialects *set = MCT_CONTAINER(p->ops, struct mct_dialects, ops);
    const struct dialect_offer *o = call->events ? called(set, call) : NULL;
    struct mct_buf refusal;
    if (o) {
        struct dialect_call c = call_of(o, call->params);
        call->event_server = subject_of(set, o, c.args);
        if (is_refused(o, &c, &refusal))
            call->events = NULL;
        mct_buf_done(&refusal);
    }
    return set->local_ops->call(p, call, err);
}

/* ---- which tools there are ---- */

static bool has_own(const struct mct_dialects *set, const struct mct_provider *p)
{
    bool asked = set->chosen & mct_dialect_find(MCT_STR("servers"));
    return (p->resource_tools == MCT_RESOURCE_TOOLS_ALWAYS || (asked && p->resource_tools != MCT_RESOURCE_TOOLS_NEVER)) &&
           mct_server_can(&p->info, "resources", NULL);
}

static void clear(struct mct_dialects *set)
{
    const struct mct_items *items = &set->own.provider->items[MCT_TOOL];
    mct_map_done(&set->by_id);
    mct_map_init(&set->by_id);
    while (items->n)
        mct_local_remove(set->own.provider, MCT_TOOL, items->v[0]->id.p);
    set->n_offers = 0;
}

static void offer_all(struct mct_dialects *set, const struct dialect *d)
{
    for (size_t k = 0; k < d->n_tools; k++)
        offer(set, (struct dialect_offer){ .tool = &d->tools[k], .dialect = d });
}

static void on_renew(struct mct_view_own *own)
{
    struct mct_dialects *set = MCT_CONTAINER(own, struct mct_dialects, own);
    clear(set);
    if (set->all.registry)
        offer_all(set, &dialect_search);
    for (unsigned i = 0; i < N_DIALECTS; i++)
        if ((set->chosen & 1u << i) && (!dialects[i]->offered || dialects[i]->offered(set)))
            offer_all(set, dialects[i]);
    for (size_t i = 0; i < mct_view_n_providers(set->view); i++)
        for (size_t k = 0; k < DIALECT_SERVER_TOOLS && has_own(set, mct_view_provider(set->view, i)); k++)
            offer(set, (struct dialect_offer){ .server_tool = &dialect_server_tools[k],
                                               .server = mct_view_provider(set->view, i) });
}

static struct mct_view *on_unwrap(struct mct_view_own *own, const struct mct_item *item, struct mct_str args,
                                  struct mct_str *ret_name, struct mct_str *ret_args)
{
    struct mct_dialects *set = MCT_CONTAINER(own, struct mct_dialects, own);
    const struct dialect_offer *o = find_offer(set, item->id);
    if (!o->tool || !o->tool->wraps || !dialect_unwraps(args))
        return NULL;
    *ret_name = mct_json_get(args, "name");
    *ret_args = mct_json_get(args, "arguments");
    return &set->all;
}

static bool on_tells_all(struct mct_view_own *own, const struct mct_item *item)
{
    const struct dialect_offer *o = find_offer(MCT_CONTAINER(own, struct mct_dialects, own), item->id);
    return o->tool && o->tool->tells_all;
}

static struct mct_name_in on_name(const struct mct_view_own *own, const struct mct_item *item)
{
    const struct mct_dialects *set = MCT_CONTAINER((struct mct_view_own *)own, struct mct_dialects, own);
    const struct dialect_offer *o = find_offer(set, item->id);
    if (o->tool)
        return (struct mct_name_in){ .raw = item->id, .fixed = true };
    return (struct mct_name_in){ .server = mct_str_of(o->server->name), .raw = mct_str_of(o->server_tool->name) };
}

/* ---- life ---- */

static void on_free(struct mct_view_own *own)
{
    struct mct_dialects *set = MCT_CONTAINER(own, struct mct_dialects, own);
    if (own->provider)
        own->provider->ops->free(own->provider);
    mct_map_done(&set->by_id);
    if (set->all.registry)
        mct_view_done(&set->all);
    free(set->offers);
    free(set);
}

static bool any_always(const struct mct_view *v)
{
    for (size_t i = 0; i < mct_view_n_providers(v); i++)
        if (mct_view_provider(v, i)->resource_tools == MCT_RESOURCE_TOOLS_ALWAYS)
            return true;
    return false;
}

/* Tools of the dialects, and of each server. */
static size_t most_offers(const struct mct_dialects *set)
{
    size_t n = DIALECT_SERVER_TOOLS * mct_view_n_providers(set->view) + dialect_search.n_tools;
    for (unsigned i = 0; i < N_DIALECTS; i++)
        n += dialects[i]->n_tools;
    return n;
}

static unsigned follows(const struct mct_view *v, unsigned chosen)
{
    unsigned kinds = 0;
    for (unsigned i = 0; i < N_DIALECTS; i++)
        kinds |= chosen & 1u << i ? dialects[i]->follows : 0;
    return kinds | (any_always(v) ? servers.follows : 0);
}

/* The same servers under the same names, without tools of its own. */
static int open_all(struct mct_dialects *set)
{
    const struct mct_view *v = set->view;
    const char **names = calloc(v->n_only ? v->n_only : 1, sizeof *names);
    for (size_t i = 0; names && v->only && i < v->n_only; i++)
        names[i] = v->only[i]->name;
    const struct mct_view_opts opts = { .naming = &v->naming, .only = names, .n_only = v->n_only,
                                        .ruled = v->ruled, .of = v->of };
    int r = names ? mct_view_init(&set->all, v->registry, &opts) : -1;
    free(names);
    return r;
}

int mct_dialects_attach(struct mct_view *v, const struct mct_offer *offered, const struct mct_dialect_opts *opts,
                        mct_connect_fn connect, const struct mct_log *log)
{
    if (!offered->dialects && !offered->alone && !any_always(v))
        return 0;
    struct mct_dialects *set = calloc(1, sizeof *set);
    if (!set)
        return -1;
    *set = (struct mct_dialects){ .view = v, .chosen = offered->dialects, .opts = *opts, .connect = connect, .log = log };
    mct_map_init(&set->by_id);
    set->cap = most_offers(set);
    set->offers = calloc(set->cap ? set->cap : 1, sizeof *set->offers);
    set->own = (struct mct_view_own){
        .provider = mct_provider_local_new("mcptools", v->registry->sched, log), .alone = offered->alone,
        .follows = follows(v, offered->dialects), .renew = on_renew, .name = on_name, .unwrap = on_unwrap, .tells_all = on_tells_all, .free = on_free,
    };
    if (!set->offers || !set->own.provider || (offered->search && open_all(set) < 0)) {
        on_free(&set->own);
        return -1;
    }
    struct mct_provider *p = set->own.provider;
    set->local_ops = p->ops;
    set->ops = *p->ops;
    set->ops.call = on_provider_call;
    p->ops = &set->ops;
    p->state = MCT_CONNECTED;
    p->settled = p->read_only = true;
    v->own = &set->own;
    v->generation = 0; /* what it shows is not what it was */
    return 0;
}
