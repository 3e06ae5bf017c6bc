#include "base/base64.h"
#include "base/limits.h"
#include "cli/target.h"
#include "model/degrade.h"
#include "json/write.h"

#include <stdlib.h>

/* A blob goes out as its bytes, but never onto a terminal, which it could steer. */
static void print_blob(const struct mct_app *app, struct mct_str content)
{
    struct mct_buf bytes, text;
    mct_buf_init(&bytes, (size_t)1 << 32);
    mct_buf_init(&text, (size_t)1 << 32);
    if (mct_json_unescape(mct_json_get(content, "blob"), &text) < 0 ||
        mct_base64_get(&bytes, mct_buf_str(&text)) < 0) {
        mct_err("mcptools: the blob is not valid base64; -o json shows it as it is\n");
    } else if (app->terminal) {
        mct_buf_clear(&text);
        mct_degrade_size(&text, bytes.len);
        mct_out(app, "[%.*s of binary data; redirect the output to save it]\n", MCT_STR_ARG(mct_buf_str(&text)));
    } else {
        fwrite(bytes.p, 1, bytes.len, stdout);
    }
    mct_buf_done(&bytes);
    mct_buf_done(&text);
}

static void print_contents(const struct mct_app *app, struct mct_str result)
{
    struct mct_str content;
    struct mct_buf text;
    struct mct_json_iter it = mct_json_open(mct_json_get(result, "contents"));
    while (mct_json_next_item(&it, &content)) {
        if (!mct_json_get(content, "text").p) {
            print_blob(app, content);
            continue;
        }
        mct_buf_init(&text, (size_t)1 << 32);
        mct_json_unescape(mct_json_get(content, "text"), &text);
        mct_out_text(app, mct_buf_str(&text));
        if (app->terminal && text.len && text.p[text.len - 1] != '\n')
            putchar('\n');
        mct_buf_done(&text);
    }
}

/* Asks one server after the other, best first; the last refusal is the one that is told. */
static int read_anywhere(struct mct_app *app, struct mct_provider *only, const char *uri,
                         struct mct_str params, char **ret_result, struct mct_error *err)
{
    struct mct_provider **list = calloc(app->inst.registry.n + 1, sizeof(struct mct_provider *));
    size_t sure, n = 1;
    int status = 0;
    bool not_found = true;
    if (!list)
        return mct_no_memory(err), 5;
    if (only)
        list[0] = only;
    else
        n = mct_view_for_uri(&app->inst.view, mct_str_of(uri), list, app->inst.registry.n, &sure);
    if (!n) {
        mct_fail(err, MCT_ERR_NOT_FOUND, "no connected server has resources");
        status = mct_error_exit_status(err->kind);
    }
    for (size_t i = 0; i < n; i++) {
        status = mct_app_call(app, list[i], MCT_VERB_RESOURCES_READ, params, ret_result, err);
        if (!status || app->interrupted)
            break;
        not_found &= mct_rpc_is_not_found(err->code);
        if (n > 1)
            mct_error_wrap(err, "server '%s'", list[i]->name);
    }
    if (status && n > 1 && not_found)
        mct_fail(err, MCT_ERR_NOT_FOUND, "no server has the resource %s", uri);
    free(list);
    return status;
}

int mct_cmd_read(struct mct_app *app)
{
    struct mct_target t;
    struct mct_buf params;
    struct mct_error err;
    char *result = NULL;
    const char *server = app->argc == 2 ? app->argv[0] : NULL, *uri = app->argv[app->argc - 1];
    int status = mct_target_open(app, server, MCT_RESOURCE, false, &t);
    if (status)
        return status;
    mct_buf_init(&params, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&params, '{');
    mct_json_put_member(&params, "uri", mct_str_of(uri));
    mct_buf_addc(&params, '}');
    status = read_anywhere(app, t.provider, uri, mct_buf_str(&params), &result, &err);
    mct_buf_done(&params);
    if (status) {
        if (!t.provider)
            mct_out_failures(app);
        mct_out_fail(app, &err, t.provider ? t.provider->name : NULL);
        return status;
    }
    if (app->opt.output == MCT_OUT_JSON)
        mct_out_json(app, mct_str_of(result));
    else
        print_contents(app, mct_str_of(result));
    free(result);
    return 0;
}
