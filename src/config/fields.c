/* Reads objects by tables of fields: checks the type of each value and stores it. */
#include "config/read_impl.h"

#include "base/log/near.h"
#include "mcp/era.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SOUGHT = 1000 }; /* among so many keys of an object of strings a duplicate is found */

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

static bool read_one_string(struct mcti_str v, struct mcti_strings *to)
{
    char *text = mcti_json_dup(v);
    int r = text ? mcti_strings_add(to, mcti_str_of(text)) : -1;
    free(text);
    return r == 0;
}

static bool read_strings(struct mcti_str v, bool or_one, struct mcti_strings *to)
{
    struct mcti_str item;
    if (or_one && mcti_json_type(v) == '"')
        return read_one_string(v, to);
    if (mcti_json_type(v) != '[')
        return false;
    for (struct mcti_json_iter it = mcti_json_open(v); mcti_json_next_item(&it, &item);)
        if (!read_one_string(item, to))
            return false;
    return true;
}

/* Adds a pair of owned texts, or replaces the one with that key; `seeks`: there may be one. */
static bool set_pair(struct mcti_pairs *to, struct mcti_pair take_pair, bool seeks)
{
    size_t i = 0;
    while (seeks && i < to->n && i < MOST_SOUGHT && strcmp(to->v[i].key, take_pair.key) != 0)
        i++;
    if (seeks && i < to->n && i < MOST_SOUGHT) {
        free(to->v[i].key);
        free(to->v[i].value);
        to->v[i] = take_pair;
        return true;
    }
    struct mcti_pair *v = realloc(to->v, (to->n + 1) * sizeof *v);
    if (!v)
        return false;
    to->v = v;
    v[to->n++] = take_pair;
    return true;
}

static bool read_pairs(struct mcti_str v, struct mcti_pairs *to)
{
    struct mcti_json_member m;
    if (mcti_json_type(v) != '{')
        return false;
    bool seeks = to->n || mcti_json_unique(v) == 0;
    for (struct mcti_json_iter it = mcti_json_open(v); mcti_json_next_member(&it, &m);) {
        struct mcti_pair pair = { mcti_config_key_dup(m), mcti_json_dup(m.value) };
        if (!pair.key || !pair.value || !set_pair(to, pair, seeks)) {
            free(pair.key);
            free(pair.value);
            return false;
        }
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
    if (type != 't' && type != 'f')
        return false;
    *to = type == 't';
    return true;
}

/* Reads a number into *to: a size_t for TYPE_BYTES, otherwise an unsigned. */
static bool read_number(struct mcti_str v, const struct mcti_config_field *f, void *to)
{
    double n = mcti_json_double(v);
    if (mcti_json_type(v) != '0' || !(n >= (double)f->min && n <= (double)f->max))
        return false;
    if (f->type == TYPE_BYTES)
        *(size_t *)to = (size_t)n;
    else
        *(unsigned *)to = (unsigned)(f->type == TYPE_SECONDS ? n * 1000 : n);
    return true;
}

static bool read_int(struct mcti_str v, int *to)
{
    int64_t n;
    bool fits = mcti_json_int(v, &n) && n >= INT_MIN && n <= INT_MAX;
    *to = fits ? (int)n : *to;
    return fits;
}

static const struct mcti_word *find_word(const struct mcti_config_field *f, struct mcti_str v)
{
    char *text = mcti_json_dup(v);
    const struct mcti_word *found = text ? mcti_word_find(f->words, mcti_str_of(text)) : NULL;
    free(text);
    return found;
}

static bool read_one_of(const struct mcti_config_field *f, struct mcti_str v, void *to)
{
    const struct mcti_word *found = find_word(f, v);
    if (found && f->type == TYPE_WORD)
        *(const char **)to = found->word;
    else if (found)
        *(unsigned *)to = found->value;
    return found;
}

static bool read_revision(const struct mcti_config_field *f, struct mcti_str v, struct mcti_server_protocol *to)
{
    const struct mcti_word *found = find_word(f, v);
    char *text = mcti_json_dup(v);
    enum mcti_rev rev = text ? mcti_rev_find(mcti_str_of(text)) : MCT_REV_NONE;
    free(text);
    if (!found && !rev)
        return false;
    *to = (struct mcti_server_protocol){ .rev = rev };
    if (found && found->value != MCT_PROTOCOL_LEGACY)
        to->match = (enum mcti_match)found->value;
    else
        to->era = mcti_rev_is_stateless(rev) ? MCT_ERA_STATELESS : MCT_ERA_HANDSHAKE;
    return true;
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
    [TYPE_STRING] = "must be a string",
    [TYPE_STRINGS] = "must be a list of strings",
    [TYPE_PAIRS] = "must be an object of strings",
    [TYPE_BOOL] = "must be true or false",
    [TYPE_UINT] = "must be a number",
    [TYPE_BYTES] = "must be a number",
    [TYPE_INT] = "must be a whole number",
    [TYPE_SECONDS] = "must be a number of seconds",
    [TYPE_DIALECTS] = "must be a list of " MCT_DIALECT_WORDS,
    [TYPE_TOKENS] = "must be a list of strings and objects",
    [TYPE_JSON] = "must be an object",
    [TYPE_RULES] = "must be an object",
    [TYPE_GROUPS] = "must be an object",
    [TYPE_HOOKS] = "must be a list of objects",
    [TYPE_OBJECT] = "must be an object",
};

static bool fields_read_value(const struct mcti_config_field *f, struct mcti_str v, void *slot)
{
    switch (f->type) {
    case TYPE_STRING:
        return fields_read_string(v, slot);
    case TYPE_STRINGS:
        return read_strings(v, f->or_one, slot);
    case TYPE_PAIRS:
        return read_pairs(v, slot);
    case TYPE_BOOL:
        return read_bool(v, slot);
    case TYPE_UINT:
    case TYPE_BYTES:
    case TYPE_SECONDS:
        return read_number(v, f, slot);
    case TYPE_INT:
        return read_int(v, slot);
    case TYPE_ENUM:
    case TYPE_WORD:
        return read_one_of(f, v, slot);
    case TYPE_REVISION:
        return read_revision(f, v, slot);
    case TYPE_DIALECTS:
        return read_dialects(v, slot);
    case TYPE_TOKENS:
    case TYPE_HOOKS:
        return mcti_json_type(v) == '[';
    case TYPE_JSON:
        return read_json(v, slot);
    case TYPE_OBJECT:
        return mcti_json_type(v) == '{' || (f->words && find_word(f, v));
    default:
        return mcti_json_type(v) == '{';
    }
}

static void wrong_text(struct mcti_config_place *at, struct mcti_json_member m)
{
    enum { SHORT = 40 };
    char what[96];
    bool is_short = m.value.len <= SHORT && !strchr("{[", mcti_json_type(m.value));
    snprintf(what, sizeof what, is_short ? "must be a string: \"%.*s\"" : "must be a string", MCT_STR_ARG(m.value));
    mcti_config_mistake(at, m, true, what);
}

/* Reports the first value in an object of strings that is none. Returns false if there is no such value. */
static bool wrong_member(struct mcti_config_place *at, struct mcti_str object)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);)
        if (mcti_json_type(m.value) != '"')
            return wrong_text(at, m), true;
    return false;
}

