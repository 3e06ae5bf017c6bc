/*
 * What a server asks in a call of a handshake client is put to that client as a request of ours, on the stream of its
 * call. Pages it is sent to (url elicitations) are remembered: the server will say when one is done with.
 */
#include "gateway/impl.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

struct gw_elicitation {
    struct mct_list node;
    const struct mct_provider *server; /* whose id that is; compared only */
    char id[];
};

struct forwarded {
    struct mct_outbound out; /* not in flight while it is held */
    struct mct_ask *ask;
    enum mct_rev rev; /* of the server */
    struct mct_list node; /* in peer->held, or in no list */
};

/* ---- pages ---- */

static size_t count(const struct mct_list *l)
{
    size_t n = 0;
    MCT_LIST_EACH(it, l)
        n++;
    return n;
}

static void elicitation_free(struct gw_elicitation *e)
{
    mct_list_remove(&e->node);
    free(e);
}

void gw_elicitation_note(struct mct_peer *p, const struct mct_provider *server, struct mct_str params)
{
    struct mct_str id;
    if (!mct_json_plain(mct_json_get(params, "elicitationId"), &id) || id.len > MCT_LIMIT_ID_BYTES)
        return;
    struct gw_elicitation *e = malloc(sizeof *e + id.len + 1);
    if (!e)
        return;
    e->server = server;
    memcpy(e->id, id.p, id.len);
    e->id[id.len] = '\0';
    mct_list_append(&p->elicitations, &e->node);
    if (count(&p->elicitations) > MCT_LIMIT_ASKS)
        elicitation_free(MCT_CONTAINER(p->elicitations.next, struct gw_elicitation, node));
}

void gw_elicitations_clear(struct mct_peer *p)
{
    while (!mct_list_empty(&p->elicitations))
        elicitation_free(MCT_CONTAINER(p->elicitations.next, struct gw_elicitation, node));
}

/* 2025-11-25 "Completion Notifications": only whoever was asked is told. */
void gw_forward_elicited(struct mct_gateway *g, const struct mct_provider *server, struct mct_str params)
{
    struct mct_str id = mct_json_get(params, "elicitationId");
    MCT_LIST_EACH(it, &g->peers) {
        struct mct_peer *p = MCT_CONTAINER(it, struct mct_peer, node);
        MCT_LIST_EACH(one, &p->elicitations) {
            struct gw_elicitation *e = MCT_CONTAINER(one, struct gw_elicitation, node);
            if (e->server != server || !mct_json_is(id, e->id))
                continue;
            elicitation_free(e);
            mct_session_notify(&p->session, "notifications/elicitation/complete", params, NULL);
            break;
        }
    }
}

/* ---- questions ---- */

static void on_reply(struct mct_outbound *o, const struct mct_msg *answer, const struct mct_error *err)
{
    struct forwarded *f = MCT_CONTAINER(o, struct forwarded, out);
    struct mct_ask *ask = f->ask;
    struct mct_error why;
    struct mct_buf b;
    if (err) {
        why = *err;
    } else if (answer->error.p) {
        mct_msg_read_error(answer->error, &why);
    } else {
        mct_buf_init(&b, answer->result.len + 4096);
        int r = mct_shape_reply(&b, ask->kind, answer->result, f->rev, &why);
        free(f);
        if (r == 0)
            mct_ask_answer(ask, mct_buf_str(&b));
        else
            mct_ask_fail(ask, &why);
        mct_buf_done(&b);
        return;
    }
    free(f);
    mct_ask_fail(ask, &why);
}

static void on_reply_progress(struct mct_outbound *o, struct mct_str params)
{
    struct mct_ask *ask = MCT_CONTAINER(o, struct forwarded, out)->ask;
    if (ask->progress)
        ask->progress(ask, params);
}

