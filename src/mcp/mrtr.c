#include "mcp/mrtr.h"

#include "base/limits.h"
#include "mcp/era.h"

#include <stdlib.h>

struct mct_round_ask {
    struct mct_ask ask;
    struct mct_round *round;
    struct mct_str key; /* as written, in questions */
    char *answer;
};

bool mct_result_asks(struct mct_str result)
{
    return mct_json_is(mct_json_get(result, "resultType"), "input_required");
}

bool mct_error_asks_for_urls(struct mct_str error, struct mct_buf *ret_questions)
{
    struct mct_str list = mct_json_get(mct_json_get(error, "data"), "elicitations"), one;
    int64_t code = 0;
    unsigned n = 0;
    mct_json_int(mct_json_get(error, "code"), &code);
    if (code != MCT_RPC_URL_ELICITATION || mct_json_type(list) != '[')
        return false;
    mct_buf_addc(ret_questions, '{');
    for (struct mct_json_iter it = mct_json_open(list); mct_json_next_item(&it, &one); n++) {
        if (!mct_json_is(mct_json_get(one, "mode"), "url") || mct_json_type(mct_json_get(one, "url")) != '"')
            return false;
        mct_buf_printf(ret_questions, "%s\"elicitation-%u\":{\"method\":\"elicitation/create\",\"params\":",
                       n ? "," : "", n + 1);
        mct_buf_add(ret_questions, one);
        mct_buf_addc(ret_questions, '}');
    }
    mct_buf_addc(ret_questions, '}');
    return n && mct_buf_ok(ret_questions);
}

static void finish(struct mct_round *r)
{
    struct mct_buf b;
    if (r->n_open || r->starting)
        return;
    if (r->failed.kind) {
        r->done(r, MCT_STR_NONE, &r->failed);
        return;
    }
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&b, '{');
    for (size_t i = 0; i < r->n_asks; i++) {
        mct_buf_addz(&b, i ? ",\"" : "\"");
        mct_buf_add(&b, r->asks[i].key);
        mct_buf_addz(&b, "\":");
        mct_buf_addz(&b, r->asks[i].answer);
    }
    mct_buf_addc(&b, '}');
    if (!mct_buf_ok(&b)) {
        mct_fail(&r->failed, MCT_ERR_LIMIT, "the answers are too large");
        r->done(r, MCT_STR_NONE, &r->failed);
    } else {
        r->done(r, r->n_asks ? mct_buf_str(&b) : MCT_STR_NONE, NULL);
    }
    mct_buf_done(&b);
}

/* One refusal ends the round: the others need not be asked any more. */
static void withdraw_others(struct mct_round *r)
{
    for (size_t i = 0; i < r->n_asks; i++) {
        if (!r->asks[i].ask.answerer)
            continue;
        mct_ask_withdraw(&r->asks[i].ask);
        r->n_open--;
    }
}

static void on_answered(struct mct_ask *a, struct mct_str result, const struct mct_error *err)
{
    struct mct_round_ask *one = MCT_CONTAINER(a, struct mct_round_ask, ask);
    struct mct_round *r = one->round;
    r->n_open--;
    one->answer = result.p ? mct_str_dup(result) : NULL;
    if (!one->answer && !r->failed.kind) {
        if (err)
            r->failed = *err;
        else
            mct_no_memory(&r->failed);
        mct_error_wrap(&r->failed, "the server asks back (%s)", mct_ask_method(a->kind));
        withdraw_others(r);
    }
    finish(r);
}

static bool read_question(struct mct_round *r, struct mct_json_member m)
{
    struct mct_round_ask *one = &r->asks[r->n_asks];
    struct mct_str method;
    *one = (struct mct_round_ask){ .round = r, .key = m.key };
    if (!mct_json_plain(mct_json_get(m.value, "method"), &method))
        return false;
    one->ask = (struct mct_ask){ .kind = mct_ask_find(method), .params = mct_json_get(m.value, "params"),
                                 .server = r->server, .about = r->about, .answered = on_answered };
    if (one->ask.kind == MCT_ASK_N)
        return false;
    r->n_asks++;
    return true;
}

static int read_questions(struct mct_round *r)
{
    struct mct_json_member m;
    struct mct_str all = mct_str_of(r->questions);
    size_t n = 0;
    for (struct mct_json_iter it = mct_json_open(all); mct_json_next_member(&it, &m);)
        n++;
    r->asks = n && n <= MCT_LIMIT_ASKS ? calloc(n, sizeof *r->asks) : NULL;
    if (n && !r->asks)
        return mct_fail(&r->failed, MCT_ERR_LIMIT, "the server asks %zu questions at once", n);
    for (struct mct_json_iter it = mct_json_open(all); mct_json_next_member(&it, &m);)
        if (!read_question(r, m))
            return mct_fail(&r->failed, MCT_ERR_PROTOCOL, "the server asks for something unknown: %.*s",
                            MCT_STR_ARG(m.value));
    return 0;
}

void mct_round_start(struct mct_round *r, struct mct_str questions, struct mct_str state)
{
    r->failed = (struct mct_error){ 0 };
    r->n_asks = r->n_open = 0;
    r->asks = NULL;
    r->questions = questions.p ? mct_str_dup(questions) : NULL;
    r->state = state.p ? mct_str_dup(state) : NULL;
    r->starting = true;
    if ((questions.p && !r->questions) || (state.p && !r->state))
        mct_no_memory(&r->failed);
    else if (r->questions && read_questions(r) == 0)
        r->n_open = r->n_asks;
    for (size_t i = 0; i < r->n_asks && !r->failed.kind; i++)
        mct_ask_start(&r->asks[i].ask, r->answerer);
    r->starting = false;
    if (r->failed.kind)
        r->n_open = 0; /* the rest was withdrawn or never asked */
    finish(r);
}

void mct_round_stop(struct mct_round *r)
{
    for (size_t i = 0; i < r->n_asks; i++) {
        mct_ask_withdraw(&r->asks[i].ask);
        free(r->asks[i].answer);
    }
    free(r->asks);
    free(r->questions);
    free(r->state);
    r->asks = NULL;
    r->questions = r->state = NULL;
    r->n_asks = r->n_open = 0;
}
