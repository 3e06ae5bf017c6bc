/* `config set`, `unset`, `enable`, `disable`, `remove` and `get KEY`: single members of a configuration file. */
#include "cli/command.h"

#include "cli/edit/edit.h"
#include "cli/input.h"
#include "cli/target.h"
#include "config/import/import.h"
#include "json/write.h"

#include <stdlib.h>

/* Reads the configuration; one with mistakes can be edited as well. */
static int set_configure(struct mcti_app *app, struct mct_error *err)
{
    app->log.write = NULL; /* the mistakes are not what the command is about */
    return mcti_app_configure(app, err) < 0 && !app->inst.config.broken ? -1 : 0;
}

/* ---- set, unset ---- */

struct setting {
    struct mcti_change_key key;
    struct mcti_buf value; /* empty: remove it */
    bool was_missing;
};

static int setting_edit(void *data, struct mcti_edit *e, struct mct_error *err)
{
    struct setting *s = data;
    const char *path[MCT_KEY_PATH];
    mcti_change_key_path(&s->key, e, path);
    if (s->value.len)
        return mcti_edit_set(e, path, mcti_buf_str(&s->value), err);
    int r = mcti_edit_remove(e, path, err);
    s->was_missing = r == 1;
    return r < 0 ? r : 0;
}

/* Returns the file that has the key, or gets it. */
static char *setting_file(const struct mcti_app *app, const struct mcti_change_key *k, struct mct_error *err)
{
    const struct mcti_config *c = &app->inst.config;
    if (k->server)
        return mcti_change_check_owner(app, k->server, err) < 0 ? NULL : strdup(k->server->file);
    bool is_elsewhere = !app->opt.project && !app->opt.config_files.n && c->settings_file;
    return is_elsewhere && mcti_change_is_ours(app, c->settings_file) ? strdup(c->settings_file)
                                                                      : mcti_change_target(&app->opt, err);
}

static int setting_run(struct mcti_app *app, struct setting *s, bool set, struct mct_error *err)
{
    char done[300];
    if (mcti_change_key_read(app, app->argv[1], &s->key, err) < 0)
        return -1;
    if (set && mcti_change_key_put_value(&s->key, app->argv + 2, (size_t)app->argc - 2, &s->value, err) < 0)
        return -1;
    if (!s->key.n_steps && !set)
        return mcti_fail(err, MCT_ERR_USAGE, "'%s' is a server: mcptools config remove %s", s->key.name, s->key.name);
    char *file = setting_file(app, &s->key, err);
    if (!file)
        return -1;
    snprintf(done, sizeof done, "%s %s", set ? "set" : "removed", s->key.name);
    const struct mcti_change change = { .app = app, .file = file, .edit = setting_edit, .data = s, .done = done };
    int r = mcti_change_run(&change, err);
    if (r == 0 && set && s->key.n_steps)
        mcti_change_warn_secret(s->key.steps[s->key.n_steps - 1], app->argv[2], file);
    if (r == 0 && s->was_missing)
        mcti_err("mcptools: %s is not set there\n", s->key.name);
    free(file);
    return r;
}

int mcti_cmd_config_set(struct mcti_app *app)
{
    struct mct_error err;
    struct setting s = { .key = { .text = NULL } };
    mcti_buf_init(&s.value, MCT_EDIT_MAX_BYTES);
    app->creates = !strcmp(app->argv[0], "set");
    int r = set_configure(app, &err);
    r = r < 0 ? r : setting_run(app, &s, app->creates, &err);
    mcti_change_key_done(&s.key);
    mcti_buf_done(&s.value);
    return r < 0 ? mcti_out_fail(app, &err, NULL) : 0;
}

/* ---- enable, disable, remove ---- */

enum entry_change { ENTRY_ENABLE, ENTRY_DISABLE, ENTRY_REMOVE };

struct entry {
    const char *name;
    enum entry_change change;
};

/* Writes the path of a member of the entry; `key` NULL: of the entry itself. */
static void config_set_entry_path(const struct entry *x, const struct mcti_edit *e, const char *key, const char *ret[6])
{
    size_t n = 0;
    for (const char *const *step = mcti_change_container(e); *step; step++)
        ret[n++] = *step;
    ret[n++] = x->name;
    ret[n++] = key;
    ret[n] = NULL;
}

