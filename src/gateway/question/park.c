/*
 * Questions of a handshake server during a call of a 2026-07-28 client. The client's request is answered with
 * input_required; the call stays open at the server, parked, until the client sends the answers with its next request.
 * Its requestState names the parked call, see gateway/question/claim.h.
 */
#include "gateway/park.h"
#include "gateway/question/claim.h"

#include "gateway/answer.h"
#include "gateway/call.h"
#include "gateway/log.h"

#include "base/limits.h"
#include "base/rand.h"

#include <stdlib.h>

enum { FOLD_MS = 25 };

struct parked_ask {
    struct mcti_list node;
    struct mcti_ask *ask;
    char *params; /* in the form of the client's revision */
    unsigned number;
};

struct notice {
    struct mcti_list node;
    const char *method;
    size_t len;
    char params[];
};

struct gw_park {
    struct mcti_gw_request *request;
    struct mcti_list node; /* in gateway->park_list */
    struct mcti_map_node by_id;
    struct mcti_claim claim;
    unsigned n_asked;
    struct mcti_list asks, notices;
    unsigned n_notices;
    size_t notice_bytes;
    size_t held; /* bytes charged for notices and outcome */
    struct mcti_timer fold, expiry;
    char *member, *outcome; /* "result" or "error" and its text, if the call has ended while it was parked */
};

static struct mcti_gateway *gateway_of(const struct gw_park *p)
{
    return p->request->peer->gateway;
}

static struct parked_ask *parked_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct parked_ask, node);
}

/* Returns whether a request of the client is waiting for the call. */
static bool is_live(const struct gw_park *p)
{
    return p->request->in.session != NULL;
}

static int refuse_state(struct mct_error *err)
{
    return mcti_fail(err, MCT_ERR_USAGE,
                     "\"requestState\" is unknown, has expired or belongs to another request; repeat the "
                     "request without it");
}

/* ---- questions ---- */

/* Writes the key of the question in inputRequests; it is unique within the call. */
static void park_put_key(struct mcti_buf *to, const struct parked_ask *a)
{
    static const char *const words[MCT_ASK_N] = { "roots", "elicitation", "sampling" };
    mcti_buf_printf(to, "%s-%u", words[a->ask->kind], a->number);
}

static void put_questions(struct mcti_buf *b, struct gw_park *p)
{
    mcti_buf_addz(b, "{\"resultType\":\"input_required\",\"inputRequests\":{");
    MCT_LIST_EACH(it, &p->asks) {
        struct parked_ask *a = parked_of(it);
        mcti_buf_addz(b, it == p->asks.next ? "\"" : ",\"");
        park_put_key(b, a);
        mcti_buf_printf(b, "\":{\"method\":\"%s\",\"params\":%s}", mcti_ask_method(a->ask->kind), a->params);
    }
    mcti_buf_addz(b, "},\"requestState\":");
    mcti_claim_put(b, gw_seal_key(gateway_of(p)), &p->claim);
    mcti_buf_printf(b, ",\"_meta\":{\"%s\":%s}}", MCT_META_SERVER_INFO, gateway_of(p)->present.server_info);
}

/* Sends all questions that came within FOLD_MS in one round. */
static void park_on_fold(void *data)
{
    struct gw_park *p = data;
    struct mcti_sched *s = gateway_of(p)->sched;
    if (!is_live(p) || mcti_list_empty(&p->asks))
        return;
    MCT_LIST_EACH(it, &p->asks) {
        const struct mcti_ask *a = parked_of(it)->ask;
        if (mcti_answerer_can(&p->request->can, a->kind, a->params))
            continue;
        mcti_gw_fail_lacking(p->request, a->kind,
                             mcti_str_of(parked_of(it)->params)); /* this request declares fewer capabilities */
        return;
    }
    p->claim.round++;
    p->claim.until_ms = mcti_sched_now(s) + MCT_ASK_MS;
    mcti_timer_set(s, &p->expiry, MCT_ASK_MS);
    put_questions(mcti_inbound_begin(&p->request->in), p);
    mcti_inbound_send(&p->request->in);
}

static struct gw_park *park_new(struct mcti_gw_request *r);

static void park_on_ask(void *data, struct mcti_ask *a)
{
    struct mcti_gw_request *r = mcti_gw_of(a->about);
    struct gw_park *p = r->park ? r->park : park_new(r);
    struct parked_ask *one = p ? calloc(1, sizeof *one) : NULL;
    struct mct_error err;
    struct mcti_buf b;
    (void)data;
    mcti_buf_init(&b, a->params.len + 65536);
    mcti_fail(&err, MCT_ERR_LIMIT, "too many calls wait for answers of their clients");
    bool ok = one && mcti_shape_ask(&b, a->kind, a->params.p ? a->params : MCT_STR("{}"), r->rev, &err) == 0 &&
              (one->params = mcti_buf_take(&b)) != NULL;
    mcti_buf_done(&b);
    if (!ok) {
        free(one);
        mcti_ask_fail(a, &err);
        return;
    }
    one->ask = a;
    one->number = ++p->n_asked;
    a->scratch = one;
    mcti_list_append(&p->asks, &one->node);
    mcti_timer_set(gateway_of(p)->sched, &p->fold, FOLD_MS);
}

