/* The login of a server: made, used, renewed, widened and ended, while everything may lack memory. */
#include "scene.h"

#include "net.h"

#include "auth/login/login.h"
#include "base/memory.h"

#include <stdio.h>

#define AT "https://h.example"
#define ISSUER                                                                                                         \
    "{\"issuer\":\"" AT "\",\"token_endpoint\":\"" AT "/token\",\"revocation_endpoint\":\"" AT "/revoke\","            \
    "\"authorization_endpoint\":\"" AT "/authorize\",\"response_types_supported\":[\"code\"],"                         \
    "\"code_challenge_methods_supported\":[\"S256\"],\"grant_types_supported\":[\"client_credentials\"],"              \
    "\"token_endpoint_auth_methods_supported\":[\"client_secret_post\"]}"
#define TOKENS(n)                                                                                                      \
    "{\"access_token\":\"a" n "\",\"token_type\":\"Bearer\",\"expires_in\":60,\"refresh_token\":\"r" n "\"}"

static const struct net_row rows[] = {
    { "GET " AT "/.well-known/oauth-protected-resource", 200,
      "{\"resource\":\"" AT "\",\"authorization_servers\":[\"" AT "\"],\"scopes_supported\":[\"read\"]}" },
    { "GET " AT "/.well-known/oauth-authorization-server", 200, ISSUER },
    { "POST " AT "/token", 200, TOKENS("1") },
    { "POST " AT "/token", 200, TOKENS("2") },
    { "POST " AT "/token", 200, TOKENS("3") },
    { "POST " AT "/revoke", 200, "" },
    { 0 },
};

static const char stored[] =
    "{\"version\":1,\"server\":\"" AT "/mcp\",\"principal\":\"\",\"current\":0,\"logins\":[{\"issuer\":\"" AT "\","
    "\"resource\":\"" AT "\",\"grant\":\"authorization_code\",\"client_id\":\"c\",\"client_kind\":\"registered\","
    "\"token_endpoint\":\"" AT "/token\",\"revocation_endpoint\":\"" AT "/revoke\",\"access_token\":\"a0\","
    "\"token_type\":\"Bearer\",\"refresh_token\":\"r0\",\"scope\":\"read\",\"asked\":\"read\"}]}";

struct asking {
    struct mcti_credential_wait wait;
    unsigned n_tries;
    uint64_t stamp;
    bool done, go;
};

static void on_waited(struct mcti_credential_wait *w, const struct mct_error *err)
{
    struct asking *a = MCT_CONTAINER(w, struct asking, wait);
    a->done = true;
    a->go = !err;
}

static void on_told(void *data, const struct mct_error *err)
{
    (void)err;
    *(bool *)data = true;
}

static int64_t now_s(void)
{
    return 1700000000;
}

/* Sends a request that is refused with this challenge, and then what follows. Returns -1 if it hangs. */
static int request(struct mcti_login *l, struct mcti_buf *to, int status, const char *challenge)
{
    struct mcti_credentials *c = mcti_login_credentials(l);
    const struct mcti_credential_request r = { "POST", AT "/mcp", NULL };
    struct asking a = { .wait.done = on_waited };
    struct mct_error err = { 0 };
    struct mcti_headers h;
    int result = 0;
    mcti_list_init(&a.wait.node);
    if (!c->ops->ready(c, &a.wait) && net_run(&a.done) < 0)
        return -2;
    a.done = false;
    net_refuse(status, challenge);
    for (int i = 0; i < 2; i++) {
        mcti_headers_init(&h);
        a.stamp = c->ops->put(c, &r, &h);
        mcti_buf_printf(to, "%.*s\n", MCT_STR_ARG(mcti_buf_str(&h.text)));
        mcti_headers_done(&h);
        const struct mcti_credential_refusal refusal = { NULL, AT "/mcp", MCT_STR("tools/list"), a.stamp, &a.n_tries };
        if (i == 1)
            break;
        c->ops->answered(c, NULL, AT "/mcp");
        if (!c->ops->refused(c, &refusal, &a.wait, &err))
            break;
        if (net_run(&a.done) < 0)
            result = -2;
    }
    mcti_list_remove(&a.wait.node);
    return result;
}

static void describe(const struct mcti_login *l, struct mcti_buf *to)
{
    struct mcti_login_facts f;
    mcti_login_describe(l, &f);
    mcti_buf_printf(to, "%s %s %s\n", mcti_login_state_word(f.state), f.issuer ? f.issuer : "-",
                    f.scope ? f.scope : "-");
}

/* Returns -2 if something hangs. */
static int use_login(struct mcti_login *l, struct mcti_buf *to)
{
    bool told = false;
    int result = request(l, to, 401, "Bearer resource_metadata=\"" AT "/.well-known/oauth-protected-resource\"");
    if (result == 0)
        result = request(l, to, 403, "Bearer error=\"insufficient_scope\", scope=\"write\"");
    describe(l, to);
    mcti_login_refresh(l, on_told, &told);
    if (!told && net_run(&told) < 0)
        result = -2;
    describe(l, to);
    told = false;
    mcti_login_end(l, true, on_told, &told);
    if (!told && net_run(&told) < 0)
        result = -2;
    describe(l, to);
    return result;
}

static int run_login(struct mcti_buf *to, const struct mcti_auth_settings *settings, const char *text)
{
    unsigned long n_failures = mcti_memory_failures();
    struct mct_error err;
    char key[MCT_AUTH_KEY_CHARS + 1];
    struct mcti_auth_store *store = mcti_auth_store_open("memory", NULL, &err);
    const struct mcti_login_opts opts = {
        .loop = net_open(rows),
        .name = "h",
        .server_url = AT "/mcp",
        .principal = "",
        .settings = settings,
        .store = store,
        .now_s = now_s,
    };
    mcti_auth_key(key, mcti_str_of(opts.server_url), MCT_STR(""));
    int result = store && (!text || store->ops->save(store, key, mcti_str_of(text), &err) == 0) ? 0 : -1;
    struct mcti_login *l = result == 0 ? mcti_login_new(&opts) : NULL;
    result = l ? use_login(l, to) : -1;
    mcti_login_free(l);
    mcti_auth_store_free(store);
    if (result == -2)
        abort(); /* somebody waits for ever */
    return result < 0 || mcti_memory_failures() > n_failures ? -1 : 0;
}

int scene_login(struct mcti_buf *to)
{
    static const struct mcti_auth_settings machine = { .grant = "client_credentials",
                                                       .client_id = "robot",
                                                       .client_secret = "s" },
                                           person = { 0 };
    return run_login(to, &machine, NULL) < 0 || run_login(to, &person, stored) < 0 ? -1 : 0;
}
