/* WWW-Authenticate: what is kept has the characters that it may have. The same bytes as a form: what is encoded is
 * decoded again. */
#include "auth/wire/challenge.h"
#include "auth/wire/form.h"
#include "auth/wire/text.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_visible(const char *text, const char *without)
{
    if (text && (!*text || !mcti_text_is_visible(mcti_str_of(text), without)))
        abort();
}

static void expect_scopes(const char *text)
{
    if (text && (!*text || !mcti_scope_is_valid(mcti_str_of(text))))
        abort();
}

static void check_union(struct mcti_str a, struct mcti_str b)
{
    struct mcti_buf both, again;
    mcti_buf_init(&both, 1u << 20);
    mcti_buf_init(&again, 1u << 20);
    mcti_scope_put_union(&both, a, b);
    mcti_scope_put_union(&again, mcti_buf_str(&both), a);
    if (!mcti_scope_covers(mcti_buf_str(&both), a) || !mcti_scope_covers(mcti_buf_str(&both), b) ||
        !mcti_str_eq(mcti_buf_str(&both), mcti_buf_str(&again)))
        abort();
    mcti_buf_done(&both);
    mcti_buf_done(&again);
}

static void read_challenge(struct mcti_str text)
{
    struct mcti_challenge c = { 0 };
    if (mcti_challenge_read(&c, text) < 0)
        abort();
    if (!c.bearer && !c.dpop && (c.resource_metadata || c.scope || c.error || c.error_description || c.algs))
        abort();
    expect_visible(c.resource_metadata, "\"\\");
    expect_visible(c.error, "\"\\");
    expect_scopes(c.scope);
    expect_scopes(c.algs);
    if (c.error_description && strlen(c.error_description) > 255)
        abort();
    check_union(mcti_str_of(c.scope ? c.scope : ""), mcti_str_of(c.algs ? c.algs : ""));
    mcti_challenge_clear(&c);
}

static void encode_and_decode(struct mcti_str text)
{
    struct mcti_buf encoded, decoded;
    mcti_buf_init(&encoded, 4u << 20);
    mcti_buf_init(&decoded, 4u << 20);
    mcti_form_put(&encoded, "a", text);
    if (!mcti_text_is_visible(mcti_buf_str(&encoded), "\"<>\\+ &"))
        abort();
    int n = mcti_form_get(mcti_buf_str(&encoded), "a", &decoded);
    bool has_nul = text.len && memchr(text.p, '\0', text.len);
    if (n != (has_nul ? -1 : 1) || (n == 1 && !mcti_str_eq(mcti_buf_str(&decoded), text)))
        abort();
    mcti_buf_done(&encoded);
    mcti_buf_done(&decoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_str text = { (const char *)data, size };
    read_challenge(text);
    encode_and_decode(size ? text : MCT_STR(""));
    return 0;
}
