/*
 * A login and all that surrounds it, as fakes with a virtual clock: a store in memory that several logins share, an
 * authorization server with rotating refresh tokens, discovery, and the answers of an MCP server. What happens is
 * recorded in world.said, one word each.
 */
#ifndef MCT_TESTS_AUTH_LOGIN_WORLD_H
#define MCT_TESTS_AUTH_LOGIN_WORLD_H

#include "unit.h"

#include "auth/flow/flow.h"
#include "auth/login/login.h"
#include "auth/wire/url.h"

#include <assert.h>

#define SERVER "https://mcp.example/mcp"
#define ISSUER "https://as.example"
#define OTHER "https://other.example"

/* ---- the world ---- */

enum { WORLD_LOGINS = 2 };

static struct world {
    struct mcti_loop loop;
    int64_t wall_s;
    char said[4000];
    char logged[8000];
    struct mcti_log log;
    struct mcti_auth_settings settings;
    struct mcti_grant_ops grant;
    struct mcti_login *l[WORLD_LOGINS];
    unsigned n_changed;

    struct mcti_auth_store store;
    char *text; /* NULL: nothing is stored */
    const void *locked_by;
    enum mct_error_kind load_fails, save_fails, lock_fails;

    /* The authorization server. */
    char valid[64];       /* the refresh token that it takes; "": none */
    unsigned n_rotations; /* the tokens of the n-th are "a<n>" and "r<n>" */
    int64_t life_s;
    const char *refusal; /* error of the next refresh; NULL: none */
    int failure_status;  /* HTTP status of the next refresh; 0: no answer */
    bool fails;
    struct refreshing {
        bool used;
        struct mcti_token_request_opts opts;
        char token[64];
    } refreshing[WORLD_LOGINS];

    /* Flows and discoveries in progress: one each. */
    struct mcti_flow_opts flow;
    char flow_scope[200];
    unsigned n_flows;
    bool flowing, only_wanted, discovering;
    struct mcti_discover_opts discover;
    struct {
        mcti_auth_response_fn done;
        void *data;
    } knock;
    bool knocking;
    struct {
        void (*done)(void *data, const struct mct_error *err);
        void *data;
    } revocation;
    bool revoking;
} world;

static inline void world_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline void world_say(const char *fmt, ...)
{
    va_list ap;
    size_t n = strlen(world.said);
    if (n)
        world.said[n++] = ' ';
    va_start(ap, fmt);
    n += (size_t)vsnprintf(world.said + n, sizeof world.said - n, fmt, ap);
    va_end(ap);
    assert_true(n < sizeof world.said);
}

/* What has been said since the last time. */
#define assert_said(text)                                                                                              \
    do {                                                                                                               \
        assert_string_equal(world.said, text);                                                                         \
        world.said[0] = '\0';                                                                                          \
    } while (0)

static int64_t world_now_s(void)
{
    return world.wall_s;
}

/* Lets the time pass, with everything that is due meanwhile. */
static inline void world_run_ms(uint64_t ms)
{
    struct mcti_sched *s = &world.loop.sched;
    uint64_t end = s->now_ms + ms;
    for (int64_t next; (next = mcti_sched_next_ms(s)) >= 0 && s->now_ms + (uint64_t)next <= end;) {
        world.wall_s += (int64_t)((s->now_ms % 1000 + (uint64_t)next) / 1000);
        mcti_sched_run(s, s->now_ms + (uint64_t)next);
    }
    world.wall_s += (int64_t)((s->now_ms % 1000 + (end - s->now_ms)) / 1000);
    mcti_sched_run(s, end);
}

static inline void world_turn(void)
{
    world_run_ms(0);
}

/* ---- an answer of the server ---- */

struct mcti_fetch {
    int status;
    const char *challenge, *nonce;
    bool is_private;
};

int mcti_fetch_status(const struct mcti_fetch *f)
{
    return f->status;
}