static int entry_edit(void *data, struct mcti_edit *e, struct mct_error *err)
{
    const struct entry *x = data;
    const char *whole[6], *enabled[6], *disabled[6];
    config_set_entry_path(x, e, NULL, whole);
    config_set_entry_path(x, e, "enabled", enabled);
    config_set_entry_path(x, e, "disabled", disabled);
    if (x->change == ENTRY_REMOVE)
        return mcti_edit_remove(e, whole, err) < 0 ? -1 : 0;
    if (mcti_edit_remove(e, disabled, err) < 0)
        return -1;
    if (x->change == ENTRY_DISABLE)
        return mcti_edit_set(e, enabled, MCT_STR("false"), err);
    return mcti_edit_remove(e, enabled, err) < 0 ? -1 : 0;
}

static int entry_run(struct mcti_app *app, struct entry *x, struct mct_error *err)
{
    static const char *const words[] = { "enabled", "disabled", "removed" };
    char done[300];
    const struct mcti_config_server *s = mcti_config_find(&app->inst.config, mcti_str_of(x->name));
    if (!s)
        return mcti_target_no_server(app, x->name, err);
    if (mcti_change_check_owner(app, s, err) < 0)
        return -1;
    snprintf(done, sizeof done, "%s server '%s'", words[x->change], x->name);
    const struct mcti_change change = { .app = app, .file = s->file, .edit = entry_edit, .data = x, .done = done };
    if (mcti_change_run(&change, err) < 0)
        return -1;
    if (x->change == ENTRY_REMOVE && s->cwd && strstr(s->cwd, "/mcptools/bundles/") &&
        app->opt.output != MCT_OUT_JSON && !app->opt.dry_run)
        mcti_out(app, "its bundle is still in %s\n", s->cwd);
    return 0;
}

