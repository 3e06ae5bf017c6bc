/* Elicitation on the terminal: asks for the fields of a form one by one, with defaults and choices. */
#include "base/limits.h"
#include "cli/answers.h"
#include "io/typed.h"
#include "schema/schema.h"

#include <stdlib.h>

struct question {
    struct mcti_list node;
    struct mcti_ask *ask;
};

struct mcti_terminal {
    struct mcti_app *app;
    struct mcti_list queue;     /* of struct question; the first one is on the screen */
    bool in_fields;             /* the user agreed to answer, and fields are read */
    struct mcti_json_iter left; /* fields after the current one */
    struct mcti_json_member field;
    struct mcti_buf content; /* the answers so far: members without braces */
    struct mcti_typed typed;
};

static void elicit_terminal_ask_next(struct mcti_terminal *t);
static void ask_field(struct mcti_terminal *t);

static struct question *elicit_terminal_first(const struct mcti_terminal *t)
{
    return mcti_list_empty(&t->queue) ? NULL : MCT_CONTAINER(t->queue.next, struct question, node);
}

/* ---- printing ---- */

/* Prints a text of the server; its lines behind the first one begin further to the right than any of ours. */
static void elicit_terminal_put(struct mcti_str text)
{
    enum { INDENT = 6 };
    char *owned = mcti_str_dup(text);
    if (owned)
        mcti_err_text(INDENT, owned);
    free(owned);
}

/* Prints a JSON value; strings without quotes. */
static void show_raw(struct mcti_str value)
{
    struct mcti_buf text;
    mcti_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    if (mcti_json_unescape_any(value, &text) < 0)
        mcti_buf_add(&text, value);
    elicit_terminal_put(mcti_buf_str(&text));
    mcti_buf_done(&text);
}

/* Prints a string between two texts of ours; nothing if it is absent. */
static void elicit_terminal_show(const char *before, struct mcti_str json_string)
{
    if (mcti_json_type(json_string) != '"')
        return;
    fputs(before, stderr);
    show_raw(json_string);
}

/* ---- fields ---- */

/* Returns the list of choices of a field: objects with "const" and "title", or plain values. Absent: any value. */
static struct mcti_str elicit_terminal_choices(struct mcti_str schema)
{
    static const char *const keys[] = { "oneOf", "anyOf", "enum" };
    struct mcti_str items = mcti_json_get(schema, "items");
    struct mcti_str of = mcti_json_is(mcti_json_get(schema, "type"), "array") ? items : schema, found = MCT_STR_NONE;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !found.p; i++)
        found = mcti_json_get(of, keys[i]);
    return found;
}

/* Returns the value of a choice. */
static struct mcti_str choice_value(struct mcti_str choice)
{
    return mcti_json_type(choice) == '{' ? mcti_json_get(choice, "const") : choice;
}

static void show_choices(struct mcti_str list)
{
    struct mcti_str one;
    unsigned n = 0;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &one);) {
        fprintf(stderr, "    %u) ", ++n);
        show_raw(choice_value(one));
        elicit_terminal_show("  ", mcti_json_get(one, "title"));
        fputc('\n', stderr);
    }
}

static bool elicit_terminal_is_required(const struct mcti_terminal *t)
{
    struct mcti_str list = mcti_json_get(mcti_json_get(elicit_terminal_first(t)->ask->params, "requestedSchema"),
                                         "required"),
                    one;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &one);)
        if (mcti_json_same_text(one, mcti_json_key_value(t->field.key)))
            return true;
    return false;
}

static void show_label(const struct mcti_terminal *t)
{
    struct mcti_str schema = t->field.value, title = mcti_json_get(schema, "title"),
                    preset = mcti_json_get(schema, "default");
    fputs("  ", stderr);
    if (title.p)
        elicit_terminal_show("", title);
    else
        show_raw(mcti_json_key_value(t->field.key));
    elicit_terminal_show(" - ", mcti_json_get(schema, "description"));
    elicit_terminal_show(" (", mcti_json_get(schema, "type"));
    elicit_terminal_show(", ", mcti_json_get(schema, "format"));
    fputs(elicit_terminal_is_required(t) ? ", required)" : ")", stderr);
    if (!preset.p)
        return;
    fputs(" [", stderr);
    show_raw(preset);
    fputc(']', stderr);
}

