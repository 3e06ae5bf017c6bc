#include "hub/local/tool.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/sized.h"
#include "hub/local/impl.h"

#include <stdlib.h>

/* A tool. Referenced by its item and by its calls. */
struct tool {
    mct_tool_fn execute;
    void *data;
    void (*free_data)(void *data);
    struct mcti_provider *provider;
    size_t n_users; /* references */
    char name[MCT_LIMIT_TOOL_NAME + 1];
};

/* The call that a tool's function receives. Lives until the request has ended, all its callbacks have returned and the
 * cancellation, if any, is reported. That happens from the loop, because the code that cancels may not expect a
 * callback.
 */
struct mct_tool_call {
    struct mcti_local_request *request; /* NULL: the request has ended */
    struct tool *tool;
    struct mcti_arena texts;
    void *memory;   /* in `texts`; NULL: not allocated */
    unsigned depth; /* running callbacks */
    mct_tool_fn turn, cancelled;
    void *turn_data, *cancelled_data;
    bool answered;
    struct mcti_list node; /* in mcti_local.cancelled until the cancellation is reported */
    struct mcti_task report;
};

/* ---- definitions ---- */

static bool good_name(const char *name)
{
    size_t n = name ? strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.") : 0;
    return n && n <= MCT_LIMIT_TOOL_NAME && !name[n];
}

/* Appends the member `key` with `text`, which must be a JSON object; NULL appends nothing. */
static int local_tool_put_object(struct mcti_buf *to, const char *key, const char *text, struct mct_error *err)
{
    struct mcti_str object;
    if (!text)
        return 0;
    if (mcti_json_read_object(mcti_str_of(text), key, &object, err) < 0)
        return -1;
    mcti_json_put_raw(to, key, object);
    return 0;
}

/* Appends inputSchema. Its type must be "object" (2025-11-25 "Tool"). */
static int put_parameters(struct mcti_buf *to, const char *text, struct mct_error *err)
{
    const struct mcti_json_set object = { "type", MCT_STR("\"object\"") };
    struct mcti_str schema = MCT_STR_NONE;
    if (text && mcti_json_read_object(mcti_str_of(text), "parameters", &schema, err) < 0)
        return -1;
    struct mcti_str type = mcti_json_get(schema, "type");
    if (type.p && !mcti_json_is(type, "object"))
        return mcti_fail(err, MCT_ERR_USAGE, "parameters: \"type\" must be \"object\"");
    mcti_json_put_key(to, "inputSchema");
    mcti_json_put_object(to, schema, &object, 1);
    return 0;
}

static void local_tool_put_meta(struct mcti_buf *to, struct mcti_str meta, bool owner_only)
{
    const struct mcti_json_set mark = { "openclaw/ownerOnly", MCT_STR("true") };
    if (!meta.p && !owner_only)
        return;
    mcti_json_put_key(to, "_meta");
    mcti_json_put_object(to, meta, &mark, owner_only ? 1 : 0);
}

static int put_definition(struct mcti_buf *to, const struct mct_tool_def *def, struct mcti_str meta,
                          struct mct_error *err)
{
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "name", mcti_str_of(def->name));
    if (def->label)
        mcti_json_put_member(to, "title", mcti_str_of(def->label));
    if (def->description)
        mcti_json_put_member(to, "description", mcti_str_of(def->description));
    if (put_parameters(to, def->parameters, err) < 0 ||
        local_tool_put_object(to, "outputSchema", def->output_schema, err) < 0 ||
        local_tool_put_object(to, "annotations", def->annotations, err) < 0)
        return -1;
    local_tool_put_meta(to, meta, def->owner_only);
    mcti_buf_addc(to, '}');
    return 0;
}

/* ---- calls ---- */

static void release_tool(void *data)
{
    struct tool *t = data;
    if (--t->n_users)
        return;
    if (t->free_data)
        t->free_data(t->data);
    free(t);
}

static void end_if_idle(struct mct_tool_call *c)
{
    if (c->depth || c->request || !mcti_list_empty(&c->node))
        return;
    mcti_arena_done(&c->texts);
    release_tool(c->tool);
    free(c);
}

