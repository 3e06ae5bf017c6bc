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

void mct_capabilities_put(struct mct_buf *to, const struct mct_answerer *a)
{
    mct_buf_addc(to, '{');
    if (a && a->roots) {
        mct_json_put_key(to, "roots");
        mct_buf_addz(to, "{}");
    }
    if (a && (a->form || a->url)) {
        mct_json_put_key(to, "elicitation");
        mct_buf_printf(to, "{%s%s%s}", a->form ? "\"form\":{}" : "", a->form && a->url ? "," : "",
                       a->url ? "\"url\":{}" : "");
    }
    if (a && a->sampling) {
        mct_json_put_key(to, "sampling");
        mct_buf_addz(to, "{}");
    }
    mct_buf_addc(to, '}');
}

/* No mode means form (2025-11-25, "Elicitation"). */
static bool can_elicit(const struct mct_answerer *by, struct mct_str params)
{
    struct mct_str mode = mct_json_get(params, "mode");
    return mct_json_is(mode, "url") ? by->url : by->form && (!mode.p || mct_json_is(mode, "form"));
}

static bool can(const struct mct_answerer *by, const struct mct_ask *a)
{
    if (!by)
        return false;
    return a->kind == MCT_ASK_ROOTS ? by->roots != NULL : a->kind == MCT_ASK_SAMPLING ? by->sampling
                                                                                      : can_elicit(by, a->params);
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
    if (!can(answerer, a)) {
        mct_fail(&err, MCT_ERR_UNSUPPORTED, "this client does not offer %s%s", mct_ask_method(a->kind),
                 mode ? " in this mode" : "");
        if (mode)
            err.code = MCT_RPC_INVALID_PARAMS;
        mct_ask_fail(a, &err);
    } else if (a->kind == MCT_ASK_ROOTS) {
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
