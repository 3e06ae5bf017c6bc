/* The table of dialects, and the tools that a view offers. */
#include "resources/dialect/impl.h"

#include "base/limits.h"
#include "hub/results/results.h"

#include <stdlib.h>

struct dialect_offer {
    const struct mcti_dialect_tool *tool;               /* NULL: a tool of a single server */
    const struct mcti_dialect_server_tool *server_tool; /* of `server` */
    struct mcti_provider *server;
    const struct mcti_dialect *dialect;
    struct mcti_dialects *set;
    struct mcti_map_node by_id; /* by the id of its item */
};

static const struct mcti_dialect servers = { .name = "servers", .follows = 1u << MCT_RESOURCE };

/* The index of a dialect is the number of its bit. */
static const struct mcti_dialect *const dialects[] = { &mcti_dialect_nexo,   &mcti_dialect_codex, &mcti_dialect_bridge,
                                                       &mcti_dialect_claude, &mcti_dialect_lines, &servers,
                                                       &mcti_dialect_skills };

enum { N_DIALECTS = sizeof dialects / sizeof *dialects };

const struct mcti_dialect_opts mcti_dialect_defaults = {
    .list_max = 200,
    .list_ceiling = 10000,
    .read_max = 262144,
    .read_ceiling = 16u << 20,
    .list_ms = 30000,
    .read_ms = 60000,
    .settle_ms = 30000,
    .max_pages = 64,
    .shown = 1000,
    .auth_tool = true,
};

const struct mcti_word mcti_told_words[] = {
    { "late", MCT_TOLD_LATE }, { "all", MCT_TOLD_ALL }, { "none", MCT_TOLD_NONE }, { 0 }
};

static const char prompt_json[] =
    MCT_JSON({
    "name": "resource_access_guidelines",
    "title": "Resource access guidelines",
    "description": "The resources known at the moment, and the tools to read them with, as a block for a system prompt."
});

/* ---- names ---- */

unsigned mcti_dialect_find(struct mcti_str name)
{
    for (unsigned i = 0; i < N_DIALECTS; i++)
        if (mcti_str_is(name, dialects[i]->name))
            return 1u << i;
    return 0;
}

const char *mcti_dialect_name(unsigned i)
{
    return i < N_DIALECTS ? dialects[i]->name : NULL;
}

int mcti_dialects_read(struct mcti_str words, unsigned *ret_bits, struct mct_error *err)
{
    struct mcti_str word;
    unsigned bits = 0;
    while (mcti_str_split(&words, ',', &word)) {
        unsigned bit = mcti_dialect_find(mcti_str_trim(word));
        if (!bit)
            return mcti_fail(err, MCT_ERR_USAGE, "unknown dialect '%.*s': it must be " MCT_DIALECT_WORDS,
                             MCT_STR_ARG(word));
        bits |= bit;
    }
    *ret_bits = bits;
    return 0;
}

/* ---- offering ---- */

static void offer_on_cancel(struct mcti_local_request *request, void *data)
{
    (void)request;
    mcti_dialect_call_done(data);
}

static struct mcti_dialect_call call_of(const struct dialect_offer *o, struct mcti_str params)
{
    return (struct mcti_dialect_call){
        .set = o->set,
        .server = o->server,
        .args = mcti_json_get(params, "arguments"),
        .started_ms = mcti_sched_now(o->set->view->registry->sched),
    };
}

/* Returns true if the call is refused; *refusal then has the reason. The caller frees *refusal in either case. */
static bool offer_is_refused(const struct dialect_offer *o, const struct mcti_dialect_call *c, struct mcti_buf *refusal)
{
    mcti_dialect_check_fn *check = o->tool ? o->tool->check : o->server_tool->check;
    mcti_buf_init(refusal, MCT_LIMIT_MESSAGE_BYTES);
    if (check)
        check(c, refusal);
    return refusal->len || refusal->failed;
}

