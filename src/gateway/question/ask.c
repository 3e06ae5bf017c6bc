/*
 * Forwards a question that a server asks during a call of a handshake client to that client, on the stream of its call.
 * Records the pages that a client is sent to (url elicitations), because the server will report their completion.
 */
#include "gateway/ask.h"

#include "base/limits.h"
#include "mcp/apps/ui.h"

#include <stdio.h>
#include <stdlib.h>

struct gw_elicitation {
    struct mcti_list node;
    const struct mcti_provider *server; /* server that issued the id; compared only */
    char id[];
};

struct forwarded {
    struct mcti_outbound out; /* not in flight while the question is held back */
    struct mcti_ask *ask;
    enum mcti_rev rev;     /* of the server */
    struct mcti_list node; /* in peer->held, or in no list */
};

/* ---- url elicitations ---- */

static size_t question_ask_count(const struct mcti_list *l)
{
    size_t n = 0;
    MCT_LIST_EACH(it, l)
        n++;
    return n;
}

static void elicitation_free(struct gw_elicitation *e)
{
    mcti_list_remove(&e->node);
    free(e);
}

void mcti_gw_elicitation_note(struct mcti_peer *p, const struct mcti_provider *server, struct mcti_str params)
{
    struct mcti_str id;
    if (!mcti_json_plain(mcti_json_get(params, "elicitationId"), &id) || id.len > MCT_LIMIT_ID_BYTES)
        return;
    struct gw_elicitation *e = malloc(sizeof *e + id.len + 1);
    if (!e)
        return;
    e->server = server;
    memcpy(e->id, id.p, id.len);
    e->id[id.len] = '\0';
    mcti_list_append(&p->elicitations, &e->node);
    if (question_ask_count(&p->elicitations) > MCT_LIMIT_ASKS)
        elicitation_free(MCT_CONTAINER(p->elicitations.next, struct gw_elicitation, node));
}

void mcti_gw_elicitations_clear(struct mcti_peer *p, const struct mcti_provider *server)
{
    MCT_LIST_EACH(it, &p->elicitations)
        if (!server || MCT_CONTAINER(it, struct gw_elicitation, node)->server == server)
            elicitation_free(MCT_CONTAINER(it, struct gw_elicitation, node));
}

/* Notifies only the client that was sent to the page (2025-11-25 "Completion Notifications"). */
void mcti_gw_forward_elicited(struct mcti_gateway *g, const struct mcti_provider *server, struct mcti_str params)
{
    struct mcti_str id = mcti_json_get(params, "elicitationId");
    MCT_LIST_EACH(it, &g->peers) {
        struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        MCT_LIST_EACH(one, &p->elicitations) {
            struct gw_elicitation *e = MCT_CONTAINER(one, struct gw_elicitation, node);
            if (e->server != server || !mcti_json_is(id, e->id))
                continue;
            elicitation_free(e);
            mcti_session_notify(&p->session, "notifications/elicitation/complete", params, NULL);
            break;
        }
    }
}

/* ---- questions ---- */

static void question_ask_on_reply(struct mcti_outbound *o, const struct mcti_msg *answer, const struct mct_error *err)
{
    struct forwarded *f = MCT_CONTAINER(o, struct forwarded, out);
    struct mcti_ask *ask = f->ask;
    struct mct_error why;
    struct mcti_buf b;
    if (err) {
        why = *err;
    } else if (answer->error.p) {
        mcti_msg_read_error(answer->error, &why);
    } else {
        mcti_buf_init(&b, answer->result.len + 4096);
        int r = mcti_shape_reply(&b, ask->kind, answer->result, f->rev, &why);
        free(f);
        if (r == 0)
            mcti_ask_answer(ask, mcti_buf_str(&b));
        else
            mcti_ask_fail(ask, &why);
        mcti_buf_done(&b);
        return;
    }
    free(f);
    mcti_ask_fail(ask, &why);
}

static void question_ask_on_reply_progress(struct mcti_outbound *o, struct mcti_str params)
{
    struct mcti_ask *ask = MCT_CONTAINER(o, struct forwarded, out)->ask;
    if (ask->progress)
        ask->progress(ask, params);
}

