/* Logins: with everything that a server can lack or refuse. */
#include "scene.h"

#include "net.h"

#include "auth/flow/flow.h"
#include "auth/wire/form.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

#define AT "https://h.example"
#define ISSUER                                                                                                         \
    "{\"issuer\":\"" AT "/t\",\"authorization_endpoint\":\"" AT "/authorize\",\"token_endpoint\":\"" AT "/token\","    \
    "\"registration_endpoint\":\"" AT "/register\",\"device_authorization_endpoint\":\"" AT "/device\","               \
    "\"response_types_supported\":[\"code\"],\"code_challenge_methods_supported\":[\"S256\"],"                         \
    "\"scopes_supported\":[\"offline_access\"],\"token_endpoint_auth_methods_supported\":[\"none\"]}"
#define TOKENS "{\"access_token\":\"at\",\"token_type\":\"Bearer\",\"expires_in\":60,\"refresh_token\":\"rt\"}"

static const struct net_row rows[] = {
    { "GET " AT "/.well-known/oauth-protected-resource", 200,
      "{\"resource\":\"" AT "\",\"authorization_servers\":[\"http://x\",\"" AT
      "/t\"],\"scopes_supported\":[\"a\",\"b\"]}" },
    { "GET " AT "/t/.well-known/openid-configuration", 200, ISSUER },
    { "POST " AT "/register", 400, "{\"error\":\"invalid_client_metadata\"}" },
    { "POST " AT "/register", 201, "{\"client_id\":\"c\",\"client_secret\":\"s\",\"client_secret_expires_at\":0}" },
    { "POST " AT "/device", 200,
      "{\"device_code\":\"d\",\"user_code\":\"U\",\"verification_uri\":\"" AT "/u\",\"expires_in\":600}" },
    { "POST " AT "/token", 401, "{\"error\":\"invalid_client\"}" },
    { "POST " AT "/token", 400, "{\"error\":\"authorization_pending\"}" },
    { "POST " AT "/token", 200, TOKENS },
    { 0 },
};

enum { N_ROWS = sizeof rows / sizeof *rows, REFUSED = 1 << 5, PENDING = 1 << 6 };

struct outcome {
    struct mcti_buf *to;
    char url[4096]; /* of the invitation */
    unsigned n_invited, n_over;
    bool is_done, is_invited;
    unsigned long n_failures; /* of allocations, before it began */
    int result;
};

static int on_invite(void *data, const struct mcti_auth_invitation *i, struct mct_error *err)
{
    struct outcome *o = data;
    (void)err;
    o->n_invited++;
    o->is_invited = true;
    snprintf(o->url, sizeof o->url, "%s", i->url);
    return 0;
}

static void on_over(void *data)
{
    ((struct outcome *)data)->n_over++;
}

static void on_done(void *data, struct mcti_auth_record *take_login, const struct mct_error *err,
                    const struct mcti_oauth_error *refused)
{
    struct outcome *o = data;
    o->is_done = o->is_invited = true;
    if (err && (err->kind == MCT_ERR_NO_MEMORY || mcti_memory_failures() > o->n_failures))
        o->result = -1;
    else if (err)
        mcti_buf_printf(o->to, "%s (%s)\n", err->message, refused ? refused->error : "");
    else
        mcti_buf_printf(o->to, "%s %s %s %s %s %s\n", take_login->client_id, take_login->scope, take_login->asked,
                        take_login->access_token, take_login->auth_methods, take_login->token_endpoint);
}

/* Brings the answer of the browser. */
static int answer(struct mcti_flow *f, struct outcome *o, const char *query)
{
    char url[512];
    struct mcti_buf state;
    const char *at = strchr(o->url, '?');
    mcti_buf_init(&state, 256);
    mcti_form_get(mcti_str_of(at ? at + 1 : ""), "state", &state);
    snprintf(url, sizeof url, AT "/cb?%s&state=%.*s", query, MCT_STR_ARG(mcti_buf_str(&state)));
    mcti_buf_done(&state);
    o->is_invited = false;
    return mcti_flow_paste(f, mcti_str_of(url), NULL);
}

static int64_t now_s(void)
{
    return 1700000000;
}

static int run_to_end(const struct mcti_flow_opts *opts, struct outcome *o, const char *query)
{
    struct mct_error err;
    struct mcti_flow *f = mcti_flow_start(opts, &err);
    if (!f)
        return err.kind == MCT_ERR_NO_MEMORY ? -1 : (mcti_buf_addz(o->to, err.message), 0);
    while (!o->is_done) {
        int r = net_run(query ? &o->is_invited : &o->is_done);
        if (!o->is_done && (r < 0 || (query && answer(f, o, query) < 0))) {
            mcti_flow_cancel(f); /* the one who answers knows it */
            return -1;
        }
    }
    mcti_buf_printf(o->to, "%u invitations, %u over\n", o->n_invited, o->n_over);
    return o->result;
}

struct login {
    const char *grant, *query; /* of the browser; NULL: there is none */
    bool is_device, knows;     /* knows: there is a stored registration */
    unsigned without;          /* bits of rows that are left out */
};

static int login(struct mcti_buf *to, const struct login *l)
{
    struct net_row kept[N_ROWS];
    struct outcome o = { .to = to, .n_failures = mcti_memory_failures() };
    struct mcti_auth_record stored = { .issuer = AT "/t",
                                       .grant = "authorization_code",
                                       .client_kind = MCT_CLIENT_REGISTERED,
                                       .client_id = "old",
                                       .redirect_uri = AT "/cb",
                                       .asked = "z" };
    struct mcti_auth_records known = { .v = &stored, .n = 1, .current = 0 };
    const struct mcti_auth_person person = {
        .invite = on_invite, .over = on_over, .data = &o, .device = l->is_device, .redirect_uri = AT "/cb"
    };
    struct mcti_auth_settings settings = { .grant = l->grant };
    const struct mcti_challenge challenge = { .bearer = true, .error = "insufficient_scope", .scope = "y" };
    size_t n = 0;
    for (size_t i = 0; i < N_ROWS; i++)
        if (!(l->without >> i & 1))
            kept[n++] = rows[i];
    if (l->grant) {
        settings.client_id = "robot";
        settings.client_secret = "s";
    }
    const struct mcti_auth_env env = { .net = { .loop = net_open(kept) },
                                       .name = "h",
                                       .server_url = AT "/mcp",
                                       .settings = &settings,
                                       .person = &person,
                                       .now_s = now_s };
    const struct mcti_flow_opts opts = { .env = &env,
                                         .challenge = l->knows ? &challenge : NULL,
                                         .wanted_scope = l->knows ? "x" : NULL,
                                         .known = l->knows ? &known : NULL,
                                         .done = on_done,
                                         .data = &o };
    return run_to_end(&opts, &o, l->query);
}

int scene_flow(struct mcti_buf *to)
{
    static const struct login logins[] = {
        { .query = "code=c&iss=" AT "%2Ft", .knows = true, .without = PENDING },
        { .query = "code=c", .without = REFUSED | PENDING },
        { .query = "error=access_denied&error_description=no" },
        { .query = "code=c&iss=x" },
        { .is_device = true, .without = REFUSED },
        { .grant = "client_credentials", .without = REFUSED | PENDING },
    };
    for (size_t i = 0; i < sizeof logins / sizeof *logins; i++)
        if (login(to, &logins[i]) < 0)
            return -1;
    return 0;
}
