/* A flow at the fake server, with a person whose browser answers at once. */
#ifndef MCT_TESTS_AUTH_FLOWING_H
#define MCT_TESTS_AUTH_FLOWING_H

#include "auth/fake.h"

#include "auth/flow/flow.h"
#include "auth/net/redirect.h"
#include "auth/wire/form.h"

#define PRM "/.well-known/oauth-protected-resource"
#define ASM "/.well-known/oauth-authorization-server"
#define OIDC "/.well-known/openid-configuration"

#define PRM_JSON(more) "{\"resource\":\"$/mcp\",\"authorization_servers\":[\"$\"]" more "}"
#define ASM_JSON(more)                                                                                                 \
    "{\"issuer\":\"$\",\"authorization_endpoint\":\"$/authorize\",\"token_endpoint\":\"$/token\","                     \
    "\"response_types_supported\":[\"code\"],\"code_challenge_methods_supported\":[\"S256\"]" more "}"
#define REGISTERS ",\"registration_endpoint\":\"$/register\""
#define TOKEN_JSON "{\"access_token\":\"at\",\"token_type\":\"Bearer\",\"expires_in\":3600,\"refresh_token\":\"rt\"}"

#define PRM_ROW(more)                                                                                                  \
    {                                                                                                                  \
        "GET " PRM "/mcp", 200, PRM_JSON(more)                                                                         \
    }
#define ASM_ROW(more)                                                                                                  \
    {                                                                                                                  \
        "GET " ASM, 200, ASM_JSON(more)                                                                                \
    }
#define REGISTER_ROW                                                                                                   \
    {                                                                                                                  \
        "POST /register", 201, "{\"client_id\":\"registered\"}"                                                        \
    }
#define TOKEN_ROW                                                                                                      \
    {                                                                                                                  \
        "POST /token", 200, TOKEN_JSON                                                                                 \
    }
#define DISCOVERED "GET " PRM "/mcp\nGET " ASM "\n"

/* A server and an authorization server without anything unusual. */
#define USUAL_ROWS                                                                                                     \
    {                                                                                                                  \
        PRM_ROW(""), ASM_ROW(REGISTERS), REGISTER_ROW, TOKEN_ROW                                                       \
    }

enum { N_INVITATIONS = 5 };

static struct {
    struct mcti_flow *flow;
    struct mcti_flow_opts opts;
    struct mcti_auth_person person;
    struct mcti_nonces nonces;
    unsigned n_authorizations;
    /* what the browser brings to the redirect URI at the n-th invitation, with STATE replaced; NULL: the last one */
    const char *answers[N_INVITATIONS];
    char url[N_INVITATIONS][4096]; /* of the invitations, with '&' appended */
    char user_code[64];
    char browser[4096]; /* where the browser arrives next; "": nowhere */
    unsigned n_invited, n_over;
    bool is_done, is_browsing;
    struct mcti_auth_record login;
    struct mct_error err; /* kind NONE: there is a login */
    struct mcti_oauth_error refused;
} fl;

/* Copies the decoded parameter of a URL. */
static inline const char *url_get(const char *url, const char *name)
{
    static char values[8][2048];
    static unsigned next;
    char *to = values[next++ % 8];
    struct mcti_buf b;
    const char *query = strchr(url, '?');
    mcti_buf_init(&b, 2048);
    to[0] = '\0';
    if (query && mcti_form_get(mcti_str_of(query + 1), name, &b) == 1)
        snprintf(to, 2048, "%.*s", MCT_STR_ARG(mcti_buf_str(&b)));
    mcti_buf_done(&b);
    return to;
}

/* Writes where the browser arrives with the answer. */
static inline void flowing_answer(char *to, size_t size, const char *url, const char *answer)
{
    char text[2048];
    const char *at = strstr(fake_text(text, sizeof text, answer), "STATE");
    snprintf(to, size, "%s?%.*s%s%s", url_get(url, "redirect_uri"), at ? (int)(at - text) : (int)strlen(text), text,
             at ? url_get(url, "state") : "", at ? at + 5 : "");
}

