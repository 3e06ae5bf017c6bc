#include "base/limits.h"
#include "cli/show/signature.h"
#include "cli/target.h"
#include "model/degrade.h"
#include "json/write.h"

/* Prints each message as "role: content". */
static void print_messages(const struct mcti_app *app, struct mcti_str result)
{
    struct mcti_str message;
    struct mcti_buf b, wrapped;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "messages"));
    mcti_buf_init(&b, (size_t)1 << 32);
    mcti_buf_init(&wrapped, (size_t)1 << 32);
    while (mcti_json_next_item(&it, &message)) {
        mcti_buf_clear(&b);
        mcti_buf_clear(&wrapped);
        if (app->opt.output != MCT_OUT_RAW) {
            mcti_json_unescape(mcti_json_get(message, "role"), &b);
            mcti_buf_addz(&b, ": ");
        }
        mcti_buf_addz(&wrapped, "{\"content\":[");
        mcti_buf_add(&wrapped, mcti_json_get(message, "content"));
        mcti_buf_addz(&wrapped, "]}");
        mcti_degrade_result(&b, mcti_buf_str(&wrapped));
        mcti_buf_addc(&b, '\n');
        mcti_out_text(app, mcti_buf_str(&b));
    }
    mcti_buf_done(&b);
    mcti_buf_done(&wrapped);
}

int mcti_cmd_prompt(struct mcti_app *app)
{
    struct mcti_target t;
    struct mcti_buf arguments;
    struct mcti_app_outcome called = { 0 };
    struct mct_error err;
    int status = mcti_target_open(app, app->argv[0], MCT_PROMPT, true, &t);
    if (status)
        return status;
    mcti_buf_init(&arguments, MCT_LIMIT_MESSAGE_BYTES);
    if (mcti_arguments_put(&arguments, app->argv + 1, app->argc - 1, MCT_STR_NONE, &err) < 0) {
        status = mcti_error_exit_status(err.kind);
    } else {
        const struct mcti_app_call wanted = { .verb = MCT_VERB_PROMPTS_GET,
                                              .found = mcti_view_of_item(&app->inst.view, t.item),
                                              .name = mcti_item_id(t.item),
                                              .arguments = mcti_buf_str(&arguments) };
        status = mcti_app_run_call(app, &wanted, &called, &err);
    }
    mcti_buf_done(&arguments);
    if (status)
        mcti_out_fail(app, &err, t.provider->name);
    else if (app->opt.output == MCT_OUT_JSON)
        mcti_out_json(app, called.result);
    else
        print_messages(app, called.result);
    mcti_app_outcome_done(&called);
    return status;
}