static void local_tool_run(struct mct_tool_call *c, mct_tool_fn fn, void *data)
{
    c->depth++;
    fn(c, data);
    c->depth--;
    end_if_idle(c);
}

static void local_tool_on_report(void *data)
{
    struct mct_tool_call *c = data;
    mcti_list_remove(&c->node);
    local_tool_run(c, c->cancelled, c->cancelled_data);
}

void mcti_local_tools_settle(struct mcti_list *cancelled)
{
    while (!mcti_list_empty(cancelled)) {
        struct mct_tool_call *c = MCT_CONTAINER(cancelled->next, struct mct_tool_call, node);
        mcti_task_stop(&c->report);
        local_tool_on_report(c);
    }
}

static void local_tool_on_request_over(void *side)
{
    struct mct_tool_call *c = side;
    struct mcti_provider *p = c->tool->provider;
    c->request = NULL;
    if (!c->answered && c->cancelled) {
        mcti_list_append(&mcti_local_of(p)->cancelled, &c->node);
        mcti_task_post(p->sched, &c->report);
    }
    end_if_idle(c);
}

static void local_tool_on_call(struct mcti_local_request *r, void *data)
{
    struct tool *t = data;
    struct mct_tool_call *c = calloc(1, sizeof *c);
    if (!c) {
        mcti_local_text_error(r, MCT_NO_MEMORY_TEXT);
        return;
    }
    c->request = r;
    c->tool = t;
    t->n_users++;
    mcti_list_init(&c->node);
    mcti_task_init(&c->report, local_tool_on_report, c);
    mcti_arena_init(&c->texts, 8 * MCT_LIMIT_MESSAGE_BYTES);
    mcti_local_set_side(r, c, local_tool_on_request_over);
    local_tool_run(c, t->execute, t->data);
}

int mcti_local_add_tool(struct mcti_provider *p, const struct mct_tool_def *given, struct mcti_str meta,
                        struct mct_error *err)
{
    struct mct_tool_def def;
    struct mcti_buf json;
    if (mcti_sized_copy(&def, sizeof def, given, "struct mct_tool_def", err) < 0)
        return -1;
    if (!good_name(def.name))
        return mcti_fail(err, MCT_ERR_USAGE,
                         "tool '%.140s': the name must have 1 to %d of the characters A-Z a-z 0-9 _ - .",
                         def.name ? def.name : "", MCT_LIMIT_TOOL_NAME);
    if (!def.execute)
        return mcti_fail(err, MCT_ERR_USAGE, "tool '%s': missing function \"execute\"", def.name);
    struct tool *t = calloc(1, sizeof *t);
    mcti_buf_init(&json, MCT_LIMIT_MESSAGE_BYTES);
    int r = t ? put_definition(&json, &def, meta, err) : mcti_no_memory(err);
    char *text = r == 0 ? mcti_buf_take(&json) : NULL;
    if (r == 0) {
        *t = (struct tool){
            .execute = def.execute, .data = def.data, .free_data = def.free_data, .provider = p, .n_users = 1
        };
        memcpy(t->name, def.name, strlen(def.name));
        r = text ? mcti_local_add_owned(p, MCT_TOOL, text, local_tool_on_call, t, release_tool, err)
                 : mcti_fail(err, MCT_ERR_LIMIT, "the definition is too long");
    }
    free(text);
    mcti_buf_done(&json);
    if (r == 0)
        return 0;
    free(t);
    return mcti_error_wrap(err, "tool '%s'", def.name);
}

/* ---- the request ---- */

const char *mct_tool_call_arguments_len(struct mct_tool_call *c, size_t *ret_len)
{
    struct mcti_str v = c->request ? mcti_json_get(mcti_local_params(c->request), "arguments") : MCT_STR_NONE;
    const char *kept = mcti_json_type(v) == '{' ? mcti_arena_dup(&c->texts, v) : NULL;
    *ret_len = kept ? v.len : 2;
    return kept ? kept : "{}";
}

const char *mct_tool_call_arguments(struct mct_tool_call *c)
{
    size_t len;
    return mct_tool_call_arguments_len(c, &len);
}

const char *mct_tool_call_argument(struct mct_tool_call *c, const char *name)
{
    return c->request ? mcti_arena_dup(&c->texts, mcti_local_argument(c->request, name)) : NULL;
}

