#include "hub/hooks/hosts.h"

#include "base/arena.h"
#include "base/limits.h"
#include "hub/hooks/hooks_impl.h"
#include "hub/core/stage.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define EXTENSION "openclaw/hooks"

struct host {
    struct mcti_list node;
    struct mcti_hook_hosts *hosts;
    struct mcti_provider *provider;
    struct mcti_call list; /* open if its provider is set */
    struct mcti_task look;
    struct mcti_timer again; /* requests the list again */
    bool held;               /* calls wait for its list */
    bool was_up;
    bool has_told;   /* has listed its hooks at any time */
    bool is_current; /* has listed its hooks on this connection */
    bool is_barred;  /* a hook blocks all calls, because of `why` */
    struct mct_error why;
    size_t n_listed; /* hooks in its last list */
    struct mcti_list requests;
};

/* A hook of a plugin, or the one that blocks all calls. */
struct plugin_hook {
    struct host *host;
    char id[];
};

/* A request to a host for an event or an approval. */
struct request {
    struct mcti_list node;
    struct mcti_call call;
    struct mct_hook_event *event; /* NULL: the answer is ignored */
};

/* ---- requests ---- */

static void free_request(struct request *r)
{
    mcti_call_cancel(&r->call, "the caller abandoned the call");
    mcti_list_remove(&r->node);
    free(r);
}

static void hosts_on_answer(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct request *r = MCT_CONTAINER(call, struct request, call);
    struct mct_hook_event *e = r->event;
    struct mct_error refused;
    char *decision = o->result.p ? mcti_str_dup(mcti_json_get(o->result, "decision")) : NULL;
    if (o->error.p)
        mcti_msg_read_error(o->error, &refused);
    free_request(r);
    if (e && decision)
        mct_hook_decide(e, decision);
    else if (e)
        mct_hook_fail(e, o->failed ? o->failed->message : o->error.p ? refused.message : "the answer has no decision");
    free(decision);
}

static int hosts_send(struct host *h, enum mcti_verb verb, struct mcti_buf *params, struct mct_hook_event *e,
                      struct mct_error *err)
{
    struct request *r = mcti_buf_ok(params) ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return mcti_no_memory(err);
    r->event = e;
    r->call = (struct mcti_call){
        .verb = verb, .params = mcti_buf_str(params), .caller = { .rev = MCT_REV_LATEST }, .done = hosts_on_answer
    };
    mcti_list_append(&h->requests, &r->node);
    if (mcti_call_begin(h->provider, &r->call, err) == 0)
        return 0;
    free_request(r);
    return -1;
}

/* ---- hooks ---- */

/* Ends an event of a host that is not there: the hook fails, or is passed over if the configuration says so. */
static void hosts_do_without(struct host *h, struct mct_hook_event *e)
{
    if (!h->provider->hooks_pass) {
        mct_hook_fail(e, "its server has not listed its hooks since it was started");
        return;
    }
    mcti_log(h->hosts->log, MCT_LOG_WARN,
             "server '%s': a hook of its plugins is not available; the call passes without it", h->provider->name);
    mct_hook_decide(e, NULL);
}

static void hosts_run(struct mct_hook_event *e, void *data)
{
    const struct plugin_hook *hook = data;
    struct mcti_str event = mcti_str_of(mct_hook_event_json(e));
    struct mct_error err;
    struct mcti_buf b;
    if (!hook->host->is_current) { /* the id may belong to another hook now */
        hosts_do_without(hook->host, e);
        return;
    }
    mcti_buf_init(&b, event.len + 6 * strlen(hook->id) + 1024);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "id", mcti_str_of(hook->id));
    mcti_json_put_raw(&b, "hook", mcti_json_get(event, "hook"));
    mcti_json_put_raw(&b, "event", event);
    mcti_buf_addc(&b, '}');
    if (hosts_send(hook->host, MCT_VERB_HOOKS_RUN, &b, e, &err) < 0)
        mct_hook_fail(e, err.message);
    mcti_buf_done(&b);
}

