/* Calls of one server: tools and prompts, by their names in the array. */
#include "api/impl.h"

#include "base/limits.h"
#include "mcp/shape/shape.h"

#include <stdlib.h>

/* ---- one call of one server ---- */

static struct mct_request *request_of(struct mcti_call *call)
{
    return MCT_CONTAINER(call, struct mct_request, call);
}

static void stop_call(struct mct_request *q, const char *reason)
{
    mcti_call_cancel(&q->call, reason);
}

static void api_ask_on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mct_request *q = request_of(call);
    struct mct_error err;
    if (o->result.p) {
        mcti_api_request_finish(q, o->result, NULL);
        return;
    }
    mcti_outcome_error(o, MCT_STR_NONE, &err);
    mcti_api_name_server(q->api, q->asked, &err);
    q->error_data = o->error.p ? mcti_str_dup(mcti_json_get(o->error, "data")) : NULL;
    mcti_api_request_finish(q, MCT_STR_NONE, &err);
}

static void tell_progress(struct mct_request *q, double progress, double total, const char *message)
{
    q->opts.progress(q, progress, total, message ? message : "", q->opts.data);
}

void mcti_api_on_late_progress(void *data)
{
    struct mct_request *q = data;
    char *message = q->kept.message;
    q->kept.message = NULL;
    tell_progress(q, q->kept.progress, q->kept.total, message);
    free(message);
}

/* A tool of the program may tell of progress while nobody turns the loop: the latest of that is told when somebody
 * does. */
static void api_ask_on_progress(struct mcti_call *call, struct mcti_str params)
{
    struct mct_request *q = request_of(call);
    double progress = mcti_json_double(mcti_json_get(params, "progress")),
           total = mcti_json_double(mcti_json_get(params, "total"));
    char *message = mcti_json_dup(mcti_json_get(params, "message"));
    if (q->api->depth) {
        mcti_task_stop(&q->late);
        tell_progress(q, progress, total, message);
        free(message);
        return;
    }
    free(q->kept.message);
    q->kept.progress = progress;
    q->kept.total = total;
    q->kept.message = message;
    mcti_task_post(&q->api->loop.sched, &q->late);
}

int mcti_api_request_call(struct mct_request *q, struct mcti_provider *p, enum mcti_verb verb, struct mcti_str params,
                          struct mct_error *err)
{
    struct mct_instance *a = q->api;
    q->call = (struct mcti_call){ .hooks = q->call.hooks,
                                  .verb = verb,
                                  .params = params,
                                  .caller = { .rev = MCT_REV_LATEST },
                                  .interactive = true,
                                  .owner = a,
                                  .events = &a->events,
                                  .principal = MCT_STR("local"),
                                  .done = api_ask_on_done,
                                  .progress = q->opts.progress ? api_ask_on_progress : NULL };
    q->stop = stop_call;
    q->asked = p;
    int r = mcti_provider_call(p, &q->call, err);
    if (r < 0)
        mcti_api_name_server(a, p, err);
    return r;
}

/* ---- by name ---- */

int mcti_api_read_object(const char *what, struct mcti_str text, struct mcti_str *ret, struct mct_error *err)
{
    *ret = MCT_STR_NONE;
    return text.p ? mcti_json_read_object(text, what, ret, err) : 0;
}

/* SERVER.NAME, and SERVER__NAME also where one server alone has no prefix. */
static bool is_qualified(const struct mcti_view *v, const struct mcti_exposure *x, struct mcti_str name)
{
    struct mcti_str server = mcti_str_of(x->provider->name),
                    sep = mcti_str_of(v->naming.separator ? v->naming.separator : "__");
    if (!mcti_str_starts(name, server))
        return false;
    struct mcti_str rest = { name.p + server.len, name.len - server.len };
    size_t skip = mcti_str_starts(rest, MCT_STR(".")) ? 1 : mcti_str_starts(rest, sep) ? sep.len : 0;
    return skip && mcti_str_eq((struct mcti_str){ rest.p + skip, rest.len - skip }, x->item->id);
}

const struct mcti_exposure *mcti_api_find(struct mcti_view *v, enum mcti_kind kind, const char *name,
                                          struct mct_error *err)
{
    struct mcti_str text = mcti_str_of(name);
    const struct mcti_exposure *x = mcti_view_named(v, kind, text, err);
    const struct mcti_exposures *e = mcti_view_items(v, kind);
    for (size_t i = 0; !x && i < e->n; i++)
        if (is_qualified(v, &e->v[i], text))
            x = &e->v[i];
    if (!x && err && err->kind == MCT_ERR_NOT_FOUND && !mcti_registry_settled(v->registry))
        mcti_error_wrap(err, "servers are still connecting");
    return x;
}

static void put_named(struct mcti_buf *to, const struct mcti_item *item, struct mcti_str arguments)
{
    mcti_buf_addc(to, '{');
    mcti_json_put_raw(to, "name", mcti_json_get(item->json, "name"));
    mcti_json_put_raw(to, "arguments", arguments.p ? arguments : MCT_STR("{}"));
    mcti_buf_addc(to, '}');
}