struct mcti_str mcti_fetch_header(const struct mcti_fetch *f, const char *name)
{
    return mcti_fetch_header_nth(f, name, 0);
}

struct mcti_str mcti_fetch_header_nth(const struct mcti_fetch *f, const char *name, size_t n)
{
    if (n)
        return MCT_STR_NONE;
    if (!strcasecmp(name, "WWW-Authenticate"))
        return mcti_str_of(f->challenge);
    return !strcasecmp(name, "DPoP-Nonce") ? mcti_str_of(f->nonce) : MCT_STR_NONE;
}

bool mcti_fetch_peer_is_public(const struct mcti_fetch *f)
{
    return !f->is_private;
}

/* ---- the store ---- */

static int world_fails(enum mct_error_kind kind, const char *what, struct mct_error *err)
{
    if (kind)
        mcti_fail(err, kind, "%s: broken", what);
    return kind ? -1 : 0;
}

static int world_load(struct mcti_auth_store *s, const char *key, struct mcti_buf *ret, struct mct_error *err)
{
    (void)s;
    assert_int_equal(strlen(key), MCT_AUTH_KEY_CHARS);
    if (world_fails(world.load_fails, "load", err))
        return -1;
    mcti_buf_add(ret, mcti_str_of(world.text));
    return 0;
}

static int world_save(struct mcti_auth_store *s, const char *key, struct mcti_str text, struct mct_error *err)
{
    (void)s;
    (void)key;
    world_say(world.save_fails ? "save!" : "save");
    if (world_fails(world.save_fails, "save", err))
        return -1;
    free(world.text);
    world.text = text.p ? mcti_str_dup(text) : NULL;
    return 0;
}

static int world_lock(struct mcti_auth_store *s, const char *key, struct mct_error *err)
{
    (void)key;
    if (world_fails(world.lock_fails, "lock", err))
        return -1;
    if (world.locked_by)
        return 0;
    world.locked_by = s;
    return 1;
}

static inline void world_unlock(struct mcti_auth_store *s, const char *key)
{
    (void)key;
    assert_ptr_equal(world.locked_by, s);
    world.locked_by = NULL;
}

static const struct mcti_auth_store_ops world_store = {
    .name = "fake",
    .load = world_load,
    .save = world_save,
    .lock = world_lock,
    .unlock = world_unlock,
};

/* ---- grants and token requests ---- */

const struct mcti_grant_ops *mcti_grant_find(const char *word)
{
    return !word || !strcmp(word, world.grant.word) ? &world.grant : NULL;
}

int mcti_oauth_of_login(const struct mcti_auth_record *login, const struct mcti_auth_settings *settings,
                        const struct mcti_key *key, struct mcti_strings *lists, struct mcti_oauth_client *ret_client,
                        struct mcti_oauth_endpoint *ret_token)
{
    (void)settings;
    (void)key;
    (void)lists;
    *ret_client = (struct mcti_oauth_client){ .id = login->client_id };
    *ret_token = (struct mcti_oauth_endpoint){ .issuer = login->issuer, .url = login->token_endpoint };
    return 0;
}

struct mcti_token_request *mcti_refresh_start(const struct mcti_token_request_opts *opts, const char *refresh_token,
                                              const char *resource, struct mct_error *err)
{
    (void)resource;
    (void)err;
    struct refreshing *r = &world.refreshing[world.refreshing[0].used ? 1 : 0];
    assert_false(r->used);
    assert_non_null(world.lock_fails ? "" : world.locked_by);
    assert_string_equal(opts->client->id, "client");
    r->used = true;
    r->opts = *opts;
    snprintf(r->token, sizeof r->token, "%s", refresh_token);
    world_say("refresh:%s%s", refresh_token, opts->env->net.allow_private ? "(private)" : "");
    return (struct mcti_token_request *)(void *)r;
}

void mcti_token_request_cancel(struct mcti_token_request *r)
{
    if (r)
        ((struct refreshing *)(void *)r)->used = false;
}

