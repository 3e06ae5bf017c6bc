/* Turns the outcome of a call into the answer to the client, in the form of the client's revision. */
#include "gateway/answer.h"

#include "gateway/apps.h"
#include "gateway/ask.h"
#include "gateway/park.h"
#include "gateway/read.h"
#include "gateway/skills.h"
#include "gateway/state.h"
#include "gateway/tasks.h"
#include "gateway/trace.h"

#include "base/limits.h"
#include "mcp/mrtr.h"

/* ---- sending, or keeping the answer of a parked call ---- */

void mcti_gw_send_result(struct mcti_gw_request *r, struct mcti_str result)
{
    struct mct_error err;
    if (result.p == mcti_buf_lost) {
        mcti_no_memory(&err);
        mcti_gw_fail(r, &err);
        return;
    }
    if (mcti_gw_park_keep(r, MCT_STR("result"), result) == TAKEN)
        return;
    mcti_inbound_result(&r->in, result);
    mcti_gw_request_free(r);
}

void mcti_gw_send_error(struct mcti_gw_request *r, struct mcti_str error)
{
    mcti_gw_trace_end(r, &(struct mcti_span_end){ .error = error });
    if (mcti_gw_park_keep(r, MCT_STR("error"), error) == TAKEN)
        return;
    mcti_inbound_error(&r->in, error);
    mcti_gw_request_free(r);
}

void mcti_gw_refuse(struct mcti_gw_request *r, const struct mct_error *err, struct mcti_str data)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 8192 + data.len);
    mcti_session_put_error(&b, err, data);
    mcti_gw_send_error(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* Writes what a command needs to report the error as if the server were its own. */
static void put_explanation(struct mcti_buf *to, const struct mcti_provider *p, const struct mct_error *err)
{
    enum { LINES = 8 };
    struct mcti_buf said;
    mcti_buf_init(&said, 1u << 16);
    if (p && err->kind == MCT_ERR_CONNECT)
        mcti_journal_put_stderr(&p->journal, &said, LINES);
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, MCT_DATA_KIND, mcti_str_of(mct_error_word(err->kind)));
    if (said.len)
        mcti_json_put_member(to, MCT_DATA_STDERR, mcti_buf_str(&said));
    mcti_buf_addc(to, '}');
    mcti_buf_done(&said);
}

void mcti_gw_fail(struct mcti_gw_request *r, const struct mct_error *err)
{
    struct mcti_buf data;
    if (!r->peer->is_command) {
        mcti_gw_refuse(r, err, MCT_STR_NONE);
        return;
    }
    mcti_buf_init(&data, 1u << 17);
    const struct mcti_view *v = r->peer->endpoint;
    put_explanation(&data, mcti_view_n_providers(v) ? mcti_view_provider(v, 0) : NULL, err);
    mcti_gw_refuse(r, err, mcti_buf_str(&data));
    mcti_buf_done(&data);
}

/* ---- errors that the client's revision lacks ---- */

/* Answers with a tool result that reports the failure: a model reads a result, but may never see an error. */
static void say_as_tool(struct mcti_gw_request *r, struct mcti_str text)
{
    struct mcti_buf said, b;
    mcti_buf_init(&said, 4 * text.len + 256);
    mcti_buf_init(&b, 4 * text.len + 4096);
    mcti_shape_tool_says(&said, text);
    mcti_shape_result(&b, r->verb, mcti_buf_str(&said), MCT_REV_LATEST_HANDSHAKE, r->rev, MCT_STR_NONE);
    mcti_gw_send_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
    mcti_buf_done(&said);
}

/* Answers a call that failed because a question of its server got no answer: the client cannot answer such questions,
 * or the user declined. */
static void answer_unasked(struct mcti_gw_request *r, const struct mct_error *why)
{
    struct mct_error err = *why;
    if (r->verb == MCT_VERB_TOOLS_CALL) {
        say_as_tool(r, mcti_str_of(err.message));
        return;
    }
    err.code = MCT_RPC_INTERNAL;
    mcti_gw_fail(r, &err);
}

/* Turns the error -32042 of a 2025-11-25 server into an input_required result for a 2026-07-28 client. The call is
 * over: the client's answers come with a new one. */
static void answer_urls_as_questions(struct mcti_gw_request *r, struct mcti_str questions)
{
    struct mcti_buf b, shaped;
    struct mcti_json_member m;
    unsigned n = 0;
    mcti_buf_init(&b, 2 * questions.len + 256);
    mcti_buf_init(&shaped, 2 * questions.len + 256);
    mcti_buf_addz(&b, "{\"resultType\":\"input_required\",\"inputRequests\":{");
    for (struct mcti_json_iter it = mcti_json_open(questions); mcti_json_next_member(&it, &m);) {
        mcti_buf_clear(&shaped);
        mcti_shape_ask(&shaped, MCT_ASK_ELICITATION, mcti_json_get(m.value, "params"), r->rev, NULL);
        mcti_buf_printf(&b, "%s\"%.*s\":{\"method\":\"elicitation/create\",\"params\":", n++ ? "," : "",
                        MCT_STR_ARG(m.key));
        mcti_buf_add(&b, mcti_buf_str(&shaped));
        mcti_buf_addc(&b, '}');
    }
    mcti_buf_addz(&b, "}}");
    mcti_gw_send_result(r, mcti_buf_str(&b));
    mcti_buf_done(&shaped);
    mcti_buf_done(&b);
}

