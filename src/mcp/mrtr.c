#include "mcp/mrtr.h"

#include "base/limits.h"
#include "mcp/era.h"

#include <stdlib.h>

struct mcti_round_ask {
    struct mcti_ask ask;
    struct mcti_round *round;
    struct mcti_str key; /* as written, points into questions */
    char *answer;
};

bool mcti_result_asks(struct mcti_str result)
{
    return mcti_json_is(mcti_json_get(result, "resultType"), "input_required");
}

bool mcti_error_asks_for_urls(struct mcti_str error, struct mcti_buf *ret_questions)
{
    struct mcti_str list = mcti_json_get(mcti_json_get(error, "data"), "elicitations"), one;
    int64_t code = 0;
    unsigned n = 0;
    mcti_json_int(mcti_json_get(error, "code"), &code);
    if (code != MCT_RPC_URL_ELICITATION || mcti_json_type(list) != '[')
        return false;
    mcti_buf_addc(ret_questions, '{');
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &one); n++) {
        if (!mcti_json_is(mcti_json_get(one, "mode"), "url") || mcti_json_type(mcti_json_get(one, "url")) != '"')
            return false;
        mcti_buf_printf(ret_questions,
                        "%s\"elicitation-%u\":{\"method\":\"elicitation/create\",\"params\":", n ? "," : "", n + 1);
        mcti_buf_add(ret_questions, one);
        mcti_buf_addc(ret_questions, '}');
    }
    mcti_buf_addc(ret_questions, '}');
    return n && mcti_buf_ok(ret_questions);
}

static void mrtr_finish(struct mcti_round *r)
{
    struct mcti_buf b;
    if (r->n_open || r->starting)
        return;
    if (r->failed.kind) {
        r->done(r, MCT_STR_NONE, &r->failed);
        return;
    }
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '{');
    for (size_t i = 0; i < r->n_asks; i++) {
        mcti_buf_addz(&b, i ? ",\"" : "\"");
        mcti_buf_add(&b, r->asks[i].key);
        mcti_buf_addz(&b, "\":");
        mcti_buf_addz(&b, r->asks[i].answer);
    }
    mcti_buf_addc(&b, '}');
    if (!mcti_buf_ok(&b)) {
        mcti_fail(&r->failed, MCT_ERR_LIMIT, "the answers are too large");
        r->done(r, MCT_STR_NONE, &r->failed);
    } else {
        r->done(r, r->n_asks ? mcti_buf_str(&b) : MCT_STR_NONE, NULL);
    }
    mcti_buf_done(&b);
}

/* Withdraws the other questions after a refusal, which ends the round. */
static void withdraw_others(struct mcti_round *r)
{
    for (size_t i = 0; i < r->n_asks; i++) {
        if (!r->asks[i].ask.answerer)
            continue;
        mcti_ask_withdraw(&r->asks[i].ask);
        r->n_open--;
    }
}

static void mrtr_on_answered(struct mcti_ask *a, struct mcti_str result, const struct mct_error *err)
{
    struct mcti_round_ask *one = MCT_CONTAINER(a, struct mcti_round_ask, ask);
    struct mcti_round *r = one->round;
    r->n_open--;
    one->answer = result.p ? mcti_str_dup(result) : NULL;
    if (!one->answer && !r->failed.kind) {
        if (err)
            r->failed = *err;
        else
            mcti_no_memory(&r->failed);
        mcti_error_wrap(&r->failed, "the server's question (%s) failed", mcti_ask_method(a->kind));
        withdraw_others(r);
    }
    mrtr_finish(r);
}

static bool read_question(struct mcti_round *r, struct mcti_json_member m)
{
    struct mcti_round_ask *one = &r->asks[r->n_asks];
    struct mcti_str method;
    *one = (struct mcti_round_ask){ .round = r, .key = m.key };
    if (!mcti_json_plain(mcti_json_get(m.value, "method"), &method))
        return false;
    one->ask = (struct mcti_ask){ .kind = mcti_ask_find(method),
                                  .params = mcti_json_get(m.value, "params"),
                                  .server = r->server,
                                  .about = r->about,
                                  .answered = mrtr_on_answered };
    if (one->ask.kind == MCT_ASK_N)
        return false;
    r->n_asks++;
    return true;
}

static int read_questions(struct mcti_round *r)
{
    struct mcti_json_member m;
    struct mcti_str all = mcti_str_of(r->questions);
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(all); mcti_json_next_member(&it, &m);)
        n++;
    r->asks = n && n <= MCT_LIMIT_ASKS ? calloc(n, sizeof *r->asks) : NULL;
    if (n && !r->asks)
        return mcti_fail(&r->failed, MCT_ERR_LIMIT, "the server asked too many questions at once (%zu)", n);
    for (struct mcti_json_iter it = mcti_json_open(all); mcti_json_next_member(&it, &m);)
        if (!read_question(r, m))
            return mcti_fail(&r->failed, MCT_ERR_PROTOCOL, "the server asked an unknown question: %.*s",
                             MCT_STR_ARG(m.value));
    return 0;
}

void mcti_round_start(struct mcti_round *r, struct mcti_str questions, struct mcti_str state)
{
    r->failed = (struct mct_error){ 0 };
    r->n_asks = r->n_open = 0;
    r->asks = NULL;
    r->questions = questions.p ? mcti_str_dup(questions) : NULL;
    r->state = state.p ? mcti_str_dup(state) : NULL;
    r->starting = true;
    if ((questions.p && !r->questions) || (state.p && !r->state))
        mcti_no_memory(&r->failed);
    else if (r->questions && read_questions(r) == 0)
        r->n_open = r->n_asks;
    for (size_t i = 0; i < r->n_asks && !r->failed.kind; i++)
        mcti_ask_start(&r->asks[i].ask, r->answerer);
    r->starting = false;
    if (r->failed.kind)
        r->n_open = 0; /* the other questions were withdrawn or not started */
    mrtr_finish(r);
}

void mcti_round_stop(struct mcti_round *r)
{
    for (size_t i = 0; i < r->n_asks; i++) {
        mcti_ask_withdraw(&r->asks[i].ask);
        free(r->asks[i].answer);
    }
    free(r->asks);
    free(r->questions);
    free(r->state);
    r->asks = NULL;
    r->questions = r->state = NULL;
    r->n_asks = r->n_open = 0;
}
