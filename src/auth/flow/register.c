/* Dynamic client registration (RFC 7591). 2026-07-28 keeps it as a fall-back and wants application_type. */
#include "auth/flow/impl.h"

#include "auth/wire/answer.h"
#include "auth/wire/text.h"
#include "json/write.h"

enum { BODY_BYTES = 65536 };

/* ---- the request ---- */

/* Writes a list of up to two texts. */
static void register_put_texts(struct mcti_buf *to, const char *key, const char *a, const char *b)
{
    mcti_json_put_key(to, key);
    mcti_buf_addc(to, '[');
    if (a)
        mcti_json_put_string(to, mcti_str_of(a));
    if (b) {
        mcti_buf_addc(to, ',');
        mcti_json_put_string(to, mcti_str_of(b));
    }
    mcti_buf_addc(to, ']');
}

static bool register_lists(const struct mcti_flow *f, const char *method)
{
    return mcti_strings_has(&f->found.as.auth_methods, mcti_str_of(method));
}

/* Returns the way to authenticate that is asked for: none if possible, because a native program keeps no secret. */
static const char *register_auth_method(const struct mcti_flow *f)
{
    bool any = !f->found.as.has_auth_methods || register_lists(f, "none");
    return any                                        ? "none"
           : register_lists(f, "client_secret_basic") ? "client_secret_basic"
           : register_lists(f, "client_secret_post")  ? "client_secret_post"
                                                      : "none";
}

/* A program with a page of its own is no native one (OpenID Connect Dynamic Client Registration, section 2). */
static const char *register_application_type(const struct mcti_flow *f)
{
    bool is_web = f->redirect_uri && mcti_str_starts(mcti_str_of(f->redirect_uri), MCT_STR("https://"));
    return is_web ? "web" : "native";
}

static void put_optional(struct mcti_buf *to, const struct mcti_flow *f)
{
    if (*f->scope)
        mcti_json_put_member(to, "scope", mcti_str_of(f->scope));
    mcti_json_put_member(to, "software_id", MCT_STR("mcptools"));
    mcti_json_put_member(to, "software_version", MCT_STR(MCT_VERSION));
    if (f->dpop)
        mcti_json_put_raw(to, "dpop_bound_access_tokens", MCT_STR("true"));
}

static void register_put(struct mcti_buf *to, const struct mcti_flow *f)
{
    bool is_code = f->ops == &mcti_grant_code;
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "client_name", MCT_STR("mcptools"));
    register_put_texts(to, "redirect_uris", f->redirect_uri, NULL); /* some servers want the list even if it is empty */
    register_put_texts(to, "grant_types", is_code ? "authorization_code" : MCT_GRANT_TYPE_DEVICE, "refresh_token");
    register_put_texts(to, "response_types", is_code ? "code" : NULL, NULL);
    mcti_json_put_member(to, "token_endpoint_auth_method", mcti_str_of(register_auth_method(f)));
    mcti_json_put_member(to, "application_type", mcti_str_of(register_application_type(f)));
    if (!f->registers_plainly)
        put_optional(to, f);
    mcti_buf_addc(to, '}');
}

static void register_on_response(void *data, const struct mcti_auth_response *r, const struct mct_error *err);

static int register_send(struct mcti_flow *f, struct mcti_buf *body, struct mcti_headers *headers,
                         struct mct_error *err)
{
    const struct mcti_auth_request_opts opts = { .method = "POST",
                                                 .url = f->found.as.registration_endpoint,
                                                 .what = "the registration endpoint",
                                                 .headers = headers,
                                                 .type = "application/json",
                                                 .body = mcti_buf_str(body) };
    if (!mcti_buf_ok(body) || !mcti_buf_ok(&headers->text))
        return mcti_no_memory(err);
    f->registering = mcti_auth_request_start(&f->env->net, &opts, register_on_response, f, err);
    return f->registering ? 0 : -1;
}

/* The token belongs to one authorization server. Without a configured issuer, a server could name another one, which
 * would get it. */
static int register_check_token(const struct mcti_flow *f, const char *token, struct mct_error *err)
{
    if (token && (!*token || !mcti_text_is_visible(mcti_str_of(token), "")))
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "auth.initial_access_token is empty, or has characters that a token cannot have");
    return !token || f->env->settings->issuer
               ? 0
               : mcti_fail(err, MCT_ERR_CONFIG,
                           "auth.initial_access_token is for one authorization server: set \"issuer\" too, to %.150s "
                           "if that is the one",
                           f->found.as.issuer);
}

static void register_put_token(struct mcti_headers *to, const char *token)
{
    struct mcti_buf value;
    mcti_buf_init_secret(&value, strlen(token) + sizeof "Bearer ");
    mcti_buf_addz(&value, "Bearer ");
    mcti_buf_addz(&value, token);
    mcti_headers_add(to, "Authorization", mcti_buf_str(&value));
    mcti_buf_done(&value);
}