static void prompt_field(struct mcti_terminal *t)
{
    struct mcti_str list = elicit_terminal_choices(t->field.value);
    show_label(t);
    if (list.p) {
        fputc('\n', stderr);
        show_choices(list);
        fputs(mcti_json_is(mcti_json_get(t->field.value, "type"), "array") ? "  choose one or more, separated by commas"
                                                                           : "  choose one",
              stderr);
    }
    fputs(": ", stderr);
    fflush(stderr);
}

/* Appends the input `typed` as a JSON value of the field's type. A choice may be given by its number. */
static void elicit_terminal_put_one(struct mcti_buf *to, struct mcti_str schema, struct mcti_str type,
                                    struct mcti_str typed)
{
    struct mcti_str list = elicit_terminal_choices(schema), one;
    uint64_t wanted;
    unsigned n = 0;
    if (list.p && mcti_json_uint(typed, &wanted)) {
        for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &one);)
            if (++n == wanted && choice_value(one).p) {
                mcti_buf_add(to, choice_value(one));
                return;
            }
    }
    if (mcti_json_is(type, "boolean") && typed.len && strchr("yYnN", typed.p[0]))
        mcti_buf_addz(to, typed.p[0] == 'y' || typed.p[0] == 'Y' ? "true" : "false");
    else if ((mcti_json_is(type, "number") || mcti_json_is(type, "integer") || mcti_json_is(type, "boolean")) &&
             mcti_json_valid(typed, 1, NULL, NULL))
        mcti_buf_add(to, typed);
    else
        mcti_json_put_string(to, typed);
}

static void elicit_terminal_put_value(struct mcti_buf *to, struct mcti_str schema, struct mcti_str typed)
{
    struct mcti_str type = mcti_json_get(schema, "type"), part;
    if (!mcti_json_is(type, "array")) {
        elicit_terminal_put_one(to, schema, type, typed);
        return;
    }
    mcti_buf_addc(to, '[');
    for (bool more = false; mcti_str_split(&typed, ',', &part); more = true) {
        if (more)
            mcti_buf_addc(to, ',');
        elicit_terminal_put_one(to, schema, mcti_json_get(mcti_json_get(schema, "items"), "type"), mcti_str_trim(part));
    }
    mcti_buf_addc(to, ']');
}

static void take_field(struct mcti_terminal *t, struct mcti_str value)
{
    mcti_buf_addz(&t->content, t->content.len ? ",\"" : "\"");
    mcti_buf_add(&t->content, t->field.key);
    mcti_buf_addz(&t->content, "\":");
    mcti_buf_add(&t->content, value);
}

/* ---- one question ---- */

static void elicit_terminal_answer(struct mcti_terminal *t, struct mcti_str result)
{
    struct question *q = elicit_terminal_first(t);
    struct mcti_ask *ask = q->ask;
    mcti_list_remove(&q->node);
    free(q);
    t->in_fields = false;
    mcti_ask_answer(ask, result);
    elicit_terminal_ask_next(t);
}