const char *mct_tool_call_text_argument_len(struct mct_tool_call *c, const char *name, size_t *ret_len)
{
    struct mcti_str value = c->request ? mcti_local_argument(c->request, name) : MCT_STR_NONE;
    struct mcti_buf text;
    mcti_buf_init(&text, value.len);
    bool good = mcti_json_unescape(value, &text) == 0 && mcti_buf_ok(&text);
    const char *kept = good ? mcti_arena_dup(&c->texts, mcti_buf_str(&text)) : NULL;
    *ret_len = kept ? text.len : 0;
    mcti_buf_done(&text);
    return kept;
}

const char *mct_tool_call_text_argument(struct mct_tool_call *c, const char *name)
{
    size_t len;
    const char *text = mct_tool_call_text_argument_len(c, name, &len);
    return text && strlen(text) == len ? text : NULL;
}

/* ---- during the request ---- */

void *mct_tool_call_memory(struct mct_tool_call *c, size_t size)
{
    if (!c->memory)
        c->memory = mcti_arena_get(&c->texts, size);
    return c->memory;
}

void mct_tool_call_progress(struct mct_tool_call *c, double progress, double total, const char *message)
{
    if (c->request)
        mcti_local_progress(c->request, progress, total, message);
}

static void local_tool_on_turn(struct mcti_local_request *r, void *data)
{
    struct mct_tool_call *c = data;
    (void)r;
    local_tool_run(c, c->turn, c->turn_data);
}

void mct_tool_call_later(struct mct_tool_call *c, unsigned in_ms, mct_tool_fn fn, void *data)
{
    if (!c->request)
        return;
    c->turn = fn;
    c->turn_data = data;
    mcti_local_later(c->request, in_ms, local_tool_on_turn, c);
}

void mct_tool_call_on_cancel(struct mct_tool_call *c, mct_tool_fn fn, void *data)
{
    if (!c->request)
        return;
    c->cancelled = fn;
    c->cancelled_data = data;
}

/* ---- answers ---- */

/* Returns the request to answer; NULL if it has ended, which is logged. */
static struct mcti_local_request *local_tool_answering(struct mct_tool_call *c)
{
    struct mcti_local_request *r = c->request;
    c->answered = true;
    if (r)
        return r;
    mcti_log(c->tool->provider->log, MCT_LOG_WARN, "tool '%s' answered a call that has already ended", c->tool->name);
    return NULL;
}

static void answer_text(struct mct_tool_call *c, struct mcti_str text, bool is_error)
{
    struct mcti_local_request *r = local_tool_answering(c);
    if (r)
        mcti_local_text_str(r, text, is_error);
}

void mct_tool_call_text(struct mct_tool_call *c, const char *text)
{
    answer_text(c, mcti_str_of(text), false);
}

void mct_tool_call_text_len(struct mct_tool_call *c, const char *text, size_t len)
{
    answer_text(c, (struct mcti_str){ text, len }, false);
}

void mct_tool_call_error(struct mct_tool_call *c, const char *text)
{
    answer_text(c, mcti_str_of(text ? text : "the tool failed"), true);
}

void mct_tool_call_error_len(struct mct_tool_call *c, const char *text, size_t len)
{
    answer_text(c, (struct mcti_str){ text, len }, true);
}

void mct_tool_call_result(struct mct_tool_call *c, const char *result)
{
    mct_tool_call_result_len(c, result, result ? strlen(result) : 0);
}

void mct_tool_call_result_len(struct mct_tool_call *c, const char *result, size_t len)
{
    struct mcti_local_request *r = local_tool_answering(c);
    struct mcti_str text = { result, len };
    if (!r)
        return;
    if (mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, NULL) &&
        mcti_json_type(mcti_json_get(text, "content")) == '[')
        mcti_local_result(r, text);
    else
        mcti_local_text_error(r, "tool '%s' returned no CallToolResult: expected an object with the list \"content\"",
                              c->tool->name);
}

void mct_tool_call_fail(struct mct_tool_call *c, int code, const char *message)
{
    struct mcti_local_request *r = local_tool_answering(c);
    if (r)
        mcti_local_fail(r, code, message ? message : "the tool failed", MCT_STR_NONE);
}
