/* Shared by the files of gateway/ and gateway/question/ only. */
#ifndef MCT_GATEWAY_IMPL_H
#define MCT_GATEWAY_IMPL_H

#include "hub/call/start.h"
#include "hub/core/branch.h"
#include "gateway/gateway.h"
#include "mcp/shape/shape.h"

struct gw_park;
struct gw_sub;

/* One request of a client while it is being answered; one allocation. */
struct mcti_gw_request {
    struct mcti_inbound in;
    struct mcti_peer *peer;
    struct mcti_principal *principal;
    struct mcti_account *payer; /* who is charged for it */
    size_t held;
    struct mcti_charge charge; /* which server is charged */
    enum mcti_verb verb;
    enum mcti_rev rev;
    struct mcti_call call;
    char *uri;           /* of a 2026-07-28 read, as written, for the error that must name it */
    char *output_schema; /* of the tool, where the result takes another shape because of it; NULL: it does not */
    int log_level;       /* 2026-07-28: what it wants to hear, GW_SILENT: nothing */

    struct mcti_list behind; /* in peer->behind: it waits until initialize is answered */
    char *kept;              /* the message, kept for a second look; NULL: not needed so far */
    size_t kept_len;
    uint64_t until_ms;       /* initialize: it is answered then, whichever connections are there; 0: not set yet */
    struct mcti_settle wait; /* for servers that are still starting */

    const struct mcti_provider *connection; /* that it was sent over last; compared only */
    struct mcti_branch *branch; /* the connection it uses, if that is not the shared one; see hub/core/branch.h */

    struct mcti_provider **candidates; /* resources/read: whom to ask, best first; owned */
    size_t n_candidates, next, first;  /* first: where to go on when it is looked at again */
    bool recalls;                      /* its answer may be one that is remembered */
    struct mcti_cache_place *place;    /* for the answer; NULL: none */

    struct mcti_answerer can; /* what a 2026-07-28 client can be asked, see gateway/question/park.c */
    unsigned char digest[32]; /* of what it asks for, see there, too */
    struct gw_park *park;     /* its questions; NULL: none so far */

    struct mcti_list listen; /* in peer->listens, once it is acknowledged */
    bool listens;            /* it counts among those of its principal */
    unsigned listen_kinds;
    struct mcti_subs subs; /* the resources of that listen */
    struct gw_sub *sub;    /* what a resources/subscribe waits for; NULL: nothing */
    unsigned n_pending;    /* of them: no server has agreed yet */
};

enum { GW_SILENT = 99 }; /* above every log level */

/* A handler answers r->in now or later and then lets it go with mcti_gw_request_free(). */
typedef void (*mcti_gw_handler)(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                const struct mcti_msg_meta *meta);

void mcti_gw_request_free(struct mcti_gw_request *r);

/* Answers with an error and frees, unless its client has to come back for it. */
void mcti_gw_fail(struct mcti_gw_request *r, const struct mct_error *err);
void mcti_gw_refuse(struct mcti_gw_request *r, const struct mct_error *err,
                    struct mcti_str data); /* data absent: none */

extern const struct mcti_session_ops mcti_gw_session_ops; /* request.c */

/* Keeps a copy of the message in r->kept. -1 when out of memory (answered and freed then). */
int mcti_gw_keep(struct mcti_gw_request *r, const struct mcti_msg *msg);

/* Waits up to `max_ms` for servers that are still starting and looks at the request again then. True: it waits, or is
 * over. False: there is nothing to wait for. */
bool mcti_gw_wait(struct mcti_gw_request *r, const struct mcti_msg *msg, unsigned max_ms);

/* The same until `enough` says so, with a time of its own; the request is looked at again in any case. */
void mcti_gw_wait_until(struct mcti_gw_request *r, const struct mcti_msg *msg,
                        bool (*enough)(const struct mcti_settle *w), unsigned max_ms);

/* The same for r->branch, which is just being made; max_ms 0: as long as that takes. */
void mcti_gw_wait_for_branch(struct mcti_gw_request *r, const struct mcti_msg *msg, unsigned max_ms);

