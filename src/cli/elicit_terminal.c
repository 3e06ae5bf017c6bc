/* Elicitations on the terminal: field by field, with defaults, choices and a way out. */
#include "base/limits.h"
#include "cli/answers.h"
#include "schema/schema.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct question {
    struct mct_list node;
    struct mct_ask *ask;
};

struct mct_terminal {
    struct mct_app *app;
    struct mct_list queue;    /* the first is being asked */
    bool in_fields;           /* past the first "answer?" */
    struct mct_json_iter left; /* fields behind the current one */
    struct mct_json_member field;
    struct mct_buf content;   /* the answers so far: members without braces */
    struct mct_buf line;      /* what is being typed */
    uv_poll_t *poll;          /* NULL: not reading */
    int fd;                   /* the terminal, opened by itself: polling makes it non-blocking, which stdin
                               * and stdout, being the same, must not become */
};

static void ask_next(struct mct_terminal *t);
static void ask_field(struct mct_terminal *t);

static struct question *first(const struct mct_terminal *t)
{
    return mct_list_empty(&t->queue) ? NULL : MCT_CONTAINER(t->queue.next, struct question, node);
}

/* ---- printing ---- */

/* Foreign text, fit for a terminal. */
static void show(const char *before, struct mct_str json_string, const char *after)
{
    char *text = mct_json_dup(json_string);
    if (!text)
        return;
    mct_err("%s%s%s", before, text, after);
    free(text);
}

/* A value as a person writes it: texts without quotes. */
static void show_raw(struct mct_str value)
{
    char *text = mct_json_type(value) == '"' ? mct_json_dup(value) : mct_str_dup(value);
    mct_err("%s", text ? text : "");
    free(text);
}

/* ---- fields ---- */

/* The choices of a field: constants with titles, or plain values; NULL span: any value. */
static struct mct_str choices(struct mct_str schema)
{
    static const char *const keys[] = { "oneOf", "anyOf", "enum" };
    struct mct_str items = mct_json_get(schema, "items");
    struct mct_str of = mct_json_is(mct_json_get(schema, "type"), "array") ? items : schema, found = MCT_STR_NONE;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !found.p; i++)
        found = mct_json_get(of, keys[i]);
    return found;
}

/* The value a choice stands for. */
static struct mct_str choice_value(struct mct_str choice)
{
    return mct_json_type(choice) == '{' ? mct_json_get(choice, "const") : choice;
}

static void show_choices(struct mct_str list)
{
    struct mct_str one;
    unsigned n = 0;
    for (struct mct_json_iter it = mct_json_open(list); mct_json_next_item(&it, &one);) {
        fprintf(stderr, "    %u) ", ++n);
        show_raw(choice_value(one));
        show("  ", mct_json_get(one, "title"), "");
        fputc('\n', stderr);
    }
}

static bool is_required(const struct mct_terminal *t)
{
    struct mct_str list = mct_json_get(mct_json_get(first(t)->ask->params, "requestedSchema"), "required"), one;
    for (struct mct_json_iter it = mct_json_open(list); mct_json_next_item(&it, &one);)
        if (one.len == t->field.key.len + 2 && !memcmp(one.p + 1, t->field.key.p, t->field.key.len))
            return true;
    return false;
}

static void show_label(const struct mct_terminal *t)
{
    struct mct_str schema = t->field.value, title = mct_json_get(schema, "title"), preset = mct_json_get(schema, "default");
    fputs("  ", stderr);
    if (title.p)
        show("", title, "");
    else
        show_raw(t->field.key);
    show(" - ", mct_json_get(schema, "description"), "");
    show(" (", mct_json_get(schema, "type"), "");
    show(", ", mct_json_get(schema, "format"), "");
    fputs(is_required(t) ? ", required)" : ")", stderr);
    if (!preset.p)
        return;
    fputs(" [", stderr);
    show_raw(preset);
    fputc(']', stderr);
}

static void prompt_field(struct mct_terminal *t)
{
    struct mct_str list = choices(t->field.value);
    show_label(t);
    if (list.p) {
        fputc('\n', stderr);
        show_choices(list);
        fputs(mct_json_is(mct_json_get(t->field.value, "type"), "array") ? "  several, with commas" : "  one of them", stderr);
    }
    fputs(": ", stderr);
    fflush(stderr);
}

