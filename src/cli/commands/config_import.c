/* `config import FILE`: copies the servers of another program's configuration into mcptools.json. */
#include "cli/command.h"

#include "config/edit/edit.h"
#include "config/import/import.h"
#include "json/write.h"

#include <stdlib.h>
#include <unistd.h>

struct import {
    struct mcti_app *app;
    struct mcti_config source, target;
    char *path;             /* of the target */
    struct mcti_edit *edit; /* of the target, with what has been added */
    struct mcti_buf list;   /* the servers, as JSON */
    size_t n_added, n_left_out;
};

/* Returns the path of the target: --config, the file here, that of the user, or a new one here. */
static char *import_target(const struct mcti_options *opt)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path = NULL;
    if (opt->config_files.n)
        return strdup(opt->config_files.v[0]);
    int r = base && *base ? asprintf(&path, "%s/mcptools/mcptools.json", base)
            : home        ? asprintf(&path, "%s/.config/mcptools/mcptools.json", home)
                          : -1;
    if (access("mcptools.json", F_OK) < 0 && r >= 0 && access(path, F_OK) == 0)
        return path;
    free(r >= 0 ? path : NULL);
    return strdup("mcptools.json");
}

/* ---- servers ---- */

static void import_say(struct import *i, const struct mcti_config_server *s, const char *what, const char *why)
{
    mcti_buf_addz(&i->list, i->list.len > 1 ? ",{" : "{");
    mcti_json_put_member(&i->list, "name", mcti_str_of(s->name));
    mcti_json_put_member(&i->list, "result", mcti_str_of(what));
    if (why)
        mcti_json_put_member(&i->list, "reason", mcti_str_of(why));
    mcti_buf_addc(&i->list, '}');
    if (i->app->opt.output == MCT_OUT_JSON)
        return;
    mcti_out_styled(i->app, MCT_BOLD, "%-10s %s", what, s->name);
    mcti_out(i->app, why ? ": %s\n" : "\n", why);
}

static int import_server(struct import *i, const struct mcti_config_server *s, struct mct_error *err)
{
    const char *const path[] = { "mcpServers", s->name, NULL };
    if (s->error.kind) {
        i->n_left_out++;
        import_say(i, s, "left out", s->error.message);
        return 0;
    }
    if (s->is_mcptools || mcti_config_serves(s, i->path)) {
        import_say(i, s, "skipped", "is mcptools itself");
        return 0;
    }
    if (mcti_config_find(&i->target, mcti_str_of(s->name))) {
        import_say(i, s, "kept", "the file has a server of this name already");
        return 0;
    }
    struct mcti_buf entry;
    mcti_buf_init(&entry, MCT_EDIT_MAX_BYTES);
    mcti_config_put_entry(&entry, s);
    int r = mcti_edit_insert(i->edit, path, mcti_buf_str(&entry), err);
    mcti_buf_done(&entry);
    if (r < 0)
        return -1;
    i->n_added++;
    import_say(i, s, "added", s->enabled ? NULL : "disabled");
    return 0;
}

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
static int import_setting(struct import *i, const char *key, struct mcti_buf *json, struct mct_error *err)
{
    const char *const path[] = { "mcptools", "mcp", key, NULL };
    int r = json->len ? mcti_edit_insert(i->edit, path, mcti_buf_str(json), err) : 1;
    mcti_buf_clear(json);
    if (r == 0) {
        i->n_added++;
        if (i->app->opt.output != MCT_OUT_JSON)
            mcti_out(i->app, "added      mcptools.mcp.%s\n", key);
    }
    return r;
}

static int import_settings(struct import *i, struct mct_error *err)
{
    const struct mcti_config *c = &i->source;
    struct mcti_buf json;
    mcti_buf_init(&json, MCT_EDIT_MAX_BYTES);
    if (c->uri_allow.n)
        put_schemes(&json, &c->uri_allow);
    int r = import_setting(i, "resource_uri_allowlist", &json, err);
    if (c->cache.enabled)
        mcti_buf_printf(&json, "{\"enabled\":true,\"ttl_s\":%.10g,\"max_entries\":%zu}", c->cache.ttl_ms / 1000.0,
                        (size_t)c->cache.max_entries);
    r = r < 0 ? r : import_setting(i, "resource_cache", &json, err);
    if (c->dialect.list_max != mcti_dialect_defaults.list_max)
        mcti_buf_addu(&json, c->dialect.list_max);
    r = r < 0 ? r : import_setting(i, "list_max_resources", &json, err);
    if (c->dialect.read_max != mcti_dialect_defaults.read_max)
        mcti_buf_addu(&json, c->dialect.read_max);
    r = r < 0 ? r : import_setting(i, "resource_max_bytes", &json, err);
    mcti_buf_done(&json);
    return r < 0 ? -1 : 0;
}