/* Prepares a call for its request, with a reach on behalf of the client. */
static void offer_open_call(struct mcti_dialect_call *c, const struct dialect_offer *o,
                            struct mcti_local_request *request)
{
    const struct mcti_dialects *set = o->set;
    *c = call_of(o, mcti_local_params(request));
    c->request = request;
    c->reach = (struct mcti_reach){
        .view = set->view,
        .behalf = mcti_local_call(request),
        .connect = set->connect,
        .uri_allow = set->opts.uri_allow,
        .n_uri_allow = set->opts.n_uri_allow,
        .settle_ms = set->opts.settle_ms,
        .cache = set->opts.cache,
        .results = set->opts.results,
    };
}

static void offer_on_call(struct mcti_local_request *request, void *data)
{
    const struct dialect_offer *o = data;
    struct mcti_dialect_call *c = mcti_local_memory(request, sizeof *c);
    struct mcti_buf refusal;
    if (!c) {
        mcti_local_text_error(request, MCT_NO_MEMORY_TEXT);
        return;
    }
    offer_open_call(c, o, request);
    if (offer_is_refused(o, c, &refusal)) {
        mcti_dialect_refuse_buf(c, &refusal);
        return;
    }
    mcti_buf_done(&refusal);
    mcti_local_on_cancel(request, offer_on_cancel, c);
    (o->tool ? o->tool->run : o->server_tool->run)(c);
}

static void put_server_tool(const struct dialect_offer *o, struct mcti_buf *to)
{
    struct mcti_buf name;
    mcti_buf_init(&name, 65536);
    mcti_buf_printf(&name, "%s/%s", o->server->name, o->server_tool->name); /* names of servers contain no slash */
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "name", mcti_buf_str(&name));
    mcti_buf_clear(&name);
    mcti_buf_printf(&name, "[mcp:%s] %s", o->server->name, o->server_tool->description);
    mcti_json_put_member(to, "description", mcti_buf_str(&name));
    mcti_json_put_raw(to, "inputSchema", mcti_str_of(o->server_tool->schema));
    mcti_json_put_raw(to, "annotations", MCT_STR("{\"readOnlyHint\":true}"));
    mcti_buf_addc(to, '}');
    mcti_buf_done(&name);
}

/* Indexes the last offer, whose item has just been added. */
static void index_last(struct mcti_dialects *set)
{
    const struct mcti_items *items = &set->own.provider->items[MCT_TOOL];
    struct mcti_str id = mcti_item_id(items->v[items->n - 1]);
    if (mcti_map_put(&set->by_id, &set->offers[set->n_offers].by_id, id) == 0)
        set->n_offers++;
    else
        mcti_local_remove(set->own.provider, MCT_TOOL, id.p);
}

/* Returns the text without white space, which costs tokens; frees the buffer. */
static char *offer_take_compact(struct mcti_buf *b)
{
    struct mcti_buf compact;
    mcti_buf_init(&compact, MCT_LIMIT_MESSAGE_BYTES);
    if (mcti_buf_ok(b))
        mcti_json_put_compact(&compact, mcti_buf_str(b));
    compact.failed |= !mcti_buf_ok(b);
    mcti_buf_done(b);
    return mcti_buf_take(&compact);
}

static void offer_add(struct mcti_dialects *set, struct dialect_offer o)
{
    struct mcti_buf b;
    struct mct_error err;
    if (set->n_offers == set->cap)
        return;
    struct dialect_offer *at = &set->offers[set->n_offers];
    *at = o;
    at->set = set;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    if (!o.tool)
        put_server_tool(at, &b);
    else if (o.tool->json)
        mcti_buf_addz(&b, o.tool->json);
    else
        o.tool->put(set, &b);
    char *json = offer_take_compact(&b);
    if (json && mcti_local_add(set->own.provider, MCT_TOOL, json, offer_on_call, at, &err) == 0)
        index_last(set);
    free(json);
}

/* ---- events of a call ---- */

static const struct dialect_offer *find_offer(const struct mcti_dialects *set, struct mcti_str id)
{
    struct mcti_map_node *n = mcti_map_get(&set->by_id, id);
    return n ? MCT_CONTAINER(n, struct dialect_offer, by_id) : NULL;
}

static const struct dialect_offer *offer_called(const struct mcti_dialects *set, const struct mcti_call *call)
{
    char *name = mcti_json_dup(call->subject.value.p ? call->subject.value : mcti_json_get(call->params, "name"));
    const struct dialect_offer *o = name ? find_offer(set, mcti_str_of(name)) : NULL;
    free(name);
    return o;
}