static void ask_free(struct parked_ask *a)
{
    mcti_list_remove(&a->node);
    free(a->params);
    free(a);
}

static void park_on_withdraw(void *data, struct mcti_ask *a)
{
    (void)data;
    ask_free(a->scratch);
}

/* Fails the call because the client lacks the capability for a question. A handshake server cannot know this client's
 * capabilities in advance. A request for roots does not end the call, because servers send it at any time, unrelated to
 * the call. */
static void park_on_lacks(void *data, struct mcti_ask *a, const struct mct_error *err)
{
    struct mcti_gw_request *r = mcti_gw_of(a->about);
    enum mcti_ask_kind kind = a->kind;
    struct mcti_buf params;
    (void)data;
    if (kind == MCT_ASK_ROOTS) {
        mcti_ask_fail(a, err);
        return;
    }
    mcti_buf_init(&params, a->params.len + 1);
    mcti_buf_add(&params, a->params);
    mcti_ask_fail(a, err);
    mcti_gw_fail_lacking(r, kind, mcti_buf_str(&params));
    mcti_buf_done(&params);
}

int mcti_gw_park_prepare(struct mcti_gw_request *r, struct mcti_str params, struct mcti_str capabilities,
                         struct mct_error *err)
{
    bool has_state;
    if (mcti_claim_digest(r->verb, params, r->digest, &has_state) < 0)
        return mcti_no_memory(err);
    if (has_state)
        return refuse_state(err); /* not sealed here, and handshake servers issue none */
    r->call.answerer = &r->can;
    if (r->verb == MCT_VERB_COMPLETE)
        return 0; /* completion/complete has no input_required result */
    mcti_capabilities_read(capabilities, &r->can);
    r->can.ask = park_on_ask;
    r->can.lacks = park_on_lacks;
    r->can.withdraw = park_on_withdraw;
    return 0;
}

/* ---- answers ---- */

/* Returns whether the answer has the form that its kind requires; if not, the question is asked again. */
static bool park_fits(enum mcti_ask_kind kind, struct mcti_str answer)
{
    static const char *const actions[] = { "accept", "decline", "cancel" };
    struct mcti_str action = mcti_json_get(answer, "action");
    if (mcti_json_type(answer) != '{')
        return false;
    if (kind == MCT_ASK_ROOTS)
        return mcti_json_type(mcti_json_get(answer, "roots")) == '[';
    if (kind == MCT_ASK_SAMPLING)
        return mcti_json_type(mcti_json_get(answer, "role")) == '"' && mcti_json_get(answer, "content").p &&
               mcti_json_type(mcti_json_get(answer, "model")) == '"';
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (mcti_json_is(action, actions[i]))
            return true;
    return false;
}

static struct parked_ask *find_answered(struct gw_park *p, struct mcti_str responses, struct mcti_str *ret_answer)
{
    MCT_LIST_EACH(it, &p->asks) {
        struct parked_ask *a = parked_of(it);
        struct mcti_buf key;
        mcti_buf_init(&key, 64);
        park_put_key(&key, a);
        mcti_buf_addc(&key, '\0');
        *ret_answer = mcti_buf_ok(&key) ? mcti_json_get(responses, key.p) : MCT_STR_NONE;
        mcti_buf_done(&key);
        if (park_fits(a->ask->kind, *ret_answer))
            return a;
    }
    return NULL;
}

/* Hands the answers to the server. The server may end the call after each of them. */
static void park_deliver(struct gw_park *p, struct mcti_str responses)
{
    struct mcti_gateway *g = gateway_of(p);
    enum mcti_rev rev = p->request->call.provider ? p->request->call.provider->info.rev : MCT_REV_LATEST_HANDSHAKE;
    struct mcti_str id = MCT_STR_NONE, answer;
    struct parked_ask *a;
    char name[MCT_CLAIM_ID_BYTES + 1];
    memcpy(name, p->claim.id, sizeof name);
    id = mcti_str_of(name);
    while (mcti_map_get(&g->parks, id) && (a = find_answered(p, responses, &answer))) {
        struct mcti_ask *ask = a->ask;
        struct mct_error err;
        struct mcti_buf b;
        mcti_buf_init(&b, answer.len + 4096);
        int r = mcti_shape_reply(&b, ask->kind, answer, rev, &err);
        ask_free(a);
        if (r == 0)
            mcti_ask_answer(ask, mcti_buf_str(&b));
        else
            mcti_ask_fail(ask, &err);
        mcti_buf_done(&b);
    }
    if (mcti_map_get(&g->parks, id) && !mcti_list_empty(&p->asks))
        mcti_timer_set(g->sched, &p->fold, FOLD_MS);
}