/* ---- the command ---- */

/* Adds everything to the target. A file of mcptools itself has its settings in "mcptools", which are not copied. */
static int import_all(void *data, struct mcti_edit *edit, struct mct_error *err)
{
    struct import *i = data;
    struct mcti_str text = mcti_buf_str(&edit->text);
    i->edit = edit;
    if (text.len)
        mcti_config_read(&i->target, i->path, text.p, text.len);
    if (i->target.broken)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s", i->target.problems[i->target.broken_at].text);
    for (size_t k = 0; k < i->source.n_servers; k++)
        if (import_server(i, &i->source.servers[k], err) < 0)
            return -1;
    return i->source.settings_file ? 0 : import_settings(i, err);
}

static void import_put_problems(struct import *i, struct mcti_buf *to)
{
    for (size_t k = 0; k < i->source.n_problems; k++) {
        const struct mcti_problem *p = &i->source.problems[k];
        mcti_buf_addz(to, k ? ",{" : "{");
        mcti_json_put_member(to, "severity", mcti_str_of(p->fatal ? "error" : "warning"));
        mcti_json_put_member(to, "message", mcti_str_of(p->text));
        mcti_buf_addc(to, '}');
        if (i->app->opt.output != MCT_OUT_JSON && !p->fatal)
            mcti_out(i->app, "warning: %s\n", p->text);
    }
}

static void import_report(struct import *i)
{
    struct mcti_buf out;
    const struct mcti_options *opt = &i->app->opt;
    const char *state = !i->n_added ? "unchanged" : opt->dry_run ? "not written (--dry-run)" : "written";
    mcti_buf_init(&out, 1u << 24);
    mcti_buf_addc(&out, '{');
    mcti_json_put_member(&out, "file", mcti_str_of(i->path));
    mcti_json_put_key(&out, "written");
    mcti_buf_addz(&out, i->n_added && !opt->dry_run ? "true" : "false");
    mcti_json_put_key(&out, "servers");
    mcti_buf_addc(&i->list, ']');
    mcti_buf_add(&out, mcti_buf_str(&i->list));
    mcti_json_put_key(&out, "problems");
    mcti_buf_addc(&out, '[');
    import_put_problems(i, &out);
    mcti_buf_addz(&out, "]}");
    if (opt->output == MCT_OUT_JSON)
        mcti_out_json(i->app, mcti_buf_str(&out));
    else
        mcti_out(i->app, "%s: %s\n", i->path, state);
    mcti_buf_done(&out);
}

static int import_run(struct import *i, struct mct_error *err)
{
    const struct mcti_options *opt = &i->app->opt;
    const char *file = i->app->argv[1];
    if (opt->from && !mcti_config_has_format(opt->from))
        return mcti_fail(
            err, MCT_ERR_USAGE,
            "--from '%s': must be one of codex, nexo, opencode, mcporter, openclaw, gemini, copilot, cline, "
            "claude-code, vscode, zed, amp, mcpServers",
            opt->from);
    if (!i->path)
        return mcti_no_memory(err);
    i->source.for_import = true;
    i->source.format_name = opt->from;
    if (mcti_config_read_file(&i->source, file, err) < 0)
        return -1;
    if (i->source.broken && i->source.n_problems)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s", i->source.problems[i->source.broken_at].text);
    if (!i->source.n_servers)
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "%s: no servers found; see mcptools.json(5) for the formats that are read", file);
    mcti_buf_addc(&i->list, '[');
    struct mcti_edit_job job = { .path = i->path, .dry_run = opt->dry_run, .edit = import_all, .data = i };
    struct mcti_edit_outcome outcome;
    int r = mcti_edit_file(&job, &outcome, err);
    mcti_edit_outcome_done(&outcome);
    if (r == 0)
        import_report(i);
    return r;
}

int mcti_cmd_config_import(struct mcti_app *app)
{
    struct mct_error err;
    struct import i = { .app = app, .path = import_target(&app->opt) };
    mcti_config_init(&i.source);
    mcti_config_init(&i.target);
    mcti_buf_init(&i.list, 1u << 24);
    int r = import_run(&i, &err);
    size_t n_left_out = i.n_left_out;
    mcti_buf_done(&i.list);
    mcti_config_done(&i.target);
    mcti_config_done(&i.source);
    free(i.path);
    if (r < 0)
        return mcti_out_fail(app, &err, NULL);
    return n_left_out ? mcti_error_exit_status(MCT_ERR_CONFIG) : 0;
}
