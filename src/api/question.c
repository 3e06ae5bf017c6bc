/* What servers ask, handed to the program's callbacks. */
#include "api/impl.h"

#include "base/limits.h"

#include <stdlib.h>

struct mct_question {
    struct mct_list node;
    struct api *api;
    struct mct_ask *ask; /* NULL: it is over */
    char *params;
    mct_question_fn withdrawn;
    void *withdrawn_data;
    unsigned busy;       /* callbacks of it that are running */
};

static void release(struct mct_question *q)
{
    if (q->ask)
        q->ask->scratch = NULL;
    q->ask = NULL;
    if (q->busy)
        return;
    mct_list_remove(&q->node);
    free(q->params);
    free(q);
}

static mct_question_fn callback_for(const struct api *a, const struct mct_ask *ask)
{
    if (ask->kind != MCT_ASK_ELICITATION)
        return ask->kind == MCT_ASK_SAMPLING ? a->opts.sampling : a->opts.roots;
    return mct_json_is(mct_json_get(ask->params, "mode"), "url") ? a->opts.elicit_url : a->opts.elicit;
}

static void answer_roots(const struct api *a, struct mct_ask *ask)
{
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addz(&b, "{\"roots\":[");
    mct_put_root(&b, a->workspace);
    mct_buf_addz(&b, "]}");
    mct_ask_answer(ask, mct_buf_str(&b));
    mct_buf_done(&b);
}

static void run(struct mct_question *q, mct_question_fn fn)
{
    q->busy++;
    fn(q, q->api->opts.data);
    q->busy--;
    if (!q->ask)
        release(q);
}

void api_ask(void *data, struct mct_ask *ask)
{
    struct api *a = data;
    mct_question_fn fn = callback_for(a, ask);
    struct mct_error err;
    if (ask->kind == MCT_ASK_ROOTS && !fn && a->workspace) {
        answer_roots(a, ask);
        return;
    }
    if (a->phase >= API_CLOSING)
        fn = NULL;
    else if (!fn && a->has_gateway) { /* it came up in no call: whoever is the only client may know */
        struct mct_gateway *g = &a->gateway;
        mct_gateway_answerer.ask(&g, ask);
        return;
    }
    struct mct_question *q = fn ? calloc(1, sizeof *q) : NULL;
    char *params = q ? mct_str_dup(ask->params) : NULL;
    if (!params) {
        free(q);
        if (fn)
            mct_no_memory(&err);
        else
            mct_fail(&err, MCT_ERR_UNSUPPORTED, "this cannot be asked here");
        mct_ask_fail(ask, &err);
        return;
    }
    *q = (struct mct_question){ .api = a, .ask = ask, .params = params };
    ask->scratch = q;
    mct_list_append(&a->questions, &q->node);
    run(q, fn);
}

static void detach(struct mct_question *q)
{
    q->ask->scratch = NULL;
    q->ask = NULL;
}

/* The program hears that nobody waits any more, and may answer all the same: it is over by then. */
static void tell_withdrawn(struct mct_question *q)
{
    q->busy++;
    if (q->withdrawn)
        q->withdrawn(q, q->withdrawn_data);
    q->busy--;
    release(q);
}

void api_withdraw(void *data, struct mct_ask *ask)
{
    struct mct_question *q = ask->scratch;
    (void)data;
    if (!q)
        return;
    detach(q);
    tell_withdrawn(q);
}

void api_end_questions(struct api *a)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_CANCELLED, "the client is going");
    while (!mct_list_empty(&a->questions)) {
        struct mct_question *q = MCT_CONTAINER(a->questions.next, struct mct_question, node);
        struct mct_ask *ask = q->ask;
        mct_list_remove(&q->node);
        if (!ask)
            continue; /* its own callback closes */
        detach(q);
        mct_ask_fail(ask, &err);
        tell_withdrawn(q);
    }
}

/* ---- for the program ---- */

const char *mct_question_method(const struct mct_question *q)
{
    return q->ask ? mct_ask_method(q->ask->kind) : "";
}

const char *mct_question_params(const struct mct_question *q)
{
    return q->params;
}

const char *mct_question_server(const struct mct_question *q)
{
    return q->ask && q->ask->server ? q->ask->server : "";
}

struct mct_request *mct_question_request(const struct mct_question *q)
{
    MCT_LIST_EACH(it, &q->api->requests) {
        struct mct_request *r = MCT_CONTAINER(it, struct mct_request, node);
        if (q->ask && q->ask->about == &r->call)
            return r;
    }
    return NULL;
}

void mct_question_on_withdraw(struct mct_question *q, mct_question_fn fn, void *data)
{
    q->withdrawn = fn;
    q->withdrawn_data = data;
}

/* What every result of that method has (2025-11-25 "Schema Reference"). */
static bool is_answer(enum mct_ask_kind kind, struct mct_str text)
{
    static const struct {
        const char *key;
        char type;
    } needs[MCT_ASK_N] = { [MCT_ASK_ROOTS] = { "roots", '[' }, [MCT_ASK_ELICITATION] = { "action", '"' },
                           [MCT_ASK_SAMPLING] = { "role", '"' } };
    return mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, NULL) &&
           mct_json_type(mct_json_get(text, needs[kind].key)) == needs[kind].type;
}

void mct_question_answer(struct mct_question *q, const char *result)
{
    struct mct_ask *ask = q->ask;
    struct mct_str text = mct_str_of(result ? result : "");
    struct mct_error err;
    if (!ask)
        return;
    release(q);
    if (is_answer(ask->kind, text)) {
        mct_ask_answer(ask, text);
        return;
    }
    mct_fail(&err, MCT_ERR_INTERNAL, "the client's answer is no result of %s", mct_ask_method(ask->kind));
    mct_ask_fail(ask, &err);
}

void mct_question_refuse(struct mct_question *q, int code, const char *message)
{
    struct mct_ask *ask = q->ask;
    struct mct_error err;
    if (!ask)
        return;
    release(q);
    mct_fail(&err, MCT_ERR_SERVER, "%s", message ? message : "refused");
    err.code = code;
    mct_ask_fail(ask, &err);
}