/* The authorization server redeems the refresh token, without that the answer arrives. */
static inline void world_redeem(struct refreshing *r)
{
    assert_true(r->used);
    if (world.fails || world.refusal || strcmp(r->token, world.valid) != 0)
        return;
    world.n_rotations++;
    snprintf(world.valid, sizeof world.valid, "r%u", world.n_rotations);
}

/* Answers the n-th refresh in progress. */
static inline void world_answer_refresh(size_t i)
{
    struct refreshing *r = &world.refreshing[i];
    bool good = !world.fails && !world.refusal && !strcmp(r->token, world.valid);
    struct mcti_token_set tokens = { .expires_in_s = world.life_s };
    struct mcti_oauth_error refused = { 0 };
    struct mct_error failed;
    struct mcti_token_outcome o = { .status = 400, .failed = &failed };
    world_redeem(r);
    r->used = false;
    mcti_fail(&failed, MCT_ERR_CONNECT, "the token endpoint: broken");
    if (good) {
        assert_true(asprintf(&tokens.access_token, "a%u", world.n_rotations) > 0);
        tokens.refresh_token = strdup(world.valid);
        tokens.token_type = strdup("Bearer");
        o.tokens = &tokens;
        o.failed = NULL;
    } else if (!world.fails) {
        snprintf(refused.error, sizeof refused.error, "%s", world.refusal ? world.refusal : "invalid_grant");
        mcti_fail(&failed, MCT_ERR_AUTH, "the token endpoint: %s", refused.error);
        o.refused = &refused;
    }
    r->opts.done(r->opts.data, &o);
    mcti_token_set_clear(&tokens);
    world_turn();
}

struct mcti_revocation *mcti_revocation_start(const struct mcti_auth_env *env, const struct mcti_auth_record *login,
                                              void (*done)(void *data, const struct mct_error *err), void *data,
                                              struct mct_error *err)
{
    (void)env;
    if (!login->revocation_endpoint) {
        mcti_fail(err, MCT_ERR_UNSUPPORTED, "no revocation");
        return NULL;
    }
    world_say("revoke:%s", login->refresh_token ? login->refresh_token : login->access_token);
    world.revocation.done = done;
    world.revocation.data = data;
    world.revoking = true;
    return (struct mcti_revocation *)(void *)&world.revocation;
}

void mcti_revocation_cancel(struct mcti_revocation *r)
{
    world.revoking = world.revoking && !r;
}

static inline void world_answer_revocation(const struct mct_error *err)
{
    assert_true(world.revoking);
    world.revoking = false;
    world.revocation.done(world.revocation.data, err);
    world_turn();
}

/* ---- discovery and flows ---- */

struct mcti_flow *mcti_flow_start(const struct mcti_flow_opts *opts, struct mct_error *err)
{
    (void)err;
    assert_false(world.flowing);
    world.flow = *opts;
    snprintf(world.flow_scope, sizeof world.flow_scope, "%s", opts->wanted_scope ? opts->wanted_scope : "");
    world.only_wanted = opts->only_wanted;
    world.flowing = true;
    world.n_flows++;
    world_say("flow%s%s%s%s", *world.flow_scope ? ":" : "", world.flow_scope,
              opts->forget_registration ? "(forget)" : "", opts->env->net.allow_private ? "(private)" : "");
    return (struct mcti_flow *)(void *)&world.flow;
}

int mcti_flow_paste(struct mcti_flow *f, struct mcti_str url, struct mct_error *err)
{
    assert_ptr_equal(f, &world.flow);
    (void)err;
    world_say("paste:%.*s", MCT_STR_ARG(url));
    return 0;
}

void mcti_flow_cancel(struct mcti_flow *f)
{
    if (!f)
        return;
    world_say("uncalled");
    world.flowing = false;
}