/* If the server wants to hear how it goes, the client tells it under a token of ours. */
static void put_params(struct mct_buf *to, struct mct_str params, bool with_token, uint64_t token)
{
    char number[24];
    struct mct_buf meta;
    if (!with_token) {
        mct_buf_add(to, params);
        return;
    }
    snprintf(number, sizeof number, "%llu", (unsigned long long)token);
    const struct mct_json_set ours = { "progressToken", mct_str_of(number) };
    mct_buf_init(&meta, params.len + 64);
    mct_json_put_object(&meta, mct_json_get(params, "_meta"), &ours, 1);
    const struct mct_json_set set = { "_meta", mct_buf_str(&meta) };
    mct_json_put_object(to, params, &set, 1);
    mct_buf_done(&meta);
}

/* On the stream of `in`; NULL: on none in particular. */
static int forward(struct mct_peer *p, const struct mct_inbound *in, const struct mct_provider *server,
                   struct mct_ask *a, struct mct_error *err)
{
    struct mct_session *s = &p->session;
    struct mct_buf shaped;
    struct forwarded *f = calloc(1, sizeof *f);
    if (!f)
        return mct_no_memory(err);
    *f = (struct forwarded){ .ask = a, .rev = server ? server->info.rev : MCT_REV_LATEST_HANDSHAKE };
    mct_list_init(&f->node);
    f->out = (struct mct_outbound){ .done = on_reply, .progress = on_reply_progress, .timeout_ms = MCT_ASK_MS,
                                    .lane = in ? in->lane : NULL };
    mct_buf_init(&shaped, a->params.len + 65536);
    int result = mct_shape_ask(&shaped, a->kind, a->params, s->rev, err);
    if (result == 0) {
        gw_elicitation_note(p, server, mct_buf_str(&shaped));
        struct mct_buf *b = mct_session_begin(s, &f->out, mct_ask_method(a->kind));
        put_params(b, mct_buf_str(&shaped), a->progress != NULL, f->out.id);
        result = mct_session_send(s, &f->out, err);
    }
    mct_buf_done(&shaped);
    if (result < 0)
        free(f);
    else
        a->scratch = f;
    return result;
}

static void on_ask(void *data, struct mct_ask *a)
{
    struct mct_call *call = a->about;
    struct gw_request *r = gw_of(call);
    struct mct_error err;
    (void)data;
    if (forward(r->peer, &r->in, call->provider, a, &err) < 0)
        mct_ask_fail(a, &err);
}

static void on_withdraw(void *data, struct mct_ask *a)
{
    struct forwarded *f = a->scratch;
    (void)data;
    mct_session_cancel(&f->out, "the server does not wait for the answer any more");
    mct_list_remove(&f->node);
    free(f);
}

/* What the client's revision does not know it cannot have meant. */
int gw_ask_init(struct mct_peer *p, struct mct_str capabilities)
{
    enum mct_rev rev = p->session.rev;
    struct mct_buf b;
    mct_capabilities_read(capabilities, &p->can);
    p->can.form &= rev >= MCT_REV_2025_06_18;
    p->can.url &= rev >= MCT_REV_2025_11_25;
    p->can.sampling_tools &= rev >= MCT_REV_2025_11_25;
    p->can.sampling_context &= rev >= MCT_REV_2025_11_25;
    p->can.ask = on_ask;
    p->can.withdraw = on_withdraw;
    mct_buf_init(&b, 1024);
    mct_capabilities_put(&b, &p->can);
    free(p->capabilities);
    p->capabilities = mct_buf_take(&b);
    return p->capabilities ? 0 : -1;
}

/* ---- questions outside of calls ---- */

/* Whoever asks for roots can do without. */
static void answer_for_nobody(struct mct_ask *a, const struct mct_error *err)
{
    if (a->kind == MCT_ASK_ROOTS)
        mct_ask_answer(a, MCT_STR("{\"roots\":[]}"));
    else
        mct_ask_fail(a, err);
}

static void on_owner_ask(void *data, struct mct_ask *a);