static inline int on_invite(void *data, const struct mcti_auth_invitation *i, struct mct_error *err)
{
    unsigned n = fl.n_invited++;
    (void)data, (void)err;
    assert_true(n < N_INVITATIONS);
    assert_int_equal(fl.n_over, n); /* one at a time */
    snprintf(fl.url[n], sizeof fl.url[n], "%s&", i->url);
    snprintf(fl.user_code, sizeof fl.user_code, "%s", i->user_code ? i->user_code : "");
    while (n && !fl.answers[n])
        n--;
    if (fl.answers[n])
        flowing_answer(fl.browser, sizeof fl.browser, fl.url[fl.n_invited - 1], fl.answers[n]);
    return 0;
}

static inline void on_over(void *data)
{
    (void)data;
    fl.n_over++;
}

static inline void on_flow_done(void *data, struct mcti_auth_record *take_login, const struct mct_error *err,
                                const struct mcti_oauth_error *refused)
{
    (void)data;
    assert_false(fl.is_done);
    assert_true(!take_login == !!err);
    fl.is_done = true;
    fl.flow = NULL;
    if (err)
        fl.err = *err;
    if (refused)
        fl.refused = *refused;
    if (take_login) {
        fl.login = *take_login;
        *take_login = (struct mcti_auth_record){ 0 };
    }
}

static inline bool browser_on_body(void *data, struct mcti_fetch *f, struct mcti_str *bytes)
{
    (void)data, (void)f;
    bytes->p += bytes->len;
    bytes->len = 0;
    return true;
}

static inline void browser_on_done(void *data, struct mcti_fetch *f, const struct mct_error *err)
{
    (void)data, (void)f, (void)err;
    fl.is_browsing = false;
}

static inline void browser_open(const char *url)
{
    struct mcti_headers none;
    mcti_headers_init(&none);
    const struct mcti_fetch_opts opts = { .method = "GET", .url = url, .headers = &none };
    const struct mcti_fetch_events events = { .on_body = browser_on_body, .on_done = browser_on_done };
    fl.is_browsing = true;
    assert_non_null(mcti_fetch_start(fk.client, &opts, &events, NULL));
}

static inline void flowing_turn(void)
{
    char url[sizeof fl.browser];
    if (*fl.browser && !fl.is_browsing) {
        memcpy(url, fl.browser, sizeof url);
        fl.browser[0] = '\0';
        browser_open(url);
    }
    fake_turn();
}

/* Runs until the flow ends. */
static inline void flowing_run(void)
{
    for (int i = 0; i < 200000 && !fl.is_done; i++)
        flowing_turn();
    assert_true(fl.is_done);
    assert_int_equal(fl.n_over, fl.n_invited);
    for (int i = 0; i < 200000 && fl.is_browsing; i++)
        flowing_turn();
}

/* Runs until the person is invited, or the flow ends. */
static inline void flowing_run_until_invited(void)
{
    unsigned n = fl.n_invited;
    for (int i = 0; i < 200000 && !fl.is_done && fl.n_invited == n; i++)
        flowing_turn();
    assert_int_equal(fl.n_invited, n + 1);
}

static inline void flowing_open(const struct fake_row *rows)
{
    fake_open(rows, "/mcp");
    memset(&fl, 0, sizeof fl);
    fl.person = (struct mcti_auth_person){ .invite = on_invite, .over = on_over };
    fl.answers[0] = "code=c1&state=STATE&iss=$";
    fk.env.person = &fl.person;
    fl.opts = (struct mcti_flow_opts){
        .env = &fk.env, .nonces = &fl.nonces, .n_authorizations = &fl.n_authorizations, .done = on_flow_done
    };
}

static inline void flowing_start(void)
{
    fl.flow = mcti_flow_start(&fl.opts, &fl.err);
    if (!fl.flow)
        fail_msg("%s", fl.err.message);
    assert_false(fl.is_done);
}

static inline void flowing_close(void)
{
    mcti_flow_cancel(fl.flow);
    mcti_auth_record_clear(&fl.login);
    mcti_nonces_clear(&fl.nonces);
    fake_close();
}

static inline void assert_has(const char *text, const char *part)
{
    if (part && !strstr(text, part))
        fail_msg("'%s' is missing in: %s", part, text);
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (part && strstr(text, part))
        fail_msg("'%s' is in: %s", part, text);
}

static inline void assert_logged_in(void)
{
    if (fl.err.kind)
        fail_msg("%s", fl.err.message);
    assert_string_equal(fl.login.access_token, "at");
}

static inline void assert_failed(enum mct_error_kind kind, const char *message)
{
    assert_int_equal(fl.err.kind, kind);
    assert_has(fl.err.message, message);
}

#endif