/* The flow ends with the tokens "<access>" and, if given, "<refresh>". */
static inline void world_grant_at(const char *issuer, const char *access, const char *refresh, const char *scope)
{
    struct mcti_auth_record rec = {
        .issuer = strdup(issuer),
        .resource = strdup(SERVER),
        .grant = strdup(world.grant.word),
        .client_kind = MCT_CLIENT_REGISTERED,
        .client_id = strdup("client"),
        .token_endpoint = strdup("https://as.example/token"),
        .access_token = strdup(access),
        .token_type = strdup("Bearer"),
        .refresh_token = refresh ? strdup(refresh) : NULL,
        .scope = scope ? strdup(scope) : NULL,
        .asked = scope ? strdup(scope) : NULL,
        .obtained_at = world.wall_s,
        .expires_at = world.life_s ? world.wall_s + world.life_s : 0,
    };
    assert_true(world.flowing);
    world.flowing = false;
    if (refresh)
        snprintf(world.valid, sizeof world.valid, "%s", refresh);
    ++*world.flow.n_authorizations;
    world.flow.done(world.flow.data, &rec, NULL, NULL);
    mcti_auth_record_clear(&rec);
    world_turn();
}

static inline void world_grant(const char *access, const char *refresh)
{
    world_grant_at(ISSUER, access, refresh, NULL);
}

static inline void world_deny(enum mct_error_kind kind, const char *why)
{
    struct mct_error err;
    assert_true(world.flowing);
    world.flowing = false;
    mcti_fail(&err, kind, "%s", why);
    world.flow.done(world.flow.data, NULL, &err, NULL);
    world_turn();
}

struct mcti_discover *mcti_discover_start(const struct mcti_discover_opts *opts, struct mct_error *err)
{
    (void)err;
    assert_false(world.discovering);
    world.discover = *opts;
    world.discovering = true;
    world_say("discover%s%s", opts->resource_metadata ? ":" : "",
              opts->resource_metadata ? opts->resource_metadata : "");
    return (struct mcti_discover *)(void *)&world.discover;
}

void mcti_discover_cancel(struct mcti_discover *d)
{
    world.discovering = world.discovering && !d;
}

void mcti_discovery_clear(struct mcti_discovery *d)
{
    (void)d;
}

/* Discovery ends: issuer NULL: there are no documents. */
static inline void world_discovered(const char *issuer)
{
    struct mcti_discovery found = {
        .has_resource_metadata = issuer != NULL,
        .has_issuer_metadata = issuer != NULL,
        .as.issuer = (char *)(issuer ? issuer : "https://mcp.example"),
    };
    assert_true(world.discovering);
    world.discovering = false;
    world.discover.done(world.discover.data, &found, NULL);
    world_turn();
}

static inline void world_not_discovered(enum mct_error_kind kind)
{
    struct mct_error err;
    assert_true(world.discovering);
    world.discovering = false;
    mcti_fail(&err, kind, "metadata: broken");
    world.discover.done(world.discover.data, NULL, &err);
    world_turn();
}

/* ---- knocking ---- */

struct mcti_auth_request *mcti_auth_request_start(const struct mcti_auth_net *net,
                                                  const struct mcti_auth_request_opts *opts, mcti_auth_response_fn done,
                                                  void *data, struct mct_error *err)
{
    (void)err;
    assert_true(net->allow_private);
    assert_string_equal(opts->url, SERVER);
    world.knock.done = done;
    world.knock.data = data;
    world.knocking = true;
    world_say("knock");
    return (struct mcti_auth_request *)(void *)&world.knock;
}

void mcti_auth_request_cancel(struct mcti_auth_request *r)
{
    world.knocking = world.knocking && !r;
}

static inline void world_answer_knock(const struct mcti_fetch *f)
{
    const struct mcti_auth_response response = { .status = f ? f->status : 0, .fetch = f };
    struct mct_error err;
    assert_true(world.knocking);
    world.knocking = false;
    mcti_fail(&err, MCT_ERR_CONNECT, "broken");
    world.knock.done(world.knock.data, f ? &response : NULL, f ? NULL : &err);
    world_turn();
}

