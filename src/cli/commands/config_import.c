/* `config import`: copies the servers of other programs into mcptools.json. */
#include "cli/clients/take.h"
#include "cli/edit/edit.h"

#include "base/log/near.h"
#include "json/write.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- settings ---- */

static void put_schemes(struct mcti_buf *to, const struct mcti_strings *list)
{
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < list->n; i++) {
        mcti_buf_addz(to, i ? "," : "");
        mcti_json_put_string(to, mcti_str_of(list->v[i]));
    }
    mcti_buf_addc(to, ']');
}

/* Adds one setting below "mcptools", "mcp"; `json` is emptied. */
static int import_setting(struct mcti_take *t, const char *key, struct mcti_buf *json, struct mct_error *err)
{
    const char *const path[] = { "mcptools", "mcp", key, NULL };
    int r = json->len ? mcti_edit_insert(t->edit, path, mcti_buf_str(json), err) : 1;
    mcti_buf_clear(json);
    if (r == 0) {
        t->n_added++;
        if (t->app->opt.output != MCT_OUT_JSON)
            mcti_out(t->app, "added      mcptools.mcp.%s\n", key);
    }
    return r;
}

static int import_settings(struct mcti_take *t, const struct mcti_config *c, struct mct_error *err)
{
    struct mcti_buf json;
    mcti_buf_init(&json, MCT_EDIT_MAX_BYTES);
    if (c->uri_allow.n)
        put_schemes(&json, &c->uri_allow);
    int r = import_setting(t, "resource_uri_allowlist", &json, err);
    if (c->cache.enabled)
        mcti_buf_printf(&json, "{\"enabled\":true,\"ttl_s\":%.10g,\"max_entries\":%zu}", c->cache.ttl_ms / 1000.0,
                        (size_t)c->cache.max_entries);
    r = r < 0 ? r : import_setting(t, "resource_cache", &json, err);
    if (c->dialect.list_max != mcti_dialect_defaults.list_max)
        mcti_buf_addu(&json, c->dialect.list_max);
    r = r < 0 ? r : import_setting(t, "list_max_resources", &json, err);
    if (c->dialect.read_max != mcti_dialect_defaults.read_max)
        mcti_buf_addu(&json, c->dialect.read_max);
    r = r < 0 ? r : import_setting(t, "resource_max_bytes", &json, err);
    mcti_buf_done(&json);
    return r < 0 ? -1 : 0;
}

/* ---- the command ---- */

/* Takes the servers of one file. A file of mcptools itself has its settings in "mcptools", which are not copied. */
static int import_file(struct mcti_take *t, const char *file, struct mct_error *err)
{
    struct mcti_config source;
    mcti_config_init(&source);
    source.for_import = true;
    source.format_name = t->app->opt.from;
    int r = mcti_config_read_file(&source, file, err);
    if (r == 0 && source.broken && source.n_problems)
        r = mcti_fail(err, MCT_ERR_CONFIG, "%s", source.problems[source.broken_at].text);
    if (r == 0 && !source.n_servers)
        r = mcti_fail(err, MCT_ERR_CONFIG, "%s: no servers found; see mcptools.json(5) for the formats that are read",
                      file);
    if (r == 0)
        r = mcti_take_servers(t, &source, err);
    if (r == 0 && !source.settings_file)
        r = import_settings(t, &source, err);
    mcti_config_done(&source);
    return r;
}

/* Takes what a word stands for: the servers of a file, or of a program. */
static int import_word(struct mcti_take *t, const char *word, struct mct_error *err)
{
    struct mcti_near near = { .word = mcti_str_of(word) };
    char hint[MCT_NEAR_HINT_BYTES];
    const struct mcti_client *client = access(word, F_OK) == 0 ? NULL : mcti_client_find(word);
    if (client)
        return mcti_take_client(t, client, err);
    if (import_file(t, word, err) == 0)
        return 0;
    if (strpbrk(word, "./") || access(word, F_OK) == 0)
        return -1;
    for (const struct mcti_client *k = mcti_clients; k->id; k++)
        mcti_near_try(&near, mcti_str_of(k->id));
    return mcti_fail(err, MCT_ERR_CONFIG, "%s: neither a file nor a program that mcptools knows%s", word,
                     mcti_near_hint(&near, hint));
}

static int import_all(void *data, struct mcti_edit *edit, struct mct_error *err)
{
    struct mcti_take *t = data;
    const struct mcti_app *app = t->app;
    struct mcti_buf before;
    mcti_buf_init(&before, MCT_EDIT_MAX_BYTES);
    mcti_buf_add(&before, mcti_buf_str(&edit->text));
    int r = mcti_take_open(t, edit, err);
    for (int i = 1; r == 0 && i < app->argc; i++)
        r = import_word(t, app->argv[i], err);
    for (const struct mcti_client *k = mcti_clients; app->opt.all && r == 0 && k->id; k++)
        r = mcti_take_client(t, k, err);
    if (r == 0)
        r = mcti_change_keep_trust(app, t->path, mcti_buf_str(&before), edit, err);
    mcti_buf_done(&before);
    return r < 0 ? -1 : 0;
}

static int unknown_format(const char *word, struct mct_error *err)
{
    static const char known[] = "codex, nexo, opencode, mcporter, openclaw, gemini, copilot, cline, claude-code, "
                                "claude-desktop, continue, goose, amazonq, crush, warp, vscode, zed, amp, mcpServers";
    struct mcti_near near = { .word = mcti_str_of(word) };
    char hint[MCT_NEAR_HINT_BYTES];
    mcti_near_try_list(&near, mcti_str_of(known));
    return mcti_fail(err, MCT_ERR_USAGE, "--from '%s': must be one of %s%s", word, known, mcti_near_hint(&near, hint));
}

static int import_run(struct mcti_take *t, struct mct_error *err)
{
    const struct mcti_options *opt = &t->app->opt;
    if (t->app->argc < 2 && !opt->all)
        return mcti_fail(err, MCT_ERR_USAGE, "name a file or a program to import from, or use --all for all programs");
    if (opt->from && !mcti_config_has_format(opt->from))
        return unknown_format(opt->from, err);
    const struct mcti_edit_job job = { .path = t->path, .dry_run = opt->dry_run, .edit = import_all, .data = t };
    struct mcti_edit_outcome outcome;
    int r = mcti_edit_file(&job, &outcome, err);
    mcti_edit_outcome_done(&outcome);
    if (r == 0)
        mcti_take_report(t);
    return r;
}

int mcti_cmd_config_import(struct mcti_app *app)
{
    struct mct_error err;
    struct mcti_take t;
    char *path = mcti_change_target(&app->opt, &err);
    mcti_take_init(&t, app, path);
    int r = path ? import_run(&t, &err) : -1;
    size_t n_left_out = t.n_left_out;
    mcti_take_done(&t);
    if (r < 0)
        return mcti_out_fail(app, &err, NULL);
    return n_left_out ? mcti_error_exit_status(MCT_ERR_CONFIG) : 0;
}
