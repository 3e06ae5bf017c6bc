/* Pure functions between tools and model providers. */
#include "base/error.h"
#include "base/limits.h"
#include "model/degrade.h"
#include "model/schema/profile.h"
#include "json/scan.h"

#include <mcptools/provider.h>
#include <stdlib.h>

static const struct mcti_schema_profile *api_provider_find_profile(const char *name, struct mct_error *err)
{
    const struct mcti_schema_profile *p = name ? mcti_schema_profile_find(mcti_str_of(name)) : NULL;
    if (!p)
        mcti_fail(err, MCT_ERR_USAGE, "there is no schema profile '%s'", name ? name : "");
    return p;
}

/* The text, if all went well. */
static char *api_provider_take(struct mcti_buf *b, int r, struct mct_error *err)
{
    char *text = r == 0 ? mcti_buf_take(b) : NULL;
    if (r == 0 && !text)
        mcti_fail(err, MCT_ERR_LIMIT, "the result is too large");
    mcti_buf_done(b);
    return text;
}

char *mct_schema_for(const char *profile, const char *schema, struct mct_error *err)
{
    const struct mcti_schema_profile *p = api_provider_find_profile(profile, err);
    struct mcti_str text;
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_SCHEMA_BYTES);
    int r = p ? mcti_json_read_object(mcti_str_of(schema), "schema", &text, err) : -1;
    if (r == 0)
        r = mcti_schema_normalise(&b, text, p, NULL, err);
    return api_provider_take(&b, r, err);
}

char *mct_arguments_from(const char *profile, const char *schema, const char *arguments, struct mct_error *err)
{
    const struct mcti_schema_profile *p = api_provider_find_profile(profile, err);
    struct mcti_str text, args;
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    int r = p ? mcti_json_read_object(mcti_str_of(schema), "schema", &text, err) : -1;
    if (r == 0)
        r = mcti_json_read_object(mcti_str_of(arguments), "arguments", &args, err);
    if (r == 0)
        r = mcti_schema_restore(&b, text, args, p, err);
    return api_provider_take(&b, r, err);
}

typedef void degrade_fn(struct mcti_buf *to, struct mcti_str result);

static char *api_provider_degrade(degrade_fn *fn, const char *result, struct mct_error *err)
{
    struct mcti_str text;
    struct mcti_buf b;
    mcti_buf_init(&b, 8 * (size_t)MCT_LIMIT_MESSAGE_BYTES);
    int r = mcti_json_read_object(mcti_str_of(result), "result", &text, err);
    if (r == 0)
        fn(&b, text);
    return api_provider_take(&b, r, err);
}

char *mct_degraded_content(const char *result, struct mct_error *err)
{
    return api_provider_degrade(mcti_degrade_content, result, err);
}

char *mct_degraded_text(const char *result, struct mct_error *err)
{
    return api_provider_degrade(mcti_degrade_result, result, err);
}
