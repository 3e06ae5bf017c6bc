#include "cli/model.h"

#include "base/log/near.h"
#include "instance/model.h"
#include "json/write.h"

int mcti_model_format(const struct mcti_app *app, const struct mcti_array_format **ret, struct mct_error *err)
{
    struct mcti_near near = { .word = mcti_str_of(app->opt.profile) };
    char hint[MCT_NEAR_HINT_BYTES];
    struct mcti_buf known;
    *ret = mcti_array_format_find(mcti_str_of(app->opt.profile));
    if (*ret)
        return 0;
    mcti_buf_init(&known, 1024);
    mcti_array_put_format_names(&known);
    mcti_near_try_list(&near, mcti_buf_str(&known));
    mcti_fail(err, MCT_ERR_USAGE, "--for '%s': must be one of %.*s%s", app->opt.profile,
              MCT_STR_ARG(mcti_buf_str(&known)), mcti_near_hint(&near, hint));
    mcti_buf_done(&known);
    return -1;
}

static void print_array(const struct mcti_app *app, struct mcti_str tools, const struct mcti_array_faults *faults)
{
    struct mcti_buf b;
    if (app->opt.output != MCT_OUT_JSON) {
        mcti_out_json(app, tools);
        return;
    }
    mcti_buf_init(&b, (size_t)1 << 32);
    mcti_buf_addz(&b, "{\"tools\":");
    mcti_buf_add(&b, tools);
    if (faults->left_out.len) {
        mcti_json_put_key(&b, "left_out");
        mcti_buf_addc(&b, '[');
        mcti_buf_add(&b, mcti_buf_str(&faults->left_out));
        mcti_buf_addc(&b, ']');
    }
    mcti_out_put_errors_and(app, &b, mcti_buf_str(&faults->errors));
    mcti_buf_addc(&b, '}');
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

int mcti_model_print_tools(struct mcti_app *app, const struct mcti_array_format *f)
{
    struct mcti_array_faults faults;
    struct mct_error err;
    struct mcti_buf tools;
    mcti_array_faults_init(&faults);
    mcti_buf_init(&tools, (size_t)1 << 32);
    int r = mcti_instance_put_tools(&app->inst, f, &tools, &faults, &err);
    if (r == 0)
        print_array(app, mcti_buf_str(&tools), &faults);
    mcti_buf_done(&tools);
    mcti_array_faults_done(&faults);
    return r < 0 ? mcti_out_fail(app, &err, NULL) : mcti_out_failures(app);
}