/* Returns the name of the server that the call concerns, or of the dialect if it concerns all servers. */
static const char *offer_subject_of(const struct mcti_dialects *set, const struct dialect_offer *o,
                                    struct mcti_str args)
{
    static const char *const keys[] = { "server", "server_name" };
    if (o->server)
        return o->server->name;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const struct mcti_dialect_call c = { .args = args };
        char *named = mcti_dialect_trimmed(&c, keys[k]);
        const struct mcti_provider *p = named ? mcti_dialect_server_named(set, named) : NULL;
        free(named);
        if (p)
            return p->name;
    }
    return o->dialect->name;
}

static int offer_on_provider_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err)
{
    struct mcti_dialects *set = MCT_CONTAINER(p->ops, struct mcti_dialects, ops);
    const struct dialect_offer *o = call->events ? offer_called(set, call) : NULL;
    struct mcti_buf refusal;
    if (o) {
        struct mcti_dialect_call c = call_of(o, call->params);
        call->event_server = offer_subject_of(set, o, c.args);
        if (offer_is_refused(o, &c, &refusal))
            call->events = NULL;
        mcti_buf_done(&refusal);
    }
    return set->local_ops->call(p, call, err);
}

/* ---- the set of tools ---- */

static bool has_own(const struct mcti_dialects *set, const struct mcti_provider *p)
{
    bool chosen = set->chosen & mcti_dialect_find(MCT_STR("servers"));
    return (p->resource_tools == MCT_RESOURCE_TOOLS_ALWAYS ||
            (chosen && p->resource_tools != MCT_RESOURCE_TOOLS_NEVER)) &&
           mcti_server_can(&p->info, "resources", NULL);
}

static void offer_clear(struct mcti_dialects *set)
{
    static const enum mcti_kind kinds[] = { MCT_TOOL, MCT_PROMPT };
    mcti_map_done(&set->by_id);
    mcti_map_init(&set->by_id);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (const struct mcti_items *items = &set->own.provider->items[kinds[i]]; items->n;)
            mcti_local_remove(set->own.provider, kinds[i], mcti_item_id(items->v[0]).p);
    set->n_offers = 0;
}

static void offer_all(struct mcti_dialects *set, const struct mcti_dialect *d)
{
    for (size_t k = 0; k < d->n_tools; k++)
        if (!d->tools[k].offered || d->tools[k].offered(set))
            offer_add(set, (struct dialect_offer){ .tool = &d->tools[k], .dialect = d });
}

/* ---- instructions, and the prompt with the same text ---- */

static void offer_on_instruct(const struct mcti_view_own *own, struct mcti_buf *to)
{
    const struct mcti_dialects *set = MCT_CONTAINER((struct mcti_view_own *)own, struct mcti_dialects, own);
    for (unsigned i = 0; i < N_DIALECTS; i++)
        if ((set->chosen & 1u << i) && dialects[i]->instruct)
            dialects[i]->instruct(set, to);
}

static void offer_on_prompt(struct mcti_local_request *request, void *data)
{
    const struct mcti_dialects *set = data;
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    offer_on_instruct(&set->own, &b);
    struct mcti_str text = mcti_str_trim_white(mcti_buf_str(&b));
    mcti_local_prompt(request, "%.*s", MCT_STR_ARG(text.len ? text : MCT_STR("No MCP resources are known.")));
    mcti_buf_done(&b);
}

/* Returns the chosen dialect with a prompt of its own; NULL: none. */
static const struct mcti_dialect *offer_prompting(unsigned chosen)
{
    const struct mcti_dialect *found = NULL;
    for (unsigned i = 0; i < N_DIALECTS; i++)
        found = (chosen & 1u << i) && dialects[i]->prompt ? dialects[i] : found;
    return found;
}

