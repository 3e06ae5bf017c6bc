#include "cli/signature.h"

#include "base/limits.h"
#include "cli/input.h"
#include "json/write.h"

#include <ctype.h>
#include <stdio.h>

/* The type a schema names: a string, or the first that is not "null" of a list. */
static struct mct_str type_of(struct mct_str schema)
{
    struct mct_str type = mct_json_get(schema, "type"), item, text = MCT_STR_NONE;
    if (mct_json_plain(type, &text))
        return text;
    for (struct mct_json_iter it = mct_json_open(type); mct_json_next_item(&it, &item);)
        if (mct_json_plain(item, &text) && !mct_str_is(text, "null"))
            return text;
    return MCT_STR_NONE;
}

static bool is_required(struct mct_str schema, struct mct_str raw_key)
{
    struct mct_str item, text;
    struct mct_json_iter it = mct_json_open(mct_json_get(schema, "required"));
    while (mct_json_next_item(&it, &item))
        if (mct_json_plain(item, &text) && mct_str_eq(text, raw_key))
            return true;
    return false;
}

static void put_choices(struct mct_buf *to, struct mct_str list)
{
    struct mct_str item, text;
    bool first = true;
    for (struct mct_json_iter it = mct_json_open(list); mct_json_next_item(&it, &item); first = false) {
        if (!first)
            mct_buf_addc(to, '|');
        mct_buf_add(to, mct_json_plain(item, &text) ? text : item);
    }
}

static void put_value_form(struct mct_buf *to, struct mct_str property)
{
    struct mct_str type = type_of(property), choices = mct_json_get(property, "enum");
    bool raw = mct_str_is(type, "object") || mct_str_is(type, "array");
    mct_buf_addz(to, raw ? ":=" : "=");
    if (mct_json_type(choices) == '[') {
        put_choices(to, choices);
        return;
    }
    if (!type.p)
        type = MCT_STR("value");
    for (size_t i = 0; i < type.len; i++)
        mct_buf_addc(to, (char)toupper((unsigned char)type.p[i]));
}

void mct_signature_put(struct mct_buf *to, struct mct_str schema)
{
    struct mct_json_member m;
    struct mct_str properties = mct_json_get(schema, "properties");
    for (int required = 1; required >= 0; required--) {
        for (struct mct_json_iter it = mct_json_open(properties); mct_json_next_member(&it, &m);) {
            if (is_required(schema, m.key) != (bool)required)
                continue;
            mct_buf_addz(to, required ? " " : " [");
            mct_buf_add(to, m.key);
            put_value_form(to, m.value);
            if (!required)
                mct_buf_addc(to, ']');
        }
    }
}

/* ---- words to arguments ---- */

static int put_file(struct mct_buf *to, const char *path, struct mct_error *err)
{
    struct mct_buf text;
    mct_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    int r = mct_input_read(&text, path, err);
    if (r == 0)
        mct_json_put_string(to, mct_buf_str(&text));
    mct_buf_done(&text);
    return r;
}

/* Text as the schema's type wants it, if it has that form; otherwise as a string. */
static void put_typed(struct mct_buf *to, struct mct_str text, struct mct_str property)
{
    struct mct_str type = type_of(property);
    char form = mct_json_valid(text, 1, NULL, NULL) ? mct_json_type(mct_str_trim(text)) : 0;
    bool number = (mct_str_is(type, "number") || mct_str_is(type, "integer")) && form == '0';
    bool boolean = mct_str_is(type, "boolean") && (form == 't' || form == 'f');
    if (number || boolean)
        mct_buf_add(to, mct_str_trim(text));
    else
        mct_json_put_string(to, text);
}

static int put_json(struct mct_buf *to, struct mct_str text, const char *word, struct mct_error *err)
{
    struct mct_json_fault fault;
    if (!mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, &fault))
        return mct_fail(err, MCT_ERR_USAGE, "'%s': not valid JSON behind ':=' at byte %zu: %s", word,
                        fault.offset, fault.why);
    mct_buf_add(to, text);
    return 0;
}

static int put_word(struct mct_buf *to, const char *word, struct mct_str schema, struct mct_error *err)
{
    const char *eq = strchr(word, '=');
    if (!eq || eq == word || (eq[-1] == ':' && eq - 1 == word))
        return mct_fail(err, MCT_ERR_USAGE, "'%s' is not key=value, key:=JSON or key=@FILE", word);
    bool raw = eq[-1] == ':';
    char key[256];
    snprintf(key, sizeof key, "%.*s", (int)(eq - word - raw), word);
    mct_json_put_key(to, key);
    if (raw)
        return put_json(to, mct_str_of(eq + 1), word, err);
    if (eq[1] == '@' && eq[2] != '@')
        return put_file(to, eq + 2, err);
    const char *text = eq[1] == '@' ? eq + 2 : eq + 1; /* "@@" is a plain "@" */
    put_typed(to, mct_str_of(text), mct_json_get(mct_json_get(schema, "properties"), key));
    return 0;
}

int mct_arguments_put(struct mct_buf *to, const char *const *words, int n, struct mct_str schema,
                      struct mct_error *err)
{
    mct_buf_addc(to, '{');
    for (int i = 0; i < n; i++)
        if (put_word(to, words[i], schema, err) < 0)
            return -1;
    mct_buf_addc(to, '}');
    return mct_buf_ok(to) ? 0 : mct_fail(err, MCT_ERR_LIMIT, "the arguments are too large");
}
