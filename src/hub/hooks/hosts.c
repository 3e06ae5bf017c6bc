#include "hub/hooks/hosts.h"

#include "base/arena.h"
#include "base/limits.h"
#include "hub/hooks/hooks_impl.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define EXTENSION "openclaw/hooks"

struct host {
    struct mct_list node;
    struct mct_hook_hosts *hosts;
    struct mct_provider *provider;
    struct mct_call list; /* under way where its provider is set */
    struct mct_task look;
    struct mct_timer again; /* asks it once more */
    bool held;            /* calls wait for what it tells */
    bool was_up;
    bool has_told;        /* in its life */
    bool is_current;      /* and on this connection */
    bool is_barred;       /* there is a hook that lets nothing through, because of `why` */
    struct mct_error why;
    struct mct_list requests;
};

/* A hook of a plugin, or the one that lets nothing through. */
struct plugin_hook {
    struct host *host;
    char id[];
};

/* A request to a host because of an event, or of an approval. */
struct request {
    struct mct_list node;
    struct mct_call call;
    struct mct_hook_event *event; /* NULL: nobody waits for what it says */
};

/* ---- requests ---- */

/* No hooks are around what a host is asked. */
static void end_call(struct mct_call *call, const char *reason)
{
    if (call->provider)
        mct_call_end(call, reason);
}

static void free_request(struct request *r)
{
    end_call(&r->call, "nobody waits for it any more");
    mct_list_remove(&r->node);
    free(r);
}

static void on_answer(struct mct_call *call, const struct mct_outcome *o)
{
    struct request *r = MCT_CONTAINER(call, struct request, call);
    struct mct_hook_event *e = r->event;
    struct mct_error refused;
    char *decision = o->result.p ? mct_str_dup(mct_json_get(o->result, "decision")) : NULL;
    if (o->error.p)
        mct_msg_read_error(o->error, &refused);
    free_request(r);
    if (e && decision)
        mct_hook_decide(e, decision);
    else if (e)
        mct_hook_fail(e, o->failed ? o->failed->message : o->error.p ? refused.message : "the answer has no decision");
    free(decision);
}

static int send(struct host *h, enum mct_verb verb, struct mct_buf *params, struct mct_hook_event *e, struct mct_error *err)
{
    struct request *r = mct_buf_ok(params) ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return mct_no_memory(err);
    r->event = e;
    r->call = (struct mct_call){ .verb = verb, .params = mct_buf_str(params), .caller = { .rev = MCT_REV_LATEST },
                                 .done = on_answer };
    mct_list_append(&h->requests, &r->node);
    if (mct_call_begin(h->provider, &r->call, err) == 0)
        return 0;
    free_request(r);
    return -1;
}

/* ---- what a hook does ---- */

static void run(struct mct_hook_event *e, void *data)
{
    const struct plugin_hook *hook = data;
    struct mct_str event = mct_str_of(mct_hook_event_json(e));
    struct mct_error err;
    struct mct_buf b;
    if (!hook->host->is_current) { /* an id may be another hook's by now */
        mct_hook_fail(e, "its server has not told its hooks since it was started");
        return;
    }
    mct_buf_init(&b, event.len + 6 * strlen(hook->id) + 1024);
    mct_buf_addc(&b, '{');
    mct_json_put_member(&b, "id", mct_str_of(hook->id));
    mct_json_put_raw(&b, "hook", mct_json_get(event, "hook"));
    mct_json_put_raw(&b, "event", event);
    mct_buf_addc(&b, '}');
    if (send(hook->host, MCT_VERB_HOOKS_RUN, &b, e, &err) < 0)
        mct_hook_fail(e, err.message);
    mct_buf_done(&b);
}

static void withdrawn(struct mct_hook_event *e, void *data)
{
    struct host *h = ((struct plugin_hook *)data)->host;
    MCT_LIST_EACH(it, &h->requests)
        if (MCT_CONTAINER(it, struct request, node)->event == e)
            free_request(MCT_CONTAINER(it, struct request, node));
}

static bool skips(void *data, const struct mct_provider *p)
{
    const struct mct_provider *own = ((struct plugin_hook *)data)->host->provider;
    return p == own || p->origin == own;
}

