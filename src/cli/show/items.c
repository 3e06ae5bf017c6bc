#include "cli/show/items.h"

#include "base/log/visible.h"
#include "cli/target.h"
#include "cli/terminal/wrap.h"
#include "json/write.h"

#include <stdlib.h>

enum { NAME_COLUMNS = 12 };

/* Appends the arguments of a prompt as words of the command line. */
static void items_put_arguments(struct mcti_buf *to, struct mcti_str item)
{
    struct mcti_str argument;
    struct mcti_buf name;
    mcti_buf_init(&name, 1u << 20);
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(item, "arguments"));
    for (; mcti_json_next_item(&it, &argument); mcti_buf_clear(&name)) {
        bool required = mcti_json_true(mcti_json_get(argument, "required"));
        if (mcti_json_unescape_any(mcti_json_get(argument, "name"), &name) < 0)
            continue;
        mcti_buf_printf(to, required ? " %.*s=TEXT" : " [%.*s=TEXT]", MCT_STR_ARG(mcti_buf_str(&name)));
    }
    mcti_buf_done(&name);
}

/* Prints the label of an item behind its name, or below it if the line would be too long. */
static void print_label(struct mcti_app *app, struct mcti_str label, unsigned at)
{
    enum { INDENT = 4 };
    bool below = app->columns && at + 2 + mcti_text_columns(label) > app->columns;
    printf(below ? "\n%*s" : "%*s", below ? INDENT : 2, "");
    mcti_out_wrapped(app, MCT_DIM, below ? INDENT : at + 2, INDENT, label);
}

/* Returns the columns of the line that print_item() begins. */
static unsigned item_columns(const struct mcti_app *app, const struct mcti_provider *p, const struct mcti_item *item)
{
    unsigned name = mcti_text_columns(mcti_str_of(p->name)), column = mcti_out_name_columns(app, NAME_COLUMNS);
    return (item->kind != MCT_PROMPT && name < column ? column : name) + 1 + mcti_text_columns(mcti_item_id(item));
}

/* Prints the name and the arguments of a prompt. Returns their columns. */
static unsigned items_print_prompt(struct mcti_app *app, const struct mcti_provider *p, const struct mcti_item *item)
{
    enum { INDENT = 8 };
    unsigned at = item_columns(app, p, item);
    struct mcti_buf arguments;
    mcti_buf_init(&arguments, 1u << 20);
    items_put_arguments(&arguments, mcti_item_json(item));
    mcti_out_item_name(app, p, item);
    mcti_out_wrapped(app, MCT_PLAIN, at, INDENT, mcti_buf_str(&arguments));
    at += mcti_text_columns(mcti_buf_str(&arguments));
    mcti_buf_done(&arguments);
    return at;
}

static void print_id(const struct mcti_app *app, struct mcti_str id)
{
    struct mcti_buf line;
    mcti_buf_init(&line, 1u << 20);
    mcti_visible_put(&line, id, MCT_VISIBLE_LINE); /* also in a pipe: a line is an item */
    mcti_out_styled(app, MCT_BOLD, "%.*s", (int)line.len, line.p);
    mcti_buf_done(&line);
}

static void print_item(struct mcti_app *app, const struct mcti_provider *p, const struct mcti_item *item)
{
    const char *label_key = mcti_json_get(mcti_item_json(item), "title").p ? "title" : "name";
    unsigned at = item_columns(app, p, item);
    struct mcti_buf label;
    mcti_buf_init(&label, 1u << 20);
    mcti_json_unescape_any(mcti_json_get(mcti_item_json(item), label_key), &label);
    if (item->kind == MCT_PROMPT) {
        at = items_print_prompt(app, p, item);
    } else {
        mcti_out(app, "%-*s ", (int)mcti_out_name_columns(app, NAME_COLUMNS), p->name);
        print_id(app, mcti_item_id(item));
        mcti_buf_addz(&label, mcti_json_get(mcti_item_json(item), "mimeType").p ? "  " : "");
        mcti_json_unescape_any(mcti_json_get(mcti_item_json(item), "mimeType"), &label);
    }
    if (label.len)
        print_label(app, mcti_buf_str(&label), at);
    putchar('\n');
    mcti_buf_done(&label);
}

static bool items_selected(const struct mcti_target *t, const struct mcti_provider *p)
{
    return (!t->provider || t->provider == p) && p->state == MCT_CONNECTED;
}

/* Appends the item as the server sent it; with `many` servers, plus a member "server". */
static void items_put_item(struct mcti_buf *b, const struct mcti_provider *p, const struct mcti_item *item, bool many)
{
    struct mcti_buf name;
    if (!many) {
        mcti_buf_add(b, mcti_item_json(item));
        return;
    }
    mcti_buf_init(&name, 4096);
    mcti_json_put_string(&name, mcti_str_of(p->name));
    const struct mcti_json_set set = { "server", mcti_buf_str(&name) };
    mcti_json_put_object(b, mcti_item_json(item), &set, 1);
    mcti_buf_done(&name);
}

static void items_print_json(const struct mcti_app *app, const struct mcti_target *t, enum mcti_kind kind)
{
    struct mcti_buf b;
    size_t n = 0;
    mcti_buf_init(&b, (size_t)1 << 32);
    mcti_buf_addc(&b, '{');
    mcti_json_put_key(&b, mcti_kind_info(kind)->list_key);
    mcti_buf_addc(&b, '[');
    for (size_t i = 0; i < app->inst.registry.n; i++) {
        const struct mcti_provider *p = app->inst.registry.v[i];
        for (size_t k = 0; items_selected(t, p) && k < p->items[kind].n; k++) {
            mcti_buf_addz(&b, n++ ? "," : "");
            items_put_item(&b, p, p->items[kind].v[k], !t->provider);
        }
    }
    mcti_buf_addc(&b, ']');
    mcti_out_put_errors(app, &b);
    mcti_buf_addc(&b, '}');
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

int mcti_items_command(struct mcti_app *app, enum mcti_kind kind)
{
    struct mcti_target t;
    int status = mcti_target_open(app, app->argc ? app->argv[0] : NULL, kind, false, &t);
    if (status)
        return status;
    mcti_out_page(app);
    if (app->opt.output == MCT_OUT_JSON) {
        items_print_json(app, &t, kind);
        return mcti_out_failures(app);
    }
    for (size_t i = 0; i < app->inst.registry.n; i++) {
        const struct mcti_provider *p = app->inst.registry.v[i];
        for (size_t k = 0; items_selected(&t, p) && k < p->items[kind].n; k++)
            print_item(app, p, p->items[kind].v[k]);
    }
    return mcti_out_failures(app);
}

const char *mcti_items_counts(const struct mcti_provider *p, char to[MCT_COUNTS_BYTES])
{
    static const struct {
        enum mcti_kind kind;
        const char *word;
    } rows[] = {
        { MCT_TOOL, "tool" }, { MCT_RESOURCE, "resource" }, { MCT_TEMPLATE, "template" }, { MCT_PROMPT, "prompt" }
    };
    size_t len = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = p->items[rows[i].kind].n;
        len += (size_t)snprintf(to + len, MCT_COUNTS_BYTES - len, "%s%zu %s%s", i ? ", " : "", n, rows[i].word,
                                n == 1 ? "" : "s");
    }
    return to;
}
