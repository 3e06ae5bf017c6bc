#include "cli/show/signature.h"

#include "base/limits.h"
#include "cli/input.h"
#include "json/write.h"

#include <ctype.h>
#include <stdio.h>

struct mcti_str mcti_signature_type(struct mcti_str schema)
{
    struct mcti_str type = mcti_json_get(schema, "type"), item, text = MCT_STR_NONE;
    if (mcti_json_plain(type, &text))
        return text;
    for (struct mcti_json_iter it = mcti_json_open(type); mcti_json_next_item(&it, &item);)
        if (mcti_json_plain(item, &text) && !mcti_str_is(text, "null"))
            return text;
    return MCT_STR_NONE;
}

static void signature_put_choices(struct mcti_buf *to, struct mcti_str list)
{
    struct mcti_str item;
    bool first = true;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item); first = false) {
        if (!first)
            mcti_buf_addc(to, '|');
        if (mcti_json_unescape_any(item, to) < 0)
            mcti_buf_add(to, item);
    }
}

static void put_value_form(struct mcti_buf *to, struct mcti_str property)
{
    struct mcti_str type = mcti_signature_type(property), choices = mcti_json_get(property, "enum");
    bool raw = mcti_str_is(type, "object") || mcti_str_is(type, "array");
    mcti_buf_addz(to, raw ? ":=" : "=");
    if (mcti_json_type(choices) == '[') {
        signature_put_choices(to, choices);
        return;
    }
    if (!type.p)
        type = MCT_STR("value");
    for (size_t i = 0; i < type.len; i++)
        mcti_buf_addc(to, (char)toupper((unsigned char)type.p[i]));
}

static bool signature_requires(struct mcti_str schema, struct mcti_str name)
{
    struct mcti_str item;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(schema, "required"));
    while (mcti_json_next_item(&it, &item))
        if (mcti_json_same_text(item, name))
            return true;
    return false;
}

/* Begins one of the two passes. */
static void signature_begin(struct mcti_signature *s, bool is_required)
{
    s->is_required = is_required;
    s->left = mcti_json_open(mcti_json_get(s->schema, "properties"));
}

void mcti_signature_open(struct mcti_signature *s, struct mcti_str schema)
{
    *s = (struct mcti_signature){ .schema = schema };
    mcti_buf_init(&s->name, 1u << 20);
    signature_begin(s, true);
}

bool mcti_signature_next(struct mcti_signature *s)
{
    struct mcti_json_member m;
    for (;;) {
        while (mcti_json_next_member(&s->left, &m)) {
            s->key = mcti_json_key_value(m.key);
            if (signature_requires(s->schema, s->key) != s->is_required)
                continue;
            mcti_buf_clear(&s->name);
            mcti_json_unescape_any(s->key, &s->name);
            s->property = m.value;
            return true;
        }
        if (!s->is_required)
            return false;
        signature_begin(s, false);
    }
}

void mcti_signature_done(struct mcti_signature *s)
{
    mcti_buf_done(&s->name);
}

void mcti_signature_put_one(struct mcti_buf *to, const struct mcti_signature *s)
{
    mcti_buf_addz(to, s->is_required ? "" : "[");
    mcti_buf_add(to, mcti_buf_str(&s->name));
    put_value_form(to, s->property);
    mcti_buf_addz(to, s->is_required ? "" : "]");
}

void mcti_signature_put(struct mcti_buf *to, struct mcti_str schema)
{
    struct mcti_signature s;
    for (mcti_signature_open(&s, schema); mcti_signature_next(&s);) {
        mcti_buf_addc(to, ' ');
        mcti_signature_put_one(to, &s);
    }
    mcti_signature_done(&s);
}

/* ---- words to arguments ---- */

static int put_file(struct mcti_buf *to, const char *path, struct mct_error *err)
{
    struct mcti_buf text;
    mcti_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    int r = mcti_input_read(&text, path, err);
    if (r == 0)
        mcti_json_put_string(to, mcti_buf_str(&text));
    mcti_buf_done(&text);
    return r;
}

/* Appends `text` as a number or boolean if the schema has that type and the text that form, otherwise as a string. */
static void put_typed(struct mcti_buf *to, struct mcti_str text, struct mcti_str property)
{
    struct mcti_str type = mcti_signature_type(property);
    char form = mcti_json_valid(text, 1, NULL, NULL) ? mcti_json_type(mcti_str_trim(text)) : 0;
    bool number = (mcti_str_is(type, "number") || mcti_str_is(type, "integer")) && form == '0';
    bool boolean = mcti_str_is(type, "boolean") && (form == 't' || form == 'f');
    if (number || boolean)
        mcti_buf_add(to, mcti_str_trim(text));
    else
        mcti_json_put_string(to, text);
}

static int signature_put_json(struct mcti_buf *to, struct mcti_str text, const char *word, struct mct_error *err)
{
    struct mcti_json_fault fault;
    if (!mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, &fault))
        return mcti_fail(err, MCT_ERR_USAGE, "'%s': not valid JSON after ':=' at byte %zu: %s", word, fault.offset,
                         fault.why);
    mcti_buf_add(to, text);
    return 0;
}

/* Reads the name in front of the mark. Names of words before may not come again. */
static int signature_read_key(const char *const *words, int at, char *ret, size_t size, struct mct_error *err)
{
    const char *word = words[at], *eq = strchr(word, '=');
    if (!eq || eq == word || (eq[-1] == ':' && eq - 1 == word))
        return mcti_fail(err, MCT_ERR_USAGE, "'%s' is not key=value, key:=JSON or key=@FILE", word);
    size_t len = (size_t)(eq - word) - (eq[-1] == ':');
    if (len >= size)
        return mcti_fail(err, MCT_ERR_USAGE, "the name of an argument has more than %zu bytes; use --args", size - 1);
    memcpy(ret, word, len);
    ret[len] = '\0';
    for (int i = 0; i < at; i++) {
        const char *rest = strncmp(words[i], word, len) ? "" : words[i] + len;
        if (rest[0] == '=' || (rest[0] == ':' && rest[1] == '='))
            return mcti_fail(err, MCT_ERR_USAGE, "'%s' is given twice; a list is written %s:='[…]'", ret, ret);
    }
    return 0;
}

/* Appends the word number `at` as a member. */
static int put_word(struct mcti_buf *to, const char *const *words, int at, struct mcti_str schema,
                    struct mct_error *err)
{
    char key[256];
    if (signature_read_key(words, at, key, sizeof key, err) < 0)
        return -1;
    const char *word = words[at], *eq = strchr(word, '=');
    bool raw = eq[-1] == ':';
    mcti_json_put_key(to, key);
    if (raw)
        return signature_put_json(to, mcti_str_of(eq + 1), word, err);
    if (eq[1] == '@' && eq[2] != '@')
        return put_file(to, eq + 2, err);
    const char *text = eq[1] == '@' ? eq + 2 : eq + 1; /* "@@" stands for "@" */
    put_typed(to, mcti_str_of(text), mcti_json_get(mcti_json_get(schema, "properties"), key));
    return 0;
}

int mcti_arguments_put(struct mcti_buf *to, const char *const *words, int n, struct mcti_str schema,
                       struct mct_error *err)
{
    mcti_buf_addc(to, '{');
    for (int i = 0; i < n; i++)
        if (put_word(to, words, i, schema, err) < 0)
            return -1;
    mcti_buf_addc(to, '}');
    return mcti_buf_ok(to) ? 0 : mcti_fail(err, MCT_ERR_LIMIT, "the arguments are too large");
}
