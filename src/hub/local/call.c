/* Calls of definitions: their begin, what the program may do during a call, and their end. */
#include "hub/local/def.h"

#include "base/limits.h"
#include "hub/local/tool.h"
#include "hub/names/template.h"

#include <stdlib.h>

/* ---- life ---- */

static void call_end_if_idle(struct mct_tool_call *c)
{
    if (c->depth || c->request || !mcti_list_empty(&c->node))
        return;
    mcti_arena_done(&c->texts);
    mcti_local_def_unuse(c->def);
    free(c);
}

void mcti_local_call_begin(struct mct_tool_call *c)
{
    c->depth++;
}

void mcti_local_call_end(struct mct_tool_call *c)
{
    c->depth--;
    call_end_if_idle(c);
}

static void call_run(struct mct_tool_call *c, mct_tool_fn fn, void *data)
{
    mcti_local_call_begin(c);
    fn(c, data);
    mcti_local_call_end(c);
}

static void call_on_report(void *data)
{
    struct mct_tool_call *c = data;
    mcti_list_remove(&c->node);
    call_run(c, c->cancelled, c->cancelled_data);
}

void mcti_local_tools_settle(struct mcti_list *cancelled)
{
    while (!mcti_list_empty(cancelled)) {
        struct mct_tool_call *c = MCT_CONTAINER(cancelled->next, struct mct_tool_call, node);
        mcti_task_stop(&c->report);
        call_on_report(c);
    }
}

static void call_on_request_over(void *side)
{
    struct mct_tool_call *c = side;
    struct mcti_provider *p = c->def->provider;
    c->request = NULL;
    c->arguments = MCT_STR_NONE;
    mcti_local_questions_end(c);
    if (!c->answered && c->cancelled) {
        mcti_list_append(&mcti_local_of(p)->cancelled, &c->node);
        mcti_task_post(p->sched, &c->report);
    }
    call_end_if_idle(c);
}

/* Returns the arguments: those of the request or, for a read, the variables of the template. */
static struct mcti_str arguments_of(struct mct_tool_call *c)
{
    struct mcti_str params = mcti_local_params(c->request), uri = mcti_local_uri(c->request);
    struct mcti_buf b;
    if (c->verb == MCT_VERB_COMPLETE)
        return mcti_json_get(mcti_json_get(params, "context"), "arguments");
    if (c->verb != MCT_VERB_RESOURCES_READ)
        return mcti_json_get(params, "arguments");
    if (c->def->kind != MCT_TEMPLATE)
        return MCT_STR_NONE;
    mcti_buf_init(&b, 8 * uri.len + strlen(c->def->name) + 64);
    mcti_template_put_variables(&b, mcti_str_of(c->def->name), uri);
    struct mcti_str kept = { mcti_arena_dup(&c->texts, mcti_buf_str(&b)), b.len };
    mcti_buf_done(&b);
    return kept.p ? kept : MCT_STR_NONE;
}

/* Creates the call. On failure answers the request and returns NULL. */
static struct mct_tool_call *call_new(struct mcti_local_request *r, struct mcti_local_def *d)
{
    struct mct_tool_call *c = calloc(1, sizeof *c);
    if (!c) {
        mcti_local_fail(r, MCT_RPC_INTERNAL, MCT_NO_MEMORY_TEXT, MCT_STR_NONE);
        return NULL;
    }
    c->request = r;
    c->verb = mcti_local_call(r)->verb;
    c->def = d;
    d->n_users++;
    mcti_list_init(&c->node);
    mcti_list_init(&c->questions);
    mcti_task_init(&c->report, call_on_report, c);
    mcti_arena_init(&c->texts, 8 * MCT_LIMIT_MESSAGE_BYTES);
    c->arguments = arguments_of(c);
    mcti_local_set_side(r, c, call_on_request_over);
    return c;
}

void mcti_local_def_run(struct mcti_local_request *r, void *data)
{
    struct mcti_local_def *d = data;
    struct mct_tool_call *c = call_new(r, d);
    if (!c)
        return;
    mcti_local_call_begin(c);
    if (mcti_local_check_arguments(c))
        d->run(c, d->data);
    mcti_local_call_end(c);
}

