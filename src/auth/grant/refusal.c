/* The meaning of answers that are no success: RFC 6749 section 5.2, RFC 8628, RFC 8707, RFC 9449. */
#include "base/clock.h"
#include "auth/grant/token.h"
#include "auth/wire/form.h"
#include "mcp/http_refusal.h"

#include <stdlib.h>

static const struct refusal_meaning {
    const char *error, *meaning;
} refusal_meanings[] = {
    { "invalid_request", "the request is invalid" },
    { "invalid_client", "the client is unknown, or its credentials are wrong" },
    { "unauthorized_client", "the client may not log in in this way" },
    { "invalid_grant", "the authorization is invalid: it has expired, was revoked or has been used before" },
    { "unsupported_grant_type", "the authorization server does not support logins of this kind" },
    { "invalid_scope", "a scope is unknown or not allowed" },
    { "invalid_target", "the authorization server issues no tokens for this MCP server" },
    { "invalid_dpop_proof", "the DPoP proof is invalid; check the clock of this machine" },
    { "use_dpop_nonce", "it wants a DPoP proof with a nonce of its own" },
    { "access_denied", "access was denied" },
    { "authorization_pending", "the login is not confirmed yet" },
    { "slow_down", "the requests follow each other too fast" },
    { "expired_token", "the login was not confirmed in time" },
    { "interaction_required", "a person must log in again" },
    { "login_required", "a person must log in again" },
    { "consent_required", "a person must give consent" },
    { "server_error", "the authorization server failed" },
    { "temporarily_unavailable", "the authorization server is overloaded or under maintenance" },
    { "unsupported_token_type", "tokens of this kind cannot be revoked" },
};

static const char *refusal_meaning(const char *error)
{
    for (size_t i = 0; i < sizeof refusal_meanings / sizeof *refusal_meanings; i++)
        if (!strcmp(error, refusal_meanings[i].error))
            return refusal_meanings[i].meaning;
    return NULL;
}

/* ---- secrets that an endpoint repeats ---- */

enum { TELLING_BYTES = 8 }; /* so many bytes of a secret in a row are not shown */

static bool shows_secret(const char *text, struct mcti_str secret)
{
    size_t len = strlen(text), part = secret.len < TELLING_BYTES ? secret.len : TELLING_BYTES;
    for (size_t i = 0; part && i + part <= secret.len; i++)
        if (memmem(text, len, secret.p + i, part))
            return true;
    return false;
}

static bool shows_parameter(const char *text, struct mcti_str form, const char *name)
{
    struct mcti_buf value;
    mcti_buf_init_secret(&value, form.len + 1);
    bool shows = mcti_form_get(form, name, &value) > 0 && (value.failed || shows_secret(text, mcti_buf_str(&value)));
    mcti_buf_done(&value);
    return shows;
}

static bool shows_sent(const char *text, const struct mcti_oauth_post *sent)
{
    static const char *const secrets[] = { "code",        "code_verifier", "refresh_token",
                                           "token",       "assertion",     "subject_token",
                                           "device_code", "client_secret", "client_assertion" };
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        if (shows_parameter(text, mcti_buf_str(&sent->form), secrets[i]))
            return true;
    return sent->client && shows_secret(text, mcti_str_of(sent->client->secret));
}

void mcti_oauth_error_hide(struct mcti_oauth_error *e, struct mcti_str secret)
{
    if (shows_secret(e->description, secret))
        *e->description = '\0';
    if (!refusal_meaning(e->error) && shows_secret(e->error, secret))
        *e->error = '\0';
}

static void refusal_hide(struct mcti_oauth_error *e, const struct mcti_oauth_post *sent)
{
    if (shows_sent(e->description, sent))
        *e->description = '\0';
    if (!refusal_meaning(e->error) && shows_sent(e->error, sent))
        *e->error = '\0';
}

/* ---- texts ---- */

bool mcti_oauth_status_passes(int status)
{
    return status == 408 || status == 429 || status >= 500;
}

static void refusal_put_error(struct mcti_buf *to, const struct mcti_oauth_error *e)
{
    const char *meaning = refusal_meaning(e->error);
    mcti_buf_printf(to, " refused the request: %s%s%s", meaning ? meaning : "", meaning ? " (" : "", e->error);
    mcti_buf_printf(to, "%s%s%s", *e->description ? ": " : "", e->description, meaning ? ")" : "");
}

static void refusal_put_status(struct mcti_buf *to, const struct mcti_auth_response *r,
                               const struct mcti_oauth_error *e)
{
    unsigned wait_ms =
        mcti_http_retry_after_ms(mcti_fetch_header(r->fetch, "retry-after"), (int64_t)(mcti_clock_wall_ms() / 1000));
    mcti_buf_printf(to, " answered with HTTP %d", r->status);
    if (wait_ms)
        mcti_buf_printf(to, "; try again in %u s", wait_ms / 1000);
    if (*e->description)
        mcti_buf_printf(to, ": %s", e->description);
}

void mcti_oauth_refusal_read(const struct mcti_auth_response *r, const struct mcti_oauth_endpoint *at,
                             const struct mcti_oauth_post *sent, struct mcti_oauth_error *ret, struct mct_error *err)
{
    struct mcti_buf text;
    mcti_oauth_error_read(ret, r->body);
    refusal_hide(ret, sent);
    mcti_buf_init(&text, 2 * sizeof err->message);
    mcti_buf_printf(&text, "%s %.150s", at->what, at->url);
    if (*ret->error)
        refusal_put_error(&text, ret);
    else
        refusal_put_status(&text, r, ret);
    if (!strcmp(ret->error, "invalid_client") && sent->client && sent->client->kind == MCT_CLIENT_CONFIGURED)
        mcti_buf_addz(&text, "; check the client of \"auth\" in the configuration");
    if (mcti_buf_ok(&text))
        mcti_fail(err, mcti_oauth_status_passes(r->status) ? MCT_ERR_CONNECT : MCT_ERR_AUTH, "%.*s",
                  MCT_STR_ARG(mcti_buf_str(&text)));
    else
        mcti_no_memory(err);
    mcti_buf_done(&text);
}
