#include "hub/view/pages.h"

#include "base/limits.h"
#include "base/rand.h"
#include "mcp/shape/shape.h"
#include "hub/apps/rewrite.h"
#include "hub/results/results.h"
#include "hub/view/view.h"
#include "skills/label.h"

#include <stdlib.h>

struct list_text {
    struct mcti_list node; /* in view->lists, most recently used last */
    struct mcti_list_of of;
    uint64_t generation, id;
    uint64_t keep_until_ms; /* a client may request the next page until then; 0: none */
    struct mcti_buf text;
    struct mcti_chunk *chunk; /* the text, if it is long: answers share it */
    uint32_t *at;             /* start of each item; at[n]: one byte after the comma that would follow the last */
    size_t n;
};

static struct list_text *view_pages_text_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct list_text, node);
}

static void text_free(struct list_text *t)
{
    mcti_list_remove(&t->node);
    mcti_buf_done(&t->text);
    mcti_chunk_unref(t->chunk);
    free(t->at);
    free(t);
}

void mcti_view_pages_done(struct mcti_view *v)
{
    while (!mcti_list_empty(&v->lists))
        text_free(view_pages_text_of(v->lists.next));
}

/* Frees outdated lists that no client is reading, and the least recently used ones if there are too many. */
static void view_pages_sweep(struct mcti_view *v)
{
    uint64_t now = mcti_sched_now(v->registry->sched);
    size_t n = 0;
    MCT_LIST_EACH(it, &v->lists) {
        struct list_text *t = view_pages_text_of(it);
        if (t->generation != v->generation && t->keep_until_ms <= now)
            text_free(t);
        else
            n++;
    }
    for (; n > MCT_LIMIT_LISTS_KEPT; n--)
        text_free(view_pages_text_of(v->lists.next));
}

/* Writes the item, `name` replaced. A tool whose calls may become tasks says so to clients that know tasks as
 * 2025-11-25 has them, and only to them. It never says that it needs one: the gateway follows the task for other
 * callers. */
static void pages_put_shaped(struct mcti_buf *to, const struct mcti_exposure *x, struct mcti_str name,
                             enum mcti_rev rev)
{
    bool may_be = x->item->kind == MCT_TOOL && mcti_provider_may_make_task(x->provider, x->item);
    struct mcti_json_set support = { "execution", MCT_STR_NONE };
    struct mcti_buf shaped;
    if (!may_be || (rev != MCT_REV_2025_11_25 && !x->item->takes_task)) {
        mcti_shape_item(to, x->item->kind, mcti_item_json(x->item), name, x->rev, rev);
        return;
    }
    if (rev == MCT_REV_2025_11_25)
        support.value = MCT_STR("{\"taskSupport\":\"optional\"}");
    mcti_buf_init(&shaped, to->max);
    mcti_shape_item(&shaped, x->item->kind, mcti_item_json(x->item), name, x->rev, rev);
    mcti_json_put_object(to, mcti_buf_str(&shaped), &support, 1);
    mcti_buf_mind(to, mcti_buf_str(&shaped));
    mcti_buf_done(&shaped);
}

void mcti_exposure_put(struct mcti_buf *to, const struct mcti_exposure *x, enum mcti_rev rev)
{
    struct mcti_buf name;
    bool has_name = x->item->kind == MCT_TOOL || x->item->kind == MCT_PROMPT;
    bool renamed = has_name && !mcti_str_eq(x->name, mcti_item_id(x->item));
    mcti_buf_init(&name, 4096);
    if (renamed)
        mcti_json_put_string(&name, x->name);
    pages_put_shaped(to, x, renamed ? mcti_buf_str(&name) : MCT_STR_NONE, rev);
    mcti_buf_mind(to, mcti_buf_str(&name));
    mcti_buf_done(&name);
}

/* Appends a resource or template of a skill with the name of its server in its URI. Returns false, with nothing
 * appended, for any other item. */