static int api_ask_start_named(struct mct_request *q, const struct mcti_exposure *x, enum mcti_verb verb,
                               struct mcti_str arguments, struct mct_error *err)
{
    struct mcti_buf b;
    mcti_buf_init(&b, arguments.len + x->item->json.len + 64);
    put_named(&b, x->item, arguments);
    int r = mcti_api_request_call(q, x->provider, verb, mcti_buf_str(&b), err);
    mcti_buf_done(&b);
    return r;
}

/* A refusal that models read is a result. */
static void refuse_read_only(struct mct_request *q, struct mcti_str tool)
{
    const struct mcti_refusal refusal = { .tool_name = tool, .entered_at_s = q->api->policy.since_s };
    struct mcti_buf b;
    mcti_buf_init(&b, 32 * refusal.tool_name.len + 8192);
    mcti_refusal_put_result(&b, &refusal);
    mcti_api_request_finish(q, mcti_buf_str(&b), NULL);
    mcti_buf_done(&b);
}

void mcti_api_refuse_stranger(struct mct_request *q)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 256);
    mcti_shape_tool_says(&b, MCT_STR(MCT_OWNER_ONLY_TEXT));
    mcti_api_request_finish(q, mcti_buf_str(&b), NULL);
    mcti_buf_done(&b);
}

/* What the call of a tool really is: search mode's tool_call stands for another. */
static int api_ask_unwrap(struct mct_instance *a, struct mcti_view **v, const struct mcti_exposure **x,
                          struct mcti_str *arguments, struct mct_error *err)
{
    struct mcti_view_own *own = a->view.own;
    struct mcti_str name, args = MCT_STR_NONE;
    struct mcti_view *inner =
        own && own->provider == (*x)->provider ? own->unwrap(own, (*x)->item, *arguments, &name, &args) : NULL;
    if (!inner)
        return 0;
    char *text = mcti_json_dup(name);
    *x = text ? mcti_api_find(inner, MCT_TOOL, text, err) : NULL;
    if (!text)
        mcti_fail(err, MCT_ERR_USAGE, "\"name\" is no name of a tool");
    free(text);
    *v = inner;
    *arguments = args;
    return *x ? 0 : -1;
}

int mcti_api_call_tool(struct mct_request *q, const struct mcti_exposure *x, struct mcti_str arguments,
                       struct mct_error *err)
{
    struct mct_instance *a = q->api;
    struct mcti_view *v = &a->view;
    struct mcti_str name = x->name;
    struct mcti_hook_target hooks;
    if (api_ask_unwrap(a, &v, &x, &arguments, err) < 0)
        return -1;
    if (a->policy.read_only && !mcti_view_is_read_only(v, &a->policy, x)) {
        refuse_read_only(q, name);
        return 0;
    }
    if (mcti_hook_target(&a->hooks, v, x, &hooks)) {
        hooks.approver = &a->answerer;
        q->call.hooks = &hooks;
    }
    return api_ask_start_named(q, x, MCT_VERB_TOOLS_CALL, arguments, err);
}

static int api_ask_call_named(struct mct_request *q, const char *tool, struct mcti_str arguments, struct mct_error *err)
{
    struct mcti_view *v = &q->api->view;
    bool restricted = mcti_view_restricted(v, mcti_str_of(tool));
    const struct mcti_exposure *x = restricted ? NULL : mcti_api_find(v, MCT_TOOL, tool, err);
    if (restricted)
        mcti_api_refuse_stranger(q);
    return restricted ? 0 : x ? mcti_api_call_tool(q, x, arguments, err) : -1;
}

struct mct_request *mct_instance_call(struct mct_instance *r, const char *tool, const char *arguments,
                                      const struct mct_call_opts *opts, struct mct_error *err)
{
    return mct_instance_call_len(r, tool, arguments, arguments ? strlen(arguments) : 0, opts, err);
}

struct mct_request *mct_instance_call_len(struct mct_instance *r, const char *tool, const char *arguments, size_t len,
                                          const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mcti_str args;
    if (mcti_api_read_object("arguments", (struct mcti_str){ arguments, len }, &args, err) < 0)
        return NULL;
    struct mct_request *q = mcti_api_request_new(r, opts, err);
    return api_request_started(q, q ? api_ask_call_named(q, tool, args, err) : -1);
}

struct mct_request *mct_instance_get_prompt(struct mct_instance *r, const char *prompt, const char *arguments,
                                            const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mcti_str args;
    if (mcti_api_read_object("arguments", mcti_str_of(arguments), &args, err) < 0)
        return NULL;
    struct mct_request *q = mcti_api_request_new(r, opts, err);
    const struct mcti_exposure *x = q ? mcti_api_find(&q->api->view, MCT_PROMPT, prompt, err) : NULL;
    return api_request_started(q, x ? api_ask_start_named(q, x, MCT_VERB_PROMPTS_GET, args, err) : -1);
}
