/* Calls of one server: tools and prompts, by their names in the array. */
#include "api/impl.h"

#include "base/limits.h"
#include "mcp/shape/shape.h"

#include <stdlib.h>

/* ---- one call of one server ---- */

static struct mct_request *request_of(struct mct_call *call)
{
    return MCT_CONTAINER(call, struct mct_request, call);
}

static void stop_call(struct mct_request *q, const char *reason)
{
    mct_call_cancel(&q->call, reason);
}

static void on_done(struct mct_call *call, const struct mct_outcome *o)
{
    struct mct_request *q = request_of(call);
    struct mct_error err;
    if (o->result.p) {
        api_request_finish(q, o->result, NULL);
        return;
    }
    mct_outcome_error(o, MCT_STR_NONE, &err);
    q->error_data = o->error.p ? mct_str_dup(mct_json_get(o->error, "data")) : NULL;
    api_request_finish(q, MCT_STR_NONE, &err);
}

static void tell_progress(struct mct_request *q, double progress, double total, const char *message)
{
    q->opts.progress(q, progress, total, message ? message : "", q->opts.data);
}

void api_on_late_progress(void *data)
{
    struct mct_request *q = data;
    char *message = q->kept.message;
    q->kept.message = NULL;
    tell_progress(q, q->kept.progress, q->kept.total, message);
    free(message);
}

/* A tool of the program may tell of progress while nobody turns the loop: the latest of that is told when somebody does. */
static void on_progress(struct mct_call *call, struct mct_str params)
{
    struct mct_request *q = request_of(call);
    double progress = mct_json_double(mct_json_get(params, "progress")), total = mct_json_double(mct_json_get(params, "total"));
    char *message = mct_json_dup(mct_json_get(params, "message"));
    if (q->api->depth) {
        mct_task_stop(&q->late);
        tell_progress(q, progress, total, message);
        free(message);
        return;
    }
    free(q->kept.message);
    q->kept.progress = progress;
    q->kept.total = total;
    q->kept.message = message;
    mct_task_post(&q->api->inst.loop.sched, &q->late);
}

int api_request_call(struct mct_request *q, struct mct_provider *p, enum mct_verb verb, struct mct_str params,
                     struct mct_error *err)
{
    struct api *a = q->api;
    q->call = (struct mct_call){ .hooks = q->call.hooks, .verb = verb, .params = params,
                                 .caller = { .rev = MCT_REV_LATEST }, .interactive = true,
                                 .owner = a, .events = &a->inst.events, .principal = MCT_STR("local"), .done = on_done,
                                 .progress = q->opts.progress ? on_progress : NULL };
    q->stop = stop_call;
    return mct_provider_call(p, &q->call, err);
}

/* ---- by name ---- */

int api_read_object(const char *what, const char *text, struct mct_str *ret, struct mct_error *err)
{
    *ret = MCT_STR_NONE;
    return text ? mct_json_read_object(mct_str_of(text), what, ret, err) : 0;
}

/* SERVER.NAME, and SERVER__NAME also where one server alone has no prefix. */
static bool is_qualified(const struct mct_view *v, const struct mct_exposure *x, struct mct_str name)
{
    struct mct_str server = mct_str_of(x->provider->name), sep = mct_str_of(v->naming.separator ? v->naming.separator : "__");
    if (!mct_str_starts(name, server))
        return false;
    struct mct_str rest = { name.p + server.len, name.len - server.len };
    size_t skip = mct_str_starts(rest, MCT_STR(".")) ? 1 : mct_str_starts(rest, sep) ? sep.len : 0;
    return skip && mct_str_eq((struct mct_str){ rest.p + skip, rest.len - skip }, x->item->id);
}

const struct mct_exposure *api_find(struct mct_view *v, enum mct_kind kind, const char *name, struct mct_error *err)
{
    struct mct_str text = mct_str_of(name);
    const struct mct_exposure *x = mct_view_named(v, kind, text, err);
    const struct mct_exposures *e = mct_view_items(v, kind);
    for (size_t i = 0; !x && i < e->n; i++)
        if (is_qualified(v, &e->v[i], text))
            x = &e->v[i];
    if (!x && err && err->kind == MCT_ERR_NOT_FOUND && !mct_registry_settled(v->registry))
        mct_error_wrap(err, "servers are still connecting");
    return x;
}

