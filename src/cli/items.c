#include "cli/items.h"

#include "cli/target.h"
#include "json/write.h"

#include <stdlib.h>

/* `name`'s arguments, as a prompt is called. */
static void print_arguments(struct mct_app *app, struct mct_str item)
{
    struct mct_str argument, name;
    struct mct_json_iter it = mct_json_open(mct_json_get(item, "arguments"));
    while (mct_json_next_item(&it, &argument)) {
        bool required = mct_json_true(mct_json_get(argument, "required"));
        if (!mct_json_plain(mct_json_get(argument, "name"), &name))
            continue;
        mct_out(app, required ? " %.*s=TEXT" : " [%.*s=TEXT]", MCT_STR_ARG(name));
    }
}

static void print_item(struct mct_app *app, const struct mct_provider *p, const struct mct_item *item)
{
    const char *label_key = mct_json_get(item->json, "title").p ? "title" : "name";
    char *label = mct_json_dup(mct_json_get(item->json, label_key));
    char *mime = mct_json_dup(mct_json_get(item->json, "mimeType"));
    if (item->kind == MCT_PROMPT) {
        mct_out_item_name(app, p, item);
        print_arguments(app, item->json);
    } else {
        mct_out(app, "%-12s ", p->name);
        mct_out_styled(app, MCT_BOLD, "%.*s", (int)item->id.len, item->id.p);
    }
    mct_out_styled(app, MCT_DIM, "%s%s%s%s", label ? "  " : "", label ? label : "", mime ? "  " : "", mime ? mime : "");
    putchar('\n');
    free(label);
    free(mime);
}

static bool selected(const struct mct_target *t, const struct mct_provider *p)
{
    return (!t->provider || t->provider == p) && p->state == MCT_CONNECTED;
}

/* Spec objects; with several servers each also says whose it is. */
static void put_item(struct mct_buf *b, const struct mct_provider *p, const struct mct_item *item, bool many)
{
    struct mct_buf name;
    if (!many) {
        mct_buf_add(b, item->json);
        return;
    }
    mct_buf_init(&name, 4096);
    mct_json_put_string(&name, mct_str_of(p->name));
    const struct mct_json_set set = { "server", mct_buf_str(&name) };
    mct_json_put_object(b, item->json, &set, 1);
    mct_buf_done(&name);
}

static void print_json(const struct mct_app *app, const struct mct_target *t, enum mct_kind kind)
{
    struct mct_buf b;
    size_t n = 0;
    mct_buf_init(&b, (size_t)1 << 32);
    mct_buf_addc(&b, '{');
    mct_json_put_key(&b, mct_kind_info(kind)->list_key);
    mct_buf_addc(&b, '[');
    for (size_t i = 0; i < app->inst.registry.n; i++) {
        const struct mct_provider *p = app->inst.registry.v[i];
        for (size_t k = 0; selected(t, p) && k < p->items[kind].n; k++) {
            mct_buf_addz(&b, n++ ? "," : "");
            put_item(&b, p, p->items[kind].v[k], !t->provider);
        }
    }
    mct_buf_addc(&b, ']');
    mct_out_put_errors(app, &b);
    mct_buf_addc(&b, '}');
    mct_out_json(app, mct_buf_str(&b));
    mct_buf_done(&b);
}

int mct_items_command(struct mct_app *app, enum mct_kind kind)
{
    struct mct_target t;
    int status = mct_target_open(app, app->argc ? app->argv[0] : NULL, kind, false, &t);
    if (status)
        return status;
    if (app->opt.output == MCT_OUT_JSON) {
        print_json(app, &t, kind);
        return mct_out_failures(app);
    }
    for (size_t i = 0; i < app->inst.registry.n; i++) {
        const struct mct_provider *p = app->inst.registry.v[i];
        for (size_t k = 0; selected(&t, p) && k < p->items[kind].n; k++)
            print_item(app, p, p->items[kind].v[k]);
    }
    return mct_out_failures(app);
}
