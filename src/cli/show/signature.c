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

bool mcti_signature_requires(struct mcti_str schema, struct mcti_str raw_key)
{
    struct mcti_str item, text;
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(schema, "required"));
    while (mcti_json_next_item(&it, &item))
        if (mcti_json_plain(item, &text) && mcti_str_eq(text, raw_key))
            return true;
    return false;
}

static void signature_put_choices(struct mcti_buf *to, struct mcti_str list)
{
    struct mcti_str item, text;
    bool first = true;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item); first = false) {
        if (!first)
            mcti_buf_addc(to, '|');
        mcti_buf_add(to, mcti_json_plain(item, &text) ? text : item);
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

void mcti_signature_put(struct mcti_buf *to, struct mcti_str schema)
{
    struct mcti_json_member m;
    struct mcti_str properties = mcti_json_get(schema, "properties");
    for (int required = 1; required >= 0; required--) {
        for (struct mcti_json_iter it = mcti_json_open(properties); mcti_json_next_member(&it, &m);) {
            if (mcti_signature_requires(schema, m.key) != (bool)required)
                continue;
            mcti_buf_addz(to, required ? " " : " [");
            mcti_buf_add(to, m.key);
            put_value_form(to, m.value);
            if (!required)
                mcti_buf_addc(to, ']');
        }
    }
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
