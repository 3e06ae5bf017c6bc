/* The way back: what became of a call, in the words of the client's revision. */
#include "gateway/impl.h"

#include "base/limits.h"
#include "mcp/mrtr.h"

/* ---- sending, or keeping for a client that has to come back ---- */

static void send_result(struct gw_request *r, struct mct_str result)
{
    if (gw_park_keep(r, MCT_STR("result"), result))
        return;
    mct_inbound_result(&r->in, result);
    gw_request_free(r);
}

static void send_error(struct gw_request *r, struct mct_str error)
{
    if (gw_park_keep(r, MCT_STR("error"), error))
        return;
    mct_inbound_error(&r->in, error);
    gw_request_free(r);
}

void gw_refuse(struct gw_request *r, const struct mct_error *err, struct mct_str data)
{
    struct mct_buf b;
    mct_buf_init(&b, 8192 + data.len);
    mct_session_put_error(&b, err, data);
    send_error(r, mct_buf_str(&b));
    mct_buf_done(&b);
}

void gw_fail(struct gw_request *r, const struct mct_error *err)
{
    gw_refuse(r, err, MCT_STR_NONE);
}

/* ---- what has no equal on the other side ---- */

/* The tool's answer is that it cannot be done: a model reads that, an error it may never see. */
static void say_as_tool(struct gw_request *r, struct mct_str text)
{
    struct mct_buf said, b;
    mct_buf_init(&said, 4 * text.len + 256);
    mct_buf_init(&b, 4 * text.len + 4096);
    mct_shape_tool_says(&said, text);
    mct_shape_result(&b, r->verb, mct_buf_str(&said), MCT_REV_LATEST_HANDSHAKE, r->rev, MCT_STR_NONE);
    send_result(r, mct_buf_str(&b));
    mct_buf_done(&b);
    mct_buf_done(&said);
}

/* The server asked, and got no answer: the client could not be asked, or its person declined. */
static void answer_unasked(struct gw_request *r, const struct mct_error *why)
{
    struct mct_error err = *why;
    if (r->verb == MCT_VERB_TOOLS_CALL) {
        say_as_tool(r, mct_str_of(err.message));
        return;
    }
    err.code = MCT_RPC_INTERNAL;
    gw_fail(r, &err);
}

/* -32042 of a 2025-11-25 server: for a 2026-07-28 client an input_required result; the call itself is over, it comes
 * back as a new one. */
static void answer_urls_as_questions(struct gw_request *r, struct mct_str questions)
{
    struct mct_buf b, shaped;
    struct mct_json_member m;
    unsigned n = 0;
    mct_buf_init(&b, 2 * questions.len + 256);
    mct_buf_init(&shaped, 2 * questions.len + 256);
    mct_buf_addz(&b, "{\"resultType\":\"input_required\",\"inputRequests\":{");
    for (struct mct_json_iter it = mct_json_open(questions); mct_json_next_member(&it, &m);) {
        mct_buf_clear(&shaped);
        mct_shape_ask(&shaped, MCT_ASK_ELICITATION, mct_json_get(m.value, "params"), r->rev, NULL);
        mct_buf_printf(&b, "%s\"%.*s\":{\"method\":\"elicitation/create\",\"params\":", n++ ? "," : "",
                       MCT_STR_ARG(m.key));
        mct_buf_add(&b, mct_buf_str(&shaped));
        mct_buf_addc(&b, '}');
    }
    mct_buf_addz(&b, "}}");
    send_result(r, mct_buf_str(&b));
    mct_buf_done(&shaped);
    mct_buf_done(&b);
}

/* Older clients know no pages: their model is told where to go. */
static void answer_urls_as_text(struct gw_request *r, struct mct_str questions)
{
    struct mct_buf b;
    struct mct_json_member m;
    mct_buf_init(&b, 2 * questions.len + 4096);
    mct_buf_addz(&b, "The server needs the user to visit a page first, and then the same call again:");
    for (struct mct_json_iter it = mct_json_open(questions); mct_json_next_member(&it, &m);) {
        struct mct_str params = mct_json_get(m.value, "params");
        mct_buf_addz(&b, "\n");
        mct_json_unescape(mct_json_get(params, "message"), &b);
        mct_buf_addz(&b, " ");
        mct_json_unescape(mct_json_get(params, "url"), &b);
    }
    if (r->verb == MCT_VERB_TOOLS_CALL) {
        say_as_tool(r, mct_buf_str(&b));
    } else {
        struct mct_error err;
        mct_fail(&err, MCT_ERR_UNSUPPORTED, "%.*s", MCT_STR_ARG(mct_buf_str(&b)));
        err.code = MCT_RPC_INTERNAL;
        gw_fail(r, &err);
    }
    mct_buf_done(&b);
}

static void note_urls(struct gw_request *r, struct mct_str error)
{
    struct mct_str list = mct_json_get(mct_json_get(error, "data"), "elicitations"), one;
    for (struct mct_json_iter it = mct_json_open(list); mct_json_next_item(&it, &one);)
        gw_elicitation_note(r->peer, r->connection, one);
}

