#include "base/limits.h"
#include "cli/signature.h"
#include "cli/target.h"
#include "model/degrade.h"
#include "json/write.h"

/* Each message as "role: content". */
static void print_messages(const struct mct_app *app, struct mct_str result)
{
    struct mct_str message;
    struct mct_buf b, wrapped;
    struct mct_json_iter it = mct_json_open(mct_json_get(result, "messages"));
    mct_buf_init(&b, (size_t)1 << 32);
    mct_buf_init(&wrapped, (size_t)1 << 32);
    while (mct_json_next_item(&it, &message)) {
        mct_buf_clear(&b);
        mct_buf_clear(&wrapped);
        if (app->opt.output != MCT_OUT_RAW) {
            mct_json_unescape(mct_json_get(message, "role"), &b);
            mct_buf_addz(&b, ": ");
        }
        mct_buf_addz(&wrapped, "{\"content\":[");
        mct_buf_add(&wrapped, mct_json_get(message, "content"));
        mct_buf_addz(&wrapped, "]}");
        mct_degrade_result(&b, mct_buf_str(&wrapped));
        mct_buf_addc(&b, '\n');
        mct_out_text(app, mct_buf_str(&b));
    }
    mct_buf_done(&b);
    mct_buf_done(&wrapped);
}

int mct_cmd_prompt(struct mct_app *app)
{
    struct mct_target t;
    struct mct_buf arguments;
    struct mct_called called = { 0 };
    struct mct_error err;
    int status = mct_target_open(app, app->argv[0], MCT_PROMPT, true, &t);
    if (status)
        return status;
    mct_buf_init(&arguments, MCT_LIMIT_MESSAGE_BYTES);
    if (mct_arguments_put(&arguments, app->argv + 1, app->argc - 1, MCT_STR_NONE, &err) < 0) {
        status = mct_error_exit_status(err.kind);
    } else {
        const struct mct_wanted wanted = { .verb = MCT_VERB_PROMPTS_GET, .found = mct_view_of_item(&app->inst.view, t.item),
                                           .name = t.item->id, .arguments = mct_buf_str(&arguments) };
        status = mct_app_call(app, &wanted, &called, &err);
    }
    mct_buf_done(&arguments);
    if (status)
        mct_out_fail(app, &err, t.provider->name);
    else if (app->opt.output == MCT_OUT_JSON)
        mct_out_json(app, mct_str_of(called.result));
    else
        print_messages(app, mct_str_of(called.result));
    mct_called_done(&called);
    return status;
}