static void put_named(struct mct_buf *to, const struct mct_item *item, struct mct_str arguments)
{
    mct_buf_addc(to, '{');
    mct_json_put_raw(to, "name", mct_json_get(item->json, "name"));
    mct_json_put_raw(to, "arguments", arguments.p ? arguments : MCT_STR("{}"));
    mct_buf_addc(to, '}');
}

static int start_named(struct mct_request *q, const struct mct_exposure *x, enum mct_verb verb, struct mct_str arguments,
                       struct mct_error *err)
{
    struct mct_buf b;
    mct_buf_init(&b, arguments.len + x->item->json.len + 64);
    put_named(&b, x->item, arguments);
    int r = api_request_call(q, x->provider, verb, mct_buf_str(&b), err);
    mct_buf_done(&b);
    return r;
}

/* A refusal that models read is a result. */
static void refuse_read_only(struct mct_request *q, struct mct_str tool)
{
    const struct mct_refusal refusal = { .tool_name = tool, .entered_at_s = q->api->inst.policy.since_s };
    struct mct_buf b;
    mct_buf_init(&b, 32 * refusal.tool_name.len + 8192);
    mct_refusal_put_result(&b, &refusal);
    api_request_finish(q, mct_buf_str(&b), NULL);
    mct_buf_done(&b);
}

void api_refuse_stranger(struct mct_request *q)
{
    struct mct_buf b;
    mct_buf_init(&b, 256);
    mct_shape_tool_says(&b, MCT_STR(MCT_OWNER_ONLY_TEXT));
    api_request_finish(q, mct_buf_str(&b), NULL);
    mct_buf_done(&b);
}

/* What the call of a tool really is: search mode's tool_call stands for another. */
static int unwrap(struct api *a, struct mct_view **v, const struct mct_exposure **x, struct mct_str *arguments,
                  struct mct_error *err)
{
    struct mct_view_own *own = a->inst.view.own;
    struct mct_str name, args = MCT_STR_NONE;
    struct mct_view *inner = own && own->provider == (*x)->provider ? own->unwrap(own, (*x)->item, *arguments, &name, &args)
                                                                    : NULL;
    if (!inner)
        return 0;
    char *text = mct_json_dup(name);
    *x = text ? api_find(inner, MCT_TOOL, text, err) : NULL;
    if (!text)
        mct_fail(err, MCT_ERR_USAGE, "\"name\" is no name of a tool");
    free(text);
    *v = inner;
    *arguments = args;
    return *x ? 0 : -1;
}

int api_call_tool(struct mct_request *q, const struct mct_exposure *x, struct mct_str arguments, struct mct_error *err)
{
    struct api *a = q->api;
    struct mct_view *v = &a->inst.view;
    struct mct_str name = x->name;
    struct mct_hook_target hooks;
    if (unwrap(a, &v, &x, &arguments, err) < 0)
        return -1;
    if (a->inst.policy.read_only && !mct_view_is_read_only(v, &a->inst.policy, x)) {
        refuse_read_only(q, name);
        return 0;
    }
    if (mct_hook_target(&a->inst.hooks, v, x, &hooks)) {
        hooks.approver = &a->answerer;
        q->call.hooks = &hooks;
    }
    return start_named(q, x, MCT_VERB_TOOLS_CALL, arguments, err);
}

static int call_named(struct mct_request *q, const char *tool, struct mct_str arguments, struct mct_error *err)
{
    struct mct_view *v = &q->api->inst.view;
    bool restricted = mct_view_restricted(v, mct_str_of(tool));
    const struct mct_exposure *x = restricted ? NULL : api_find(v, MCT_TOOL, tool, err);
    if (restricted)
        api_refuse_stranger(q);
    return restricted ? 0 : x ? api_call_tool(q, x, arguments, err) : -1;
}

struct mct_request *mct_registry_call(struct mct_registry *r, const char *tool, const char *arguments,
                                      const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mct_str args;
    if (api_read_object("arguments", arguments, &args, err) < 0)
        return NULL;
    struct mct_request *q = api_request_new(r, opts, err);
    return api_request_started(q, q ? call_named(q, tool, args, err) : -1);
}

struct mct_request *mct_registry_prompt(struct mct_registry *r, const char *prompt, const char *arguments,
                                        const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mct_str args;
    if (api_read_object("arguments", arguments, &args, err) < 0)
        return NULL;
    struct mct_request *q = api_request_new(r, opts, err);
    const struct mct_exposure *x = q ? api_find(&q->api->inst.view, MCT_PROMPT, prompt, err) : NULL;
    return api_request_started(q, x ? start_named(q, x, MCT_VERB_PROMPTS_GET, args, err) : -1);
}