/* Writes the params of the question; if the server has requested progress, with a progress token of the gateway. */
static void question_ask_put_params(struct mcti_buf *to, struct mcti_str params, bool with_token, uint64_t token)
{
    char number[24];
    struct mcti_buf meta;
    if (!with_token) {
        mcti_buf_add(to, params);
        return;
    }
    snprintf(number, sizeof number, "%llu", (unsigned long long)token);
    const struct mcti_json_set ours = { "progressToken", mcti_str_of(number) };
    mcti_buf_init(&meta, params.len + 64);
    mcti_json_put_object(&meta, mcti_json_get(params, "_meta"), &ours, 1);
    const struct mcti_json_set set = { "_meta", mcti_buf_str(&meta) };
    mcti_json_put_object(to, params, &set, 1);
    mcti_buf_done(&meta);
}

int mcti_gw_ask_forward(struct mcti_peer *p, const struct mcti_inbound *in, const struct mcti_provider *server,
                        struct mcti_ask *a, struct mct_error *err)
{
    struct mcti_session *s = &p->session;
    struct mcti_buf shaped;
    struct forwarded *f = calloc(1, sizeof *f);
    if (!f)
        return mcti_no_memory(err);
    *f = (struct forwarded){ .ask = a, .rev = server ? server->info.rev : MCT_REV_LATEST_HANDSHAKE };
    mcti_list_init(&f->node);
    f->out = (struct mcti_outbound){ .done = question_ask_on_reply,
                                     .progress = question_ask_on_reply_progress,
                                     .timeout_ms = a->kind == MCT_ASK_ROOTS && !in ? MCT_ROOTS_MS : MCT_ASK_MS,
                                     .lane = in ? in->lane : NULL };
    mcti_buf_init(&shaped, a->params.len + 65536);
    int result = mcti_shape_ask(&shaped, a->kind, a->params, s->rev, err);
    if (result == 0) {
        mcti_gw_elicitation_note(p, server, mcti_buf_str(&shaped));
        struct mcti_buf *b = mcti_session_begin(s, &f->out, mcti_ask_method(a->kind));
        question_ask_put_params(b, mcti_buf_str(&shaped), a->progress != NULL, f->out.id);
        result = mcti_session_send(s, &f->out, err);
    }
    mcti_buf_done(&shaped);
    if (result < 0)
        free(f);
    else
        a->scratch = f;
    return result;
}

static void question_ask_on_ask(void *data, struct mcti_ask *a)
{
    struct mcti_call *call = a->about;
    struct mcti_gw_request *r = mcti_gw_of(call);
    struct mct_error err;
    (void)data;
    if (mcti_gw_ask_forward(r->peer, &r->in, call->provider, a, &err) < 0)
        mcti_ask_fail(a, &err);
}

static void question_ask_on_withdraw(void *data, struct mcti_ask *a)
{
    struct forwarded *f = a->scratch;
    (void)data;
    mcti_session_cancel(&f->out, "the server withdrew the question");
    mcti_list_remove(&f->node);
    free(f);
}

/* Ignores capabilities that the client's revision does not have. */
int mcti_gw_ask_init(struct mcti_peer *p, struct mcti_str capabilities)
{
    enum mcti_rev rev = p->session.rev;
    struct mcti_buf b;
    mcti_capabilities_read(capabilities, &p->can);
    p->can.form &= rev >= MCT_REV_2025_06_18;
    p->can.url &= rev >= MCT_REV_2025_11_25;
    p->can.sampling_tools &= rev >= MCT_REV_2025_11_25;
    p->can.sampling_context &= rev >= MCT_REV_2025_11_25;
    p->can.ask = question_ask_on_ask;
    p->can.withdraw = question_ask_on_withdraw;
    p->can.open = capabilities;
    p->can.which = MCT_EXTENSIONS_SINGLE;
    mcti_buf_init(&b, capabilities.len + 1024);
    mcti_capabilities_put(&b, &p->can);
    free(p->capabilities);
    p->capabilities = mcti_buf_take(&b);
    p->can.open = p->capabilities ? mcti_str_of(p->capabilities) : MCT_STR_NONE;
    return p->capabilities ? 0 : -1;
}

/* ---- questions outside of calls ---- */