static void hosts_withdrawn(struct mct_hook_event *e, void *data)
{
    struct host *h = ((struct plugin_hook *)data)->host;
    MCT_LIST_EACH(it, &h->requests)
        if (MCT_CONTAINER(it, struct request, node)->event == e)
            free_request(MCT_CONTAINER(it, struct request, node));
}

static bool hosts_skips(void *data, const struct mcti_provider *p)
{
    const struct mcti_provider *own = ((struct plugin_hook *)data)->host->provider;
    return p == own || p->origin == own;
}

static void hosts_resolved(void *data, struct mcti_str id, const char *decision)
{
    struct host *h = ((struct plugin_hook *)data)->host;
    struct mct_error err;
    struct mcti_buf b;
    mcti_buf_init(&b, id.len + 256);
    mcti_buf_addc(&b, '{');
    mcti_json_put_raw(&b, "id", id);
    mcti_json_put_member(&b, "decision", mcti_str_of(decision));
    mcti_buf_addc(&b, '}');
    if (hosts_send(h, MCT_VERB_HOOKS_RESOLVE, &b, NULL, &err) < 0)
        mcti_log(h->hosts->log, MCT_LOG_WARN, "%s", err.message);
    mcti_buf_done(&b);
}

static const struct mcti_hook_source source = { .skips = hosts_skips, .resolved = hosts_resolved };

/* ---- the list of a host ---- */

/* Names as OpenClaw normalises them, which a matcher has, and their aliases, which a tool may have. */
static const struct {
    const char *normal, *other;
} aliases[] = { { "exec", "bash" }, { "apply_patch", "apply-patch" } };

/* Reads a matcher; *ret is NULL for an absent one, which matches every tool. Returns -1 when out of memory. */
static int read_matcher(struct mcti_str list, struct mcti_arena *a, const char ***ret)
{
    struct mcti_str one;
    size_t n = 0;
    *ret = NULL;
    if (mcti_json_type(list) != '[')
        return 0;
    const char **tools = mcti_arena_get(a, (list.len + 2) * sizeof *tools); /* at least as many as items and aliases */
    for (struct mcti_json_iter it = mcti_json_open(list); tools && mcti_json_next_item(&it, &one);) {
        char *text = mcti_json_dup(one), *copy = mcti_arena_dup(a, mcti_str_of(text));
        if (copy)
            tools[n++] = copy;
        for (size_t i = 0; copy && i < sizeof aliases / sizeof *aliases; i++)
            if (!strcmp(copy, aliases[i].normal))
                tools[n++] = aliases[i].other;
        free(text);
    }
    *ret = tools;
    return tools ? 0 : -1;
}

static int hosts_clamp(double n)
{
    return n > 1e9 ? 1000000000 : n < -1e9 ? -1000000000 : (int)n;
}

static int hosts_add(struct host *h, struct mcti_str entry, struct mct_error *err)
{
    static const struct mcti_hook_more more = { .nocase = true, .source = &source };
    struct mct_hook_def def = { .size = sizeof def,
                                .run = hosts_run,
                                .withdrawn = hosts_withdrawn,
                                .free_data = free,
                                .priority = hosts_clamp(mcti_json_double(mcti_json_get(entry, "priority"))) };
    struct mcti_arena texts;
    const char **tools;
    char *id = mcti_json_dup(mcti_json_get(entry, "id")), *kind = mcti_json_dup(mcti_json_get(entry, "hook"));
    char *plugin = mcti_json_dup(mcti_json_get(entry, "plugin")), *name = NULL;
    struct plugin_hook *hook = id ? malloc(sizeof *hook + strlen(id) + 1) : NULL;
    int r = -1;
    mcti_arena_init(&texts, MCT_LIMIT_MESSAGE_BYTES);
    if (!hook || !kind || !mcti_hook_kind_find(kind, &def.kind)) {
        mcti_fail(err, MCT_ERR_PROTOCOL, "invalid hook declaration");
    } else if (asprintf(&name, "%s: %s", h->provider->name, plugin ? plugin : id) < 0 ||
               read_matcher(mcti_json_get(entry, "matcher"), &texts, &tools) < 0) {
        mcti_no_memory(err);
    } else {
        hook->host = h;
        strcpy(hook->id, id);
        def.name = name;
        def.tools = tools;
        def.data = hook;
        r = mcti_hook_add(h->hosts->hooks, &def, h, &more, err);
    }
    if (r < 0)
        free(hook);
    free(name);
    free(plugin);
    free(kind);
    free(id);
    mcti_arena_done(&texts);
    return r;
}

