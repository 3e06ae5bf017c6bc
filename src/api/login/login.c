/* Logging in and out as requests of the program, and the state of a login. */
#include "api/login/login.h"

enum { LOGIN_STATUS_BYTES = 1 << 20 };

/* ---- the state ---- */

static void login_put_text(struct mcti_buf *to, const char *key, const char *text)
{
    if (text)
        mcti_json_put_member(to, key, mcti_str_of(text));
}

static void login_put(struct mcti_buf *to, const struct mcti_provider *p)
{
    struct mcti_login_facts f;
    mcti_login_describe(p->login, &f);
    mcti_buf_addc(to, '{');
    login_put_text(to, "server", p->name);
    login_put_text(to, "state", mcti_login_state_word(f.state));
    login_put_text(to, "issuer", f.issuer);
    login_put_text(to, "resource", f.resource);
    login_put_text(to, "clientId", f.client_id);
    login_put_text(to, "grant", f.grant);
    login_put_text(to, "scope", f.scope);
    if (f.expires_at) {
        mcti_json_put_key(to, "expiresAt");
        mcti_buf_printf(to, "%lld", (long long)f.expires_at);
    }
    mcti_json_put_raw(to, "canRenew", f.can_refresh ? MCT_STR("true") : MCT_STR("false"));
    login_put_text(to, "missingScope", f.missing_scope);
    if (f.why && f.why->kind)
        mcti_json_put_error(to, f.why);
    mcti_buf_addc(to, '}');
}

/* ---- requests ---- */

/* Returns the server if it can log in, or NULL with *err. */
static struct mcti_provider *login_server(const struct mct_instance *a, const char *server, struct mct_error *err)
{
    struct mcti_provider *p = mcti_api_find_server(a, server ? server : "", err);
    if (p && !p->login) {
        mcti_fail(err, MCT_ERR_UNSUPPORTED,
                  "server '%s' cannot log in: it is no server with a URL, or other credentials are configured",
                  p->name);
        return NULL;
    }
    return p;
}

static void login_on_done(void *data, const struct mct_error *err)
{
    struct mct_request *q = data;
    struct mcti_provider *p = q->only;
    struct mct_error why;
    struct mcti_buf b;
    if (err) {
        why = *err;
        mcti_api_name_server(q->api, p, &why);
        mcti_api_request_finish(q, MCT_STR_NONE, &why);
        return;
    }
    /* An attempt that is under way began without the token. A server that sleeps is left asleep. */
    bool waits = p->state == MCT_FAILED || p->state == MCT_CONNECTING;
    if (waits && !p->retired && mcti_login_state(p->login) == MCT_LOGIN_READY)
        mcti_registry_restart(&q->api->inst.registry, p);
    mcti_buf_init(&b, LOGIN_STATUS_BYTES);
    login_put(&b, p);
    bool has_memory = mcti_buf_ok(&b) || mcti_no_memory(&why) == 0;
    mcti_api_request_finish(q, mcti_buf_str(&b), has_memory ? NULL : &why);
    mcti_buf_done(&b);
}

static void login_stop(struct mct_request *q, const char *reason)
{
    (void)reason;
    mcti_login_abandon(q->only->login, q);
}

/* Returns a request about the login of a server, or NULL with *err. */
static struct mct_request *login_request(struct mct_instance *a, const char *server, const struct mct_call_opts *opts,
                                         struct mct_error *err)
{
    struct mcti_provider *p = mcti_api_check_started(a, err) < 0 ? NULL : login_server(a, server, err);
    struct mct_request *q = p ? mcti_api_request_new(a, opts, err) : NULL;
    if (q) {
        q->only = p;
        q->stop = login_stop;
    }
    return q;
}

struct mct_request *mct_instance_login(struct mct_instance *a, const char *server, const struct mct_login_opts *login,
                                       const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mct_login_opts its;
    if (mcti_sized_copy(&its, sizeof its, login, "struct mct_login_opts", err) < 0)
        return NULL;
    struct mct_request *q = login_request(a, server, opts, err);
    if (!q)
        return NULL;
    const struct mcti_login_wish wish = { .scope = its.scope,
                                          .issuer = its.issuer,
                                          .person = mcti_api_auth_person(a, q->only->name) };
    mcti_login_begin(q->only->login, &wish, login_on_done, q);
    return q;
}

struct mct_request *mct_instance_logout(struct mct_instance *a, const char *server, bool all,
                                        const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mct_request *q = login_request(a, server, opts, err);
    if (q)
        mcti_login_end(q->only->login, all, login_on_done, q);
    return q;
}

int mct_instance_login_answer(struct mct_instance *a, const char *server, const char *url, struct mct_error *err)
{
    if (!url)
        return mcti_fail(err, MCT_ERR_USAGE, "the URL is NULL");
    struct mcti_provider *p = login_server(a, server, err);
    return p ? mcti_login_paste(p->login, mcti_str_of(url), err) : -1;
}

char *mct_instance_login_status(const struct mct_instance *a, const char *server, struct mct_error *err)
{
    const struct mcti_provider *p = login_server(a, server, err);
    struct mcti_buf b;
    if (!p)
        return NULL;
    mcti_buf_init(&b, LOGIN_STATUS_BYTES);
    login_put(&b, p);
    char *text = mcti_buf_take(&b);
    if (!text)
        mcti_no_memory(err);
    return text;
}

void mcti_api_end_logins(struct mct_instance *a, const struct mcti_provider *p)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_CONNECT, "server '%s' was removed", p->name);
    MCT_LIST_EACH(it, &a->requests) {
        struct mct_request *q = MCT_CONTAINER(it, struct mct_request, node);
        if (q->only != p || q->stop != login_stop)
            continue;
        mcti_login_abandon(p->login, q);
        mcti_api_request_finish(q, MCT_STR_NONE, &err);
    }
}
