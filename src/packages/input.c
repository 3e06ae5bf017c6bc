/* Inputs of server.json: https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json, "Input". */
#include "packages/impl.h"

#include "base/log/utf8.h"
#include "base/log/visible.h"

#include <ctype.h>
#include <stdlib.h>

enum { INPUT_SHOWN_CHARS = 300, INPUT_DEPTH = 4, INPUT_CHOICES = 200 };

char *mcti_package_text(struct mcti_str value)
{
    char type = mcti_json_type(value), *text;
    if (type != '"')
        return type == '0' || type == 't' || type == 'f' ? mcti_str_dup(value) : NULL;
    text = mcti_json_dup(value);
    size_t n = text ? strlen(text) : 0;
    for (size_t i = 0; i < n; i++)
        if (mcti_control_len(text + i, n - i)) {
            free(text);
            return NULL;
        }
    return text;
}

char *mcti_package_words(struct mcti_str value)
{
    struct mcti_buf raw, b;
    size_t n;
    if (mcti_json_type(value) != '"')
        return NULL;
    mcti_buf_init(&raw, MCT_PLAN_DOCUMENT_BYTES);
    mcti_buf_init(&b, MCT_PLAN_TEXT_BYTES);
    mcti_json_unescape_any(value, &raw);
    for (size_t i = 0; i < raw.len; i++)
        if (raw.p[i] == '\n' || raw.p[i] == '\t' || raw.p[i] == '\r')
            raw.p[i] = ' ';
    struct mcti_str all = mcti_str_trim(mcti_buf_str(&raw)), head = mcti_utf8_head(all, INPUT_SHOWN_CHARS, &n);
    mcti_visible_put(&b, head, MCT_VISIBLE_LINE);
    mcti_buf_addz(&b, head.len < all.len ? "…" : "");
    char *text = b.len ? mcti_buf_take(&b) : NULL;
    mcti_buf_done(&b);
    mcti_buf_done(&raw);
    return text;
}

bool mcti_package_is_variable(const char *name)
{
    static const char others[] = "_.-()"; /* Windows has variables with parentheses */
    size_t i = 0;
    while (name && name[i] && name[0] != '-' && (isalnum((unsigned char)name[i]) || strchr(others, name[i])))
        i++;
    return i && !name[i];
}

static enum mcti_input_format input_format(struct mcti_str json)
{
    static const struct mcti_word words[] = { { "number", MCT_INPUT_NUMBER },
                                              { "boolean", MCT_INPUT_BOOLEAN },
                                              { "filepath", MCT_INPUT_PATH },
                                              { "file_path", MCT_INPUT_PATH },
                                              { 0 } };
    struct mcti_str text;
    const struct mcti_word *w =
        mcti_json_plain(mcti_json_get(json, "format"), &text) ? mcti_word_find(words, text) : NULL;
    return w ? w->value : MCT_INPUT_TEXT;
}

static void input_read_choices(struct mcti_plan *p, struct mcti_input *in, struct mcti_str list)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item);) {
        char *text = in->choices.n < INPUT_CHOICES ? mcti_package_text(item) : NULL;
        p->failed |= !text || mcti_strings_add(&in->choices, mcti_str_of(text)) < 0;
        free(text);
    }
}

/* Returns the input of an argument or variable with this name, or -1: two places may name the same one. */
static int input_find(const struct mcti_plan *p, const char *name, enum mcti_input_use use)
{
    for (size_t i = 0; i < p->n_inputs; i++)
        if (p->inputs[i].use == use && p->inputs[i].name && !strcmp(p->inputs[i].name, name))
            return (int)i;
    return -1;
}

