#include "mcp/ask.h"

#include "mcp/era.h"

static const char *const methods[MCT_ASK_N] = {
    [MCT_ASK_ROOTS] = "roots/list",
    [MCT_ASK_ELICITATION] = "elicitation/create",
    [MCT_ASK_SAMPLING] = "sampling/createMessage",
};

const char *mcti_ask_method(enum mcti_ask_kind kind)
{
    return methods[kind];
}

enum mcti_ask_kind mcti_ask_find(struct mcti_str method)
{
    int kind = 0;
    while (kind < MCT_ASK_N && !mcti_str_is(method, methods[kind]))
        kind++;
    return (enum mcti_ask_kind)kind;
}

/* Writes "KEY":{"a":{},"b":{}} with the members that are set. */
static void put_set(struct mcti_buf *to, const char *key, bool has_a, const char *a, bool has_b, const char *b)
{
    mcti_json_put_key(to, key);
    mcti_buf_addc(to, '{');
    if (has_a)
        mcti_json_put_raw(to, a, MCT_STR("{}"));
    if (has_b)
        mcti_json_put_raw(to, b, MCT_STR("{}"));
    mcti_buf_addc(to, '}');
}

void mcti_capabilities_put(struct mcti_buf *to, const struct mcti_answerer *a)
{
    mcti_buf_addc(to, '{');
    if (a && (a->roots || a->ask_roots))
        mcti_json_put_raw(to, "roots", a->roots_change ? MCT_STR("{\"listChanged\":true}") : MCT_STR("{}"));
    if (a && (a->form || a->url))
        put_set(to, "elicitation", a->form, "form", a->url, "url");
    if (a && a->sampling)
        put_set(to, "sampling", a->sampling_context, "context", a->sampling_tools, "tools");
    if (a && a->own)
        mcti_extensions_put_with(to, a->open, a->which, a->own);
    else if (a && a->open.p)
        mcti_extensions_put(to, a->open, a->which);
    mcti_buf_addc(to, '}');
}

void mcti_capabilities_read(struct mcti_str capabilities, struct mcti_answerer *ret)
{
    struct mcti_str elicitation = mcti_json_get(capabilities, "elicitation");
    struct mcti_str sampling = mcti_json_get(capabilities, "sampling");
    ret->url = mcti_json_get(elicitation, "url").p != NULL;
    ret->form = mcti_json_type(elicitation) == '{' && (!ret->url || mcti_json_get(elicitation, "form").p);
    ret->sampling = mcti_json_type(sampling) == '{';
    ret->sampling_tools = mcti_json_get(sampling, "tools").p != NULL;
    ret->sampling_context = mcti_json_get(sampling, "context").p != NULL;
    ret->ask_roots = mcti_json_type(mcti_json_get(capabilities, "roots")) == '{';
}

/* Without a mode it is a form (2025-11-25, "Elicitation"). */
static bool can_elicit(const struct mcti_answerer *by, struct mcti_str params)
{
    struct mcti_str mode = mcti_json_get(params, "mode");
    return mcti_json_is(mode, "url") ? by->url : by->form && (!mode.p || mcti_json_is(mode, "form"));
}

static bool can_sample(const struct mcti_answerer *by, struct mcti_str params)
{
    bool with_tools = mcti_json_get(params, "tools").p || mcti_json_get(params, "toolChoice").p;
    return by->sampling && (by->sampling_tools || !with_tools);
}

bool mcti_answerer_can(const struct mcti_answerer *by, enum mcti_ask_kind kind, struct mcti_str params)
{
    if (!by)
        return false;
    return kind == MCT_ASK_ROOTS      ? by->roots || by->ask_roots
           : kind == MCT_ASK_SAMPLING ? can_sample(by, params)
                                      : can_elicit(by, params);
}

static void mcp_ask_answer_roots(struct mcti_ask *a, const char *roots)
{
    struct mcti_buf b;
    mcti_buf_init(&b, strlen(roots) + 16);
    mcti_buf_printf(&b, "{\"roots\":%s}", roots);
    mcti_ask_answer(a, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

void mcti_ask_start(struct mcti_ask *a, const struct mcti_answerer *answerer)
{
    struct mct_error err;
    bool mode = a->kind == MCT_ASK_ELICITATION && answerer && (answerer->form || answerer->url);
    a->answerer = answerer;
    if (!mcti_answerer_can(answerer, a->kind, a->params)) {
        mcti_fail(&err, MCT_ERR_UNSUPPORTED, "this client does not offer %s%s", mcti_ask_method(a->kind),
                  mode ? " in this mode" : "");
        if (mode)
            err.code = MCT_RPC_INVALID_PARAMS;
        if (answerer && answerer->lacks)
            answerer->lacks(answerer->data, a, &err);
        else
            mcti_ask_fail(a, &err);
    } else if (a->kind == MCT_ASK_ROOTS && answerer->roots) {
        mcp_ask_answer_roots(a, answerer->roots);
    } else {
        answerer->ask(answerer->data, a);
    }
}

void mcti_ask_withdraw(struct mcti_ask *a)
{
    const struct mcti_answerer *by = a->answerer;
    a->answerer = NULL;
    if (by && by->withdraw)
        by->withdraw(by->data, a);
}

void mcti_ask_answer(struct mcti_ask *a, struct mcti_str result)
{
    struct mct_error err;
    a->answerer = NULL;
    if (result.p == mcti_buf_lost) {
        mcti_no_memory(&err);
        a->answered(a, MCT_STR_NONE, &err);
    } else {
        a->answered(a, result, NULL);
    }
}

void mcti_ask_fail(struct mcti_ask *a, const struct mct_error *err)
{
    a->answerer = NULL;
    a->answered(a, MCT_STR_NONE, err);
}