/* ---- outcome and notifications of a parked call ---- */

/* Charges `n` bytes for the parked call instead of the previous number. Returns false if the account is full. */
static bool park_charge(struct gw_park *p, size_t n)
{
    return !mcti_account_set(p->request->payer, MCT_HELD_PARKED, &p->held, n);
}

enum mcti_gw_step mcti_gw_park_keep(struct mcti_gw_request *r, struct mcti_str member, struct mcti_str value)
{
    struct gw_park *p = r->park;
    if (!p || is_live(p))
        return GO_ON;
    if (!park_charge(p, p->notice_bytes + value.len)) {
        member = MCT_STR("error");
        value =
            MCT_STR("{\"code\":-32603,\"message\":\"the result came while the call was waiting for the client and is "
                    "too large to keep; see limits.memory_bytes\"}");
    }
    p->member = mcti_str_dup(member);
    p->outcome = mcti_str_dup(value);
    if (!p->member || !p->outcome)
        mcti_gw_request_free(r);
    return TAKEN;
}

static void notice_free(struct notice *n)
{
    mcti_list_remove(&n->node);
    free(n);
}

enum mcti_gw_step mcti_gw_park_notify(struct mcti_gw_request *r, const char *method, struct mcti_str params)
{
    struct gw_park *p = r->park;
    if (!p || is_live(p))
        return GO_ON;
    bool room = p->n_notices < MCT_LIMIT_PARKED_NOTICES && p->notice_bytes + params.len <= MCT_LIMIT_HTTP_QUEUE_BYTES &&
                park_charge(p, p->notice_bytes + params.len);
    struct notice *n = room ? malloc(sizeof *n + params.len) : NULL;
    if (!n)
        return TAKEN;
    *n = (struct notice){ .method = method, .len = params.len };
    memcpy(n->params, params.p, params.len);
    mcti_list_append(&p->notices, &n->node);
    p->n_notices++;
    p->notice_bytes += params.len;
    return TAKEN;
}

static void flush_notices(struct gw_park *p)
{
    struct mcti_inbound *in = &p->request->in;
    while (!mcti_list_empty(&p->notices)) {
        struct notice *n = MCT_CONTAINER(p->notices.next, struct notice, node);
        struct mcti_str params = { n->params, n->len };
        if (!strcmp(n->method, "notifications/progress"))
            mcti_gw_progress(p->request, params); /* under the token of the new request */
        else if (mcti_gw_admits(p->request, params))
            mcti_inbound_notify(in, n->method, params);
        notice_free(n);
    }
    p->n_notices = 0;
    p->notice_bytes = 0;
    park_charge(p, 0);
}

/* ---- resuming ---- */

/* Moves the JSON-RPC request of `fresh` to the parked call; `fresh` is freed afterwards. */
static void take_over(struct gw_park *p, struct mcti_gw_request *fresh, const struct mcti_msg_meta *meta)
{
    struct mcti_gw_request *r = p->request;
    mcti_inbound_move(&fresh->in, &r->in);
    r->peer = fresh->peer;
    r->log_level = mcti_gw_read_level(meta->log_level);
    mcti_gw_want_level(gateway_of(p), r->log_level);
    mcti_capabilities_read(meta->capabilities, &r->can);
    mcti_timer_stop(gateway_of(p)->sched, &p->expiry);
    flush_notices(p);
}

static void answer_kept(struct gw_park *p)
{
    struct mcti_gw_request *r = p->request;
    struct mcti_str text = mcti_str_of(p->outcome);
    if (!strcmp(p->member, "result"))
        mcti_inbound_result(&r->in, text);
    else
        mcti_inbound_error(&r->in, text);
    mcti_gw_request_free(r);
}

/* Returns the parked call with this id if `state` is its newest requestState and `r` is the same request of the same
 * principal; otherwise NULL. */
static struct gw_park *park_find(const struct mcti_gw_request *r, const struct mcti_msg *msg, struct mcti_str state,
                                 const char *id)
{
    struct mcti_gateway *g = r->peer->gateway;
    struct mcti_map_node *n = mcti_map_get(&g->parks, mcti_str_of(id));
    struct gw_park *p = n ? MCT_CONTAINER(n, struct gw_park, by_id) : NULL;
    unsigned char digest[32];
    bool has_state;
    if (!p || is_live(p) || !mcti_claim_is(gw_seal_key(g), &p->claim, state))
        return NULL;
    bool same = p->request->peer->view == r->peer->view &&
                mcti_claim_digest(r->verb, msg->params, digest, &has_state) == 0 &&
                !memcmp(digest, p->claim.digest, sizeof digest) && mcti_str_is(gw_principal(r), p->claim.principal);
    return same ? p : NULL;
}

