/* The texts in an entry that are expanded, and the settings as paths and values. */
#include "cli/trust/trust.h"

#include "base/limits.h"
#include "config/edit/edit.h"
#include "config/expand/expand.h"
#include "config/notation/jsonc.h"

#include <stdlib.h>

enum { MOST_EXPANSIONS = 200 };

/* ---- expansions ---- */

static void each_pair(const struct mcti_pairs *pairs, void (*each)(void *data, const char *text), void *data)
{
    for (size_t i = 0; i < pairs->n; i++)
        each(data, pairs->v[i].value);
}

static void each_string(const struct mcti_strings *list, void (*each)(void *data, const char *text), void *data)
{
    for (size_t i = 0; i < list->n; i++)
        each(data, list->v[i]);
}

void mcti_trust_each_text(const struct mcti_config_server *s, void (*each)(void *data, const char *text), void *data)
{
    const char *const texts[] = { s->command,   s->cwd,      s->url,         s->plugin_path,     s->plugin_config,
                                  s->agent_dir, s->agent_id, s->session_key, s->message_channel, s->agent_account_id };
    char **auth[MCT_CONFIG_AUTH_TEXTS];
    mcti_config_auth_texts((struct mcti_config_server *)(uintptr_t)s, auth);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i])
            each(data, texts[i]);
    for (size_t i = 0; auth[i]; i++)
        if (*auth[i])
            each(data, *auth[i]);
    each_string(&s->args, each, data);
    each_string(&s->plugins, each, data);
    each_pair(&s->env, each, data);
    each_pair(&s->headers, each, data);
}

/* Adds what is between "${" and "}": of a variable the name alone. */
static void add_expansion(struct mcti_strings *to, struct mcti_str inside)
{
    bool is_hidden = inside.len && *inside.p == '!'; /* how imports write ${file:PATH} of other programs */
    if (is_hidden)
        inside = (struct mcti_str){ inside.p + 1, inside.len - 1 };
    bool is_secret = mcti_str_starts(inside, MCT_STR("cmd:")) || mcti_str_starts(inside, MCT_STR("file:")) ||
                     mcti_str_starts(inside, MCT_STR("credential:"));
    const char *end = is_secret ? NULL : memchr(inside.p, ':', inside.len);
    if (end)
        inside.len = (size_t)(end - inside.p);
    if (to->n < MOST_EXPANSIONS && !mcti_strings_has(to, inside))
        mcti_strings_add(to, inside);
}

void mcti_trust_expansions_in(const char *text, struct mcti_strings *to)
{
    for (const char *p = strstr(text, "${"); p; p = strstr(p + 2, "${")) {
        const char *end = mcti_expand_end(p);
        if (p > text && p[-1] == '$')
            continue;
        add_expansion(to, end ? mcti_str_range(p + 2, end) : mcti_str_of(p + 2));
    }
}

static void texts_on_text(void *data, const char *text)
{
    mcti_trust_expansions_in(text, data);
}

void mcti_trust_expansions(const struct mcti_config_server *s, struct mcti_strings *to)
{
    mcti_trust_each_text(s, texts_on_text, to);
}

/* ---- settings ---- */

struct flattening {
    void (*each)(void *data, struct mcti_str path, struct mcti_str value);
    void *data;
    struct mcti_buf path;
};

static void text_flatten(struct flattening *f, struct mcti_str value)
{
    struct mcti_json_member m;
    struct mcti_str item;
    char type = mcti_json_type(value);
    size_t len = f->path.len, n = 0;
    struct mcti_json_iter it = mcti_json_open(value);
    for (; type == '{' && mcti_json_next_member(&it, &m); n++) {
        mcti_buf_addz(&f->path, len ? "." : "");
        mcti_buf_add(&f->path, m.key);
        text_flatten(f, m.value);
        f->path.len = len;
    }
    for (; type == '[' && mcti_json_next_item(&it, &item); n++) {
        mcti_buf_printf(&f->path, "[%zu]", n);
        text_flatten(f, item);
        f->path.len = len;
    }
    if (!n)
        f->each(f->data, mcti_buf_str(&f->path), value);
}

void mcti_trust_each_setting(const struct mcti_trust_file *f,
                             void (*each)(void *data, struct mcti_str path, struct mcti_str value), void *data)
{
    struct flattening flat = { .each = each, .data = data };
    struct mcti_json_member m;
    struct mcti_json_top top;
    struct mcti_buf masked;
    mcti_buf_init(&masked, 2 * MCT_EDIT_MAX_BYTES);
    mcti_buf_init(&flat.path, 1u << 16);
    mcti_config_put_masked(&masked, mcti_buf_str(&f->text));
    char *plain = f->has_settings ? mcti_buf_take(&masked) : NULL;
    size_t len = plain ? strlen(plain) : 0;
    if (plain && len >= 3 && !memcmp(plain, "\xef\xbb\xbf", 3))
        memset(plain, ' ', 3);
    if (plain)
        mcti_jsonc_blank(plain, len);
    if (plain && mcti_json_valid((struct mcti_str){ plain, len }, MCT_LIMIT_JSON_DEPTH, &top, NULL))
        for (struct mcti_json_iter it = mcti_json_open(top.value); mcti_json_next_member(&it, &m);)
            if (mcti_json_key_is(m.key, "mcptools"))
                text_flatten(&flat, m.value);
    free(plain);
    mcti_buf_done(&masked);
    mcti_buf_done(&flat.path);
}

static void texts_on_setting(void *data, struct mcti_str path, struct mcti_str value)
{
    char *text = mcti_json_dup(value);
    (void)path;
    if (text)
        mcti_trust_expansions_in(text, data);
    free(text);
}

void mcti_trust_setting_expansions(const struct mcti_trust_file *f, struct mcti_strings *to)
{
    mcti_trust_each_setting(f, texts_on_setting, to);
}