static void offer_on_own_prompt(struct mcti_local_request *request, void *data)
{
    struct mcti_dialects *set = data;
    const struct dialect_offer o = { .set = set, .dialect = offer_prompting(set->chosen) };
    struct mcti_dialect_call *c = mcti_local_memory(request, sizeof *c);
    if (!c) {
        mcti_local_fail(request, MCT_RPC_INTERNAL, MCT_NO_MEMORY_TEXT, MCT_STR_NONE);
        return;
    }
    offer_open_call(c, &o, request);
    mcti_local_on_cancel(request, offer_on_cancel, c);
    o.dialect->run_prompt(c);
}

static bool offer_instructs(unsigned chosen)
{
    bool has = false;
    for (unsigned i = 0; i < N_DIALECTS; i++)
        has |= (chosen & 1u << i) && dialects[i]->instruct;
    return has;
}

static void offer_prompt(struct mcti_dialects *set)
{
    const struct mcti_dialect *d = offer_prompting(set->chosen);
    struct mct_error err;
    if (offer_instructs(set->chosen))
        mcti_local_add(set->own.provider, MCT_PROMPT, prompt_json, offer_on_prompt, set, &err);
    if (d)
        mcti_local_add(set->own.provider, MCT_PROMPT, d->prompt, offer_on_own_prompt, set, &err);
}

static void offer_on_renew(struct mcti_view_own *own)
{
    struct mcti_dialects *set = MCT_CONTAINER(own, struct mcti_dialects, own);
    offer_clear(set);
    if (set->all.registry)
        offer_all(set, &mcti_dialect_search);
    if (mcti_results_on(set->opts.results))
        offer_all(set, &mcti_dialect_results);
    for (unsigned i = 0; i < N_DIALECTS; i++)
        if (set->chosen & 1u << i)
            offer_all(set, dialects[i]);
    offer_prompt(set);
    for (size_t i = 0; i < mcti_view_n_providers(set->view); i++)
        for (size_t k = 0; k < DIALECT_SERVER_TOOLS && has_own(set, mcti_view_provider(set->view, i)); k++)
            offer_add(set, (struct dialect_offer){ .server_tool = &mcti_dialect_server_tools[k],
                                                   .server = mcti_view_provider(set->view, i) });
}

static struct mcti_view *offer_on_unwrap(struct mcti_view_own *own, const struct mcti_item *item, struct mcti_str args,
                                         struct mcti_str *ret_name, struct mcti_str *ret_args)
{
    struct mcti_dialects *set = MCT_CONTAINER(own, struct mcti_dialects, own);
    const struct dialect_offer *o = find_offer(set, mcti_item_id(item));
    if (!o->tool || !o->tool->wraps || !mcti_dialect_unwraps(args))
        return NULL;
    *ret_name = mcti_json_get(args, "name");
    *ret_args = mcti_json_get(args, "arguments");
    return &set->all;
}

static struct mcti_view *offer_on_inner(struct mcti_view_own *own)
{
    struct mcti_dialects *set = MCT_CONTAINER(own, struct mcti_dialects, own);
    return set->all.registry ? &set->all : NULL; /* open_all() has made it */
}

static bool offer_on_lists_all(struct mcti_view_own *own, const struct mcti_item *item)
{
    const struct dialect_offer *o = find_offer(MCT_CONTAINER(own, struct mcti_dialects, own), mcti_item_id(item));
    return !o || (o->tool && o->tool->lists_all); /* the prompt names the resources of all servers */
}

static bool offer_on_is_unlisted(const struct mcti_view_own *own, const struct mcti_item *item)
{
    const struct mcti_dialects *set = MCT_CONTAINER((struct mcti_view_own *)own, struct mcti_dialects, own);
    const struct dialect_offer *o = find_offer(set, mcti_item_id(item));
    return o->dialect && o->dialect->listed && !o->dialect->listed(set);
}

static struct mcti_name_in offer_on_name(const struct mcti_view_own *own, const struct mcti_item *item)
{
    const struct mcti_dialects *set = MCT_CONTAINER((struct mcti_view_own *)own, struct mcti_dialects, own);
    const struct dialect_offer *o = item->kind == MCT_TOOL ? find_offer(set, mcti_item_id(item)) : NULL;
    if (!o || o->tool)
        return (struct mcti_name_in){ .raw = mcti_item_id(item), .fixed = true };
    return (struct mcti_name_in){ .server = mcti_str_of(o->server->name), .raw = mcti_str_of(o->server_tool->name) };
}