static bool answer_urls(struct gw_request *r, struct mct_str error)
{
    struct mct_buf questions;
    mct_buf_init(&questions, 2 * error.len + 256);
    bool asks = mct_error_asks_for_urls(error, &questions);
    if (asks && r->rev == MCT_REV_2025_11_25) {
        note_urls(r, error);
        send_error(r, error);
    } else if (asks && !mct_rev_is_stateless(r->rev)) {
        answer_urls_as_text(r, mct_buf_str(&questions));
    } else if (asks && r->verb != MCT_VERB_COMPLETE && r->can.url) {
        answer_urls_as_questions(r, mct_buf_str(&questions));
    } else if (asks) {
        gw_fail_lacking(r, MCT_ASK_ELICITATION, MCT_STR("{\"mode\":\"url\"}"));
    }
    mct_buf_done(&questions);
    return asks;
}

/* {"requiredCapabilities":{…}} of what this question needs. */
void gw_fail_lacking(struct gw_request *r, enum mct_ask_kind kind, struct mct_str params)
{
    struct mct_answerer needs = { 0 };
    struct mct_error err;
    struct mct_buf data;
    needs.ask_roots = kind == MCT_ASK_ROOTS;
    needs.sampling = kind == MCT_ASK_SAMPLING;
    needs.sampling_tools = needs.sampling && mct_json_get(params, "tools").p;
    needs.url = kind == MCT_ASK_ELICITATION && mct_json_is(mct_json_get(params, "mode"), "url");
    needs.form = kind == MCT_ASK_ELICITATION && !needs.url;
    mct_fail(&err, MCT_ERR_UNSUPPORTED, "the server asks for %s, which the request does not declare",
             mct_ask_method(kind));
    err.code = MCT_RPC_MISSING_CAPABILITY;
    mct_buf_init(&data, 1024);
    mct_buf_addz(&data, "{\"requiredCapabilities\":");
    mct_capabilities_put(&data, &needs);
    mct_buf_addc(&data, '}');
    mct_call_cancel(&r->call, err.message);
    gw_refuse(r, &err, mct_buf_str(&data));
    mct_buf_done(&data);
}

/* ---- what has ---- */

/* What it asked has been seen to; anything else than an answer is of an extension nobody has declared. */
static void fail_unknown_kind(struct gw_request *r)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_PROTOCOL, "the server answered with a result of an unknown resultType");
    err.code = MCT_RPC_INTERNAL;
    gw_fail(r, &err);
}

void gw_answer_result(struct gw_request *r, const struct mct_outcome *o)
{
    bool crosses = mct_rev_is_stateless(o->rev) && !mct_rev_is_stateless(r->rev);
    if (crosses && !mct_shape_is_complete(o->result)) {
        fail_unknown_kind(r);
        return;
    }
    struct mct_buf b;
    struct mct_buf *to = r->park ? NULL : mct_inbound_begin(&r->in);
    if (to) { /* straight into the frame */
        if (!mct_rev_is_stateless(o->rev) || !gw_state_bind(r, o->result, to))
            mct_shape_result(to, r->verb, o->result, o->rev, r->rev, mct_str_of(r->output_schema));
        mct_inbound_send(&r->in);
        gw_request_free(r);
        return;
    }
    mct_buf_init(&b, o->result.len + 65536);
    mct_shape_result(&b, r->verb, o->result, o->rev, r->rev, mct_str_of(r->output_schema));
    send_result(r, mct_buf_str(&b));
    mct_buf_done(&b);
}

/* The server of a later era says what the client cannot do, where the client's own era has no word for it. */
static bool says_lacking(const struct gw_request *r, struct mct_str error, struct mct_error *ret)
{
    mct_msg_read_error(error, ret);
    return ret->code == MCT_RPC_MISSING_CAPABILITY && !mct_rev_is_stateless(r->rev);
}

static void answer_error(struct gw_request *r, struct mct_str error, enum mct_rev from)
{
    struct mct_error lacking;
    struct mct_buf b;
    if (answer_urls(r, error))
        return;
    if (says_lacking(r, error, &lacking)) {
        answer_unasked(r, &lacking);
        return;
    }
    mct_buf_init(&b, error.len + MCT_LIMIT_URI_BYTES);
    mct_shape_error(&b, r->verb, error, from, r->rev, r->uri ? mct_str_of(r->uri) : MCT_STR_NONE);
    send_error(r, mct_buf_str(&b));
    mct_buf_done(&b);
}

void gw_answer(struct mct_call *call, const struct mct_outcome *o)
{
    struct gw_request *r = gw_of(call);
    r->peer->answered = r->connection;
    r->peer->answered_ms = mct_sched_now(r->peer->gateway->sched);
    if (gw_read_elsewhere(r, o))
        return;
    if (r->place)
        mct_cache_put(r->place, call, o);
    r->place = NULL;
    if (o->result.p)
        gw_answer_result(r, o);
    else if (o->error.p)
        answer_error(r, o->error, o->rev);
    else if (o->unasked)
        answer_unasked(r, o->failed);
    else
        gw_fail(r, o->failed);
}