/* What was typed as a JSON value of the field's type; choices go by number, too. */
static void put_one(struct mct_buf *to, struct mct_str schema, struct mct_str type, struct mct_str typed)
{
    struct mct_str list = choices(schema), one;
    uint64_t wanted;
    unsigned n = 0;
    if (list.p && mct_json_uint(typed, &wanted)) {
        for (struct mct_json_iter it = mct_json_open(list); mct_json_next_item(&it, &one);)
            if (++n == wanted && choice_value(one).p) {
                mct_buf_add(to, choice_value(one));
                return;
            }
    }
    if (mct_json_is(type, "boolean") && typed.len && strchr("yYnN", typed.p[0]))
        mct_buf_addz(to, typed.p[0] == 'y' || typed.p[0] == 'Y' ? "true" : "false");
    else if ((mct_json_is(type, "number") || mct_json_is(type, "integer") || mct_json_is(type, "boolean")) &&
             mct_json_valid(typed, 1, NULL, NULL))
        mct_buf_add(to, typed);
    else
        mct_json_put_string(to, typed);
}

static void put_value(struct mct_buf *to, struct mct_str schema, struct mct_str typed)
{
    struct mct_str type = mct_json_get(schema, "type"), part;
    if (!mct_json_is(type, "array")) {
        put_one(to, schema, type, typed);
        return;
    }
    mct_buf_addc(to, '[');
    for (bool more = false; mct_str_split(&typed, ',', &part); more = true) {
        if (more)
            mct_buf_addc(to, ',');
        put_one(to, schema, mct_json_get(mct_json_get(schema, "items"), "type"), mct_str_trim(part));
    }
    mct_buf_addc(to, ']');
}

static void take_field(struct mct_terminal *t, struct mct_str value)
{
    mct_buf_addz(&t->content, t->content.len ? ",\"" : "\"");
    mct_buf_add(&t->content, t->field.key);
    mct_buf_addz(&t->content, "\":");
    mct_buf_add(&t->content, value);
}

/* ---- one question ---- */

static void answer(struct mct_terminal *t, struct mct_str result)
{
    struct question *q = first(t);
    struct mct_ask *ask = q->ask;
    mct_list_remove(&q->node);
    free(q);
    t->in_fields = false;
    mct_ask_answer(ask, result);
    ask_next(t);
}

static void answer_fields(struct mct_terminal *t)
{
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addz(&b, "{\"action\":\"accept\",\"content\":{");
    mct_buf_add(&b, mct_buf_str(&t->content));
    mct_buf_addz(&b, "}}");
    answer(t, mct_buf_str(&b));
    mct_buf_done(&b);
}

static void ask_field(struct mct_terminal *t)
{
    if (mct_json_next_member(&t->left, &t->field))
        prompt_field(t);
    else
        answer_fields(t);
}

static bool is_url(const struct mct_ask *a)
{
    return mct_json_is(mct_json_get(a->params, "mode"), "url");
}

static void on_consent(struct mct_terminal *t, struct mct_str typed)
{
    const struct mct_ask *a = first(t)->ask;
    char c = typed.len ? typed.p[0] : is_url(a) ? '?' : 'y'; /* no URL is agreed to by accident */
    if (c == 'n' || c == 'N') {
        answer(t, MCT_STR("{\"action\":\"decline\"}"));
    } else if (c == 'c' || c == 'C') {
        answer(t, MCT_STR("{\"action\":\"cancel\"}"));
    } else if (c != 'y' && c != 'Y') {
        fputs("  y, n or c: ", stderr);
        fflush(stderr);
    } else if (is_url(a)) {
        answer(t, MCT_STR("{\"action\":\"accept\"}"));
    } else {
        t->in_fields = true;
        mct_buf_clear(&t->content);
        t->left = mct_json_open(mct_json_get(mct_json_get(a->params, "requestedSchema"), "properties"));
        ask_field(t);
    }
}

static void on_field(struct mct_terminal *t, struct mct_str typed)
{
    struct mct_schema_fault fault;
    struct mct_str preset = mct_json_get(t->field.value, "default");
    struct mct_buf value;
    if (!typed.len && (preset.p || !is_required(t))) {
        if (preset.p)
            take_field(t, preset);
        ask_field(t);
        return;
    }
    if (!typed.len) {
        fputs("  it is required\n", stderr);
        prompt_field(t);
        return;
    }
    mct_buf_init(&value, MCT_LIMIT_MESSAGE_BYTES);
    put_value(&value, t->field.value, typed);
    bool good = mct_schema_check(t->field.value, mct_buf_str(&value), &fault) != MCT_SCHEMA_INVALID;
    if (good)
        take_field(t, mct_buf_str(&value));
    else
        mct_err("  it %s\n", fault.why);
    mct_buf_done(&value);
    good ? ask_field(t) : prompt_field(t);
}

