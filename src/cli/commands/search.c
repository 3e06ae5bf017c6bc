#include "cli/packages/packages.h"
#include "json/write.h"

#include <stdlib.h>

static void search_put_one(struct mcti_buf *to, const struct mcti_found_server *f)
{
    struct mcti_str rest = mcti_str_of(f->runs), word;
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "name", mcti_str_of(f->name));
    mcti_json_put_member(to, "version", mcti_str_of(f->version));
    if (f->title)
        mcti_json_put_member(to, "title", mcti_str_of(f->title));
    if (f->description)
        mcti_json_put_member(to, "description", mcti_str_of(f->description));
    mcti_json_put_key(to, "runs");
    mcti_buf_addc(to, '[');
    while (*f->runs && mcti_str_split(&rest, ',', &word)) {
        mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "" : ",");
        mcti_json_put_string(to, mcti_str_trim(word));
    }
    mcti_buf_addc(to, ']');
    mcti_json_put_member(to, "status", f->deprecated ? MCT_STR("deprecated") : MCT_STR("active"));
    mcti_buf_addc(to, '}');
}

static void search_print_json(const struct mcti_app *app, const struct mcti_found *l, bool more)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 26);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "registry", mcti_str_of(mcti_packages_registry(app)));
    mcti_json_put_key(&b, "servers");
    mcti_buf_addc(&b, '[');
    for (size_t i = 0; i < l->n; i++) {
        mcti_buf_addz(&b, i ? "," : "");
        search_put_one(&b, &l->v[i]);
    }
    mcti_buf_addc(&b, ']');
    mcti_json_put_key(&b, "more");
    mcti_buf_addz(&b, more ? "true}" : "false}");
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static int search_report(struct mcti_app *app, const struct mcti_found *l, bool more)
{
    struct mct_error err;
    if (app->opt.output == MCT_OUT_JSON) {
        search_print_json(app, l, more);
        return 0;
    }
    if (!l->n) {
        mcti_fail(&err, MCT_ERR_NOT_FOUND, "the registry %s has no server that matches all of these words",
                  mcti_packages_registry(app));
        return mcti_out_fail(app, &err, NULL);
    }
    mcti_out_page(app);
    mcti_packages_print(app, l);
    if (app->terminal)
        mcti_out(app, "%s'mcptools add NAME' adds one of them.\n",
                 more ? "There may be further ones; more words narrow the search. " : "");
    return 0;
}

int mcti_cmd_search(struct mcti_app *app)
{
    struct mcti_strings words = { 0 };
    struct mcti_found found = { 0 };
    struct mct_error err;
    bool more = false;
    int r = mcti_app_configure(app, &err);
    mcti_signals_watch(app);
    for (int i = 0; i < app->argc && r == 0; i++)
        r = mcti_strings_add(&words, mcti_str_of(app->argv[i])) < 0 ? mcti_no_memory(&err) : 0;
    r = r < 0 ? r : mcti_packages_search(app, &words, &found, &more, &err);
    int status = r == 0             ? search_report(app, &found, more)
                 : app->interrupted ? mcti_out_interrupted(app)
                                    : mcti_out_fail(app, &err, NULL);
    mcti_found_done(&found);
    mcti_strings_clear(&words);
    return status;
}
