/* Objects by tables of fields: what a value of each type must be, and where it goes. */
#include "config/read_impl.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

char *mcti_config_key_dup(struct mcti_json_member m)
{
    return mcti_json_dup(mcti_json_key_value(m.key));
}

static bool fields_read_string(struct mcti_str v, char **to)
{
    char *text = mcti_json_dup(v);
    if (!text)
        return false;
    free(*to);
    *to = text;
    return true;
}

static bool read_strings(struct mcti_str v, struct mcti_strings *to)
{
    struct mcti_str item;
    if (mcti_json_type(v) != '[')
        return false;
    for (struct mcti_json_iter it = mcti_json_open(v); mcti_json_next_item(&it, &item);) {
        char *text = mcti_json_dup(item);
        int r = text ? mcti_strings_add(to, mcti_str_of(text)) : -1;
        free(text);
        if (r < 0)
            return false;
    }
    return true;
}

static bool read_pairs(struct mcti_str v, struct mcti_pairs *to)
{
    struct mcti_json_member m;
    if (mcti_json_type(v) != '{')
        return false;
    for (struct mcti_json_iter it = mcti_json_open(v); mcti_json_next_member(&it, &m);) {
        struct mcti_pair *pairs = realloc(to->v, (to->n + 1) * sizeof *pairs);
        if (!pairs)
            return false;
        to->v = pairs;
        pairs[to->n] = (struct mcti_pair){ mcti_config_key_dup(m), mcti_json_dup(m.value) };
        if (!pairs[to->n].value || !pairs[to->n].key) {
            free(pairs[to->n].value);
            free(pairs[to->n].key);
            return false;
        }
        to->n++;
    }
    return true;
}

static bool read_json(struct mcti_str v, char **to)
{
    char *text = mcti_json_type(v) == '{' ? mcti_str_dup(v) : NULL;
    if (!text)
        return false;
    free(*to);
    *to = text;
    return true;
}

static bool read_bool(struct mcti_str v, bool *to)
{
    char type = mcti_json_type(v);
    *to = type == 't';
    return type == 't' || type == 'f';
}

/* BYTES are a size_t, the others an unsigned. */
static bool read_number(struct mcti_str v, const struct mcti_config_field *f, void *to)
{
    double n = mcti_json_double(v);
    if (mcti_json_type(v) != '0' || !(n >= (double)f->min && n <= (double)f->max))
        return false;
    if (f->type == BYTES)
        *(size_t *)to = (size_t)n;
    else
        *(unsigned *)to = (unsigned)(f->type == SECONDS ? n * 1000 : n);
    return true;
}

static bool read_int(struct mcti_str v, int *to)
{
    int64_t n;
    bool fits = mcti_json_int(v, &n) && n >= INT_MIN && n <= INT_MAX;
    *to = fits ? (int)n : 0;
    return fits;
}

static bool read_mode(struct mcti_str v, enum mcti_mode *to)
{
    struct mcti_str word;
    return mcti_json_plain(v, &word) && mcti_prefs_mode(word, to);
}

static bool read_dialects(struct mcti_str v, struct mcti_client_prefs *to)
{
    struct mcti_str item, word;
    for (struct mcti_json_iter it = mcti_json_open(v); mcti_json_next_item(&it, &item);) {
        unsigned bit = mcti_json_plain(item, &word) ? mcti_dialect_find(word) : 0;
        if (!bit)
            return false;
        to->dialects |= bit;
    }
    to->has_dialects = mcti_json_type(v) == '[';
    return to->has_dialects;
}

static const char *const expected[] = {
    [STRING] = "must be a string",
    [STRINGS] = "must be a list of strings",
    [PAIRS] = "must be an object of strings",
    [BOOL] = "must be true or false",
    [UINT] = "must be a number",
    [BYTES] = "must be a number",
    [INT] = "must be a whole number",
    [SECONDS] = "must be a number of seconds",
    [MODE] = "must be " MCT_MODE_WORDS,
    [DIALECTS] = "must be a list of " MCT_DIALECT_WORDS,
    [TOKENS] = "must be a list of strings and objects",
    [JSON] = "must be an object",
    [RULES] = "must be an object",
    [GROUPS] = "must be an object",
    [HOOKS] = "must be a list of objects",
    [OBJECT] = "must be an object",
};

