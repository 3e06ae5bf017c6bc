/* Resolves references, always within the document. */
#include "schema/impl.h"

/* ---- parts of the document ---- */

/* Returns the resource with that URI; -1, with the run stopped, if the document has none. */
static int64_t find_resource(struct mcti_schema_run *run, struct mcti_str uri, struct mcti_str ref)
{
    size_t n = run->resources.len / sizeof(struct mcti_schema_resource);
    for (size_t i = 0; i < n && mcti_schema_spend(run, 1); i++)
        if (mcti_str_eq(mcti_schema_resource_uri(run, i), uri))
            return (int64_t)i;
    mcti_schema_stop(run, "the schema refers to %.*s%s, which is outside of the schema and is not loaded",
                     MCT_SCHEMA_SHOW(ref));
    return -1;
}

/* Returns 1 + the number of the anchor with that name; 0 if the resource has no such anchor. */
static size_t find_anchor(struct mcti_schema_run *run, size_t resource, struct mcti_str name, bool dynamic)
{
    const struct mcti_schema_anchor *a = (const void *)run->anchors.p;
    size_t n = run->anchors.len / sizeof *a;
    for (size_t i = 0; i < n && mcti_schema_spend(run, 1); i++)
        if (a[i].resource == resource && (a[i].dynamic || !dynamic) &&
            mcti_str_eq(mcti_schema_text(run, &run->text, a[i].name), name))
            return i + 1;
    return 0;
}

static const struct mcti_schema_anchor *ref_anchor(const struct mcti_schema_run *run, size_t number)
{
    return (const struct mcti_schema_anchor *)(const void *)run->anchors.p + number - 1;
}

/* ---- JSON Pointers (RFC 6901 section 6) ---- */

/* Decodes %XX. */
static void ref_put_decoded(struct mcti_buf *to, struct mcti_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        int byte = mcti_str_percent(s, i);
        mcti_buf_addc(to, byte < 0 ? s.p[i] : (char)byte);
        i += byte < 0 ? 0 : 2;
    }
}

/* Returns true if a member's name equals a token of a pointer, in which ~0 is '~' and ~1 is '/'. */
static bool ref_is_token(struct mcti_str name, struct mcti_str token)
{
    size_t at = 0;
    for (size_t i = 0; i < token.len; i++, at++) {
        char c = token.p[i];
        if (c == '~' && i + 1 < token.len && (token.p[i + 1] == '0' || token.p[i + 1] == '1'))
            c = token.p[++i] == '0' ? '~' : '/';
        if (at == name.len || name.p[at] != c)
            return false;
    }
    return at == name.len;
}

static struct mcti_str ref_member_of(struct mcti_schema_run *run, struct mcti_str object, struct mcti_str token)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_schema_next_member(run, &it, &m);)
        if (ref_is_token(mcti_schema_text(run, &run->text, m.key), token))
            return m.value;
    return MCT_STR_NONE;
}

static struct mcti_str ref_item_of(struct mcti_schema_run *run, struct mcti_str array, struct mcti_str token)
{
    struct mcti_str item;
    uint64_t index;
    struct mcti_json_iter it = mcti_json_open(array);
    if (!mcti_json_uint(token, &index) || (token.len > 1 && *token.p == '0'))
        return MCT_STR_NONE;
    while (mcti_schema_next(run, &it, &item))
        if (!index--)
            return item;
    return MCT_STR_NONE;
}

static struct mcti_str ref_follow(struct mcti_schema_run *run, struct mcti_str value, struct mcti_str pointer)
{
    struct mcti_str rest = { pointer.p + 1, pointer.len - 1 }, token;
    while (value.p && mcti_str_split(&rest, '/', &token) && mcti_schema_spend_bytes(run, value.len))
        value = mcti_json_type(value) == '[' ? ref_item_of(run, value, token) : ref_member_of(run, value, token);
    return value;
}

/* ---- one reference ---- */

/* Returns the schema that the fragment, without '#', names in the resource; sets slot->dynamic for a dynamic anchor. */
static struct mcti_str ref_fragment(struct mcti_schema_run *run, size_t resource, struct mcti_str text,
                                    struct mcti_schema_ref_slot *slot)
{
    struct mcti_str whole = mcti_schema_resource(run, resource)->schema, found = MCT_STR_NONE;
    struct mcti_buf name;
    if (!text.len)
        return whole;
    mcti_buf_init(&name, MCT_SCHEMA_SCRATCH_BYTES);
    ref_put_decoded(&name, text);
    struct mcti_str decoded = mcti_buf_str(&name);
    if (!mcti_schema_whole(run, &name)) {
        found = MCT_STR_NONE;
    } else if (decoded.len && *decoded.p == '/') {
        found = ref_follow(run, whole, decoded);
    } else {
        size_t number = find_anchor(run, resource, decoded, false);
        if (number) {
            found = ref_anchor(run, number)->schema;
            slot->dynamic = ref_anchor(run, number)->dynamic ? number : 0;
        }
    }
    mcti_buf_done(&name);
    return found;
}