/* Adds the input that is asked for. Returns its template. */
static char *input_ask(const struct mcti_input_place *at, struct mcti_str json)
{
    int index = input_find(at->plan, at->name, at->use);
    struct mcti_input *in = index < 0 ? mcti_plan_add_input(at->plan, &index) : NULL;
    if (in) {
        in->name = strdup(at->name);
        in->use = at->use;
        in->description = mcti_package_words(mcti_json_get(json, "description"));
        in->placeholder = mcti_package_words(mcti_json_get(json, "placeholder"));
        in->preset = mcti_package_text(mcti_json_get(json, "default"));
        in->format = input_format(json);
        in->required = at->required || mcti_json_true(mcti_json_get(json, "isRequired"));
        in->secret = at->secret || mcti_json_true(mcti_json_get(json, "isSecret"));
        in->many = mcti_json_true(mcti_json_get(json, "isRepeated"));
        input_read_choices(at->plan, in, mcti_json_get(json, "choices"));
        at->plan->failed |= !in->name;
    }
    return index < 0 ? NULL : mcti_plan_only_input(index);
}

static char *input_template_at(const struct mcti_input_place *at, struct mcti_str json, int depth);

/* Appends what takes the place of a variable. `whole`: the text is nothing but the variable, which then has the name of
 * the variable of the environment. */
static void input_put_variable(const struct mcti_input_place *at, struct mcti_str key, struct mcti_str json,
                               struct mcti_buf *to, int depth)
{
    char *name = mcti_str_dup(key);
    struct mcti_input_place inner = *at;
    bool is_named = at->use == MCT_INPUT_ENV && at->name;
    if (!is_named) {
        inner.name = name ? name : "";
        inner.use = MCT_INPUT_ARG;
    }
    char *text = input_template_at(&inner, json, depth + 1);
    mcti_buf_addz(to, text ? text : "");
    at->plan->failed |= !text;
    free(text);
    free(name);
}

static char *input_text_at(const struct mcti_input_place *at, struct mcti_str text, struct mcti_str variables,
                           int depth)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_PLAN_TEXT_BYTES);
    for (const char *p = text.p, *end = text.p + text.len; p < end;) {
        const char *close = *p == '{' ? memchr(p, '}', (size_t)(end - p)) : NULL;
        struct mcti_str key = close ? mcti_str_range(p + 1, close) : MCT_STR_NONE;
        char *name = close ? mcti_str_dup(key) : NULL;
        struct mcti_str json = name ? mcti_json_get(variables, name) : MCT_STR_NONE;
        free(name);
        if (mcti_json_type(json) == '{') {
            struct mcti_input_place inner = *at;
            if (key.len + 2 != text.len)
                inner.name = NULL;
            input_put_variable(&inner, key, json, &b, depth);
            p = close + 1;
            continue;
        }
        size_t n = close ? (size_t)(close + 1 - p) : 1;
        mcti_plan_put_fixed(&b, p[0] == '$' && p + 1 < end && p[1] == '{' ? MCT_STR("${") : (struct mcti_str){ p, n });
        p += p[0] == '$' && p + 1 < end && p[1] == '{' ? 2 : n;
    }
    char *out = b.len ? mcti_buf_take(&b) : strdup("");
    mcti_buf_done(&b);
    return out;
}

static char *input_template_at(const struct mcti_input_place *at, struct mcti_str json, int depth)
{
    struct mcti_str value = mcti_json_get(json, "value");
    char *text = value.p ? mcti_package_text(value) : NULL, *out = NULL;
    struct mcti_input_place inside = *at; /* a text that is required or secret has such variables */
    inside.required |= mcti_json_true(mcti_json_get(json, "isRequired"));
    inside.secret |= mcti_json_true(mcti_json_get(json, "isSecret"));
    if (value.p && (!text || depth > INPUT_DEPTH))
        at->plan->failed = true;
    else if (value.p)
        out = input_text_at(&inside, mcti_str_of(text), mcti_json_get(json, "variables"), depth);
    else
        out = input_ask(at, json);
    free(text);
    return out;
}

char *mcti_input_template(const struct mcti_input_place *at, struct mcti_str json)
{
    return input_template_at(at, json, 0);
}

char *mcti_input_text(const struct mcti_input_place *at, struct mcti_str text, struct mcti_str variables)
{
    return input_text_at(at, text, variables, 0);
}