static void answer_fields(struct mcti_terminal *t)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&b, "{\"action\":\"accept\",\"content\":{");
    mcti_buf_add(&b, mcti_buf_str(&t->content));
    mcti_buf_addz(&b, "}}");
    elicit_terminal_answer(t, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void ask_field(struct mcti_terminal *t)
{
    if (mcti_json_next_member(&t->left, &t->field))
        prompt_field(t);
    else
        answer_fields(t);
}

static bool is_url(const struct mcti_ask *a)
{
    return mcti_json_is(mcti_json_get(a->params, "mode"), "url");
}

static void elicit_terminal_on_consent(struct mcti_terminal *t, struct mcti_str typed)
{
    const struct mcti_ask *a = elicit_terminal_first(t)->ask;
    char c = typed.len ? typed.p[0] : is_url(a) ? '?' : 'y'; /* an empty line must not accept a URL */
    if (c == 'n' || c == 'N') {
        elicit_terminal_answer(t, MCT_STR("{\"action\":\"decline\"}"));
    } else if (c == 'c' || c == 'C') {
        elicit_terminal_answer(t, MCT_STR("{\"action\":\"cancel\"}"));
    } else if (c != 'y' && c != 'Y') {
        fputs("  y, n or c: ", stderr);
        fflush(stderr);
    } else if (is_url(a)) {
        elicit_terminal_answer(t, MCT_STR("{\"action\":\"accept\"}"));
    } else {
        t->in_fields = true;
        mcti_buf_clear(&t->content);
        t->left = mcti_json_open(mcti_json_get(mcti_json_get(a->params, "requestedSchema"), "properties"));
        ask_field(t);
    }
}

static void elicit_terminal_on_field(struct mcti_terminal *t, struct mcti_str typed)
{
    struct mcti_schema_fault fault;
    struct mcti_str preset = mcti_json_get(t->field.value, "default");
    struct mcti_buf value;
    if (!typed.len && (preset.p || !elicit_terminal_is_required(t))) {
        if (preset.p)
            take_field(t, preset);
        ask_field(t);
        return;
    }
    if (!typed.len) {
        fputs("  a value is required\n", stderr);
        prompt_field(t);
        return;
    }
    mcti_buf_init(&value, MCT_LIMIT_MESSAGE_BYTES);
    elicit_terminal_put_value(&value, t->field.value, typed);
    bool good = mcti_schema_check(t->field.value, mcti_buf_str(&value), &fault) != MCT_SCHEMA_INVALID;
    if (good)
        take_field(t, mcti_buf_str(&value));
    else
        mcti_err("  the value %s\n", fault.why);
    mcti_buf_done(&value);
    good ? ask_field(t) : prompt_field(t);
}

static void elicit_terminal_on_line(void *data, struct mcti_str typed)
{
    struct mcti_terminal *t = data;
    if (!elicit_terminal_first(t))
        return;
    if (t->in_fields)
        elicit_terminal_on_field(t, typed);
    else
        elicit_terminal_on_consent(t, typed);
}

static void begin_question(struct mcti_terminal *t)
{
    const struct mcti_ask *a = elicit_terminal_first(t)->ask;
    mcti_out_progress_end(t->app);
    fputc('\n', stderr);
    if (a->server)
        mcti_err("server '%s' asks", a->server);
    else
        fputs("approval", stderr);
    elicit_terminal_show(": ", mcti_json_get(a->params, "message"));
    fputc('\n', stderr);
    if (is_url(a)) {
        elicit_terminal_show("  page to open in your browser: ", mcti_json_get(a->params, "url"));
        fputc('\n', stderr);
        fputs("  agree? [y]es, [n]o, [c]ancel: ", stderr);
    } else {
        fputs("  answer? [Y]es, [n]o, [c]ancel: ", stderr);
    }
    fflush(stderr);
}

/* ---- reading ---- */

static void cancel_all(void *data)
{
    struct mcti_terminal *t = data;
    while (elicit_terminal_first(t))
        elicit_terminal_answer(t, MCT_STR("{\"action\":\"cancel\"}"));
}

static void elicit_terminal_ask_next(struct mcti_terminal *t)
{
    if (!elicit_terminal_first(t)) {
        mcti_typed_stop(&t->typed);
        return;
    }
    begin_question(t);
    if (mcti_typed_start(&t->typed, &t->app->inst.loop) < 0)
        cancel_all(t);
}

/* ---- life ---- */

struct mcti_terminal *mcti_terminal_new(struct mcti_app *app)
{
    struct mcti_terminal *t = calloc(1, sizeof *t);
    if (t)
        t->typed = (struct mcti_typed){ .line = elicit_terminal_on_line, .end = cancel_all, .data = t };
    if (!t || mcti_typed_open(&t->typed) < 0) {
        free(t);
        return NULL;
    }
    t->app = app;
    mcti_list_init(&t->queue);
    mcti_buf_init(&t->content, MCT_LIMIT_MESSAGE_BYTES);
    return t;
}

void mcti_terminal_free(struct mcti_terminal *t)
{
    if (!t)
        return;
    mcti_typed_close(&t->typed);
    mcti_buf_done(&t->content);
    free(t);
}

void mcti_terminal_ask(struct mcti_terminal *t, struct mcti_ask *a)
{
    struct mct_error err;
    struct question *q = calloc(1, sizeof *q);
    if (!q) {
        mcti_no_memory(&err);
        mcti_ask_fail(a, &err);
        return;
    }
    q->ask = a;
    mcti_list_append(&t->queue, &q->node);
    if (elicit_terminal_first(t) == q)
        elicit_terminal_ask_next(t);
}

void mcti_terminal_withdraw(struct mcti_terminal *t, struct mcti_ask *a)
{
    struct question *current = elicit_terminal_first(t);
    MCT_LIST_EACH(it, &t->queue) {
        struct question *q = MCT_CONTAINER(it, struct question, node);
        if (q->ask != a)
            continue;
        mcti_list_remove(&q->node);
        if (q == current) {
            fprintf(stderr, "\n  (%s)\n",
                    a->server ? "the server withdrew its question" : "the approval was withdrawn");
            t->in_fields = false;
            elicit_terminal_ask_next(t);
        }
        free(q);
        return;
    }
}