int mcti_flow_register(struct mcti_flow *f, struct mct_error *err)
{
    const char *token = f->env->settings->initial_access_token;
    struct mcti_headers headers;
    struct mcti_buf body;
    if (register_check_token(f, token, err) < 0)
        return -1;
    mcti_flow_step(f, "registering at the authorization server");
    mcti_headers_init(&headers);
    headers.text.secret = true;
    mcti_buf_init(&body, BODY_BYTES);
    register_put(&body, f);
    if (token)
        register_put_token(&headers, token);
    int r = register_send(f, &body, &headers, err);
    mcti_buf_done(&body);
    mcti_headers_done(&headers);
    return r;
}

/* ---- the answer ---- */

static int register_take(struct mcti_flow *f, struct mcti_str body, struct mct_error *err)
{
    struct mcti_registration r;
    struct mcti_auth_record *login = &f->login;
    if (mcti_registration_read(&r, body, err) < 0)
        return mcti_error_wrap(err, "the answer of the registration endpoint");
    mcti_auth_record_clear(login);
    login->client_kind = MCT_CLIENT_REGISTERED;
    login->client_id = r.client_id;
    login->client_secret = r.client_secret;
    login->auth_method = r.auth_method;
    login->registration_token = r.registration_token;
    login->registration_uri = r.registration_uri;
    login->secret_expires_at = r.secret_expires_at;
    r.client_id = r.client_secret = r.auth_method = r.registration_token = r.registration_uri = NULL;
    mcti_registration_clear(&r);
    return 0;
}

/* Authorization servers differ in the loopback host that they take (RFC 8252 section 7.3). */
static int retry_with_other_host(struct mcti_flow *f, struct mct_error *err)
{
    f->switches_host = true;
    return mcti_flow_listen_anywhere(f, err) < 0 ? -1 : mcti_flow_register(f, err);
}

static int retry_plainly(struct mcti_flow *f, struct mct_error *err)
{
    f->registers_plainly = true;
    return mcti_flow_register(f, err);
}

/* Tries again in another way if the reason of the refusal allows it. Returns 0 if it does not, 1 if an answer follows,
 * -1 with *err. */
static int register_retry(struct mcti_flow *f, const char *reason, struct mct_error *err)
{
    if (!strcmp(reason, "invalid_redirect_uri") && f->redirect && !f->switches_host)
        return retry_with_other_host(f, err) < 0 ? -1 : 1;
    if (!strcmp(reason, "invalid_client_metadata") && !f->registers_plainly)
        return retry_plainly(f, err) < 0 ? -1 : 1;
    return 0;
}

static int register_refused(const struct mcti_flow *f, int status, const struct mcti_oauth_error *why,
                            struct mct_error *err)
{
    char text[sizeof why->error + sizeof why->description + 64];
    const char *said = *why->error ? why->description : "";
    if (mcti_oauth_status_passes(status))
        return mcti_fail(err, MCT_ERR_CONNECT,
                         "the registration endpoint %.150s answered with HTTP %d%s%s: try again later",
                         f->found.as.registration_endpoint, status, *said ? ": " : "", said);
    if (*why->error)
        snprintf(text, sizeof text, "refuses to register mcptools (%s%s%s)", why->error, *why->description ? ": " : "",
                 why->description);
    else
        snprintf(text, sizeof text, "refuses to register mcptools (HTTP status %d)", status);
    return mcti_flow_lacks_client(f, text, err);
}

/* Returns 1 if the client is registered, 0 if another answer follows, -1 with *err. */
static int register_judge(struct mcti_flow *f, const struct mcti_auth_response *r, struct mct_error *err)
{
    struct mcti_oauth_error why = { .error = "" };
    if (r->status == 200 || r->status == 201)
        return register_take(f, r->body, err) < 0 ? -1 : 1;
    mcti_oauth_error_read(&why, r->body);
    mcti_oauth_error_hide(&why, mcti_str_of(f->env->settings->initial_access_token));
    int retried = r->status == 400 ? register_retry(f, why.error, err) : 0;
    if (retried)
        return retried > 0 ? 0 : -1;
    return register_refused(f, r->status, &why, err);
}

/* A server without any metadata has no login unless its default endpoint registers clients. */
static void register_fail(struct mcti_flow *f, const struct mct_error *why)
{
    struct mct_error err = *why;
    if (!f->found.has_issuer_metadata && why->kind != MCT_ERR_NO_MEMORY)
        mcti_flow_no_login(f, &err);
    mcti_flow_end(f, &err, NULL);
}

static void register_on_response(void *data, const struct mcti_auth_response *r, const struct mct_error *err)
{
    struct mcti_flow *f = data;
    struct mct_error why;
    f->registering = NULL;
    int done = err ? -1 : register_judge(f, r, &why);
    if (done < 0)
        register_fail(f, err ? err : &why);
    else if (done > 0)
        mcti_flow_authorize(f);
}
