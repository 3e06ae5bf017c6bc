/* The names of a schema document: its resources ($id) and anchors, found in one walk before the check. */
#include "schema/impl.h"

static void walk(struct mct_schema_run *run, struct mct_str schema, size_t resource);

const struct mct_schema_resource *mct_schema_resource(const struct mct_schema_run *run, size_t i)
{
    return (const struct mct_schema_resource *)(const void *)run->resources.p + i;
}

struct mct_str mct_schema_resource_uri(const struct mct_schema_run *run, size_t i)
{
    const struct mct_schema_resource *r = mct_schema_resource(run, i);
    return (struct mct_str){ run->uris.p ? run->uris.p + r->uri : "", r->uri_len };
}

/* They are noted in the order in which they begin. */
size_t mct_schema_resource_at(const struct mct_schema_run *run, const char *p)
{
    size_t low = 0, high = run->resources.len / sizeof(struct mct_schema_resource);
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (mct_schema_resource(run, mid)->schema.p <= p)
            low = mid;
        else
            high = mid;
    }
    for (; low; low = mct_schema_resource(run, low)->up) {
        struct mct_str around = mct_schema_resource(run, low)->schema;
        if (p < around.p + around.len)
            break;
    }
    return low;
}

static bool add(struct mct_schema_run *run, struct mct_buf *to, const void *row, size_t size)
{
    mct_buf_add(to, (struct mct_str){ row, size });
    return (mct_buf_ok(to) && mct_buf_ok(&run->uris)) || mct_schema_stop(run, "the schema has too many names");
}

static void add_anchor(struct mct_schema_run *run, struct mct_str schema, size_t resource, struct mct_str raw_name,
                       bool dynamic)
{
    struct mct_schema_anchor a = { .resource = resource, .name = raw_name, .schema = schema, .dynamic = dynamic };
    add(run, &run->anchors, &a, sizeof a);
}

/* Gives the resource its URI: `id`, which has no fragment, resolved against that of the one around. */
static void name_resource(struct mct_schema_run *run, struct mct_schema_resource *r, struct mct_str id)
{
    struct mct_buf base;
    mct_buf_init(&base, run->uris.max);
    if (run->resources.len)
        mct_buf_add(&base, mct_schema_resource_uri(run, r->up)); /* a copy, as run->uris moves when it grows */
    r->uri = run->uris.len;
    mct_schema_whole(run, &base);
    mct_schema_uri_resolve(&run->uris, mct_buf_str(&base), id);
    r->uri_len = run->uris.len - r->uri;
    mct_schema_spend(run, base.len + id.len);
    mct_buf_done(&base);
}

/* The number of the resource that the schema begins, or `around` when its $id begins none. Up to draft-07
 * "$id": "#name" is an anchor, and a $ref makes its siblings mean nothing. */
static size_t identify(struct mct_schema_run *run, struct mct_str schema, size_t around, const struct mct_str *word,
                       enum mct_schema_dialect dialect)
{
    struct mct_schema_resource r = { .schema = schema, .up = around, .dialect = dialect };
    struct mct_str said = dialect == D4 ? word[W_OLD_ID] : word[W_ID], id = MCT_STR("");
    size_t n = run->resources.len / sizeof r, length = 0;
    if (said.p && !(dialect <= D7 && word[W_REF].p))
        id = mct_schema_text(run, &run->text, mct_schema_raw(said));
    while (length < id.len && id.p[length] != '#')
        length++;
    if (!length && dialect <= D7 && id.len > 1)
        add_anchor(run, schema, around, (struct mct_str){ said.p + 2, said.len - 3 }, false);
    if (n && !length)
        return around;
    r.recursive = mct_json_true(word[W_RECURSIVE_ANCHOR]);
    name_resource(run, &r, (struct mct_str){ id.p, length });
    return add(run, &run->resources, &r, sizeof r) ? n : around;
}

static void walk_inside(struct mct_schema_run *run, struct mct_str arg, enum mct_schema_inside inside, size_t resource)
{
    struct mct_json_iter it = mct_json_open(arg);
    struct mct_json_member m;
    struct mct_str item;
    bool is_list = inside == SCHEMA_LIST || (inside == ONE_SCHEMA_OR_LIST && mct_json_type(arg) == '[');
    if (inside == SCHEMA_MAP)
        while (mct_schema_next_member(run, &it, &m))
            walk(run, m.value, resource);
    else if (is_list)
        while (mct_schema_next(run, &it, &item))
            walk(run, item, resource);
    else if (inside != NO_SCHEMA)
        walk(run, arg, resource);
}

/* In the order of the document, so that resources are noted in it. */
static void walk_words(struct mct_schema_run *run, struct mct_str schema, const struct mct_str *word, size_t resource)
{
    struct mct_json_member m;
    for (struct mct_json_iter it = mct_json_open(schema); mct_schema_next_member(run, &it, &m);)
        for (size_t i = 0; i < W_N; i++)
            if (word[i].p == m.value.p)
                walk_inside(run, word[i], mct_schema_words[i].inside, resource);
}

static void walk_object(struct mct_schema_run *run, struct mct_str schema, size_t resource)
{
    struct mct_str word[W_N] = { 0 };
    bool is_root = !run->resources.len;
    enum mct_schema_dialect around = is_root ? D2020 : mct_schema_resource(run, resource)->dialect;
    enum mct_schema_dialect own = mct_schema_dialect_of(run, schema, around);
    if (!mct_schema_collect(run, schema, own, word))
        return;
    size_t inner = identify(run, schema, resource, word, own);
    if (run->stopped)
        return;
    if (word[W_ANCHOR].p)
        add_anchor(run, schema, inner, mct_schema_raw(word[W_ANCHOR]), false);
    if (word[W_DYNAMIC_ANCHOR].p)
        add_anchor(run, schema, inner, mct_schema_raw(word[W_DYNAMIC_ANCHOR]), true);
    walk_words(run, schema, word, inner);
}

static void walk(struct mct_schema_run *run, struct mct_str schema, size_t resource)
{
    if (mct_json_type(schema) != '{' || !mct_schema_spend(run, 16 + schema.len / 8))
        return;
    if (run->depth == MCT_SCHEMA_DEPTH) {
        mct_schema_stop(run, "the schema is nested too deeply");
        return;
    }
    run->depth++;
    walk_object(run, schema, resource);
    run->depth--;
}

bool mct_schema_index(struct mct_schema_run *run, struct mct_str document)
{
    walk(run, document, 0);
    return !run->stopped;
}