/* Answers a client whose revision lacks url elicitations with a text that names the pages. */
static void answer_urls_as_text(struct mcti_gw_request *r, struct mcti_str questions)
{
    struct mcti_buf b;
    struct mcti_json_member m;
    mcti_buf_init(&b, 2 * questions.len + 4096);
    mcti_buf_addz(&b,
                  "The user must visit a page before the server can complete the call. Repeat the call after that:");
    for (struct mcti_json_iter it = mcti_json_open(questions); mcti_json_next_member(&it, &m);) {
        struct mcti_str params = mcti_json_get(m.value, "params");
        mcti_buf_addz(&b, "\n");
        mcti_json_unescape(mcti_json_get(params, "message"), &b);
        mcti_buf_addz(&b, " ");
        mcti_json_unescape(mcti_json_get(params, "url"), &b);
    }
    if (r->verb == MCT_VERB_TOOLS_CALL) {
        say_as_tool(r, mcti_buf_str(&b));
    } else {
        struct mct_error err;
        mcti_fail(&err, MCT_ERR_UNSUPPORTED, "%.*s", MCT_STR_ARG(mcti_buf_str(&b)));
        err.code = MCT_RPC_INTERNAL;
        mcti_gw_fail(r, &err);
    }
    mcti_buf_done(&b);
}

static void note_urls(struct mcti_gw_request *r, struct mcti_str error)
{
    struct mcti_str list = mcti_json_get(mcti_json_get(error, "data"), "elicitations"), one;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &one);)
        mcti_gw_elicitation_note(r->peer, r->connection, one);
}

/* Answers the error -32042 (the server needs url elicitations). Returns GO_ON for any other error. */
static enum mcti_gw_step answer_urls(struct mcti_gw_request *r, struct mcti_str error)
{
    struct mcti_buf questions;
    mcti_buf_init(&questions, 2 * error.len + 256);
    bool asks = mcti_error_asks_for_urls(error, &questions);
    if (asks && r->rev == MCT_REV_2025_11_25) {
        note_urls(r, error);
        mcti_gw_send_error(r, error);
    } else if (asks && !mcti_rev_is_stateless(r->rev)) {
        answer_urls_as_text(r, mcti_buf_str(&questions));
    } else if (asks && r->verb != MCT_VERB_COMPLETE && r->can.url) {
        answer_urls_as_questions(r, mcti_buf_str(&questions));
    } else if (asks) {
        mcti_gw_fail_lacking(r, MCT_ASK_ELICITATION, MCT_STR("{\"mode\":\"url\"}"));
    }
    mcti_buf_done(&questions);
    return asks ? TAKEN : GO_ON;
}

void mcti_gw_fail_lacking(struct mcti_gw_request *r, enum mcti_ask_kind kind, struct mcti_str params)
{
    struct mcti_answerer needs = { 0 };
    struct mct_error err;
    struct mcti_buf data;
    needs.ask_roots = kind == MCT_ASK_ROOTS;
    needs.sampling = kind == MCT_ASK_SAMPLING;
    needs.sampling_tools = needs.sampling && mcti_json_get(params, "tools").p;
    needs.url = kind == MCT_ASK_ELICITATION && mcti_json_is(mcti_json_get(params, "mode"), "url");
    needs.form = kind == MCT_ASK_ELICITATION && !needs.url;
    mcti_fail(&err, MCT_ERR_UNSUPPORTED, "the server sent %s, but the request does not declare that capability",
              mcti_ask_method(kind));
    err.code = MCT_RPC_MISSING_CAPABILITY;
    mcti_buf_init(&data, 1024);
    mcti_buf_addz(&data, "{\"requiredCapabilities\":");
    mcti_capabilities_put(&data, &needs);
    mcti_buf_addc(&data, '}');
    mcti_call_cancel(&r->call, err.message);
    mcti_gw_refuse(r, &err, mcti_buf_str(&data));
    mcti_buf_done(&data);
}

/* ---- results and errors ---- */

/* Fails a request whose result belongs to an extension that was not declared to the server (2026-07-28 "Extensions").
 */
static void fail_unknown_kind(struct mcti_gw_request *r, struct mcti_str kind)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_PROTOCOL, "server '%s' sent a result with \"resultType\": %.*s, which nobody has declared",
              r->connection ? r->connection->name : "?", MCT_STR_ARG(kind));
    mcti_log(r->peer->gateway->log, MCT_LOG_WARN, "%s: %s", mcti_call_method(&r->call), err.message);
    err.code = MCT_RPC_INTERNAL;
    mcti_gw_fail(r, &err);
}