static void hosts_release(struct host *h)
{
    if (!h->held)
        return;
    h->held = false;
    mcti_hooks_release(h->hosts->hooks);
}

/* ---- hosts whose hooks are not known ---- */

static void hosts_refuse(struct mct_hook_event *e, void *data)
{
    const struct host *h = ((struct plugin_hook *)data)->host;
    char reason[sizeof h->why.message + 256];
    struct mcti_buf b;
    if (!h->provider->required) {
        mct_hook_fail(e, h->why.message);
        return;
    }
    snprintf(reason, sizeof reason, "hooks of required server '%.200s' are not known: %s", h->provider->name,
             h->why.message);
    mcti_buf_init(&b, 8 * sizeof reason);
    mcti_buf_addc(&b, '{');
    mcti_json_put_raw(&b, "block", MCT_STR("true"));
    mcti_json_put_member(&b, "blockReason", mcti_str_of(reason));
    mcti_buf_addc(&b, '}');
    char *text = mcti_buf_take(&b);
    if (text)
        mct_hook_decide(e, text);
    else
        mct_hook_fail(e, MCT_NO_MEMORY_TEXT);
    free(text);
}

static int add_bar(struct host *h, struct mct_error *err)
{
    static const struct mcti_hook_more more = { .source = &source, .beyond_limit = true };
    struct mct_hook_def def = { .size = sizeof def,
                                .run = hosts_refuse,
                                .free_data = free,
                                .priority = h->hosts->hooks->compat_2026_2
                                                ? INT_MIN
                                                : INT_MAX }; /* order in which this hook's decision takes precedence */
    struct plugin_hook *hook = malloc(sizeof *hook + 1);
    char *name = NULL;
    if (!hook || asprintf(&name, "%s: hooks not known", h->provider->name) < 0) {
        free(hook);
        return mcti_no_memory(err);
    }
    hook->host = h;
    hook->id[0] = '\0';
    def.name = name;
    def.data = hook;
    int r = mcti_hook_add(h->hosts->hooks, &def, h, &more, err);
    free(name);
    if (r < 0)
        free(hook);
    return r;
}

/* Notes whether hooks of the host cannot run and so block calls. */
static void note_bars(struct host *h)
{
    h->provider->bars_calls =
        !h->provider->hooks_pass && (h->is_barred || (h->n_listed && h->provider->state != MCT_CONNECTED));
}

/* Blocks all calls to other servers' tools until the host lists its hooks. */
static void hosts_bar(struct host *h, const struct mct_error *why)
{
    struct mct_error err;
    bool is_new = !h->is_barred || strcmp(h->why.message, why->message) != 0;
    h->why = *why;
    mcti_timer_set(h->provider->sched, &h->again, MCT_HOOKS_AGAIN_MS);
    if (h->provider->hooks_pass) {
        mcti_log(h->hosts->log, MCT_LOG_WARN, "server '%s': the hooks of its plugins are not known and not run: %s",
                 h->provider->name, why->message);
        hosts_release(h);
        return;
    }
    mcti_log(h->hosts->log, is_new ? MCT_LOG_ERROR : MCT_LOG_DEBUG,
             "server '%s': the hooks of its plugins are not known, "
             "so calls to other servers' tools are blocked: %s",
             h->provider->name, why->message);
    if (h->is_barred || add_bar(h, &err) == 0) {
        h->is_barred = true;
        hosts_release(h);
    } else { /* calls keep waiting */
        mcti_log(h->hosts->log, MCT_LOG_ERROR, "server '%s': %s", h->provider->name, err.message);
    }
    h->is_current &= h->is_barred;
    note_bars(h);
}

