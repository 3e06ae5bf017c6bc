/* Conversions of schemas, arguments and results for model providers, without an instance. */
#include "api/request.h"

#include "base/limits.h"
#include "model/degrade.h"
#include "model/schema/profile.h"

static const struct mcti_schema_profile *find_profile(const char *name, struct mct_error *err)
{
    const struct mcti_schema_profile *p = name ? mcti_schema_profile_find(mcti_str_of(name)) : NULL;
    if (!p)
        mcti_fail(err, MCT_ERR_USAGE, "unknown schema profile '%s'", name ? name : "");
    return p;
}

/* Returns the text of `b`, to be freed, if `r` is 0; otherwise NULL. Ends `b`. */
static char *convert_take(struct mcti_buf *b, int r, struct mct_error *err)
{
    char *text = r == 0 ? mcti_buf_take(b) : NULL;
    if (r == 0 && !text)
        mcti_fail(err, MCT_ERR_LIMIT, "the result is too large");
    mcti_buf_done(b);
    return text;
}

char *mct_schema_normalise(const char *profile, const char *schema, struct mct_error *err)
{
    const struct mcti_schema_profile *p = find_profile(profile, err);
    struct mcti_str text;
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_SCHEMA_BYTES);
    int r = p ? mcti_json_read_object(mcti_str_of(schema), "schema", &text, err) : -1;
    if (r == 0)
        r = mcti_schema_normalise(&b, text, p, NULL, err);
    return convert_take(&b, r, err);
}

char *mct_schema_restore_arguments(const char *profile, const char *schema, const char *arguments,
                                   struct mct_error *err)
{
    const struct mcti_schema_profile *p = find_profile(profile, err);
    struct mcti_str text, args;
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    int r = p ? mcti_json_read_object(mcti_str_of(schema), "schema", &text, err) : -1;
    if (r == 0)
        r = mcti_json_read_object(mcti_str_of(arguments), "arguments", &args, err);
    if (r == 0)
        r = mcti_schema_restore(&b, text, args, p, err);
    return convert_take(&b, r, err);
}

char *mcti_api_degrade(mcti_api_degrade_fn *fn, struct mcti_str result, size_t *ret_len, struct mct_error *err)
{
    struct mcti_str object;
    struct mcti_buf b;
    mcti_buf_init(&b, 8 * (size_t)MCT_LIMIT_MESSAGE_BYTES);
    int r = mcti_json_read_object(result, "result", &object, err);
    if (r == 0)
        fn(&b, object);
    *ret_len = b.len;
    return convert_take(&b, r, err);
}

char *mct_result_degrade_content(const char *result, struct mct_error *err)
{
    size_t len;
    return mcti_api_degrade(mcti_degrade_content, mcti_str_of(result), &len, err);
}

char *mct_result_degrade_text(const char *result, struct mct_error *err)
{
    size_t len;
    return mct_result_degrade_text_len(result, result ? strlen(result) : 0, &len, err);
}

char *mct_result_degrade_text_len(const char *result, size_t len, size_t *ret_len, struct mct_error *err)
{
    return mcti_api_degrade(mcti_degrade_result, (struct mcti_str){ result, len }, ret_len, err);
}
