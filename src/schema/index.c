/* Collects the names of a schema document, its resources ($id) and anchors, in one pass before the check. */
#include "schema/impl.h"

static void index_walk(struct mcti_schema_run *run, struct mcti_str schema, size_t resource);

const struct mcti_schema_resource *mcti_schema_resource(const struct mcti_schema_run *run, size_t i)
{
    return (const struct mcti_schema_resource *)(const void *)run->resources.p + i;
}

struct mcti_str mcti_schema_resource_uri(const struct mcti_schema_run *run, size_t i)
{
    const struct mcti_schema_resource *r = mcti_schema_resource(run, i);
    return (struct mcti_str){ run->uris.p ? run->uris.p + r->uri : "", r->uri_len };
}

/* Resources are stored in the order of their beginnings. */
size_t mcti_schema_resource_at(const struct mcti_schema_run *run, const char *p)
{
    size_t low = 0, high = run->resources.len / sizeof(struct mcti_schema_resource);
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (mcti_schema_resource(run, mid)->schema.p <= p)
            low = mid;
        else
            high = mid;
    }
    for (; low; low = mcti_schema_resource(run, low)->up) {
        struct mcti_str around = mcti_schema_resource(run, low)->schema;
        if (p < around.p + around.len)
            break;
    }
    return low;
}

static bool index_add(struct mcti_schema_run *run, struct mcti_buf *to, const void *row, size_t size)
{
    mcti_buf_add(to, (struct mcti_str){ row, size });
    return (mcti_buf_ok(to) && mcti_buf_ok(&run->uris)) || mcti_schema_stop(run, "the schema has too many names");
}

static void add_anchor(struct mcti_schema_run *run, struct mcti_str schema, size_t resource, struct mcti_str raw_name,
                       bool dynamic)
{
    struct mcti_schema_anchor a = { .resource = resource, .name = raw_name, .schema = schema, .dynamic = dynamic };
    index_add(run, &run->anchors, &a, sizeof a);
}

/* Sets the URI of the resource: `id`, which has no fragment, resolved against the URI of the enclosing resource. */
static void name_resource(struct mcti_schema_run *run, struct mcti_schema_resource *r, struct mcti_str id)
{
    struct mcti_buf base;
    mcti_buf_init(&base, run->uris.max);
    if (run->resources.len)
        mcti_buf_add(&base, mcti_schema_resource_uri(run, r->up)); /* a copy, because run->uris moves when it grows */
    r->uri = run->uris.len;
    mcti_schema_whole(run, &base);
    mcti_schema_uri_resolve(&run->uris, mcti_buf_str(&base), id);
    r->uri_len = run->uris.len - r->uri;
    mcti_schema_spend(run, base.len + id.len);
    mcti_buf_done(&base);
}

/* Returns the number of the resource that begins with this schema, or `around` if its $id begins none. Up to draft-07,
 * "$id": "#name" is an anchor, and siblings of a $ref are ignored. */
static size_t index_identify(struct mcti_schema_run *run, struct mcti_str schema, size_t around,
                             const struct mcti_str *word, enum mcti_schema_dialect dialect)
{
    struct mcti_schema_resource r = { .schema = schema, .up = around, .dialect = dialect };
    struct mcti_str said = dialect == D4 ? word[W_OLD_ID] : word[W_ID], id = MCT_STR("");
    size_t n = run->resources.len / sizeof r, length = 0;
    if (said.p && !(dialect <= D7 && word[W_REF].p))
        id = mcti_schema_text(run, &run->text, mcti_schema_raw(said));
    while (length < id.len && id.p[length] != '#')
        length++;
    if (!length && dialect <= D7 && id.len > 1)
        add_anchor(run, schema, around, (struct mcti_str){ said.p + 2, said.len - 3 }, false);
    if (n && !length)
        return around;
    r.recursive = mcti_json_true(word[W_RECURSIVE_ANCHOR]);
    name_resource(run, &r, (struct mcti_str){ id.p, length });
    return index_add(run, &run->resources, &r, sizeof r) ? n : around;
}

static void walk_inside(struct mcti_schema_run *run, struct mcti_str arg, enum mcti_schema_inside inside,
                        size_t resource)
{
    struct mcti_json_iter it = mcti_json_open(arg);
    struct mcti_json_member m;
    struct mcti_str item;
    bool is_list = inside == SCHEMA_LIST || (inside == ONE_SCHEMA_OR_LIST && mcti_json_type(arg) == '[');
    if (inside == SCHEMA_MAP)
        while (mcti_schema_next_member(run, &it, &m))
            index_walk(run, m.value, resource);
    else if (is_list)
        while (mcti_schema_next(run, &it, &item))
            index_walk(run, item, resource);
    else if (inside != NO_SCHEMA)
        index_walk(run, arg, resource);
}

/* Visits the keywords in the order of the document, which is also the order of the resources. */
static void walk_words(struct mcti_schema_run *run, struct mcti_str schema, const struct mcti_str *word,
                       size_t resource)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(schema); mcti_schema_next_member(run, &it, &m);)
        for (size_t i = 0; i < W_N; i++)
            if (word[i].p == m.value.p)
                walk_inside(run, word[i], mcti_schema_words[i].inside, resource);
}

static void index_walk_object(struct mcti_schema_run *run, struct mcti_str schema, size_t resource)
{
    struct mcti_str word[W_N] = { 0 };
    bool is_root = !run->resources.len;
    enum mcti_schema_dialect around = is_root ? D2020 : mcti_schema_resource(run, resource)->dialect;
    enum mcti_schema_dialect own = mcti_schema_dialect_of(run, schema, around);
    if (!mcti_schema_collect(run, schema, own, word))
        return;
    size_t inner = index_identify(run, schema, resource, word, own);
    if (run->stopped)
        return;
    if (word[W_ANCHOR].p)
        add_anchor(run, schema, inner, mcti_schema_raw(word[W_ANCHOR]), false);
    if (word[W_DYNAMIC_ANCHOR].p)
        add_anchor(run, schema, inner, mcti_schema_raw(word[W_DYNAMIC_ANCHOR]), true);
    walk_words(run, schema, word, inner);
}

static void index_walk(struct mcti_schema_run *run, struct mcti_str schema, size_t resource)
{
    if (mcti_json_type(schema) != '{' || !mcti_schema_spend(run, 16 + schema.len / 8))
        return;
    if (run->depth == MCT_SCHEMA_DEPTH) {
        mcti_schema_stop(run, "the schema is nested too deeply");
        return;
    }
    run->depth++;
    index_walk_object(run, schema, resource);
    run->depth--;
}

bool mcti_schema_index(struct mcti_schema_run *run, struct mcti_str document)
{
    index_walk(run, document, 0);
    return !run->stopped;
}
