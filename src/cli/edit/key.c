/* Keys of the command line, and the values that they take by the tables of the configuration. */
#include "cli/edit/edit.h"

#include "base/limits.h"
#include "base/log/near.h"
#include "json/write.h"

#include <stdlib.h>

/* ---- unknown keys ---- */

static void try_fields(struct mcti_near *near, const struct mcti_config_field *fields)
{
    for (; fields->key; fields++)
        mcti_near_try(near, mcti_str_of(fields->key));
}

static int unknown_step(const struct mcti_change_key *k, const struct mcti_config_field *fields, const char *step,
                        struct mct_error *err)
{
    struct mcti_near near = { .word = mcti_str_of(step) };
    char hint[MCT_NEAR_HINT_BYTES];
    try_fields(&near, fields);
    return mcti_fail(err, MCT_ERR_USAGE, "%s: unknown key '%s'%s", k->name, step, mcti_near_hint(&near, hint));
}

static int unknown_root(const struct mcti_app *app, const struct mcti_change_key *k, struct mct_error *err)
{
    size_t len = strcspn(k->name, ".");
    struct mcti_near near = { .word = { k->name, len } };
    char hint[MCT_NEAR_HINT_BYTES];
    for (size_t i = 0; i < app->inst.config.n_servers; i++)
        mcti_near_try(&near, mcti_str_of(app->inst.config.servers[i].name));
    try_fields(&near, mcti_config_settings_fields);
    return mcti_fail(err, MCT_ERR_CONFIG, "no server '%.*s' is configured, and no setting has this name%s", (int)len,
                     k->name, mcti_near_hint(&near, hint));
}

/* ---- paths ---- */

static const struct mcti_config_field *find_field(const struct mcti_config_field *fields, const char *key)
{
    while (fields->key && strcmp(fields->key, key) != 0)
        fields++;
    return fields->key ? fields : NULL;
}

/* Splits the step off that begins at *rest, and adds it. `whole`: the rest is one step. Returns NULL if there is
 * none. */
static const char *take_step(struct mcti_change_key *k, char **rest, bool whole)
{
    char *step = *rest, *dot = step && !whole ? strchr(step, '.') : NULL;
    if (!step || k->n_steps >= MCT_KEY_STEPS)
        return NULL;
    if (dot)
        *dot = '\0';
    *rest = dot ? dot + 1 : NULL;
    k->steps[k->n_steps++] = step;
    return step;
}

/* Takes the steps into a value whose row has no table: names of variables, indexes, JSON. */
static int take_inner(struct mcti_change_key *k, char *rest, struct mct_error *err)
{
    enum mcti_field_type type = k->field->type;
    bool is_map = type == TYPE_PAIRS;
    switch (type) {
    case TYPE_PAIRS:
    case TYPE_STRINGS:
    case TYPE_DIALECTS:
        k->is_text = true;
        take_step(k, &rest, is_map);
        break;
    case TYPE_JSON:
    case TYPE_RULES:
    case TYPE_GROUPS:
    case TYPE_TOKENS:
    case TYPE_HOOKS:
    case TYPE_SPECIAL:
        while (rest && take_step(k, &rest, false))
            ;
        k->field = NULL;
        break;
    default:
        break;
    }
    if (!rest)
        return 0;
    return mcti_fail(err, MCT_ERR_USAGE, "%s: nothing can be below '%s'", k->name, k->steps[k->n_steps - 1]);
}

/* Follows the rest of a key in the tables. */
static int take_steps(struct mcti_change_key *k, const struct mcti_config_field *fields, char *rest,
                      struct mct_error *err)
{
    while (rest && fields) {
        const char *step = take_step(k, &rest, false);
        k->field = step ? find_field(fields, step) : NULL;
        if (!k->field)
            return unknown_step(k, fields, step ? step : rest, err);
        fields = k->field->type == TYPE_OBJECT ? k->field->fields : NULL;
    }
    return rest ? take_inner(k, rest, err) : 0;
}