static void forget_hooks(struct host *h)
{
    mcti_hooks_remove(h->hosts->hooks, h);
    h->is_barred = false;
}

/* Fails for a required host that has left out a plugin. */
static int check_left_out(const struct host *h, struct mcti_str left_out, struct mct_error *err)
{
    struct mcti_str one;
    struct mcti_json_iter it = mcti_json_open(left_out);
    if (!h->provider->required || mcti_json_type(left_out) != '[' || !mcti_json_next_item(&it, &one))
        return 0;
    char *plugin = mcti_json_dup(mcti_json_get(one, "plugin")), *reason = mcti_json_dup(mcti_json_get(one, "reason"));
    mcti_fail(err, MCT_ERR_SERVER, "plugin '%.100s' was not loaded: %s", plugin ? plugin : "", reason ? reason : "");
    free(plugin);
    free(reason);
    return -1;
}

/* Adds the hooks of the list. Returns -1 with *err if the list is missing or a hook cannot be added. */
static int hosts_take(struct host *h, const struct mcti_outcome *o, struct mct_error *err)
{
    struct mcti_str hooks = mcti_json_get(o->result, "hooks"), one;
    struct mct_error bad;
    int r = 0;
    if (o->failed) {
        *err = *o->failed;
        return -1;
    }
    if (o->error.p) {
        mcti_msg_read_error(o->error, err);
        return -1;
    }
    if (mcti_json_type(hooks) != '[')
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the answer has no list of hooks");
    forget_hooks(h);
    h->has_told = h->is_current = true;
    h->n_listed = 0;
    for (struct mcti_json_iter it = mcti_json_open(hooks); mcti_json_next_item(&it, &one); h->n_listed++)
        if (hosts_add(h, one, &bad) < 0) {
            *err = bad;
            r = -1;
        }
    return r < 0 ? -1 : check_left_out(h, mcti_json_get(o->result, "leftOut"), err);
}

static void hosts_on_listed(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct host *h = MCT_CONTAINER(call, struct host, list);
    struct mct_error err;
    if (hosts_take(h, o, &err) < 0)
        hosts_bar(h, &err);
    else
        hosts_release(h);
    note_bars(h);
}

/* Returns whether the server declares the extension; handshake servers declare it as experimental. */
static bool hosts_declares(const struct mcti_provider *p)
{
    struct mcti_str all = mcti_str_of(p->info.capabilities);
    return mcti_json_get(mcti_json_get(all, "extensions"), EXTENSION).p ||
           mcti_json_get(mcti_json_get(all, "experimental"), EXTENSION).p;
}

static void hosts_ask(struct host *h)
{
    struct mct_error err;
    h->list = (struct mcti_call){ .verb = MCT_VERB_HOOKS_LIST,
                                  .params = MCT_STR("{}"),
                                  .caller = { .rev = MCT_REV_LATEST },
                                  .done = hosts_on_listed };
    if (mcti_call_begin(h->provider, &h->list, &err) < 0)
        hosts_bar(h, &err);
}

/* Handles a host that is not connected and has never listed its hooks. */
static void do_without(struct host *h)
{
    struct mct_error err = *h->provider->error;
    if (!err.kind)
        mcti_fail(&err, MCT_ERR_CONNECT, "it is not connected");
    if (h->was_up || h->provider->required) {
        hosts_bar(h, &err);
        return;
    }
    if (h->held)
        mcti_log(h->hosts->log, MCT_LOG_WARN, "server '%s' is not connected; hooks of its plugins are not run: %s",
                 h->provider->name, err.message);
    hosts_release(h);
}