static int entries_run(struct mcti_app *app, enum entry_change change)
{
    struct mct_error err;
    if (set_configure(app, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    for (int i = 1; i < app->argc; i++) {
        struct entry x = { app->argv[i], change };
        if (entry_run(app, &x, &err) < 0)
            return mcti_out_fail(app, &err, NULL);
    }
    return 0;
}

int mcti_cmd_config_enable(struct mcti_app *app)
{
    return entries_run(app, strcmp(app->argv[0], "enable") ? ENTRY_DISABLE : ENTRY_ENABLE);
}

int mcti_cmd_config_remove(struct mcti_app *app)
{
    return entries_run(app, ENTRY_REMOVE);
}

/* ---- get ---- */

/* Appends the value that a key has if no file sets it, as JSON; nothing if that is not one value. */
static void config_set_put_default(struct mcti_buf *to, const struct mcti_config_field *f, const void *base)
{
    const void *slot = (const char *)base + f->offset;
    const char *word = f->type == TYPE_ENUM ? mcti_word_of(f->words, *(const unsigned *)slot)
                       : f->type == TYPE_WORD || f->type == TYPE_STRING ? *(const char *const *)slot
                                                                        : NULL;
    if (f->preset)
        return;
    if (f->type == TYPE_BOOL)
        mcti_buf_addz(to, *(const bool *)slot ? "true" : "false");
    else if (f->type == TYPE_UINT || f->type == TYPE_INT)
        mcti_buf_addu(to, *(const unsigned *)slot);
    else if (f->type == TYPE_BYTES)
        mcti_buf_addu(to, *(const size_t *)slot);
    else if (f->type == TYPE_SECONDS)
        mcti_json_put_double(to, *(const unsigned *)slot / 1000.0);
    else if (word)
        mcti_json_put_string(to, mcti_str_of(word));
}

/* Prints a value: a string as its text, anything else as JSON. Secrets are not shown. */
static void value_print(const struct mcti_app *app, const struct mcti_change_key *k, struct mcti_str json)
{
    struct mcti_buf whole, shown;
    mcti_buf_init(&whole, MCT_EDIT_MAX_BYTES);
    mcti_buf_init(&shown, MCT_EDIT_MAX_BYTES);
    mcti_buf_addc(&whole, '{');
    mcti_json_put_raw(&whole, k->n_steps ? k->steps[k->n_steps - 1] : k->name, json);
    mcti_buf_addc(&whole, '}');
    mcti_config_put_masked(&shown, mcti_buf_str(&whole));
    struct mcti_json_member m = { .value = MCT_STR_NONE };
    struct mcti_json_iter it = mcti_json_open(mcti_buf_str(&shown));
    mcti_json_next_member(&it, &m);
    mcti_buf_clear(&whole);
    bool is_tree = mcti_json_type(m.value) == '{' || mcti_json_type(m.value) == '[';
    if (is_tree && app->opt.output != MCT_OUT_JSON) {
        mcti_json_put_pretty(&whole, m.value);
        mcti_out_text(app, mcti_buf_str(&whole));
        putchar('\n');
    } else if (app->opt.output != MCT_OUT_JSON && mcti_json_unescape_any(m.value, &whole) == 0) {
        mcti_out_text(app, mcti_buf_str(&whole));
        putchar('\n');
    } else {
        mcti_json_put_compact(&whole, m.value);
        mcti_out_json(app, mcti_buf_str(&whole));
    }
    mcti_buf_done(&whole);
    mcti_buf_done(&shown);
}

/* Sets *err to a key that is not set, and has no default that is a value; returns -1. */
static int value_fail(const struct mcti_change_key *k, struct mct_error *err)
{
    char preset[128] = "";
    size_t n = 0;
    for (const char *p = k->field && k->field->preset ? k->field->preset : ""; *p && n < sizeof preset - 1; p++)
        if (*p != '`')
            preset[n++] = *p;
    return mcti_fail(err, MCT_ERR_CONFIG, "%s is not set%s%s", k->name, n ? "; default: " : "", preset);
}

/* Prints the default of a key that is not set; fails if it has none. */
static int value_print_default(struct mcti_app *app, const struct mcti_change_key *k, struct mct_error *err)
{
    struct mcti_config preset;
    struct mcti_buf json;
    mcti_config_init(&preset);
    mcti_buf_init(&json, 1u << 16);
    if (k->field && !k->is_text)
        config_set_put_default(&json, k->field, k->server ? (const void *)&mcti_config_server_preset : &preset);
    int r = json.len ? 0 : value_fail(k, err);
    if (r == 0)
        value_print(app, k, mcti_buf_str(&json));
    mcti_buf_done(&json);
    mcti_config_done(&preset);
    return r;
}

/* Looks the key up in its file. Returns 1 if it is not set. */
static int value_find(const struct mcti_app *app, const struct mcti_change_key *k, struct mcti_edit_value *ret,
                      struct mct_error *err)
{
    const char *file = k->server ? k->server->file : app->inst.config.settings_file, *path[MCT_KEY_PATH];
    struct mcti_edit e;
    struct mcti_buf text;
    if (!file)
        return 1;
    if (mcti_change_check_notation(file, err) < 0)
        return -1;
    mcti_buf_init(&text, MCT_EDIT_MAX_BYTES);
    int r = mcti_input_read(&text, file, err);
    mcti_edit_init(&e, file, mcti_buf_str(&text));
    mcti_buf_done(&text);
    if (r == 0) {
        mcti_change_key_path(k, &e, path);
        r = mcti_edit_get(&e, path, ret, err);
    }
    mcti_edit_done(&e);
    return r;
}

int mcti_cmd_config_value(struct mcti_app *app)
{
    struct mct_error err;
    struct mcti_change_key k;
    struct mcti_edit_value v;
    int r = mcti_change_key_read(app, app->argv[1], &k, &err);
    int found = r < 0 ? r : value_find(app, &k, &v, &err);
    if (found == 0) {
        value_print(app, &k, mcti_buf_str(&v.json));
        mcti_buf_done(&v.json);
    } else if (found == 1) {
        found = value_print_default(app, &k, &err);
    }
    mcti_change_key_done(&k);
    return found < 0 ? mcti_out_fail(app, &err, NULL) : 0;
}
