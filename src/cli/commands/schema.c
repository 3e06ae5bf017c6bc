#include "base/limits.h"
#include "cli/command.h"
#include "cli/input.h"
#include "model/schema/profile.h"
#include "json/write.h"

#include <stdlib.h>

static int find_profile(const struct mct_app *app, const struct mct_schema_profile **ret, struct mct_error *err)
{
    const char *given = app->opt.profile;
    struct mct_buf known;
    *ret = given ? mct_schema_profile_find(mct_str_of(given)) : NULL;
    if (*ret)
        return 0;
    mct_buf_init(&known, 1024);
    for (const struct mct_schema_profile *p = mct_schema_profiles; p->name; p++)
        mct_buf_printf(&known, "%s%s", p == mct_schema_profiles ? "" : ", ", p->name);
    if (given)
        mct_fail(err, MCT_ERR_USAGE, "--for '%s': must be one of %.*s", given, MCT_STR_ARG(mct_buf_str(&known)));
    else
        mct_fail(err, MCT_ERR_USAGE, "--for is needed: one of %.*s", MCT_STR_ARG(mct_buf_str(&known)));
    mct_buf_done(&known);
    return -1;
}

static int read_schema(struct mct_buf *to, const char *path, struct mct_error *err)
{
    struct mct_json_fault fault;
    const char *shown = strcmp(path, "-") ? path : "stdin";
    if (mct_input_read(to, path, err) < 0)
        return -1;
    if (mct_json_valid(mct_buf_str(to), MCT_LIMIT_JSON_DEPTH, NULL, &fault))
        return 0;
    return mct_fail(err, MCT_ERR_USAGE, "%s: not valid JSON at byte %zu: %s", shown, fault.offset, fault.why);
}

/* What the person should know, though there is a schema. */
static void warn(struct mct_app *app, struct mct_str schema, const struct mct_schema_profile *profile,
                 const struct mct_schema_report *report)
{
    struct mct_buf list;
    struct mct_str place;
    if (report->cut)
        mct_log(&app->log, MCT_LOG_WARN, "its references would make it too large: {} stands in the place of some");
    mct_buf_init(&list, 1u << 20);
    if (profile->steps && mct_schema_violations(&list, schema, "parameters"))
        for (struct mct_json_iter it = mct_json_open(mct_buf_str(&list)); mct_json_next_item(&it, &place);) {
            char *text = mct_json_dup(place);
            mct_log(&app->log, MCT_LOG_WARN, "no provider takes it: %s", text ? text : "");
            free(text);
        }
    mct_buf_done(&list);
}

static int print_schema(struct mct_app *app, struct mct_str schema, const struct mct_schema_profile *profile,
                        struct mct_error *err)
{
    struct mct_schema_report report = { 0 };
    struct mct_buf made, line;
    mct_buf_init(&made, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&line, MCT_LIMIT_MESSAGE_BYTES);
    int r = mcti_schema_normalise(&made, schema, profile, &report, err);
    if (r == 0) {
        mct_json_put_line(&line, mct_str_trim(mct_buf_str(&made)));
        mct_out_json(app, mct_str_trim(mct_buf_str(&line)));
        warn(app, mct_buf_str(&made), profile, &report);
    }
    mct_buf_done(&made);
    mct_buf_done(&line);
    return r;
}

int mct_cmd_schema(struct mct_app *app)
{
    const struct mct_schema_profile *profile;
    struct mct_error err;
    struct mct_buf text;
    mct_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    int r = find_profile(app, &profile, &err);
    if (r == 0)
        r = read_schema(&text, app->argc ? app->argv[0] : "-", &err);
    if (r == 0)
        r = print_schema(app, mct_buf_str(&text), profile, &err);
    mct_buf_done(&text);
    return r < 0 ? mct_out_fail(app, &err, NULL) : 0;
}