static void hosts_on_look(void *data)
{
    struct host *h = data;
    bool is_up = h->provider->state == MCT_CONNECTED;
    if (h->list.provider)
        return;
    if (is_up && !hosts_declares(h->provider)) { /* a C plugin adds its hooks itself */
        h->has_told = true;
        forget_hooks(h);
        hosts_release(h);
    } else if (is_up && (!h->is_current || h->is_barred)) {
        hosts_ask(h);
    } else if (!is_up && !h->has_told) {
        do_without(h);
    } else {
        hosts_release(h);
    }
}

static void hosts_on_again(void *data)
{
    struct host *h = data;
    mcti_task_post(h->provider->sched, &h->look);
}

static void note_state(struct host *h)
{
    if (h->provider->state != MCT_CONNECTED) {
        h->is_current = false;
        return;
    }
    h->was_up = true;
    mcti_timer_stop(h->provider->sched, &h->again);
    if (h->held)
        return;
    h->held = true;
    mcti_hooks_hold(h->hosts->hooks);
}

static void hosts_on_state(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mcti_hook_hosts *all = MCT_CONTAINER(w, struct mcti_hook_hosts, watcher);
    MCT_LIST_EACH(it, &all->hosts) {
        struct host *h = MCT_CONTAINER(it, struct host, node);
        if (h->provider != p || !p->settled)
            continue;
        note_state(h);
        note_bars(h);
        mcti_task_post(p->sched, &h->look);
    }
}

/* Requests the list of a host whose hooks have changed. */
static void hosts_on_changed(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mcti_hook_hosts *all = MCT_CONTAINER(w, struct mcti_hook_hosts, watcher);
    MCT_LIST_EACH(it, &all->hosts) {
        struct host *h = MCT_CONTAINER(it, struct host, node);
        if (h->provider == p && !h->list.provider)
            hosts_ask(h);
    }
}

/* ---- life ---- */

int mcti_hook_hosts_open(struct mcti_hook_hosts *all, struct mcti_registry *r, struct mcti_hooks *hooks,
                         const struct mcti_log *log)
{
    *all = (struct mcti_hook_hosts){ .hooks = hooks, .log = log };
    all->watcher = (struct mcti_watcher){ .state = hosts_on_state, .hosted = hosts_on_changed };
    mcti_list_init(&all->hosts);
    mcti_registry_watch(r, &all->watcher);
    for (size_t i = 0; i < r->n; i++) {
        struct host *h = r->v[i]->hosts_plugins ? calloc(1, sizeof *h) : NULL;
        if (r->v[i]->hosts_plugins && !h)
            return -1;
        if (!h)
            continue;
        *h = (struct host){ .hosts = all, .provider = r->v[i], .held = true };
        mcti_list_init(&h->requests);
        mcti_task_init(&h->look, hosts_on_look, h);
        mcti_timer_init(&h->again, hosts_on_again, h);
        mcti_list_append(&all->hosts, &h->node);
        mcti_hooks_hold(hooks);
    }
    return 0;
}

static void free_host(struct host *h)
{
    mcti_hooks_remove(h->hosts->hooks, h);
    mcti_call_cancel(&h->list, "the program ends");
    while (!mcti_list_empty(&h->requests))
        free_request(MCT_CONTAINER(h->requests.next, struct request, node));
    mcti_task_stop(&h->look);
    mcti_timer_stop(h->provider->sched, &h->again);
    hosts_release(h);
    mcti_list_remove(&h->node);
    free(h);
}

void mcti_hook_hosts_close(struct mcti_hook_hosts *all)
{
    if (!all->hooks)
        return;
    mcti_watcher_remove(&all->watcher);
    while (!mcti_list_empty(&all->hosts))
        free_host(MCT_CONTAINER(all->hosts.next, struct host, node));
}