/* A client that has begun is asked nothing before it is initialized (2025-11-25 "Lifecycle"); servers that start with it may
 * be faster. */
static bool begins(const struct mct_peer *p)
{
    return p->session.rev != MCT_REV_NONE && !gw_is_ready(p);
}

/* False when out of memory. */
static bool hold(struct mct_peer *p, struct mct_ask *a)
{
    struct forwarded *f = calloc(1, sizeof *f);
    if (!f)
        return false;
    f->ask = a;
    a->scratch = f;
    mct_list_append(&p->held, &f->node);
    return true;
}

static struct mct_ask *take_held(struct mct_peer *p)
{
    struct forwarded *f = MCT_CONTAINER(p->held.next, struct forwarded, node);
    struct mct_ask *a = f->ask;
    mct_list_remove(&f->node);
    free(f);
    return a;
}

void gw_ask_held(struct mct_peer *p)
{
    while (!begins(p) && !mct_list_empty(&p->held))
        on_owner_ask(p, take_held(p));
}

void gw_ask_drop(struct mct_peer *p)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_CANCELLED, "the client has gone");
    while (!mct_list_empty(&p->held))
        answer_for_nobody(take_held(p), &err);
}

static void on_stray_ask(void *data, struct mct_ask *a)
{
    struct mct_gateway *const *g = data;
    struct mct_peer *sole = g && *g ? (*g)->sole : NULL;
    struct mct_error err;
    if (sole && begins(sole) && hold(sole, a))
        return;
    if (sole) {
        on_owner_ask(sole, a);
        return;
    }
    mct_fail(&err, MCT_ERR_UNSUPPORTED, "no call of a client is under way that %s could belong to",
             mct_ask_method(a->kind));
    err.code = MCT_RPC_INTERNAL;
    answer_for_nobody(a, &err);
}

const struct mct_answerer mct_gateway_answerer = {
    .form = true, .url = true, .sampling = true, .sampling_tools = true, .sampling_context = true, .ask_roots = true,
    .roots_change = true, .ask = on_stray_ask, .withdraw = on_withdraw,
};

void gw_roots_changed(struct mct_peer *p)
{
    struct mct_registry *r = p->gateway->registry;
    for (size_t i = 0; p->gateway->sole == p && i < r->n; i++)
        if (r->v[i]->ops->roots_changed)
            r->v[i]->ops->roots_changed(r->v[i]);
    MCT_LIST_EACH(it, &r->branches) {
        struct mct_branch *b = MCT_CONTAINER(it, struct mct_branch, node);
        bool told = b->owner == p || (b->handshake && !b->owner && p->gateway->sole == p);
        if (told && !b->leaving)
            b->provider->ops->roots_changed(b->provider);
    }
}

/* The client's own connection to that server. */
static const struct mct_provider *connection_of(const struct mct_peer *p, const char *server)
{
    MCT_LIST_EACH(it, &p->gateway->registry->branches) {
        const struct mct_branch *b = MCT_CONTAINER(it, struct mct_branch, node);
        if (b->owner == p && !strcmp(b->provider->name, server))
            return b->provider;
    }
    return NULL;
}

/* The connection is one client's alone: whatever is asked on it is asked of him. */
static void on_owner_ask(void *data, struct mct_ask *a)
{
    struct mct_peer *p = data;
    struct mct_error err;
    if (!mct_answerer_can(&p->can, a->kind, a->params))
        mct_fail(&err, MCT_ERR_UNSUPPORTED, "the client does not offer %s", mct_ask_method(a->kind));
    else if (forward(p, NULL, connection_of(p, a->server), a, &err) == 0)
        return;
    answer_for_nobody(a, &err);
}

void gw_ask_owner(struct mct_peer *p, struct mct_answerer *to)
{
    to->ask = on_owner_ask;
    to->withdraw = on_withdraw;
    to->data = p;
}
