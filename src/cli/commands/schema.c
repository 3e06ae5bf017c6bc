#include "base/limits.h"
#include "base/log/near.h"
#include "cli/command.h"
#include "cli/input.h"
#include "model/schema/profile.h"
#include "json/write.h"

#include <stdlib.h>

static int cmd_schema_find_profile(const struct mcti_app *app, const struct mcti_schema_profile **ret,
                                   struct mct_error *err)
{
    const char *given = app->opt.profile;
    struct mcti_near near = { .word = mcti_str_of(given) };
    char hint[MCT_NEAR_HINT_BYTES];
    struct mcti_buf known;
    *ret = given ? mcti_schema_profile_find(mcti_str_of(given)) : NULL;
    if (*ret)
        return 0;
    mcti_buf_init(&known, 1024);
    for (const struct mcti_schema_profile *p = mcti_schema_profiles; p->name; p++)
        mcti_buf_printf(&known, "%s%s", p == mcti_schema_profiles ? "" : ", ", p->name);
    mcti_near_try_list(&near, mcti_buf_str(&known));
    if (given)
        mcti_fail(err, MCT_ERR_USAGE, "--for '%s': must be one of %.*s%s", given, MCT_STR_ARG(mcti_buf_str(&known)),
                  mcti_near_hint(&near, hint));
    else
        mcti_fail(err, MCT_ERR_USAGE, "missing --for: must be one of %.*s", MCT_STR_ARG(mcti_buf_str(&known)));
    mcti_buf_done(&known);
    return -1;
}

static int read_schema(struct mcti_buf *to, const char *path, struct mct_error *err)
{
    struct mcti_json_fault fault;
    const char *shown = strcmp(path, "-") ? path : "stdin";
    if (mcti_input_read(to, path, err) < 0)
        return -1;
    if (mcti_json_valid(mcti_buf_str(to), MCT_LIMIT_JSON_DEPTH, NULL, &fault))
        return 0;
    return mcti_fail(err, MCT_ERR_USAGE, "%s: not valid JSON at byte %zu: %s", shown, fault.offset, fault.why);
}

/* Logs the parts of the converted schema that providers will not accept, and the parts that were cut. */
static void cmd_schema_warn(struct mcti_app *app, struct mcti_str schema, const struct mcti_schema_profile *profile,
                            const struct mcti_schema_report *report)
{
    struct mcti_buf list;
    struct mcti_str place;
    if (report->cut)
        mcti_log(&app->log, MCT_LOG_WARN,
                 "{} stands for references that lead to nothing in the schema, or would make it too large");
    mcti_buf_init(&list, 1u << 20);
    if (profile->steps && mcti_schema_violations(&list, schema, "parameters"))
        for (struct mcti_json_iter it = mcti_json_open(mcti_buf_str(&list)); mcti_json_next_item(&it, &place);) {
            char *text = mcti_json_dup(place);
            mcti_log(&app->log, MCT_LOG_WARN, "no provider accepts this schema: %s", text ? text : "");
            free(text);
        }
    mcti_buf_done(&list);
}

static int print_schema(struct mcti_app *app, struct mcti_str schema, const struct mcti_schema_profile *profile,
                        struct mct_error *err)
{
    struct mcti_schema_report report = { 0 };
    struct mcti_buf made, line;
    mcti_buf_init(&made, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&line, MCT_LIMIT_MESSAGE_BYTES);
    int r = mcti_schema_normalise(&made, schema, profile, &report, err);
    if (r == 0) {
        mcti_json_put_line(&line, mcti_str_trim(mcti_buf_str(&made)));
        mcti_out_json(app, mcti_str_trim(mcti_buf_str(&line)));
        cmd_schema_warn(app, mcti_buf_str(&made), profile, &report);
    }
    mcti_buf_done(&made);
    mcti_buf_done(&line);
    return r;
}

int mcti_cmd_schema(struct mcti_app *app)
{
    const struct mcti_schema_profile *profile;
    struct mct_error err;
    struct mcti_buf text;
    mcti_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    int r = cmd_schema_find_profile(app, &profile, &err);
    if (r == 0)
        r = read_schema(&text, app->argc ? app->argv[0] : "-", &err);
    if (r == 0)
        r = print_schema(app, mcti_buf_str(&text), profile, &err);
    mcti_buf_done(&text);
    return r < 0 ? mcti_out_fail(app, &err, NULL) : 0;
}