/* Answers a question without a client: with an empty list of roots, with `err` otherwise. */
static void answer_without_client(struct mcti_ask *a, const struct mct_error *err)
{
    if (a->kind == MCT_ASK_ROOTS)
        mcti_ask_answer(a, MCT_STR("{\"roots\":[]}"));
    else
        mcti_ask_fail(a, err);
}

static void question_ask_on_owner_ask(void *data, struct mcti_ask *a);

/* Returns whether the client has sent initialize but is not initialized yet. No request may be sent to it before
 * (2025-11-25 "Lifecycle"), and servers that start with it may ask earlier. */
static bool question_ask_is_early(const struct mcti_peer *p)
{
    return p->session.rev != MCT_REV_NONE && !mcti_gw_is_ready(p);
}

/* Holds the question back until the client is initialized. Returns false when out of memory. */
static bool question_ask_hold(struct mcti_peer *p, struct mcti_ask *a)
{
    struct forwarded *f = calloc(1, sizeof *f);
    if (!f)
        return false;
    f->ask = a;
    a->scratch = f;
    mcti_list_append(&p->held, &f->node);
    return true;
}

static struct mcti_ask *take_held(struct mcti_peer *p)
{
    struct forwarded *f = MCT_CONTAINER(p->held.next, struct forwarded, node);
    struct mcti_ask *a = f->ask;
    mcti_list_remove(&f->node);
    free(f);
    return a;
}

void mcti_gw_ask_held(struct mcti_peer *p)
{
    while (!question_ask_is_early(p) && !mcti_list_empty(&p->held))
        question_ask_on_owner_ask(p, take_held(p));
}

void mcti_gw_ask_drop(struct mcti_peer *p)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_CANCELLED, "the client disconnected");
    while (!mcti_list_empty(&p->held))
        answer_without_client(take_held(p), &err);
}

static void question_ask_on_stray_ask(void *data, struct mcti_ask *a)
{
    struct mcti_gateway *const *g = data;
    struct mcti_peer *sole = g && *g ? (*g)->sole : NULL;
    struct mct_error err;
    if (sole && question_ask_is_early(sole) && question_ask_hold(sole, a))
        return;
    if (sole) {
        question_ask_on_owner_ask(sole, a);
        return;
    }
    if (g && *g && a->kind == MCT_ASK_ROOTS && mcti_gw_roots_gather(*g, a))
        return;
    mcti_fail(&err, MCT_ERR_UNSUPPORTED, "%s belongs to no open call of a client", mcti_ask_method(a->kind));
    err.code = MCT_RPC_INTERNAL;
    answer_without_client(a, &err);
}

const struct mcti_answerer mcti_gateway_answerer = {
    .form = true,
    .url = true,
    .sampling = true,
    .sampling_tools = true,
    .sampling_context = true,
    .ask_roots = true,
    .roots_change = true,
    .open = { MCT_UI_CAPABILITIES, sizeof MCT_UI_CAPABILITIES - 1 },
    .which = MCT_EXTENSIONS_MEMBERS,
    .ask = question_ask_on_stray_ask,
    .withdraw = question_ask_on_withdraw,
};

/* Returns the client's own connection to the server with this name. */
static const struct mcti_provider *connection_of(const struct mcti_peer *p, const char *server)
{
    MCT_LIST_EACH(it, &p->gateway->registry->branches) {
        const struct mcti_branch *b = MCT_CONTAINER(it, struct mcti_branch, node);
        if (b->owner == p && !strcmp(b->provider->name, server))
            return b->provider;
    }
    return NULL;
}

/* Sends a question that came on a client's own connection to that client. */
static void question_ask_on_owner_ask(void *data, struct mcti_ask *a)
{
    struct mcti_peer *p = data;
    struct mct_error err;
    if (!mcti_answerer_can(&p->can, a->kind, a->params))
        mcti_fail(&err, MCT_ERR_UNSUPPORTED, "the client does not offer %s", mcti_ask_method(a->kind));
    else if (mcti_gw_ask_forward(p, NULL, connection_of(p, a->server), a, &err) == 0)
        return;
    answer_without_client(a, &err);
}

void mcti_gw_ask_owner(struct mcti_peer *p, struct mcti_answerer *to)
{
    to->ask = question_ask_on_owner_ask;
    to->withdraw = question_ask_on_withdraw;
    to->data = p;
}
