/* Keys of the configuration, such as "serve.http" or "SERVER.timeout", and their values. */
#include "cli/complete/impl.h"

#include "config/fields.h"

static const struct mcti_config_field *keys_find(const struct mcti_config_field *fields, struct mcti_str key)
{
    while (fields->key && !mcti_str_is(key, fields->key))
        fields++;
    return fields->key ? fields : NULL;
}

static bool has_table(const struct mcti_config_field *f)
{
    return f->type == TYPE_OBJECT && f->fields;
}

/* Follows the steps of a key, up to the last dot. Returns the table of what can stand behind it, or NULL. */
static const struct mcti_config_field *keys_table(const struct mcti_config_field *fields, struct mcti_str *rest)
{
    const char *dot;
    while (fields && (dot = memchr(rest->p, '.', rest->len))) {
        const struct mcti_config_field *f = keys_find(fields, mcti_str_range(rest->p, dot));
        fields = f && has_table(f) ? f->fields : NULL;
        *rest = mcti_str_range(dot + 1, rest->p + rest->len);
    }
    return fields;
}

static void add_fields(struct mcti_complete *c, const struct mcti_config_field *fields)
{
    struct mcti_buf text;
    mcti_buf_init(&text, 256);
    for (const struct mcti_config_field *f = fields; f && f->key; f++) {
        mcti_buf_clear(&text);
        mcti_buf_printf(&text, "%s%s", f->key, has_table(f) ? "." : "");
        mcti_complete_add(c, mcti_buf_str(&text), mcti_str_of(f->help));
    }
    mcti_buf_done(&text);
}

void mcti_complete_keys(struct mcti_complete *c)
{
    const char *rest = NULL, *server = mcti_complete_server(c, c->current.p, &rest);
    if (rest)
        c->current = mcti_str_range(rest, c->current.p + c->current.len);
    const struct mcti_config_field *fields =
        keys_table(server && rest ? mcti_config_server_fields : mcti_config_settings_fields, &c->current);
    c->before = mcti_str_range(c->typed, c->current.p);
    add_fields(c, fields);
    if (!c->before.len)
        mcti_complete_server_names(c, ".");
}

void mcti_complete_key_values(struct mcti_complete *c)
{
    const char *rest = NULL, *key = c->words.n > 1 ? c->words.v[1] : "", *server = mcti_complete_server(c, key, &rest);
    struct mcti_str last = mcti_str_of(rest ? rest : key);
    const struct mcti_config_field *fields =
        keys_table(server && rest ? mcti_config_server_fields : mcti_config_settings_fields, &last);
    const struct mcti_config_field *f = fields ? keys_find(fields, last) : NULL;
    for (const struct mcti_word *w = f ? f->words : NULL; w && w->word; w++)
        mcti_complete_add(c, mcti_str_of(w->word), MCT_STR_NONE);
    if (f && f->type == TYPE_BOOL) {
        mcti_complete_add(c, MCT_STR("true"), MCT_STR_NONE);
        mcti_complete_add(c, MCT_STR("false"), MCT_STR_NONE);
    }
}
