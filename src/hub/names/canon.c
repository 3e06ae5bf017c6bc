#include "hub/names/canon.h"

#include <stdio.h>
#include <stdlib.h>

struct mcti_canon {
    struct mcti_attached attached;
    uint64_t generation;
    struct mcti_tool_names *rows; /* sorted by the address of the item */
    size_t n;
    char **heads; /* beginnings of tool names: the dotted one of each server, then the prefixed ones */
    size_t n_heads;
};

static void canon_clear(struct mcti_canon *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free((char *)c->rows[i].dotted.p);
        free(c->rows[i].prefixed);
        for (size_t k = 0; k < MCT_NAMES_ALONE; k++)
            free(c->rows[i].alone[k]);
    }
    for (size_t i = 0; i < c->n_heads; i++)
        free(c->heads ? c->heads[i] : NULL);
    free(c->heads);
    free(c->rows);
    c->heads = NULL;
    c->rows = NULL;
    c->n = c->n_heads = 0;
    c->generation = 0;
}

static void canon_free(struct mcti_attached *a)
{
    struct mcti_canon *c = MCT_CONTAINER(a, struct mcti_canon, attached);
    canon_clear(c);
    free(c);
}

static struct mcti_canon *canon_of(struct mcti_registry *r)
{
    struct mcti_canon *c = r->canon ? r->canon : calloc(1, sizeof *c);
    if (c && !r->canon) {
        c->attached.free = canon_free;
        mcti_list_append(&r->attached, &c->attached.node);
    }
    return r->canon = c;
}

/* ---- all tools ---- */

static int by_item(const void *a, const void *b)
{
    const struct mcti_item *x = ((const struct mcti_tool_names *)a)->item,
                           *y = ((const struct mcti_tool_names *)b)->item;
    return (x > y) - (x < y);
}

struct collection {
    struct mcti_name_in *in;
    struct mcti_tool_names *rows; /* NULL: only count */
    size_t n;
};

/* Adds a list of tools, except those that are also in `known`, an earlier list of the same server; may be NULL. */
static void collect_list(struct collection *c, const struct mcti_provider *p, const struct mcti_items *tools,
                         const struct mcti_items *known)
{
    for (size_t k = 0; k < tools->n; k++) {
        if (known && mcti_items_find(known, mcti_item_id(tools->v[k])))
            continue;
        if (c->rows) {
            c->rows[c->n].item = tools->v[k];
            c->in[c->n] = (struct mcti_name_in){ .server = mcti_str_of(p->name), .raw = mcti_item_id(tools->v[k]) };
        }
        c->n++;
    }
}

static size_t canon_collect(const struct mcti_registry *r, struct mcti_name_in *in, struct mcti_tool_names *rows)
{
    struct collection c = { .in = in, .rows = rows };
    for (size_t i = 0; i < r->n; i++) {
        const struct mcti_provider *p = r->v[i];
        collect_list(&c, p, &p->items[MCT_TOOL], NULL);
        if (p->handshake)
            collect_list(&c, p, &p->handshake->items[MCT_TOOL], &p->items[MCT_TOOL]);
    }
    return c.n;
}

/* Returns the beginning of the names of all tools of a server. `naming` NULL: for names of the form SERVER.TOOL. */
static char *canon_head_of(const struct mcti_provider *p, const struct mcti_naming *naming)
{
    const struct mcti_name_in in = { mcti_str_of(p->name), MCT_STR(""), false };
    char *head = NULL;
    if (naming)
        return mcti_names_assign(naming, &in, 1, &head, NULL) < 0 ? NULL : head;
    return asprintf(&head, "%s.", p->name) < 0 ? NULL : head;
}

static int build_heads(struct mcti_canon *c, const struct mcti_registry *r, const struct mcti_naming *always)
{
    c->heads = calloc(2 * r->n + 1, sizeof *c->heads);
    for (size_t i = 0; c->heads && i < r->n; i++) {
        c->heads[i] = canon_head_of(r->v[i], NULL);
        c->heads[r->n + i] = canon_head_of(r->v[i], always);
        if (!c->heads[i] || !c->heads[r->n + i])
            return -1;
    }
    return c->heads ? 0 : -1;
}