int mcti_gw_park_resume(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta,
                        struct mct_error *err)
{
    struct mcti_str state = MCT_STR_NONE, responses = mcti_msg_get(msg, "inputResponses");
    char id[MCT_CLAIM_ID_BYTES + 1];
    if (!mcti_json_plain(mcti_msg_get(msg, "requestState"), &state) ||
        !mcti_claim_id(gw_seal_key(r->peer->gateway), state, id))
        return 0; /* no state, or one issued by a server */
    struct gw_park *p = park_find(r, msg, state, id);
    if (!p)
        return refuse_state(err);
    take_over(p, r, meta);
    if (p->outcome)
        answer_kept(p);
    else
        park_deliver(p, responses);
    mcti_gw_request_free(r); /* not before: the answers may point into its memory */
    return 1;
}

/* ---- life ---- */

/* Gives up a call whose client has not come back; an elicitation counts as dismissed. */
static void park_on_expiry(void *data)
{
    struct gw_park *p = data;
    struct mcti_gw_request *r = p->request;
    while (!mcti_list_empty(&p->asks)) {
        struct mcti_ask *ask = parked_of(p->asks.next)->ask;
        struct mct_error err;
        ask_free(parked_of(p->asks.next));
        mcti_fail(&err, MCT_ERR_TIMEOUT, "the client did not answer in time");
        if (ask->kind == MCT_ASK_ELICITATION)
            mcti_ask_answer(ask, MCT_STR("{\"action\":\"cancel\"}"));
        else
            mcti_ask_fail(ask, &err);
    }
    mcti_call_cancel(&r->call, "the client did not answer in time");
    mcti_gw_request_free(r);
}

static struct gw_park *park_new(struct mcti_gw_request *r)
{
    struct mcti_gateway *g = r->peer->gateway;
    struct mcti_str principal = gw_principal(r);
    struct gw_park *p = r->principal->n_parked < MCT_LIMIT_PARKED ? calloc(1, sizeof *p) : NULL;
    if (!p)
        return NULL;
    p->request = r;
    p->claim.principal = mcti_str_dup(principal);
    mcti_random_id(p->claim.id);
    memcpy(p->claim.digest, r->digest, sizeof p->claim.digest);
    mcti_list_init(&p->asks);
    mcti_list_init(&p->notices);
    mcti_timer_init(&p->fold, park_on_fold, p);
    mcti_timer_init(&p->expiry, park_on_expiry, p);
    if (!p->claim.principal || mcti_map_put(&g->parks, &p->by_id, mcti_str_of(p->claim.id)) < 0) {
        free(p->claim.principal);
        free(p);
        return NULL;
    }
    mcti_list_append(&g->park_list, &p->node);
    r->principal->n_parked++;
    r->park = p;
    return p;
}

void mcti_gw_park_free(struct mcti_gw_request *r)
{
    struct gw_park *p = r->park;
    if (!p)
        return;
    struct mcti_gateway *g = gateway_of(p);
    r->park = NULL;
    r->principal->n_parked--;
    mcti_account_put(r->payer, MCT_HELD_PARKED, &p->held, 0);
    mcti_timer_stop(g->sched, &p->fold);
    mcti_timer_stop(g->sched, &p->expiry);
    while (!mcti_list_empty(&p->asks))
        ask_free(parked_of(p->asks.next));
    while (!mcti_list_empty(&p->notices))
        notice_free(MCT_CONTAINER(p->notices.next, struct notice, node));
    mcti_map_remove(&g->parks, &p->by_id);
    mcti_list_remove(&p->node);
    free(p->claim.principal);
    free(p->member);
    free(p->outcome);
    free(p);
}

void mcti_gw_parks_drop(struct mcti_peer *peer)
{
    MCT_LIST_EACH(it, &peer->gateway->park_list) {
        struct mcti_gw_request *r = MCT_CONTAINER(it, struct gw_park, node)->request;
        if (r->peer != peer || r->in.session)
            continue;
        mcti_call_cancel(&r->call, "the client disconnected");
        mcti_gw_request_free(r);
    }
}

bool mcti_peer_has_parked(const struct mcti_peer *peer)
{
    MCT_LIST_EACH(it, &peer->gateway->park_list)
        if (MCT_CONTAINER(it, struct gw_park, node)->request->peer == peer)
            return true;
    return false;
}
