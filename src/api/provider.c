/* Pure functions between tools and model providers. */
#include "base/error.h"
#include "base/limits.h"
#include "model/degrade.h"
#include "model/schema/profile.h"
#include "json/scan.h"

#include <mcptools/provider.h>
#include <stdlib.h>

static const struct mct_schema_profile *find_profile(const char *name, struct mct_error *err)
{
    const struct mct_schema_profile *p = name ? mct_schema_profile_find(mct_str_of(name)) : NULL;
    if (!p)
        mct_fail(err, MCT_ERR_USAGE, "there is no schema profile '%s'", name ? name : "");
    return p;
}

/* The text, if all went well. */
static char *take(struct mct_buf *b, int r, struct mct_error *err)
{
    char *text = r == 0 ? mct_buf_take(b) : NULL;
    if (r == 0 && !text)
        mct_fail(err, MCT_ERR_LIMIT, "the result is too large");
    mct_buf_done(b);
    return text;
}

char *mct_schema_for(const char *profile, const char *schema, struct mct_error *err)
{
    const struct mct_schema_profile *p = find_profile(profile, err);
    struct mct_str text;
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_SCHEMA_BYTES);
    int r = p ? mct_json_read_object(mct_str_of(schema), "schema", &text, err) : -1;
    if (r == 0)
        r = mct_schema_normalise(&b, text, p, NULL, err);
    return take(&b, r, err);
}

char *mct_arguments_from(const char *profile, const char *schema, const char *arguments, struct mct_error *err)
{
    const struct mct_schema_profile *p = find_profile(profile, err);
    struct mct_str text, args;
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    int r = p ? mct_json_read_object(mct_str_of(schema), "schema", &text, err) : -1;
    if (r == 0)
        r = mct_json_read_object(mct_str_of(arguments), "arguments", &args, err);
    if (r == 0)
        r = mct_schema_restore(&b, text, args, p, err);
    return take(&b, r, err);
}

typedef void degrade_fn(struct mct_buf *to, struct mct_str result);

static char *degrade(degrade_fn *fn, const char *result, struct mct_error *err)
{
    struct mct_str text;
    struct mct_buf b;
    mct_buf_init(&b, 8 * (size_t)MCT_LIMIT_MESSAGE_BYTES);
    int r = mct_json_read_object(mct_str_of(result), "result", &text, err);
    if (r == 0)
        fn(&b, text);
    return take(&b, r, err);
}

char *mct_degraded_content(const char *result, struct mct_error *err)
{
    return degrade(mct_degrade_content, result, err);
}

char *mct_degraded_text(const char *result, struct mct_error *err)
{
    return degrade(mct_degrade_result, result, err);
}