static void canon_build(struct mcti_canon *c, const struct mcti_registry *r, const struct mcti_naming *naming)
{
    struct mcti_naming always = *naming;
    size_t n = canon_collect(r, NULL, NULL);
    struct mcti_name_in *in = calloc(n ? n : 1, sizeof *in);
    char **names = calloc(n ? n : 1, sizeof *names);
    canon_clear(c);
    always.prefix = MCT_PREFIX_ALWAYS;
    c->rows = calloc(n ? n : 1, sizeof *c->rows);
    c->n_heads = 2 * r->n;
    if (in && names && c->rows && build_heads(c, r, &always) == 0) {
        canon_collect(r, in, c->rows);
        c->generation = mcti_names_assign(&always, in, n, names, NULL) == 0 ? r->generation : 0;
    }
    if (c->generation) {
        c->n = n;
        for (size_t i = 0; i < n; i++)
            c->rows[i].prefixed = names[i];
        qsort(c->rows, n, sizeof *c->rows, by_item);
    }
    free(names);
    free(in);
}

/* ---- one tool ---- */

/* Sets ret[0] to the exposed name of a tool without a conflict, and ret[1] to its name if another tool has the same
 * one. */
static int assign_alone(const struct mcti_naming *naming, const struct mcti_name_in *in, char **ret)
{
    char *both[2] = { NULL };
    free(ret[0]);
    ret[0] = NULL;
    if (mcti_names_assign(naming, in, 1, ret, NULL) < 0)
        return -1;
    const struct mcti_name_in pair[] = { { MCT_STR(""), mcti_str_of(ret[0]), true }, *in };
    int r = mcti_names_assign(naming, pair, 2, both, NULL);
    free(both[0]);
    ret[1] = both[1];
    return r;
}

/* Returns whether `name` begins with `head`. Ignores case, because some lists are matched without case. */
static bool canon_begins(struct mcti_str name, struct mcti_str head)
{
    return name.len >= head.len && mcti_str_eq_nocase((struct mcti_str){ name.p, head.len }, head);
}

/* Returns true if the name does not begin with the head of another server that is at least as long as the own head.
 * `heads` has one head for each server. */
static bool is_sure(const struct mcti_registry *r, const struct mcti_provider *p, char *const *heads,
                    struct mcti_str name)
{
    size_t own = 0;
    while (own < r->n && r->v[own] != p)
        own++;
    for (size_t i = 0; own < r->n && i < r->n; i++)
        if (i != own && strlen(heads[i]) >= strlen(heads[own]) && canon_begins(name, mcti_str_of(heads[i])))
            return false;
    return own < r->n;
}

static int canon_fill(struct mcti_tool_names *row, const struct mcti_registry *r, const struct mcti_naming *naming,
                      const struct mcti_provider *p)
{
    const struct mcti_name_in in = { mcti_str_of(p->name), mcti_item_id(row->item), false };
    struct mcti_naming always = *naming, never = *naming;
    struct mcti_buf dotted;
    always.prefix = MCT_PREFIX_ALWAYS;
    never.prefix = MCT_PREFIX_NEVER;
    if ((!row->alone[1] && assign_alone(&always, &in, &row->alone[0]) < 0) ||
        (!row->alone[3] && assign_alone(&never, &in, &row->alone[2]) < 0))
        return -1;
    mcti_buf_init(&dotted, in.server.len + in.raw.len + 2);
    mcti_buf_add(&dotted, in.server);
    mcti_buf_addc(&dotted, '.');
    mcti_buf_add(&dotted, in.raw);
    struct mcti_str text = mcti_buf_str(&dotted);
    row->dotted_is_sure = is_sure(r, p, r->canon->heads, text);
    row->prefixed_is_sure = is_sure(r, p, r->canon->heads + r->n, mcti_str_of(row->prefixed));
    row->dotted = (struct mcti_str){ mcti_buf_take(&dotted), text.len };
    return row->dotted.p ? 0 : -1;
}

const struct mcti_tool_names *mcti_canon_find(struct mcti_registry *r, const struct mcti_naming *naming,
                                              const struct mcti_provider *p, const struct mcti_item *tool)
{
    const struct mcti_item *same =
        tool->kind == MCT_TOOL && p->handshake ? mcti_items_find(&p->items[MCT_TOOL], mcti_item_id(tool)) : NULL;
    const struct mcti_tool_names key = { .item = same ? same : tool };
    struct mcti_canon *c = canon_of(r);
    if (!c)
        return NULL;
    if (c->generation != r->generation)
        canon_build(c, r, naming);
    struct mcti_tool_names *row = c->n ? bsearch(&key, c->rows, c->n, sizeof key, by_item) : NULL;
    return row && (row->dotted.p || canon_fill(row, r, naming, p) == 0) ? row : NULL;
}