static bool fields_read_value(const struct mcti_config_field *f, struct mcti_str v, void *slot)
{
    switch (f->type) {
    case STRING:
        return fields_read_string(v, slot);
    case STRINGS:
        return read_strings(v, slot);
    case PAIRS:
        return read_pairs(v, slot);
    case BOOL:
        return read_bool(v, slot);
    case UINT:
    case BYTES:
    case SECONDS:
        return read_number(v, f, slot);
    case INT:
        return read_int(v, slot);
    case MODE:
        return read_mode(v, slot);
    case DIALECTS:
        return read_dialects(v, slot);
    case TOKENS:
    case HOOKS:
        return mcti_json_type(v) == '[';
    case JSON:
        return read_json(v, slot);
    default:
        return mcti_json_type(v) == '{';
    }
}

static void wrong_value(struct mcti_config_place *at, const struct mcti_config_field *f, struct mcti_json_member m)
{
    char what[128];
    bool has_range = f->type == UINT || f->type == BYTES || f->type == SECONDS;
    snprintf(what, sizeof what, "%s from %zu to %zu", expected[f->type], f->min, f->max);
    mcti_config_mistake(at, m, true, has_range ? what : expected[f->type]);
}

static void fields_read_members(struct mcti_config_place *at, const struct mcti_config_field *f,
                                struct mcti_json_member m, void *to)
{
    char path[768];
    struct mcti_config_place inner = *at;
    void *slot = (char *)to + f->offset;
    snprintf(path, sizeof path, "%s.%.*s", at->path, MCT_STR_ARG(m.key));
    inner.path = path;
    if (f->type == TOKENS)
        mcti_config_read_tokens(&inner, m.value);
    else if (f->type == HOOKS)
        mcti_config_read_hooks(&inner, m.value);
    else if (f->type == RULES || f->type == GROUPS)
        mcti_config_read_rule_sets(&inner, f, m.value, slot);
    else if (f->type == OBJECT)
        mcti_config_read_object(&inner, m.value, f->fields, to);
}

bool mcti_config_read_field(struct mcti_config_place *at, const struct mcti_config_field *f, struct mcti_json_member m,
                            void *to)
{
    bool is_left = f->type == LATER || mcti_config_is_elsewhere(at, f->hint);
    if (f->type == SKIP)
        return true;
    if (!is_left && !fields_read_value(f, m.value, (char *)to + f->offset)) {
        wrong_value(at, f, m);
        return false;
    }
    if (is_left)
        mcti_config_mistake(at, m, false, f->hint);
    else
        fields_read_members(at, f, m, to);
    return true;
}

/* Settings that are there twice may not mean the same to whoever wrote them; entries have their own readers elsewhere.
 */
static bool is_repeated(const struct mcti_config_place *at, uint64_t *seen, size_t field)
{
    bool before = *seen >> field & 1;
    *seen |= (uint64_t)1 << field;
    return before && !at->server;
}

void mcti_config_read_object(struct mcti_config_place *at, struct mcti_str object,
                             const struct mcti_config_field *fields, void *to)
{
    struct mcti_json_member m;
    uint64_t seen = 0;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);) {
        const struct mcti_config_field *f = fields;
        while (f->key && !mcti_json_key_is(m.key, f->key))
            f++;
        if (f->key && is_repeated(at, &seen, (size_t)(f - fields)))
            mcti_config_mistake(at, m, true, "is there twice");
        else if (f->key)
            mcti_config_read_field(at, f, m, to);
        else if (!m.key.len || m.key.p[0] != '$')
            mcti_config_mistake(at, m, false, "unknown key, ignored");
    }
}

void mcti_config_read_items(struct mcti_config_place *at, struct mcti_str list,
                            void (*read)(struct mcti_config_place *at, struct mcti_str item))
{
    struct mcti_str item;
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item); n++) {
        char path[256];
        struct mcti_config_place inner = *at;
        snprintf(path, sizeof path, "%s[%zu]", at->path, n);
        inner.path = path;
        read(&inner, item);
    }
}
