#include "auth/wire/answer.h"

#include "auth/wire/challenge.h"
#include "auth/wire/members.h"
#include "auth/wire/text.h"
#include "auth/wire/url.h"
#include "base/limits.h"
#include "json/scan.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

enum { DEVICE_INTERVAL_S = 5, DEVICE_INTERVAL_MAX_S = 300 };

/* Tokens and codes become parts of headers and forms. */
static bool answer_is_token(struct mcti_str text)
{
    return mcti_text_is_visible(text, "");
}

/* RFC 6749 appendix A.1 and A.2: spaces may stand in a client id or secret. */
static bool answer_is_client_text(struct mcti_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.p[i] < ' ' || (unsigned char)text.p[i] > '~')
            return false;
    return true;
}

static bool answer_is_url(struct mcti_str text)
{
    return mcti_auth_url_check(text, "", NULL) == 0;
}

/* ---- RFC 6749 section 5.1 ---- */

#define AT(member) offsetof(struct mcti_token_set, member)
static const struct mcti_member_row token_rows[] = {
    { "access_token", MCT_MEMBER_SECRET, AT(access_token), .needed = true, .is_valid = answer_is_token },
    { "token_type", MCT_MEMBER_TEXT, AT(token_type), .is_valid = answer_is_token },
    { "refresh_token", MCT_MEMBER_SECRET, AT(refresh_token), .is_valid = answer_is_token },
    { "scope", MCT_MEMBER_TEXT, AT(scope), .is_valid = mcti_scope_is_valid },
    { "id_token", MCT_MEMBER_SECRET, AT(id_token), .is_valid = answer_is_token },
    { "issued_token_type", MCT_MEMBER_TEXT, AT(issued_token_type), .is_valid = answer_is_token },
    { "expires_in", MCT_MEMBER_SECONDS, AT(expires_in_s) },
};
#undef AT

int mcti_token_set_read(struct mcti_token_set *ret, struct mcti_str json, struct mct_error *err)
{
    *ret = (struct mcti_token_set){ .expires_in_s = -1 };
    int ok = mcti_members_read(ret, token_rows, COUNT(token_rows), json, err);
    if (ok < 0)
        mcti_token_set_clear(ret);
    return ok;
}

void mcti_token_set_clear(struct mcti_token_set *t)
{
    mcti_members_clear(t, token_rows, COUNT(token_rows));
    *t = (struct mcti_token_set){ .expires_in_s = -1 };
}

/* ---- RFC 7591 section 3.2.1 ---- */

#define AT(member) offsetof(struct mcti_registration, member)
static const struct mcti_member_row registration_rows[] = {
    { "client_id", MCT_MEMBER_TEXT, AT(client_id), .needed = true, .is_valid = answer_is_client_text },
    { "client_secret", MCT_MEMBER_SECRET, AT(client_secret), .is_valid = answer_is_client_text },
    { "client_secret_expires_at", MCT_MEMBER_SECONDS, AT(secret_expires_at) },
    { "token_endpoint_auth_method", MCT_MEMBER_TEXT, AT(auth_method), .is_valid = answer_is_token },
    { "registration_access_token", MCT_MEMBER_SECRET, AT(registration_token), .is_valid = answer_is_token },
    { "registration_client_uri", MCT_MEMBER_TEXT, AT(registration_uri), .is_valid = answer_is_token },
    { "redirect_uris", MCT_MEMBER_STRINGS, AT(redirect_uris), .is_valid = answer_is_token },
};
#undef AT

int mcti_registration_read(struct mcti_registration *ret, struct mcti_str json, struct mct_error *err)
{
    *ret = (struct mcti_registration){ 0 };
    int ok = mcti_members_read(ret, registration_rows, COUNT(registration_rows), json, err);
    if (ok < 0)
        mcti_registration_clear(ret);
    return ok;
}

void mcti_registration_clear(struct mcti_registration *r)
{
    mcti_members_clear(r, registration_rows, COUNT(registration_rows));
    *r = (struct mcti_registration){ 0 };
}

/* ---- RFC 8628 section 3.2 ---- */

#define AT(member) offsetof(struct mcti_device_codes, member)
static const struct mcti_member_row device_rows[] = {
    { "device_code", MCT_MEMBER_SECRET, AT(device_code), .needed = true, .is_valid = answer_is_token },
    { "user_code", MCT_MEMBER_TEXT, AT(user_code), .needed = true, .is_valid = answer_is_client_text },
    { "verification_uri", MCT_MEMBER_TEXT, AT(verification_uri), .needed = true, .is_valid = answer_is_url },
    { "verification_uri_complete", MCT_MEMBER_TEXT, AT(verification_uri_complete), .is_valid = answer_is_url },
    { "expires_in", MCT_MEMBER_SECONDS, AT(expires_in_s) },
    { "interval", MCT_MEMBER_SECONDS, AT(interval_s) },
};
#undef AT

int mcti_device_codes_read(struct mcti_device_codes *ret, struct mcti_str json, struct mct_error *err)
{
    *ret = (struct mcti_device_codes){ .interval_s = DEVICE_INTERVAL_S };
    int ok = mcti_members_read(ret, device_rows, COUNT(device_rows), json, err);
    if (ok == 0 && !ret->expires_in_s)
        ok = mcti_fail(err, MCT_ERR_PROTOCOL, "member \"expires_in\" is missing or not positive");
    if (ret->interval_s > DEVICE_INTERVAL_MAX_S)
        ret->interval_s = DEVICE_INTERVAL_MAX_S;
    if (ok < 0)
        mcti_device_codes_clear(ret);
    return ok;
}

void mcti_device_codes_clear(struct mcti_device_codes *d)
{
    mcti_members_clear(d, device_rows, COUNT(device_rows));
    *d = (struct mcti_device_codes){ 0 };
}

/* ---- RFC 6749 section 5.2 ---- */

static bool answer_is_error_word(struct mcti_str text)
{
    return mcti_text_is_visible(text, "\"\\") && text.len < sizeof((struct mcti_oauth_error *)NULL)->error;
}

void mcti_oauth_error_read(struct mcti_oauth_error *ret, struct mcti_str body)
{
    struct error_texts {
        char *error;
    } texts = { NULL };
    static const struct mcti_member_row rows[] = {
        { "error", MCT_MEMBER_TEXT, offsetof(struct error_texts, error), .needed = true,
          .is_valid = answer_is_error_word },
    };
    struct mcti_buf description;
    *ret = (struct mcti_oauth_error){ 0 };
    mcti_buf_init(&description, body.len + 1);
    if (mcti_members_read(&texts, rows, COUNT(rows), body, NULL) == 0) {
        mcti_text_show(ret->error, sizeof ret->error, mcti_str_of(texts.error));
        mcti_json_unescape_any(mcti_json_get(mcti_str_trim_white(body), "error_description"), &description);
        mcti_text_show(ret->description, sizeof ret->description, mcti_buf_str(&description));
    } else if (!mcti_json_valid(body, MCT_LIMIT_JSON_DEPTH, NULL, NULL)) {
        mcti_text_show(ret->description, sizeof ret->description, mcti_str_trim_white(body));
    }
    mcti_members_clear(&texts, rows, COUNT(rows));
    mcti_buf_done(&description);
}