static bool is_setting(const char *name)
{
    char first[64];
    size_t len = strcspn(name, ".");
    if (len >= sizeof first)
        return false;
    memcpy(first, name, len);
    first[len] = '\0';
    return find_field(mcti_config_settings_fields, first);
}

int mcti_change_key_read(const struct mcti_app *app, const char *word, struct mcti_change_key *ret,
                         struct mct_error *err)
{
    bool in_servers = !strncmp(word, "mcpServers.", 11), in_settings = !strncmp(word, "mcptools.", 9);
    const char *rest = in_servers ? word + 11 : in_settings ? word + 9 : word;
    *ret = (struct mcti_change_key){ .name = rest, .text = strdup(rest) };
    if (!ret->text)
        return mcti_no_memory(err);
    if (!in_servers && (in_settings || is_setting(rest)))
        return take_steps(ret, mcti_config_settings_fields, ret->text, err);
    ret->server = mcti_app_server(app, rest, &rest);
    if (!ret->server)
        return unknown_root(app, ret, err);
    return take_steps(ret, mcti_config_server_fields, *rest ? ret->text + (rest - ret->name) : NULL, err);
}

void mcti_change_key_done(struct mcti_change_key *k)
{
    free(k->text);
}

void mcti_change_key_path(const struct mcti_change_key *k, const struct mcti_edit *e, const char *ret[MCT_KEY_PATH])
{
    size_t n = 0;
    if (!k->server)
        ret[n++] = "mcptools";
    for (const char *const *step = mcti_change_container(e); k->server && *step; step++)
        ret[n++] = *step;
    if (k->server)
        ret[n++] = k->server->name;
    for (size_t i = 0; i < k->n_steps; i++)
        ret[n++] = k->steps[i];
    ret[n] = NULL;
}

/* ---- values ---- */

static bool key_is_json(const char *word)
{
    return mcti_json_valid(mcti_str_of(word), MCT_LIMIT_JSON_DEPTH, NULL, NULL);
}

static void key_put_list(const char *const *words, size_t n, struct mcti_buf *to)
{
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < n; i++) {
        mcti_buf_addz(to, i ? "," : "");
        mcti_json_put_string(to, mcti_str_of(words[i]));
    }
    mcti_buf_addc(to, ']');
}

/* Returns true if the value is one word that must be JSON. */
static bool wants_json(const struct mcti_change_key *k)
{
    if (!k->field)
        return true;
    switch (k->field->type) {
    case TYPE_PAIRS:
    case TYPE_JSON:
    case TYPE_RULES:
    case TYPE_GROUPS:
    case TYPE_TOKENS:
    case TYPE_HOOKS:
        return true;
    case TYPE_OBJECT:
        return !k->field->words; /* one word may stand for the object */
    default:
        return false;
    }
}

int mcti_change_key_put_value(const struct mcti_change_key *k, const char *const *words, size_t n, struct mcti_buf *to,
                              struct mct_error *err)
{
    enum mcti_field_type type = k->is_text || !k->field ? TYPE_STRING : k->field->type;
    bool is_list = type == TYPE_STRINGS || type == TYPE_DIALECTS;
    bool may_be_json = type != TYPE_STRING || !k->field || words[0][0] == '"';
    if (is_list && !(n == 1 && words[0][0] == '['))
        return key_put_list(words, n, to), 0;
    if (n != 1)
        return mcti_fail(err, MCT_ERR_USAGE, "%s: takes one value; put quotes around '%s …'", k->name, words[0]);
    if (!k->field && k->n_steps && !key_is_json(words[0]))
        return mcti_fail(err, MCT_ERR_USAGE, "%s: the value must be JSON; a text is written '\"%s\"'", k->name,
                         words[0]);
    if (!k->is_text && wants_json(k) && !key_is_json(words[0]))
        return mcti_fail(err, MCT_ERR_USAGE, "%s: the value must be JSON, in single quotes: '{\"KEY\": \"VALUE\"}'",
                         k->name);
    if (may_be_json && key_is_json(words[0]))
        mcti_buf_addz(to, words[0]);
    else
        mcti_json_put_string(to, mcti_str_of(words[0]));
    return 0;
}