static bool view_pages_put_labelled(const struct mcti_view *v, struct mcti_buf *to, const struct mcti_exposure *x,
                                    enum mcti_rev rev)
{
    const char *key = mcti_kind_info(x->item->kind)->id_key;
    struct mcti_buf whole, uri;
    bool has_uri = x->item->kind == MCT_RESOURCE || x->item->kind == MCT_TEMPLATE;
    if (!has_uri || !mcti_skill_has_scheme(mcti_item_id(x->item)) || !mcti_view_labels_skills(v, x->provider))
        return false;
    mcti_buf_init(&whole, to->max);
    mcti_buf_init(&uri, to->max);
    mcti_exposure_put(&whole, x, rev);
    mcti_skill_put_labelled_json(&uri, mcti_str_of(x->provider->name), mcti_json_get(mcti_item_json(x->item), key));
    const struct mcti_json_set set = { key, mcti_buf_str(&uri) };
    mcti_json_put_object(to, mcti_buf_str(&whole), &set, 1);
    mcti_buf_done(&uri);
    mcti_buf_done(&whole);
    return true;
}

/* Appends an item with the URIs of pages as clients see them. */
static void view_pages_put_shown(const struct mcti_view *v, struct mcti_buf *to, const struct mcti_exposure *x,
                                 enum mcti_rev rev)
{
    const struct mcti_app_rewrite how = { .uris = &v->apps, .provider = x->provider };
    struct mcti_buf whole;
    if (!mcti_app_uris_change(&v->apps, x->provider)) {
        mcti_exposure_put(to, x, rev);
        return;
    }
    mcti_buf_init(&whole, to->max);
    mcti_exposure_put(&whole, x, rev);
    mcti_app_put_item(to, &how, x->item->kind, mcti_buf_str(&whole));
    mcti_buf_done(&whole);
}

/* Appends an item as it is listed. A client that knows the output schema of a tool insists on structured content, which
 * a cut result may lack: tools with a budget are listed without it. */
static void view_pages_put(const struct mcti_view *v, struct mcti_buf *to, const struct mcti_exposure *x,
                           enum mcti_rev rev)
{
    static const struct mcti_json_set without = { "outputSchema", { NULL, 0 } };
    const struct mcti_result_rules *rules = x->item->kind == MCT_TOOL ? v->registry->result_rules : NULL;
    struct mcti_buf whole;
    if (view_pages_put_labelled(v, to, x, rev))
        return;
    if (!rules || !mcti_result_budget(rules, x->provider->name, mcti_item_id(x->item))) {
        view_pages_put_shown(v, to, x, rev);
        return;
    }
    mcti_buf_init(&whole, to->max);
    view_pages_put_shown(v, &whole, x, rev);
    mcti_json_put_object(to, mcti_buf_str(&whole), &without, 1);
    mcti_buf_done(&whole);
}

/* Appends a tool in the form of the view. Returns false, with nothing appended, if it has none there. */
static bool view_pages_put_formed(struct mcti_view *v, struct mcti_buf *to, const struct mcti_exposure *x,
                                  enum mcti_rev rev)
{
    struct mcti_buf tool;
    struct mct_error err;
    size_t before = to->len;
    mcti_buf_init(&tool, to->max);
    view_pages_put(v, &tool, x, rev);
    bool good = mcti_buf_ok(&tool) && v->form->put(to, v->form, mcti_buf_str(&tool), &err) == 0;
    if (!good)
        to->len = before;
    if (!good && mcti_buf_ok(&tool))
        mcti_log(x->provider->log, MCT_LOG_WARN, "server '%s': tool '%.*s' is not listed: %s", x->provider->name,
                 MCT_STR_ARG(mcti_item_id(x->item)), err.message);
    to->failed |= !mcti_buf_ok(&tool);
    mcti_buf_done(&tool);
    return good;
}

/* Gives free memory of the heap back to the system. glibc does not after large blocks were freed, as by naming and
 * writing very many items; malloc_trim() takes milliseconds. */
static void view_pages_trim(void)
{
#ifdef __GLIBC__
    extern int malloc_trim(size_t keep);
    malloc_trim(0);
#endif
}