/* The same for a list of strings. */
static bool wrong_item(struct mcti_config_place *at, struct mcti_str list)
{
    char path[768];
    struct mcti_config_place inner = *at;
    struct mcti_str item;
    size_t n = 0;
    inner.path = path;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item); n++) {
        snprintf(path, sizeof path, "%s[%zu]", at->path, n);
        if (mcti_json_type(item) != '"')
            return wrong_text(&inner, (struct mcti_json_member){ .key = { item.p, 0 }, .value = item }), true;
    }
    return false;
}

/* Reports what is wrong inside a value of the right type, at its place. Returns false if nothing is. */
static bool wrong_inside(struct mcti_config_place *at, const struct mcti_config_field *f, struct mcti_json_member m)
{
    char path[768], type = mcti_json_type(m.value);
    struct mcti_config_place inner = *at;
    snprintf(path, sizeof path, "%s%s%.*s", at->path, *at->path ? "." : "", MCT_STR_ARG(m.key));
    inner.path = path;
    return (f->type == TYPE_PAIRS && type == '{' && wrong_member(&inner, m.value)) ||
           (f->type == TYPE_STRINGS && type == '[' && wrong_item(&inner, m.value));
}

static void wrong_value(struct mcti_config_place *at, const struct mcti_config_field *f, struct mcti_json_member m)
{
    char what[192], words[128];
    if (wrong_inside(at, f, m))
        return;
    if (f->words)
        snprintf(what, sizeof what, "must be %s%s", mcti_words_text(f->words, words, sizeof words),
                 f->type == TYPE_REVISION ? ", or a revision such as 2025-11-25"
                 : f->type == TYPE_OBJECT ? ", or an object"
                                          : "");
    else if (f->max)
        snprintf(what, sizeof what, "%s from %zu to %zu", expected[f->type], f->min, f->max);
    mcti_config_mistake(at, m, true, f->words || f->max ? what : expected[f->type]);
}

static void warn_elsewhere(struct mcti_config_place *at, const struct mcti_config_field *f, struct mcti_json_member m)
{
    char what[128] = "has no effect without \"type\": ";
    const char *before = "";
    for (const struct mcti_word *type = mcti_server_types; type->word; type++) {
        if (!(f->only >> type->value & 1))
            continue;
        size_t len = strlen(what);
        snprintf(what + len, sizeof what - len, "%s\"%s\"", before, type->word);
        before = " or ";
    }
    mcti_config_mistake(at, m, false, what);
}

/* A duplicate setting is a mistake. In entries of servers the last one counts, as in other programs that read the file.
 */
static void note_duplicate(struct mcti_config_place *at, struct mcti_json_member m)
{
    mcti_config_mistake(at, m, !at->server,
                        at->server ? "duplicate key; the last one is used, remove the others"
                                   : "duplicate key; remove one");
}