/* Returns the kind of a result that the client cannot understand; absent: it can. */
static struct mcti_str unknown_kind(const struct mcti_gw_request *r, const struct mcti_outcome *o)
{
    struct mcti_str kind = mcti_rev_is_stateless(o->rev) ? mcti_json_get(o->result, "resultType") : MCT_STR_NONE;
    bool known = !kind.p || mcti_json_is(kind, "complete");
    if (mcti_rev_is_stateless(r->rev))
        known |= mcti_json_is(kind, "input_required") || (r->varies && !mcti_json_is(kind, "task"));
    return known ? MCT_STR_NONE : kind;
}

/* Answers with a result whose URIs are those for clients. */
static void answer_shown(struct mcti_gw_request *r, const struct mcti_outcome *o)
{
    struct mcti_str unknown = unknown_kind(r, o);
    if (unknown.p) {
        fail_unknown_kind(r, unknown);
        return;
    }
    struct mcti_buf b;
    struct mcti_splices splices;
    struct mcti_buf *to = r->park ? NULL : mcti_inbound_begin(&r->in);
    if (to) { /* straight into the frame */
        mcti_inbound_splice(&r->in, &splices, o->chunk);
        if (!mcti_rev_is_stateless(o->rev) || !mcti_gw_state_bind(r, o->result, to))
            mcti_shape_result(to, r->verb, o->result, o->rev, r->rev, mcti_str_of(r->output_schema));
        mcti_inbound_send(&r->in);
        mcti_gw_request_free(r);
        return;
    }
    mcti_buf_init(&b, o->result.len + 65536);
    mcti_shape_result(&b, r->verb, o->result, o->rev, r->rev, mcti_str_of(r->output_schema));
    mcti_gw_send_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

void mcti_gw_answer_result(struct mcti_gw_request *r, const struct mcti_outcome *o)
{
    struct mcti_buf skills, pages;
    const struct mcti_outcome labelled = mcti_gw_show_skills(r, o, &skills);
    const struct mcti_outcome shown = mcti_gw_show_pages(r, &labelled, &pages);
    if (!r->task || mcti_gw_task_answer(r, &shown) != TAKEN)
        answer_shown(r, &shown);
    mcti_buf_done(&pages);
    mcti_buf_done(&skills);
}

/* Returns whether a 2026-07-28 server reports a capability that the client lacks (-32021) to a client whose revision
 * lacks that error. */
static bool is_lacking(const struct mcti_gw_request *r, struct mcti_str error, struct mct_error *ret)
{
    mcti_msg_read_error(error, ret);
    return ret->code == MCT_RPC_MISSING_CAPABILITY && !mcti_rev_is_stateless(r->rev);
}

/* Answers -32021 to a client whose revision lacks it, with the extensions that the server needs. */
static void answer_lacking(struct mcti_gw_request *r, struct mct_error *lacking, struct mcti_str error)
{
    size_t n = strlen(lacking->message);
    struct mcti_buf ids;
    mcti_buf_init(&ids, sizeof lacking->message);
    if (mcti_extensions_put_lacking(&ids, error))
        snprintf(lacking->message + n, sizeof lacking->message - n,
                 "; the server needs an extension that this client does not have: %.*s",
                 MCT_STR_ARG(mcti_buf_str(&ids)));
    mcti_buf_done(&ids);
    if (r->verb == MCT_VERB_TOOLS_CALL) {
        answer_unasked(r, lacking);
        return;
    }
    lacking->code = MCT_RPC_INTERNAL;
    mcti_gw_refuse(r, lacking, mcti_json_get(error, "data"));
}

static void gateway_answer_error(struct mcti_gw_request *r, struct mcti_str error, enum mcti_rev from)
{
    struct mct_error lacking;
    struct mcti_buf b;
    if (answer_urls(r, error) == TAKEN)
        return;
    if (is_lacking(r, error, &lacking)) {
        answer_lacking(r, &lacking, error);
        return;
    }
    mcti_buf_init(&b, error.len + MCT_LIMIT_URI_BYTES);
    mcti_shape_error(&b, r->verb, error, from, r->rev, r->uri ? mcti_str_of(r->uri) : MCT_STR_NONE);
    mcti_gw_send_error(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

void mcti_gw_answer(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_gw_request *r = mcti_gw_of(call);
    r->peer->answered = r->connection;
    r->peer->answered_ms = mcti_sched_now(r->peer->gateway->sched);
    if (mcti_gw_retry_read(r, o) == TAKEN || mcti_gw_skills_retry(r, o) == TAKEN)
        return;
    if (r->place)
        mcti_cache_put(r->place, call, o);
    r->place = NULL;
    if (r->span && r->verb == MCT_VERB_TOOLS_CALL && mcti_json_true(mcti_json_get(o->result, "isError")))
        mcti_gw_trace_end(r, &(struct mcti_span_end){ .is_error = true });
    if (o->result.p)
        mcti_gw_answer_result(r, o);
    else if (r->task && mcti_gw_task_answer(r, o) == TAKEN)
        return;
    else if (o->error.p)
        gateway_answer_error(r, o->error, o->rev);
    else if (o->unasked)
        answer_unasked(r, o->failed);
    else
        mcti_gw_fail(r, o->failed);
}