static void resolved(void *data, struct mct_str id, const char *decision)
{
    struct host *h = ((struct plugin_hook *)data)->host;
    struct mct_error err;
    struct mct_buf b;
    mct_buf_init(&b, id.len + 256);
    mct_buf_addc(&b, '{');
    mct_json_put_raw(&b, "id", id);
    mct_json_put_member(&b, "decision", mct_str_of(decision));
    mct_buf_addc(&b, '}');
    if (send(h, MCT_VERB_HOOKS_RESOLVE, &b, NULL, &err) < 0)
        mct_log(h->hosts->log, MCT_LOG_WARN, "%s", err.message);
    mct_buf_done(&b);
}

static const struct hook_source source = { .skips = skips, .resolved = resolved };

/* ---- what a host tells ---- */

/* A matcher has the names as OpenClaw normalises them; a tool may have the other one. */
static const struct {
    const char *normal, *other;
} aliases[] = { { "exec", "bash" }, { "apply_patch", "apply-patch" } };

/* An absent list stays so: every tool. -1: memory was short. */
static int read_matcher(struct mct_str list, struct mct_arena *a, const char ***ret)
{
    struct mct_str one;
    size_t n = 0;
    *ret = NULL;
    if (mct_json_type(list) != '[')
        return 0;
    const char **tools = mct_arena_get(a, (list.len + 2) * sizeof *tools); /* an item and an alias take more bytes than that */
    for (struct mct_json_iter it = mct_json_open(list); tools && mct_json_next_item(&it, &one);) {
        char *text = mct_json_dup(one), *copy = mct_arena_dup(a, mct_str_of(text));
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

static int clamp(double n)
{
    return n > 1e9 ? 1000000000 : n < -1e9 ? -1000000000 : (int)n;
}

static int add(struct host *h, struct mct_str entry, struct mct_error *err)
{
    static const struct hook_more more = { .nocase = true, .source = &source };
    struct mct_hook_def def = { .size = sizeof def, .run = run, .withdrawn = withdrawn, .free_data = free,
                                .priority = clamp(mct_json_double(mct_json_get(entry, "priority"))) };
    struct mct_arena texts;
    const char **tools;
    char *id = mct_json_dup(mct_json_get(entry, "id")), *kind = mct_json_dup(mct_json_get(entry, "hook"));
    char *plugin = mct_json_dup(mct_json_get(entry, "plugin")), *name = NULL;
    struct plugin_hook *hook = id ? malloc(sizeof *hook + strlen(id) + 1) : NULL;
    int r = -1;
    mct_arena_init(&texts, MCT_LIMIT_MESSAGE_BYTES);
    if (!hook || !kind || !mct_hook_kind_find(kind, &def.kind)) {
        mct_fail(err, MCT_ERR_PROTOCOL, "it tells of a hook that is none");
    } else if (asprintf(&name, "%s: %s", h->provider->name, plugin ? plugin : id) < 0 ||
               read_matcher(mct_json_get(entry, "matcher"), &texts, &tools) < 0) {
        mct_no_memory(err);
    } else {
        hook->host = h;
        strcpy(hook->id, id);
        def.name = name;
        def.tools = tools;
        def.data = hook;
        r = hook_add(h->hosts->hooks, &def, h, &more, err);
    }
    if (r < 0)
        free(hook);
    free(name);
    free(plugin);
    free(kind);
    free(id);
    mct_arena_done(&texts);
    return r;
}

static void release(struct host *h)
{
    if (!h->held)
        return;
    h->held = false;
    mct_hooks_release(h->hosts->hooks);
}

/* ---- what is not known ---- */

static void refuse(struct mct_hook_event *e, void *data)
{
    const struct host *h = ((struct plugin_hook *)data)->host;
    char reason[sizeof h->why.message + 256];
    struct mct_buf b;
    if (!h->provider->required) {
        mct_hook_fail(e, h->why.message);
        return;
    }
    snprintf(reason, sizeof reason, "hooks of required server '%.200s' are not known: %s", h->provider->name, h->why.message);
    mct_buf_init(&b, 8 * sizeof reason);
    mct_buf_addc(&b, '{');
    mct_json_put_raw(&b, "block", MCT_STR("true"));
    mct_json_put_member(&b, "blockReason", mct_str_of(reason));
    mct_buf_addc(&b, '}');
    char *text = mct_buf_take(&b);
    if (text)
        mct_hook_decide(e, text);
    else
        mct_hook_fail(e, MCT_NO_MEMORY_TEXT);
    free(text);
}

static int add_bar(struct host *h, struct mct_error *err)
{
    static const struct hook_more more = { .source = &source, .beyond_limit = true };
    struct mct_hook_def def = { .size = sizeof def, .run = refuse, .free_data = free,
                                .priority = h->hosts->hooks->compat_2026_2 ? INT_MIN : INT_MAX }; /* the word that counts */
    struct plugin_hook *hook = malloc(sizeof *hook + 1);
    char *name = NULL;
    if (!hook || asprintf(&name, "%s: what it has is not known", h->provider->name) < 0) {
        free(hook);
        return mct_no_memory(err);
    }
    hook->host = h;
    hook->id[0] = '\0';
    def.name = name;
    def.data = hook;
    int r = hook_add(h->hosts->hooks, &def, h, &more, err);
    free(name);
    if (r < 0)
        free(hook);
    return r;
}

/* Nothing passes that is not its own, until it has told. */
static void bar(struct host *h, const struct mct_error *why)
{
    struct mct_error err;
    bool is_new = !h->is_barred || strcmp(h->why.message, why->message) != 0;
    h->why = *why;
    mct_log(h->hosts->log, is_new ? MCT_LOG_ERROR : MCT_LOG_DEBUG, "server '%s': which hooks its plugins have is not known, "
            "so calls of other servers' tools are blocked: %s", h->provider->name, why->message);
    mct_timer_set(h->provider->sched, &h->again, MCT_HOOKS_AGAIN_MS);
    if (h->is_barred || add_bar(h, &err) == 0) {
        h->is_barred = true;
        release(h);
    } else { /* calls go on waiting */
        mct_log(h->hosts->log, MCT_LOG_ERROR, "server '%s': %s", h->provider->name, err.message);
    }
    h->is_current &= h->is_barred;
}

static void forget_hooks(struct host *h)
{
    mct_hooks_remove(h->hosts->hooks, h);
    h->is_barred = false;
}

/* A required server stands for all of its plugins. */
static int check_left_out(const struct host *h, struct mct_str left_out, struct mct_error *err)
{
    struct mct_str one;
    struct mct_json_iter it = mct_json_open(left_out);
    if (!h->provider->required || mct_json_type(left_out) != '[' || !mct_json_next_item(&it, &one))
        return 0;
    char *plugin = mct_json_dup(mct_json_get(one, "plugin")), *reason = mct_json_dup(mct_json_get(one, "reason"));
    mct_fail(err, MCT_ERR_SERVER, "plugin '%.100s' is left out: %s", plugin ? plugin : "", reason ? reason : "");
    free(plugin);
    free(reason);
    return -1;
}

/* Takes what it tells. -1: that is not all, or none. */
static int take(struct host *h, const struct mct_outcome *o, struct mct_error *err)
{
    struct mct_str hooks = mct_json_get(o->result, "hooks"), one;
    struct mct_error bad;
    int r = 0;
    if (o->failed) {
        *err = *o->failed;
        return -1;
    }
    if (o->error.p) {
        mct_msg_read_error(o->error, err);
        return -1;
    }
    if (mct_json_type(hooks) != '[')
        return mct_fail(err, MCT_ERR_PROTOCOL, "its answer has no list of them");
    forget_hooks(h);
    h->has_told = h->is_current = true;
    for (struct mct_json_iter it = mct_json_open(hooks); mct_json_next_item(&it, &one);)
        if (add(h, one, &bad) < 0) {
            *err = bad;
            r = -1;
        }
    return r < 0 ? -1 : check_left_out(h, mct_json_get(o->result, "leftOut"), err);
}

static void on_listed(struct mct_call *call, const struct mct_outcome *o)
{
    struct host *h = MCT_CONTAINER(call, struct host, list);
    struct mct_error err;
    if (take(h, o, &err) < 0)
        bar(h, &err);
    else
        release(h);
}

/* Handshake servers declare what is not of MCP as experimental. */
static bool declares(const struct mct_provider *p)
{
    struct mct_str all = mct_str_of(p->info.capabilities);
    return mct_json_get(mct_json_get(all, "extensions"), EXTENSION).p ||
           mct_json_get(mct_json_get(all, "experimental"), EXTENSION).p;
}

static void ask(struct host *h)
{
    struct mct_error err;
    h->list = (struct mct_call){ .verb = MCT_VERB_HOOKS_LIST, .params = MCT_STR("{}"), .caller = { .rev = MCT_REV_LATEST },
                                 .done = on_listed };
    if (mct_call_begin(h->provider, &h->list, &err) < 0)
        bar(h, &err);
}

/* It is not there, and what its plugins would do was never known. */
static void do_without(struct host *h)
{
    struct mct_error err = h->provider->error;
    if (!err.kind)
        mct_fail(&err, MCT_ERR_CONNECT, "it is not there");
    if (h->was_up || h->provider->required) {
        bar(h, &err);
        return;
    }
    if (h->held)
        mct_log(h->hosts->log, MCT_LOG_WARN, "server '%s' is not there: hooks that its plugins may have are not run: %s",
                h->provider->name, err.message);
    release(h);
}

static void on_look(void *data)
{
    struct host *h = data;
    bool is_up = h->provider->state == MCT_CONNECTED;
    if (h->list.provider)
        return;
    if (is_up && !declares(h->provider)) { /* a plugin in C has added its own */
        h->has_told = true;
        forget_hooks(h);
        release(h);
    } else if (is_up && (!h->is_current || h->is_barred)) {
        ask(h);
    } else if (!is_up && !h->has_told) {
        do_without(h);
    } else {
        release(h);
    }
}

static void on_again(void *data)
{
    struct host *h = data;
    mct_task_post(h->provider->sched, &h->look);
}

static void note_state(struct host *h)
{
    if (h->provider->state != MCT_CONNECTED) {
        h->is_current = false;
        return;
    }
    h->was_up = true;
    mct_timer_stop(h->provider->sched, &h->again);
    if (h->held)
        return;
    h->held = true;
    mct_hooks_hold(h->hosts->hooks);
}

static void on_state(struct mct_watcher *w, struct mct_provider *p)
{
    struct mct_hook_hosts *all = MCT_CONTAINER(w, struct mct_hook_hosts, watcher);
    MCT_LIST_EACH(it, &all->hosts) {
        struct host *h = MCT_CONTAINER(it, struct host, node);
        if (h->provider != p || !p->settled)
            continue;
        note_state(h);
        mct_task_post(p->sched, &h->look);
    }
}

/* ---- life ---- */

int mct_hook_hosts_open(struct mct_hook_hosts *all, struct mct_registry *r, struct mct_hooks *hooks, const struct mct_log *log)
{
    *all = (struct mct_hook_hosts){ .hooks = hooks, .log = log, .watcher.state = on_state };
    mct_list_init(&all->hosts);
    mct_registry_watch(r, &all->watcher);
    for (size_t i = 0; i < r->n; i++) {
        struct host *h = r->v[i]->hosts_plugins ? calloc(1, sizeof *h) : NULL;
        if (r->v[i]->hosts_plugins && !h)
            return -1;
        if (!h)
            continue;
        *h = (struct host){ .hosts = all, .provider = r->v[i], .held = true };
        mct_list_init(&h->requests);
        mct_task_init(&h->look, on_look, h);
        mct_timer_init(&h->again, on_again, h);
        mct_list_append(&all->hosts, &h->node);
        mct_hooks_hold(hooks);
    }
    return 0;
}

static void free_host(struct host *h)
{
    mct_hooks_remove(h->hosts->hooks, h);
    end_call(&h->list, "the program ends");
    while (!mct_list_empty(&h->requests))
        free_request(MCT_CONTAINER(h->requests.next, struct request, node));
    mct_task_stop(&h->look);
    mct_timer_stop(h->provider->sched, &h->again);
    release(h);
    mct_list_remove(&h->node);
    free(h);
}

void mct_hook_hosts_close(struct mct_hook_hosts *all)
{
    if (!all->hooks)
        return;
    mct_watcher_remove(&all->watcher);
    while (!mct_list_empty(&all->hosts))
        free_host(MCT_CONTAINER(all->hosts.next, struct host, node));
}