/* ---- logins ---- */

static inline void world_log(enum mct_log_level level, const char *text, void *data)
{
    size_t n = strlen(world.logged);
    (void)level;
    (void)data;
    snprintf(world.logged + n, sizeof world.logged - n, "%s\n", text);
}

static inline void world_changed(void *data)
{
    (void)data;
    world.n_changed++;
}

static inline const struct mcti_auth_person *world_person(void)
{
    static const struct mcti_auth_person person = { 0 };
    return &person;
}

/* Starts the world with the clock at a round time, and nothing stored. */
static inline void world_begin(void)
{
    world = (struct world){ .wall_s = 1000000, .life_s = 3600 };
    mcti_sched_init(&world.loop.sched);
    world.loop.sched.now_ms = 5000;
    world.log = (struct mcti_log){ MCT_LOG_DEBUG, world_log, NULL };
    world.grant = (struct mcti_grant_ops){ .word = "authorization_code", .person = true };
    world.store.ops = &world_store;
}

static inline struct mcti_login *world_login_as(size_t i, bool background, const struct mcti_auth_person *person)
{
    const struct mcti_login_opts opts = {
        .loop = &world.loop,
        .log = &world.log,
        .name = "git",
        .server_url = SERVER,
        .principal = "",
        .settings = &world.settings,
        .store = &world.store,
        .person = person,
        .background = background,
        .changed = world_changed,
        .now_s = world_now_s,
    };
    world.l[i] = mcti_login_new(&opts);
    assert_non_null(world.l[i]);
    return world.l[i];
}

static inline struct mcti_login *world_login(void)
{
    return world_login_as(0, false, NULL);
}

/* Puts a login into the store. */
static inline void world_keep_at(const char *issuer, const char *access, const char *refresh, int64_t left_s)
{
    struct mcti_auth_records all;
    struct mcti_buf b;
    struct mcti_auth_record rec = {
        .issuer = strdup(issuer),
        .resource = strdup(SERVER),
        .grant = strdup(world.grant.word),
        .client_kind = MCT_CLIENT_REGISTERED,
        .client_id = strdup("client"),
        .token_endpoint = strdup("https://as.example/token"),
        .revocation_endpoint = strdup("https://as.example/revoke"),
        .access_token = strdup(access),
        .token_type = strdup("Bearer"),
        .refresh_token = refresh ? strdup(refresh) : NULL,
        .scope = strdup("read"),
        .asked = strdup("read"),
        .obtained_at = world.wall_s + left_s - 3600,
        .expires_at = world.wall_s + left_s,
    };
    assert_int_equal(mcti_auth_records_read(&all, mcti_str_of(world.text), NULL), 0);
    if (!all.server) {
        all.server = strdup(SERVER);
        all.principal = strdup("");
    }
    assert_int_equal(mcti_auth_records_set(&all, &rec), 0);
    mcti_buf_init(&b, MCT_LIMIT_AUTH_BYTES);
    mcti_auth_records_put(&b, &all);
    free(world.text);
    world.text = mcti_buf_take(&b);
    assert_non_null(world.text);
    mcti_auth_records_clear(&all);
    if (refresh)
        snprintf(world.valid, sizeof world.valid, "%s", refresh);
}

static inline void world_keep(const char *access, const char *refresh, int64_t left_s)
{
    world_keep_at(ISSUER, access, refresh, left_s);
}

static inline void world_end(void)
{
    for (size_t i = 0; i < WORLD_LOGINS; i++)
        mcti_login_free(world.l[i]);
    assert_null(world.locked_by);
    assert_int_equal(mcti_sched_next_ms(&world.loop.sched), -1); /* no timer and no task is left */
    free(world.text);
}

static inline enum mcti_login_state world_state(void)
{
    return mcti_login_state(world.l[0]);
}