static void on_line(struct mct_terminal *t, struct mct_str typed)
{
    if (!first(t))
        return;
    if (t->in_fields)
        on_field(t, typed);
    else
        on_consent(t, typed);
}

static void begin_question(struct mct_terminal *t)
{
    const struct mct_ask *a = first(t)->ask;
    mct_out_progress_end(t->app);
    fputc('\n', stderr);
    if (a->server)
        mct_err("server '%s' asks", a->server);
    else
        fputs("approval", stderr);
    show(": ", mct_json_get(a->params, "message"), "");
    fputc('\n', stderr);
    if (is_url(a)) {
        show("  to visit this page (it is not opened for you): ", mct_json_get(a->params, "url"), "");
        fputc('\n', stderr);
        fputs("  visited, or agreed to? [y]es, [n]o, [c]ancel: ", stderr);
    } else {
        fputs("  answer? [Y]es, [n]o, [c]ancel: ", stderr);
    }
    fflush(stderr);
}

/* ---- reading ---- */

static void free_poll(uv_handle_t *h)
{
    free(h);
}

static void stop_reading(struct mct_terminal *t)
{
    if (t->poll)
        uv_close((uv_handle_t *)t->poll, free_poll);
    t->poll = NULL;
}

static void cancel_all(struct mct_terminal *t)
{
    while (first(t))
        answer(t, MCT_STR("{\"action\":\"cancel\"}"));
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct mct_terminal *t = poll->data;
    char *at = mct_buf_reserve(&t->line, 4096);
    ssize_t n = at && status >= 0 ? read(t->fd, at, 4096) : 0;
    (void)events;
    if (n <= 0) {
        cancel_all(t);
        return;
    }
    t->line.len += (size_t)n;
    for (char *end; t->line.len && (end = memchr(t->line.p, '\n', t->line.len));) {
        char *typed = mct_str_dup(mct_str_trim(mct_str_range(t->line.p, end)));
        mct_buf_shift(&t->line, (size_t)(end - t->line.p) + 1);
        if (typed)
            on_line(t, mct_str_of(typed));
        free(typed);
    }
}

static void start_reading(struct mct_terminal *t)
{
    if (t->poll || !(t->poll = calloc(1, sizeof *t->poll)))
        return;
    if (uv_poll_init(&t->app->loop.uv, t->poll, t->fd) < 0) {
        free(t->poll);
        t->poll = NULL;
        return;
    }
    t->poll->data = t;
    uv_poll_start(t->poll, UV_READABLE, on_readable);
}

static void ask_next(struct mct_terminal *t)
{
    if (!first(t)) {
        stop_reading(t);
        return;
    }
    begin_question(t);
    start_reading(t);
    if (!t->poll)
        cancel_all(t);
}

/* ---- life ---- */

struct mct_terminal *mct_terminal_new(struct mct_app *app)
{
    struct mct_terminal *t = calloc(1, sizeof *t);
    if (t)
        t->fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (!t || t->fd < 0) {
        free(t);
        return NULL;
    }
    t->app = app;
    mct_list_init(&t->queue);
    mct_buf_init(&t->content, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&t->line, 1u << 20);
    return t;
}

void mct_terminal_free(struct mct_terminal *t)
{
    if (!t)
        return;
    stop_reading(t);
    close(t->fd);
    mct_buf_done(&t->content);
    mct_buf_done(&t->line);
    free(t);
}

void mct_terminal_ask(struct mct_terminal *t, struct mct_ask *a)
{
    struct mct_error err;
    struct question *q = calloc(1, sizeof *q);
    if (!q) {
        mct_no_memory(&err);
        mct_ask_fail(a, &err);
        return;
    }
    q->ask = a;
    mct_list_append(&t->queue, &q->node);
    if (first(t) == q)
        ask_next(t);
}

void mct_terminal_withdraw(struct mct_terminal *t, struct mct_ask *a)
{
    struct question *current = first(t);
    MCT_LIST_EACH(it, &t->queue) {
        struct question *q = MCT_CONTAINER(it, struct question, node);
        if (q->ask != a)
            continue;
        mct_list_remove(&q->node);
        if (q == current) {
            fprintf(stderr, "\n  (%s)\n", a->server ? "the server does not ask any more" : "it is too late for an answer");
            t->in_fields = false;
            ask_next(t);
        }
        free(q);
        return;
    }
}