static struct list_text *write_list(struct mcti_view *v, const struct mcti_list_of *of)
{
    const struct mcti_exposures *e = mcti_view_items(v, of->kind);
    size_t n = of->apps ? e->n_apps : e->n;
    struct list_text *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    *t = (struct list_text){ .of = *of, .generation = v->generation };
    mcti_list_init(&t->node);
    mcti_random(&t->id, sizeof t->id);
    mcti_buf_init(&t->text, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    t->at = calloc(n + 1, sizeof *t->at);
    for (size_t i = 0; t->at && i < n; i++) {
        size_t before = t->text.len;
        mcti_buf_addz(&t->text, t->n ? "," : "");
        t->at[t->n] = (uint32_t)t->text.len;
        if (!v->form || of->kind != MCT_TOOL || mcti_view_is_own(v, &e->v[i]))
            view_pages_put(v, &t->text, &e->v[i], of->rev);
        else if (!view_pages_put_formed(v, &t->text, &e->v[i], of->rev)) {
            t->text.len = before;
            continue;
        }
        t->n++;
    }
    if (!t->at || !mcti_buf_ok(&t->text)) {
        text_free(t);
        return NULL;
    }
    t->at[t->n] = (uint32_t)t->text.len + 1;
    t->chunk = mcti_chunk_take(&t->text);
    if (t->chunk)
        view_pages_trim();
    mcti_list_append(&v->lists, &t->node);
    view_pages_sweep(v);
    return t;
}

static void view_pages_cut(struct mcti_view *v, struct list_text *t, size_t from, size_t max, struct mcti_page *ret)
{
    size_t to = t->n - from > max ? from + max : t->n;
    const char *text = t->chunk ? t->chunk->p : t->text.p;
    *ret = (struct mcti_page){ .items = MCT_STR(""), .chunk = t->chunk, .list = t->id };
    if (from < to)
        ret->items = (struct mcti_str){ text + t->at[from], t->at[to] - 1 - t->at[from] };
    if (to == t->n)
        return;
    ret->next = to;
    t->keep_until_ms = mcti_sched_now(v->registry->sched) + MCT_LIST_KEEP_MS;
    mcti_list_remove(&t->node);
    mcti_list_append(&v->lists, &t->node);
}

int mcti_view_first_page(struct mcti_view *v, const struct mcti_list_of *wanted, size_t max, struct mcti_page *ret)
{
    struct list_text *found = NULL;
    const struct mcti_exposures *e = mcti_view_items(v, wanted->kind); /* updates v->generation */
    const struct mcti_list_of of = { wanted->kind, wanted->rev, wanted->apps && e->n_apps > e->n };
    MCT_LIST_EACH(it, &v->lists) {
        struct list_text *t = view_pages_text_of(it);
        if (t->of.kind == of.kind && t->of.rev == of.rev && t->of.apps == of.apps && t->generation == v->generation)
            found = t;
    }
    if (!found && !(found = write_list(v, &of)))
        return -1;
    view_pages_cut(v, found, 0, max, ret);
    return 0;
}

int mcti_view_next_page(struct mcti_view *v, enum mcti_kind kind, uint64_t list, size_t from, size_t max,
                        struct mcti_page *ret)
{
    MCT_LIST_EACH(it, &v->lists) {
        struct list_text *t = view_pages_text_of(it);
        if (t->id != list || t->of.kind != kind || from >= t->n)
            continue;
        view_pages_cut(v, t, from, max, ret);
        return 0;
    }
    return -1;
}

bool mcti_view_has_open_list(const struct mcti_view *v)
{
    uint64_t now = mcti_sched_now(v->registry->sched);
    MCT_LIST_EACH(it, &v->lists)
        if (view_pages_text_of(it)->keep_until_ms > now)
            return true;
    for (int of = 0; of < MCT_VIEW_N; of++)
        if (v->others[of] && mcti_view_has_open_list(v->others[of]))
            return true;
    return false;
}
