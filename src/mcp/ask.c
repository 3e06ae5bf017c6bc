#include "mcp/ask.h"

#include "mcp/era.h"

static const char *const methods[MCT_ASK_N] = {
    [MCT_ASK_ROOTS] = "roots/list",
    [MCT_ASK_ELICITATION] = "elicitation/create",
    [MCT_ASK_SAMPLING] = "sampling/createMessage",
};

const char *mct_ask_method(enum mct_ask_kind kind)
{
    return methods[kind];
}

enum mct_ask_kind mct_ask_find(struct mct_str method)
{
    int kind = 0;
    while (kind < MCT_ASK_N && !mct_str_is(method, methods[kind]))
        kind++;
    return (enum mct_ask_kind)kind;
}

/* {"a":{},"b":{}} of those that are there. */
static void put_set(struct mct_buf *to, const char *key, bool has_a, const char *a, bool has_b, const char *b)
{
    mct_json_put_key(to, key);
    mct_buf_addc(to, '{');
    if (has_a)
        mct_json_put_raw(to, a, MCT_STR("{}"));
    if (has_b)
        mct_json_put_raw(to, b, MCT_STR("{}"));
    mct_buf_addc(to, '}');
}

void mct_capabilities_put(struct mct_buf *to, const struct mct_answerer *a)
{
    mct_buf_addc(to, '{');
    if (a && (a->roots || a->ask_roots))
        mct_json_put_raw(to, "roots", a->roots_change ? MCT_STR("{\"listChanged\":true}") : MCT_STR("{}"));
    if (a && (a->form || a->url))
        put_set(to, "elicitation", a->form, "form", a->url, "url");
    if (a && a->sampling)
        put_set(to, "sampling", a->sampling_context, "context", a->sampling_tools, "tools");
    mct_buf_addc(to, '}');
}

void mct_capabilities_read(struct mct_str capabilities, struct mct_answerer *ret)
{
    struct mct_str elicitation = mct_json_get(capabilities, "elicitation");
    struct mct_str sampling = mct_json_get(capabilities, "sampling");
    ret->url = mct_json_get(elicitation, "url").p != NULL;
    ret->form = mct_json_type(elicitation) == '{' && (!ret->url || mct_json_get(elicitation, "form").p);
    ret->sampling = mct_json_type(sampling) == '{';
    ret->sampling_tools = mct_json_get(sampling, "tools").p != NULL;
    ret->sampling_context = mct_json_get(sampling, "context").p != NULL;
    ret->ask_roots = mct_json_type(mct_json_get(capabilities, "roots")) == '{';
}

/* No mode means form (2025-11-25, "Elicitation"). */
static bool can_elicit(const struct mct_answerer *by, struct mct_str params)
{
    struct mct_str mode = mct_json_get(params, "mode");
    return mct_json_is(mode, "url") ? by->url : by->form && (!mode.p || mct_json_is(mode, "form"));
}

static bool can_sample(const struct mct_answerer *by, struct mct_str params)
{
    bool with_tools = mct_json_get(params, "tools").p || mct_json_get(params, "toolChoice").p;
    return by->sampling && (by->sampling_tools || !with_tools);
}

bool mct_answerer_can(const struct mct_answerer *by, enum mct_ask_kind kind, struct mct_str params)
{
    if (!by)
        return false;
    return kind == MCT_ASK_ROOTS      ? by->roots || by->ask_roots
           : kind == MCT_ASK_SAMPLING ? can_sample(by, params)
                                      : can_elicit(by, params);
}

static void answer_roots(struct mct_ask *a, const char *roots)
{
    struct mct_buf b;
    mct_buf_init(&b, strlen(roots) + 16);
    mct_buf_printf(&b, "{\"roots\":%s}", roots);
    mct_ask_answer(a, mct_buf_str(&b));
    mct_buf_done(&b);
}

void mct_ask_start(struct mct_ask *a, const struct mct_answerer *answerer)
{
    struct mct_error err;
    bool mode = a->kind == MCT_ASK_ELICITATION && answerer && (answerer->form || answerer->url);
    a->answerer = answerer;
    if (!mct_answerer_can(answerer, a->kind, a->params)) {
        mct_fail(&err, MCT_ERR_UNSUPPORTED, "this client does not offer %s%s", mct_ask_method(a->kind),
                 mode ? " in this mode" : "");
        if (mode)
            err.code = MCT_RPC_INVALID_PARAMS;
        if (answerer && answerer->lacks)
            answerer->lacks(answerer->data, a, &err);
        else
            mct_ask_fail(a, &err);
    } else if (a->kind == MCT_ASK_ROOTS && answerer->roots) {
        answer_roots(a, answerer->roots);
    } else {
        answerer->ask(answerer->data, a);
    }
}

void mct_ask_withdraw(struct mct_ask *a)
{
    const struct mct_answerer *by = a->answerer;
    a->answerer = NULL;
    if (by && by->withdraw)
        by->withdraw(by->data, a);
}

void mct_ask_answer(struct mct_ask *a, struct mct_str result)
{
    a->answerer = NULL;
    a->answered(a, result, NULL);
}

void mct_ask_fail(struct mct_ask *a, const struct mct_error *err)
{
    a->answerer = NULL;
    a->answered(a, MCT_STR_NONE, err);
}