/* ---- life ---- */

static void offer_on_free(struct mcti_view_own *own)
{
    struct mcti_dialects *set = MCT_CONTAINER(own, struct mcti_dialects, own);
    if (own->provider)
        own->provider->ops->free(own->provider);
    mcti_map_done(&set->by_id);
    if (set->all.registry)
        mcti_view_done(&set->all);
    free(set->offers);
    free(set);
}

static bool any_always(const struct mcti_view *v)
{
    for (size_t i = 0; i < mcti_view_n_providers(v); i++)
        if (mcti_view_provider(v, i)->resource_tools == MCT_RESOURCE_TOOLS_ALWAYS)
            return true;
    return false;
}

/* Returns the largest possible number of offers: the tools of all dialects and of each server. */
static size_t most_offers(const struct mcti_dialects *set)
{
    size_t n = DIALECT_SERVER_TOOLS * mcti_view_n_providers(set->view) + mcti_dialect_search.n_tools +
               mcti_dialect_results.n_tools;
    for (unsigned i = 0; i < N_DIALECTS; i++)
        n += dialects[i]->n_tools;
    return n;
}

static unsigned offer_follows(const struct mcti_view *v, unsigned chosen)
{
    unsigned kinds = 0;
    for (unsigned i = 0; i < N_DIALECTS; i++)
        kinds |= chosen & 1u << i ? dialects[i]->follows : 0;
    return kinds | (any_always(v) ? servers.follows : 0);
}

/* Opens a view of the same servers under the same names, without resource tools. */
static int open_all(struct mcti_dialects *set)
{
    const struct mcti_view *v = set->view;
    const char **names = calloc(v->n_members ? v->n_members : 1, sizeof *names);
    for (size_t i = 0; names && i < v->n_members; i++)
        names[i] = v->members[i].name;
    const struct mcti_view_opts opts = {
        .naming = &v->naming,
        .only = names,
        .n_only = v->n_members,
        .ruled = v->ruled,
        .of = v->of,
        .single = v->single,
        .unique_uris = v->apps.unique,
        .app_rules = v->app_rules,
    };
    int r = names ? mcti_view_init(&set->all, v->registry, &opts) : -1;
    free(names);
    return r;
}

int mcti_dialects_attach(struct mcti_view *v, const struct mcti_offer *offered, const struct mcti_dialect_opts *opts,
                         mcti_connect_fn connect, const struct mcti_log *log)
{
    if (!offered->dialects && !offered->alone && !mcti_results_on(opts->results) && !any_always(v))
        return 0;
    struct mcti_dialects *set = calloc(1, sizeof *set);
    if (!set)
        return -1;
    *set =
        (struct mcti_dialects){ .view = v, .chosen = offered->dialects, .opts = *opts, .connect = connect, .log = log };
    mcti_map_init(&set->by_id);
    set->cap = most_offers(set);
    set->offers = calloc(set->cap ? set->cap : 1, sizeof *set->offers);
    set->own = (struct mcti_view_own){
        .provider = mcti_provider_local_new("mcptools", v->registry->sched, log),
        .alone = offered->alone,
        .prompts = offer_instructs(offered->dialects) || offer_prompting(offered->dialects),
        .follows = offer_follows(v, offered->dialects),
        .renew = offer_on_renew,
        .name = offer_on_name,
        .unwrap = offer_on_unwrap,
        .inner = offer_on_inner,
        .lists_all = offer_on_lists_all,
        .is_unlisted = offer_on_is_unlisted,
        .instruct = offer_on_instruct,
        .free = offer_on_free,
    };
    if (!set->offers || !set->own.provider || (offered->search && open_all(set) < 0)) {
        offer_on_free(&set->own);
        return -1;
    }
    struct mcti_provider *p = set->own.provider;
    set->local_ops = p->ops;
    set->ops = *p->ops;
    set->ops.call = offer_on_provider_call;
    p->ops = &set->ops;
    p->state = MCT_CONNECTED;
    p->settled = p->read_only = true;
    v->own = &set->own;
    v->generation = 0; /* the items of the view have changed */
    return 0;
}