#define assert_state(word) assert_string_equal(mcti_login_state_word(world_state()), word)

/* ---- the end of an operation ---- */

struct told {
    bool done;
    struct mct_error err;
};

static inline void told_done(void *data, const struct mct_error *err)
{
    struct told *t = data;
    assert_false(t->done);
    t->done = true;
    if (err)
        t->err = *err;
}

static inline void told_closed(void *data)
{
    told_done(data, NULL);
}

/* ---- a request ---- */

struct asking {
    struct mcti_credential_wait wait;
    struct mcti_login *l;
    const char *operation;
    uint64_t stamp;
    unsigned n_tries;
    bool waits, go; /* go: it may be sent */
    struct mct_error err;
    char sent[400]; /* its Authorization header, and further ones */
};

static inline void asking_done(struct mcti_credential_wait *w, const struct mct_error *err)
{
    struct asking *a = MCT_CONTAINER(w, struct asking, wait);
    assert_true(a->waits);
    a->waits = false;
    a->go = !err;
    if (err)
        a->err = *err;
}

/* Sends the request with what there is. */
static inline const char *asking_send(struct asking *a)
{
    const struct mcti_pieces body = mcti_pieces_one(MCT_STR("{}"));
    const struct mcti_credential_request r = { "POST", SERVER, &body };
    struct mcti_credentials *c = mcti_login_credentials(a->l);
    struct mcti_headers h;
    mcti_headers_init(&h);
    a->stamp = c->ops->put(c, &r, &h);
    a->go = false;
    struct mcti_str rest = mcti_buf_str(&h.text), first = rest;
    mcti_str_split(&rest, '\r', &first);
    snprintf(a->sent, sizeof a->sent, "%.*s", MCT_STR_ARG(first));
    mcti_headers_done(&h);
    return a->sent;
}

/* Begins a request. Returns true if it may be sent at once. */
static inline bool asking_begin(struct asking *a, struct mcti_login *l)
{
    struct mcti_credentials *c = mcti_login_credentials(l);
    *a = (struct asking){ .l = l, .operation = "tools/call x", .wait.done = asking_done };
    mcti_list_init(&a->wait.node);
    a->waits = !c->ops->ready(c, &a->wait);
    a->go = !a->waits;
    return a->go;
}

/* The server answers. Returns true if the request waits. */
static inline bool asking_answered(struct asking *a, const struct mcti_fetch *f)
{
    struct mcti_credentials *c = mcti_login_credentials(a->l);
    const struct mcti_credential_refusal r = {
        .fetch = f,
        .url = SERVER,
        .operation = mcti_str_of(a->operation),
        .stamp = a->stamp,
        .n_tries = &a->n_tries,
    };
    a->err = (struct mct_error){ 0 };
    c->ops->answered(c, f, SERVER);
    if (f->status != 401 && f->status != 403)
        return false;
    a->waits = c->ops->refused(c, &r, &a->wait, &a->err);
    if (a->waits)
        assert_int_equal(a->err.kind, MCT_ERR_NONE);
    return a->waits;
}

/* Sends the request, which the server answers with 401 (and a challenge). Returns true if it waits. */
static inline bool asking_refused(struct asking *a)
{
    static const struct mcti_fetch refusal = { 401, "Bearer resource_metadata=\"https://mcp.example/prm\"", NULL,
                                               false };
    asking_send(a);
    return asking_answered(a, &refusal);
}

/* The server has answered an earlier request. */
static inline void world_meet(struct mcti_login *l)
{
    static const struct mcti_fetch ok = { .status = 200 };
    mcti_login_credentials(l)->ops->answered(mcti_login_credentials(l), &ok, SERVER);
}

static inline void asking_accepted(struct asking *a)
{
    static const struct mcti_fetch ok = { .status = 200 };
    asking_send(a);
    assert_false(asking_answered(a, &ok));
}

#endif