/* Reports the first key that an object has twice. */
static void note_repeated(struct mcti_config_place *at, struct mcti_str object)
{
    struct mcti_json_member m, before;
    bool is_first = true;
    if (mcti_json_unique(object) != 0)
        return;
    struct mcti_json_iter it = mcti_json_open(object);
    for (size_t n = 0; is_first && n < MOST_SOUGHT && mcti_json_next_member(&it, &m); n++) {
        char *key = mcti_config_key_dup(m);
        struct mcti_json_iter from = mcti_json_open(object);
        while (key && mcti_json_next_member(&from, &before) && !mcti_json_key_is(before.key, key))
            continue;
        is_first = !key || before.key.p == m.key.p;
        free(key);
    }
    if (!is_first)
        note_duplicate(at, m);
}

static void fields_read_members(struct mcti_config_place *at, const struct mcti_config_field *f,
                                struct mcti_json_member m, void *to)
{
    char path[768];
    struct mcti_config_place inner = *at;
    void *slot = (char *)to + f->offset;
    snprintf(path, sizeof path, "%s.%.*s", at->path, MCT_STR_ARG(m.key));
    inner.path = path;
    inner.tables = NULL;
    if (f->type == TYPE_PAIRS)
        note_repeated(&inner, m.value);
    else if (f->type == TYPE_TOKENS)
        mcti_config_read_tokens(&inner, m.value);
    else if (f->type == TYPE_HOOKS)
        mcti_config_read_hooks(&inner, m.value);
    else if (f->type == TYPE_RULES || f->type == TYPE_GROUPS)
        mcti_config_read_rule_sets(&inner, f, m.value, slot);
    else if (f->type == TYPE_OBJECT && mcti_json_type(m.value) == '"')
        fields_read_value(f->fields, m.value, (char *)to + f->fields->offset);
    else if (f->type == TYPE_OBJECT)
        mcti_config_read_object(&inner, m.value, f->fields, to);
}

bool mcti_config_read_field(struct mcti_config_place *at, const struct mcti_config_field *f, struct mcti_json_member m,
                            void *to)
{
    if (f->type == TYPE_LATER)
        mcti_config_mistake(at, m, false, f->hint);
    else if (f->type == TYPE_SPECIAL)
        return f->read(at, &m, to) || (mcti_config_mistake(at, m, true, f->hint), false);
    else if (mcti_config_is_elsewhere(at, f->only))
        warn_elsewhere(at, f, m);
    else if (fields_read_value(f, m.value, (char *)to + f->offset))
        fields_read_members(at, f, m, to);
    else
        return wrong_value(at, f, m), false;
    return true;
}

static const struct mcti_config_field *find_field(const struct mcti_config_field *fields, struct mcti_str key)
{
    while (fields->key && !mcti_json_key_is(key, fields->key))
        fields++;
    return fields->key ? fields : NULL;
}

/* Finds the row of a key: in the tables of the place, then in `fields`, which may be NULL. */
static const struct mcti_config_field *find_row(const struct mcti_config_place *at,
                                                const struct mcti_config_field *fields, struct mcti_str key)
{
    const struct mcti_config_field *found = NULL;
    for (size_t i = 0; at->tables && at->tables[i] && !found; i++)
        found = find_field(at->tables[i], key);
    return found || !fields ? found : find_field(fields, key);
}

/* Returns true if the object has a member with the row `f` before this one. */
static bool is_repeated(const struct mcti_config_place *at, const struct mcti_config_field *fields,
                        const struct mcti_config_field *f, struct mcti_str object, struct mcti_json_member m)
{
    struct mcti_json_member before;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &before);) {
        if (before.key.p == m.key.p)
            return false;
        if (find_row(at, fields, before.key) == f)
            return true;
    }
    return false;
}

static void near_fields(struct mcti_near *near, const struct mcti_config_field *fields)
{
    for (; fields && fields->key; fields++)
        mcti_near_try(near, mcti_str_of(fields->key));
}

static void unknown_key(struct mcti_config_place *at, const struct mcti_config_field *fields, struct mcti_json_member m)
{
    struct mcti_near near = { .word = m.key };
    char hint[MCT_NEAR_HINT_BYTES], what[MCT_NEAR_HINT_BYTES + 32];
    near_fields(&near, fields);
    for (size_t i = 0; at->tables && at->tables[i]; i++)
        near_fields(&near, at->tables[i]);
    snprintf(what, sizeof what, "unknown key, ignored%s", mcti_near_hint(&near, hint));
    mcti_config_mistake(at, m, false, what);
}

void mcti_config_read_object(struct mcti_config_place *at, struct mcti_str object,
                             const struct mcti_config_field *fields, void *to)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);) {
        const struct mcti_config_field *f = find_row(at, fields, m.key);
        bool repeated = f && is_repeated(at, fields, f, object, m);
        if (repeated)
            note_duplicate(at, m);
        if (repeated && !at->server)
            continue;
        if (f && !(at->is_further && f->first_only))
            mcti_config_read_field(at, f, m, to);
        else if (!f && (!m.key.len || m.key.p[0] != '$'))
            unknown_key(at, fields, m);
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
