/* Texts of servers and authorization servers: each kind, with escapes. */
#include "scene.h"

#include "auth/wire/answer.h"
#include "auth/wire/challenge.h"
#include "auth/wire/form.h"
#include "auth/wire/metadata.h"
#include "auth/wire/nonce.h"
#include "auth/wire/url.h"

static void put_text(struct mcti_buf *to, const char *text)
{
    mcti_buf_printf(to, "%s;", text ? text : "-");
}

static void put_strings(struct mcti_buf *to, const struct mcti_strings *s)
{
    for (size_t i = 0; i < s->n; i++)
        put_text(to, s->v[i]);
}

static int put_challenge(struct mcti_buf *to)
{
    struct mcti_challenge c = { 0 };
    int ok =
        mcti_challenge_read(&c, MCT_STR("Basic realm=\"x\", Bearer resource_metadata=\"https://h/m\", scope=\"a b\","
                                        "error=x, error_description=\"say \\\"x\\\"\", DPoP algs=\"ES256\""));
    const char *const texts[] = { c.resource_metadata, c.scope, c.error, c.error_description, c.algs };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_text(to, texts[i]);
    mcti_challenge_clear(&c);
    mcti_scope_put_union(to, MCT_STR("a b"), MCT_STR("b c"));
    return ok;
}

static int put_documents(struct mcti_buf *to)
{
    struct mcti_resource_metadata r;
    struct mcti_issuer_metadata i;
    if (mcti_resource_metadata_read(&r,
                                    MCT_STR("{\"r\\u0065source\":\"https://h\",\"authorization_servers\":[\"https://"
                                            "a\",\"b\\u0062\"],\"scopes_supported\":[\"x\",\"y\"],\"d\":1}"),
                                    NULL) < 0)
        return -1;
    put_text(to, r.resource);
    put_strings(to, &r.authorization_servers);
    put_strings(to, &r.scopes);
    mcti_resource_metadata_clear(&r);
    if (mcti_issuer_metadata_read(&i,
                                  MCT_STR("{\"issuer\":\"https://a\",\"token_endpoint\":\"https:\\/\\/a\\/t\","
                                          "\"scopes_support\\u0065d\":[\"x\"],\"response_types_supported\":[]}"),
                                  NULL) < 0)
        return -1;
    put_text(to, i.issuer);
    put_text(to, i.token_endpoint);
    put_strings(to, &i.scopes);
    mcti_issuer_metadata_clear(&i);
    return 0;
}

static int put_answers(struct mcti_buf *to)
{
    struct mcti_token_set t;
    struct mcti_registration r;
    struct mcti_device_codes d;
    if (mcti_token_set_read(&t, MCT_STR("{\"access_token\":\"a\\u0061\",\"refresh_token\":\"r\",\"expires_in\":\"3\"}"),
                            NULL) < 0)
        return -1;
    put_text(to, t.access_token);
    put_text(to, t.refresh_token);
    mcti_token_set_clear(&t);
    if (mcti_registration_read(&r, MCT_STR("{\"client_id\":\"c\",\"client_secret\":\"s\",\"redirect_uris\":[\"u\"]}"),
                               NULL) < 0)
        return -1;
    put_text(to, r.client_secret);
    put_strings(to, &r.redirect_uris);
    mcti_registration_clear(&r);
    if (mcti_device_codes_read(&d,
                               MCT_STR("{\"device_code\":\"d\",\"user_code\":\"u\",\"expires_in\":9,"
                                       "\"verification_uri\":\"https://a\"}"),
                               NULL) < 0)
        return -1;
    put_text(to, d.verification_uri);
    mcti_device_codes_clear(&d);
    return 0;
}

/* set() does not report: the nonce is then the one before. */
static int put_nonces(struct mcti_buf *to)
{
    struct mcti_nonces n = { 0 };
    bool all = mcti_nonces_set(&n, MCT_STR("https://a"), MCT_STR("1"));
    all = mcti_nonces_set(&n, MCT_STR("https://b"), MCT_STR("2")) && all;
    all = mcti_nonces_set(&n, MCT_STR("https://a"), MCT_STR("3")) && all;
    mcti_buf_add(to, mcti_nonces_get(&n, MCT_STR("https://a/x")));
    mcti_buf_add(to, mcti_nonces_get(&n, MCT_STR("https://b/x")));
    mcti_nonces_clear(&n);
    return all ? 0 : -1;
}

int scene_auth(struct mcti_buf *to)
{
    int ok = put_challenge(to);
    mcti_form_put(to, "a", MCT_STR("b c"));
    mcti_auth_put_issuer_place(to, MCT_STR("https://a/t"), 2);
    return ok < 0 || put_documents(to) < 0 || put_answers(to) < 0 || put_nonces(to) < 0 ? -1 : 0;
}
