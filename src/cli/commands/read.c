#include "base/base64.h"
#include "base/limits.h"
#include "cli/target.h"
#include "model/degrade.h"
#include "json/write.h"

#include <stdlib.h>

/* A blob goes out as its bytes, but never onto a terminal, which it could steer. */
static void print_blob(const struct mcti_app *app, struct mcti_str content)
{
    struct mcti_buf bytes, text;
    mcti_buf_init(&bytes, (size_t)1 << 32);
    mcti_buf_init(&text, (size_t)1 << 32);
    if (mcti_json_unescape(mcti_json_get(content, "blob"), &text) < 0 ||
        mcti_base64_get(&bytes, mcti_buf_str(&text)) < 0) {
        mcti_err("mcptools: the blob is not valid base64; -o json shows it as it is\n");
    } else if (app->terminal) {
        mcti_buf_clear(&text);
        mcti_degrade_size(&text, bytes.len);
        mcti_out(app, "[%.*s of binary data; redirect the output to save it]\n", MCT_STR_ARG(mcti_buf_str(&text)));
    } else {
        fwrite(bytes.p, 1, bytes.len, stdout);
    }
    mcti_buf_done(&bytes);
    mcti_buf_done(&text);
}

static void print_contents(const struct mcti_app *app, struct mcti_str result)
{
    struct mcti_str content;
    struct mcti_buf text;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "contents"));
    while (mcti_json_next_item(&it, &content)) {
        if (!mcti_json_get(content, "text").p) {
            print_blob(app, content);
            continue;
        }
        mcti_buf_init(&text, (size_t)1 << 32);
        mcti_json_unescape(mcti_json_get(content, "text"), &text);
        mcti_out_text(app, mcti_buf_str(&text));
        if (app->terminal && text.len && text.p[text.len - 1] != '\n')
            putchar('\n');
        mcti_buf_done(&text);
    }
}

/* Asks one server after the other, best first; the last refusal is the one that is told. */
static int read_anywhere(struct mcti_app *app, struct mcti_provider *only, const char *uri, struct mcti_str params,
                         char **ret_result, struct mct_error *err)
{
    struct mcti_provider **list = calloc(app->registry.n + 1, sizeof(struct mcti_provider *));
    size_t sure, n = 1;
    int status = 0;
    bool not_found = true;
    if (!list)
        return mcti_no_memory(err), 5;
    if (only)
        list[0] = only;
    else
        n = mcti_view_for_uri(&app->view, mcti_str_of(uri), list, app->registry.n, &sure);
    if (!n) {
        mcti_fail(err, MCT_ERR_NOT_FOUND, "no connected server has resources");
        status = mcti_error_exit_status(err->kind);
    }
    for (size_t i = 0; i < n; i++) {
        status = mcti_app_call(app, list[i], MCT_VERB_RESOURCES_READ, params, ret_result, err);
        if (!status || app->interrupted)
            break;
        not_found &= mcti_rpc_is_not_found(err->code);
        if (n > 1)
            mcti_error_wrap(err, "server '%s'", list[i]->name);
    }
    if (status && n > 1 && not_found)
        mcti_fail(err, MCT_ERR_NOT_FOUND, "no server has the resource %s", uri);
    free(list);
    return status;
}

int mcti_cmd_read(struct mcti_app *app)
{
    struct mcti_target t;
    struct mcti_buf params;
    struct mct_error err;
    char *result = NULL;
    const char *server = app->argc == 2 ? app->argv[0] : NULL, *uri = app->argv[app->argc - 1];
    int status = mcti_target_open(app, server, MCT_RESOURCE, false, &t);
    if (status)
        return status;
    mcti_buf_init(&params, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&params, '{');
    mcti_json_put_member(&params, "uri", mcti_str_of(uri));
    mcti_buf_addc(&params, '}');
    status = read_anywhere(app, t.provider, uri, mcti_buf_str(&params), &result, &err);
    mcti_buf_done(&params);
    if (status) {
        if (!t.provider)
            mcti_out_failures(app);
        mcti_out_fail(app, &err, t.provider ? t.provider->name : NULL);
        return status;
    }
    if (app->opt.output == MCT_OUT_JSON)
        mcti_out_json(app, mcti_str_of(result));
    else
        print_contents(app, mcti_str_of(result));
    free(result);
    return 0;
}