void mcti_local_def_complete(struct mcti_local_request *r, void *data)
{
    struct mcti_local_def *d = data;
    bool completes = d && d->complete;
    struct mct_tool_call *c = completes ? call_new(r, d) : NULL;
    if (c)
        call_run(c, d->complete, d->data);
    else if (!completes)
        mcti_local_result(r, MCT_STR("{\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}}"));
}

/* ---- the request ---- */

const char *mct_tool_call_arguments_len(struct mct_tool_call *c, size_t *ret_len)
{
    const char *kept = mcti_json_type(c->arguments) == '{' ? mcti_arena_dup(&c->texts, c->arguments) : NULL;
    *ret_len = kept ? c->arguments.len : 2;
    return kept ? kept : "{}";
}

const char *mct_tool_call_arguments(struct mct_tool_call *c)
{
    size_t len;
    return mct_tool_call_arguments_len(c, &len);
}

const char *mct_tool_call_argument(struct mct_tool_call *c, const char *name)
{
    return mcti_arena_dup(&c->texts, mcti_json_get(c->arguments, name));
}

/* Returns a copy of a JSON string's text, and its length in *ret_len. */
static const char *call_keep_text(struct mct_tool_call *c, struct mcti_str value, size_t *ret_len)
{
    struct mcti_buf text;
    mcti_buf_init(&text, value.len);
    bool good = mcti_json_unescape(value, &text) == 0 && mcti_buf_ok(&text);
    const char *kept = good ? mcti_arena_dup(&c->texts, mcti_buf_str(&text)) : NULL;
    *ret_len = kept ? text.len : 0;
    mcti_buf_done(&text);
    return kept;
}

const char *mct_tool_call_text_argument_len(struct mct_tool_call *c, const char *name, size_t *ret_len)
{
    return call_keep_text(c, mcti_json_get(c->arguments, name), ret_len);
}

const char *mct_tool_call_text_argument(struct mct_tool_call *c, const char *name)
{
    size_t len;
    const char *text = mct_tool_call_text_argument_len(c, name, &len);
    return text && strlen(text) == len ? text : NULL;
}

const char *mct_tool_call_uri(struct mct_tool_call *c)
{
    if (!c->request ||
        (c->verb == MCT_VERB_COMPLETE ? c->def->kind != MCT_TEMPLATE : c->verb != MCT_VERB_RESOURCES_READ))
        return NULL;
    return c->verb == MCT_VERB_COMPLETE ? c->def->name : mcti_arena_dup(&c->texts, mcti_local_uri(c->request));
}

/* Returns a member of the argument that is completed. */
static const char *completed_member(struct mct_tool_call *c, const char *key)
{
    size_t len;
    return c->request && c->verb == MCT_VERB_COMPLETE
               ? call_keep_text(c, mcti_json_get(mcti_json_get(mcti_local_params(c->request), "argument"), key), &len)
               : NULL;
}

const char *mct_tool_call_completed(struct mct_tool_call *c)
{
    return completed_member(c, "name");
}

const char *mct_tool_call_typed(struct mct_tool_call *c)
{
    return completed_member(c, "value");
}

/* ---- during the request ---- */

void *mct_tool_call_memory(struct mct_tool_call *c, size_t size)
{
    if (!c->memory)
        c->memory = mcti_arena_get(&c->texts, size);
    return c->memory;
}

bool mct_tool_call_is_task(const struct mct_tool_call *c)
{
    return c->request && mcti_call_root(mcti_local_call(c->request))->is_task;
}

void mct_tool_call_progress(struct mct_tool_call *c, double progress, double total, const char *message)
{
    if (c->request)
        mcti_local_progress(c->request, progress, total, message);
}

static void call_on_turn(struct mcti_local_request *r, void *data)
{
    struct mct_tool_call *c = data;
    (void)r;
    call_run(c, c->turn, c->turn_data);
}

void mct_tool_call_later(struct mct_tool_call *c, unsigned in_ms, mct_tool_fn fn, void *data)
{
    if (!c->request)
        return;
    c->turn = fn;
    c->turn_data = data;
    mcti_local_later(c->request, in_ms, call_on_turn, c);
}

void mct_tool_call_on_cancel(struct mct_tool_call *c, mct_tool_fn fn, void *data)
{
    if (!c->request)
        return;
    c->cancelled = fn;
    c->cancelled_data = data;
}