void mcti_gw_initialize(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_discover(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_ping(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_list(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_set_level(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_subscribe(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_unsubscribe(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_listen(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_call_named(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_read(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);
void mcti_gw_complete(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* ---- call.c: the way there ---- */

/* Prepares r->call for this provider; `key` and `subject` replace a member of the params, subject absent: nothing is
 * replaced. Then starts it. -1 with *err. */
int mcti_gw_start(struct mcti_gw_request *r, struct mcti_provider *p, const struct mcti_msg *msg,
                  const struct mcti_msg_meta *meta, const struct mcti_json_set *subject, struct mct_error *err);

/* Whether the request goes on with a call that is parked; it has been seen to then. */
bool mcti_gw_resumes(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* The string parameter as a span: of the message, or of `scratch` when it has escapes. */
int mcti_gw_text_param(const struct mcti_msg *msg, const char *name, size_t max, struct mcti_buf *scratch,
                       struct mcti_str *ret, struct mct_error *err);

/* Progress in the words of the client's revision, under its token. */
void mcti_gw_progress(struct mcti_gw_request *r, struct mcti_str params);

/* ---- branch.c: which connection ---- */

/* The connection that this request's calls to the server go over: the provider itself, or one of a branch, which
 * r->branch holds then. NULL with *err. */
struct mcti_provider *mcti_gw_connection(struct mcti_gw_request *r, struct mcti_provider *p, struct mct_error *err);

/* The same for something that outlasts the request; *ret_branch, if not NULL, is the caller's to give back with
 * mcti_branch_unuse(). */
struct mcti_provider *mcti_gw_connection_for(struct mcti_gw_request *r, struct mcti_provider *p,
                                             struct mcti_branch **ret_branch, struct mct_error *err);

/* At initialize: begins the connections in the client's era that cost no process. The answer tells what they offer, so
 * it waits for them, a moment at most. True: it waits. */
void mcti_gw_begin_eras(struct mcti_gw_request *r);
bool mcti_gw_wait_for_eras(struct mcti_gw_request *r, const struct mcti_msg *msg);

/* Whether there is anything that the client can be asked. */
bool mcti_gw_can_be_asked(const struct mcti_answerer *can);

/* Whether the session has used this branch, which stays for that. */
bool mcti_gw_holds(const struct mcti_peer *p, const struct mcti_branch *b);
void mcti_gw_holds_clear(struct mcti_peer *p);

/* Who asks, on whose authority. */
static inline struct mcti_str gw_principal(const struct mcti_gw_request *r)
{
    return r->principal->name;
}

/* ---- local.c ---- */

/* Shows the peer the view of its endpoint that is for its group of clients. */
void mcti_gw_take_view(struct mcti_peer *p);

/* ---- answer.c: the way back ---- */

/* The outcome becomes the answer; frees the request, unless its client has to come back for it. */
void mcti_gw_answer(struct mcti_call *call, const struct mcti_outcome *o);

/* The same for a result, whoever it is from. */
void mcti_gw_answer_result(struct mcti_gw_request *r, const struct mcti_outcome *o);

/* The client lacks what the server asks for (2026-07-28 "Errors", -32021). Cancels the call, answers and frees. */
void mcti_gw_fail_lacking(struct mcti_gw_request *r, enum mcti_ask_kind kind, struct mcti_str params);

/* ---- read.c ---- */

/* One of several servers does not have the resource, or is not there: the next one is asked. False: no other may. */
bool mcti_gw_read_elsewhere(struct mcti_gw_request *r, const struct mcti_outcome *o);

/* Answers from what is remembered, and frees. False: the server at r->connection must be asked; the answer has a place.
 */
bool mcti_gw_recall(struct mcti_gw_request *r, const struct mcti_msg *msg);

/* ---- gateway/question/ask.c: questions to a handshake client, as requests ---- */

/* Notes at initialize what the client can be asked. -1 when out of memory. */
int mcti_gw_ask_init(struct mcti_peer *p, struct mcti_str capabilities);

/* Makes the client answer what is asked on a connection of its own outside of calls. */
void mcti_gw_ask_owner(struct mcti_peer *p, struct mcti_answerer *to);

/* Puts the questions that were held back to the client, if it is initialized now. */
void mcti_gw_ask_held(struct mcti_peer *p);
void mcti_gw_ask_drop(struct mcti_peer *p); /* the client goes: they are answered as if nobody were there */

/* The client's roots are others: its own connections are told. */
void mcti_gw_roots_changed(struct mcti_peer *p);

/* Pages the client is sent to: which those are, and that one is done with. */
void mcti_gw_elicitation_note(struct mcti_peer *p, const struct mcti_provider *server, struct mcti_str params);
void mcti_gw_forward_elicited(struct mcti_gateway *g, const struct mcti_provider *server, struct mcti_str params);
void mcti_gw_elicitations_clear(struct mcti_peer *p);

/* ---- gateway/question/park.c: questions to a 2026-07-28 client, which answers them with its next request ---- */

/* The call may have to be parked: notes what the request is, and what its client can be asked. */
int mcti_gw_park_prepare(struct mcti_gw_request *r, struct mcti_str params, struct mcti_str capabilities,
                         struct mct_error *err);

/* The client comes back to a call that is parked: its answers go to the server. 1: it does, and r is gone or answered;
 * 0: it does not; -1 with *err when its state is not to be believed. */
int mcti_gw_park_resume(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta,
                        struct mct_error *err);

/* Nobody is there to take this now: kept until the client comes back. False: r is not parked. */
bool mcti_gw_park_keep(struct mcti_gw_request *r, struct mcti_str member, struct mcti_str value);
bool mcti_gw_park_notify(struct mcti_gw_request *r, const char *method, struct mcti_str params);

void mcti_gw_park_free(struct mcti_gw_request *r); /* safe when there is none */
void mcti_gw_parks_drop(struct mcti_peer *p);      /* the peer goes: what it left parked is given up */

/* ---- gateway/question/state.c: states of 2026-07-28 servers ---- */

/* Writes an input_required result with a state that is good for this client only. False, with nothing written: it has
 * none, or clients are not told apart. */
bool mcti_gw_state_bind(struct mcti_gw_request *r, struct mcti_str result, struct mcti_buf *to);

/* The other way round: 1: wrote the params with the server's own state; 0: they are good as they are; -1 with *err. */
int mcti_gw_state_open(struct mcti_gw_request *r, struct mcti_str params, struct mcti_buf *to, struct mct_error *err);

/* ---- gateway/notify/listen.c ---- */

/* Hash of the tools that the peer's view has of its own. */
uint64_t mcti_gw_own_tools(struct mcti_peer *p);

/* Forgets the changes of lists that a client which has listed nothing yet need not hear of. */
void mcti_gw_forget_changes(struct mcti_peer *p);

/* Tells one peer about the kinds in p->dirty. */
void mcti_gw_tell_changes(struct mcti_peer *p);

/* The search for a server that tells of one of its resources is over. */
void mcti_gw_listen_agreed(struct mcti_gw_request *r);

/* A notification on the stream of a subscription; params may be absent. */
void mcti_gw_tell_listener(struct mcti_gw_request *r, const char *method, struct mcti_str params);

/* ---- gateway/notify/subscribe.c ---- */

/* Adds to a list of struct gw_sub. mcti_gw_subscribed() follows, now or later: no error, when it was in it already or a
 * server has agreed to tell. */
void mcti_gw_subs_add(struct mcti_gw_request *r, struct mcti_subs *subs, struct mcti_str uri);
void mcti_gw_subscribed(struct mcti_gw_request *r, const struct mct_error *err);
void mcti_gw_subs_release(struct mcti_gw_request *r); /* the request does not wait any more */

/* Over a list: *at NULL begins. */
bool mcti_gw_subs_next(struct mcti_subs *subs, struct mcti_list **at, struct mcti_str *ret_uri);

/* A resource changed. */
void mcti_gw_forward_update(struct mcti_gateway *g, struct mcti_provider *p, struct mcti_str params);
void mcti_gw_subs_clear(struct mcti_subs *subs);

/* The branch ends: what sessions have subscribed to there is moved to the connection in its place. */
void mcti_gw_subs_move(struct mcti_gateway *g, const struct mcti_branch *from);

/* ---- gateway/notify/log.c ---- */

/* The level that a 2026-07-28 request asks for, GW_SILENT: none. */
int mcti_gw_read_level(struct mcti_str level);
const char *mcti_gw_level_json(int level); /* with quotes */

/* Whether the client wants a log message (its params) of this level. */
bool mcti_gw_admits(const struct mcti_gw_request *r, struct mcti_str params);

void mcti_gw_levels_init(struct mcti_gateway *g);

/* Sets the most verbose level that a session wants now at the handshake servers. */
void mcti_gw_update_levels(struct mcti_gateway *g);

/* The same for a 2026-07-28 request to such a server, which has no session: its level counts until MCT_LEVEL_KEEP_MS
 * after the newest such request, and while one is under way. GW_SILENT: nothing. */
void mcti_gw_want_level(struct mcti_gateway *g, int level);

/* A log message of a server to the one whose call it came up in. */
void mcti_gw_on_log(struct mcti_call *call, struct mcti_str params);

/* For gateway/notify/fan.c: whether somebody has a call open at the server, to whom (and to nobody else) a message may
 * belong; whether a peer is to hear one of this level; and the message as clients of this view get it. */
bool mcti_gw_is_called(const struct mcti_gateway *g, const struct mcti_provider *p);
bool mcti_gw_hears(const struct mcti_peer *peer, const struct mcti_provider *p, int level, bool busy);
int mcti_gw_level_of(struct mcti_str params);
void mcti_gw_put_message(struct mcti_buf *to, const struct mcti_view *v, const struct mcti_provider *p,
                         struct mcti_str params);

/* ---- gateway/notify/fan.c: what goes to very many clients leaves in portions ---- */

void mcti_gw_fan_init(struct mcti_gateway *g);
void mcti_gw_fan_done(struct mcti_gateway *g);

/* A log message of a server that belongs to no call: to all peers that hear it. */
void mcti_gw_forward_message(struct mcti_gateway *g, struct mcti_provider *p, struct mcti_str params);

/* {"jsonrpc":"2.0","method":…,"params":…} on one line. */
void mcti_gw_put_notification(struct mcti_buf *to, const char *name, struct mcti_str params);
void mcti_gw_tell_peer(struct mcti_peer *p, struct mcti_text *frame, bool wanted); /* see struct mcti_peer_ops */

/* The account of a server, with its ceiling. */
static inline struct mcti_account *gw_server_account(struct mcti_gateway *g, struct mcti_provider *p)
{
    struct mcti_account *a = p->origin ? &p->origin->account : &p->account;
    a->rule = &g->memory.rules[MCT_LEVEL_SERVER];
    return a;
}

/* Takes this much of the turn's work; false: there is no more, and `tick` follows. */
bool mcti_gw_fan_spend(struct mcti_gateway *g, unsigned work);

void mcti_gw_fan_skip(struct mcti_peer *p); /* the peer goes */
void mcti_gw_fan_forget(struct mcti_gateway *g,
                        struct mcti_provider *p); /* the connection goes: its messages are dropped */

/* ---- shared ---- */

/* Of what clients are given to bring back. */
static inline struct mcti_str gw_seal_key(const struct mcti_gateway *g)
{
    return (struct mcti_str){ (const char *)g->seal_key, sizeof g->seal_key };
}

/* Whether a handshake client may be told and asked things: it is initialized, and has the answer to initialize. */
static inline bool mcti_gw_is_ready(const struct mcti_peer *p)
{
    return p->initialized && !p->greeting;
}

/* The request a call is made for, whether it is its own or one made on its behalf. */
static inline struct mcti_gw_request *mcti_gw_of(struct mcti_call *call)
{
    while (call->behalf)
        call = call->behalf;
    return MCT_CONTAINER(call, struct mcti_gw_request, call);
}

#endif
