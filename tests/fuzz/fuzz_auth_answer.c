/* Answers of authorization servers: tokens, registrations, device codes and errors have the characters that they may
 * have. */
#include "auth/wire/answer.h"
#include "auth/wire/text.h"
#include "auth/wire/url.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_visible(const char *text)
{
    if (text && (!*text || !mcti_text_is_visible(mcti_str_of(text), "")))
        abort();
}

static void expect_harmless(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            abort();
}

static void read_tokens(struct mcti_str text)
{
    struct mcti_token_set t;
    struct mct_error err;
    int ok = mcti_token_set_read(&t, text, &err);
    if ((ok == 0) != (t.access_token != NULL) || (t.expires_in_s < 0 && t.expires_in_s != -1))
        abort();
    expect_visible(t.access_token);
    expect_visible(t.refresh_token);
    mcti_token_set_clear(&t);
}

static void read_registration(struct mcti_str text)
{
    struct mcti_registration r;
    struct mct_error err;
    int ok = mcti_registration_read(&r, text, &err);
    if ((ok == 0) != (r.client_id != NULL) || r.secret_expires_at < 0)
        abort();
    if (r.client_id)
        expect_harmless(r.client_id);
    mcti_registration_clear(&r);
}

static void read_device_codes(struct mcti_str text)
{
    struct mcti_device_codes d;
    struct mct_error err;
    if (mcti_device_codes_read(&d, text, &err) == 0) {
        expect_visible(d.device_code);
        expect_harmless(d.user_code);
        if (d.expires_in_s <= 0 || d.interval_s <= 0 || mcti_auth_url_check(mcti_str_of(d.verification_uri), "", NULL))
            abort();
    }
    mcti_device_codes_clear(&d);
}

static void read_error(struct mcti_str text)
{
    struct mcti_oauth_error e;
    mcti_oauth_error_read(&e, text);
    if (strlen(e.error) >= sizeof e.error || strlen(e.description) >= sizeof e.description)
        abort();
    expect_harmless(e.error);
    expect_harmless(e.description);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct mcti_str text = { (const char *)data, size };
    read_tokens(text);
    read_registration(text);
    read_device_codes(text);
    read_error(text);
    return 0;
}