static int64_t named_resource(struct mcti_schema_run *run, size_t base, struct mcti_str uri, struct mcti_str ref)
{
    struct mcti_buf absolute;
    if (!uri.len)
        return (int64_t)base;
    mcti_buf_init(&absolute, MCT_SCHEMA_NOTES_BYTES);
    mcti_schema_uri_resolve(&absolute, mcti_schema_resource_uri(run, base), uri);
    int64_t found = mcti_schema_whole(run, &absolute) ? find_resource(run, mcti_buf_str(&absolute), ref) : -1;
    mcti_buf_done(&absolute);
    return found;
}

/* Fills the slot. Returns false, with the run stopped, if the target does not exist. */
static bool ref_resolve(struct mcti_schema_run *run, size_t base, struct mcti_str ref,
                        struct mcti_schema_ref_slot *slot)
{
    struct mcti_buf copy; /* the scratch buffers are in use during the lookup */
    struct mcti_str uri, rest;
    mcti_buf_init(&copy, MCT_SCHEMA_SCRATCH_BYTES);
    mcti_buf_add(&copy, mcti_schema_text(run, &run->text, mcti_schema_raw(ref)));
    rest = mcti_buf_str(&copy);
    *slot = (struct mcti_schema_ref_slot){ .ref = ref.p };
    mcti_schema_spend(run, 16 + copy.len);
    mcti_str_split(&rest, '#', &uri);
    int64_t resource = mcti_schema_whole(run, &copy) ? named_resource(run, base, uri, ref) : -1;
    if (resource >= 0)
        slot->target = ref_fragment(run, (size_t)resource, rest, slot);
    mcti_buf_done(&copy);
    if (!slot->target.p)
        mcti_schema_stop(run, "the schema refers to %.*s%s, which does not exist", MCT_SCHEMA_SHOW(ref));
    return !run->stopped;
}

/* Returns the resolved reference, which is cached until another one needs its slot; NULL if the run was stopped. */
static const struct mcti_schema_ref_slot *ref_resolved(struct mcti_schema_run *run, const struct mcti_schema_frame *f,
                                                       struct mcti_str ref)
{
    struct mcti_schema_ref_slot *slot =
        &run->ref[((uintptr_t)ref.p * 0x9e3779b97f4a7c15u >> 32) % MCT_SCHEMA_REF_SLOTS];
    if (slot->ref == ref.p)
        return slot;
    return ref_resolve(run, f->resource, ref, slot) ? slot : NULL;
}

/* ---- keywords ---- */

bool mcti_schema_ref(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    const struct mcti_schema_ref_slot *slot = ref_resolved(run, f, arg);
    return slot && mcti_schema_apply_here(run, f, slot->target);
}

/* 2020-12 core section 8.2.3.2: a dynamic anchor is replaced by the one of that name in the outermost resource of the
 * dynamic scope. */
bool mcti_schema_dynamic_ref(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    const struct mcti_schema_ref_slot *slot = ref_resolved(run, f, arg);
    if (!slot)
        return false;
    struct mcti_str target = slot->target;
    if (slot->dynamic) {
        struct mcti_str name = mcti_schema_text(run, &run->other, ref_anchor(run, slot->dynamic)->name);
        for (const struct mcti_schema_frame *from = f; from; from = from->up) {
            size_t number = find_anchor(run, from->resource, name, true);
            target = number ? ref_anchor(run, number)->schema : target;
        }
    }
    return mcti_schema_apply_here(run, f, target);
}

/* 2019-09 core section 8.2.4.2.1: only "#" is allowed; the outermost resource with $recursiveAnchor applies. */
bool mcti_schema_recursive_ref(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    const struct mcti_schema_resource *target = mcti_schema_resource(run, f->resource);
    if (!mcti_json_is(arg, "#"))
        return mcti_schema_stop(run, "the schema's \"$recursiveRef\" must be \"#\", not %.*s%s", MCT_SCHEMA_SHOW(arg));
    for (const struct mcti_schema_frame *from = target->recursive ? f : NULL; from; from = from->up)
        if (mcti_schema_resource(run, from->resource)->recursive)
            target = mcti_schema_resource(run, from->resource);
    return mcti_schema_apply_here(run, f, target->schema);
}
