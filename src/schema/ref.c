/* References: to where do they lead? Only ever to a place in the document. */
#include "schema/impl.h"

/* ---- the parts of a document ---- */

/* The resource with that URI; -1 and stopped when the document has none. */
static int64_t find_resource(struct mct_schema_run *run, struct mct_str uri, struct mct_str ref)
{
    size_t n = run->resources.len / sizeof(struct mct_schema_resource);
    for (size_t i = 0; i < n && mct_schema_spend(run, 1); i++)
        if (mct_str_eq(mct_schema_resource_uri(run, i), uri))
            return (int64_t)i;
    mct_schema_stop(run, "the schema refers to %.*s%s, which is not a part of it and is not fetched",
                    MCT_SCHEMA_SHOW(ref));
    return -1;
}

/* 1 + the number of the anchor, 0 when the resource has none of the name. */
static size_t find_anchor(struct mct_schema_run *run, size_t resource, struct mct_str name, bool dynamic)
{
    const struct mct_schema_anchor *a = (const void *)run->anchors.p;
    size_t n = run->anchors.len / sizeof *a;
    for (size_t i = 0; i < n && mct_schema_spend(run, 1); i++)
        if (a[i].resource == resource && (a[i].dynamic || !dynamic) &&
            mct_str_eq(mct_schema_text(run, &run->text, a[i].name), name))
            return i + 1;
    return 0;
}

static const struct mct_schema_anchor *anchor(const struct mct_schema_run *run, size_t number)
{
    return (const struct mct_schema_anchor *)(const void *)run->anchors.p + number - 1;
}

/* ---- JSON pointers (RFC 6901 section 6) ---- */

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes %XX. */
static void put_decoded(struct mct_buf *to, struct mct_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        int high = s.p[i] == '%' && i + 2 < s.len ? hex(s.p[i + 1]) : -1, low = high < 0 ? -1 : hex(s.p[i + 2]);
        mct_buf_addc(to, low < 0 ? s.p[i] : (char)(high << 4 | low));
        i += low < 0 ? 0 : 2;
    }
}

/* Whether a member's name is the token of a pointer, where ~0 is '~' and ~1 is '/'. */
static bool is_token(struct mct_str name, struct mct_str token)
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

static struct mct_str member_of(struct mct_schema_run *run, struct mct_str object, struct mct_str token)
{
    struct mct_json_member m;
    for (struct mct_json_iter it = mct_json_open(object); mct_schema_next_member(run, &it, &m);)
        if (is_token(mct_schema_text(run, &run->text, m.key), token))
            return m.value;
    return MCT_STR_NONE;
}

static struct mct_str item_of(struct mct_schema_run *run, struct mct_str array, struct mct_str token)
{
    struct mct_str item;
    uint64_t index;
    struct mct_json_iter it = mct_json_open(array);
    if (!mct_json_uint(token, &index) || (token.len > 1 && *token.p == '0'))
        return MCT_STR_NONE;
    while (mct_schema_next(run, &it, &item))
        if (!index--)
            return item;
    return MCT_STR_NONE;
}

static struct mct_str follow(struct mct_schema_run *run, struct mct_str value, struct mct_str pointer)
{
    struct mct_str rest = { pointer.p + 1, pointer.len - 1 }, token;
    while (value.p && mct_str_split(&rest, '/', &token) && mct_schema_spend_bytes(run, value.len))
        value = mct_json_type(value) == '[' ? item_of(run, value, token) : member_of(run, value, token);
    return value;
}

/* ---- one reference ---- */

/* What the fragment, without '#', names in the resource; sets slot->dynamic for a dynamic anchor. */
static struct mct_str fragment(struct mct_schema_run *run, size_t resource, struct mct_str text,
                               struct mct_schema_ref_slot *slot)
{
    struct mct_str whole = mct_schema_resource(run, resource)->schema, found = MCT_STR_NONE;
    struct mct_buf name;
    if (!text.len)
        return whole;
    mct_buf_init(&name, MCT_SCHEMA_SCRATCH_BYTES);
    put_decoded(&name, text);
    struct mct_str decoded = mct_buf_str(&name);
    if (!mct_schema_whole(run, &name)) {
        found = MCT_STR_NONE;
    } else if (decoded.len && *decoded.p == '/') {
        found = follow(run, whole, decoded);
    } else {
        size_t number = find_anchor(run, resource, decoded, false);
        if (number) {
            found = anchor(run, number)->schema;
            slot->dynamic = anchor(run, number)->dynamic ? number : 0;
        }
    }
    mct_buf_done(&name);
    return found;
}

static int64_t named_resource(struct mct_schema_run *run, size_t base, struct mct_str uri, struct mct_str ref)
{
    struct mct_buf absolute;
    if (!uri.len)
        return (int64_t)base;
    mct_buf_init(&absolute, MCT_SCHEMA_NOTES_BYTES);
    mct_schema_uri_resolve(&absolute, mct_schema_resource_uri(run, base), uri);
    int64_t found = mct_schema_whole(run, &absolute) ? find_resource(run, mct_buf_str(&absolute), ref) : -1;
    mct_buf_done(&absolute);
    return found;
}

/* Fills the slot; false and stopped when there is no such place. */
static bool resolve(struct mct_schema_run *run, size_t base, struct mct_str ref, struct mct_schema_ref_slot *slot)
{
    struct mct_buf copy; /* the scratch buffers are needed on the way */
    struct mct_str uri, rest;
    mct_buf_init(&copy, MCT_SCHEMA_SCRATCH_BYTES);
    mct_buf_add(&copy, mct_schema_text(run, &run->text, mct_schema_raw(ref)));
    rest = mct_buf_str(&copy);
    *slot = (struct mct_schema_ref_slot){ .ref = ref.p };
    mct_schema_spend(run, 16 + copy.len);
    mct_str_split(&rest, '#', &uri);
    int64_t resource = mct_schema_whole(run, &copy) ? named_resource(run, base, uri, ref) : -1;
    if (resource >= 0)
        slot->target = fragment(run, (size_t)resource, rest, slot);
    mct_buf_done(&copy);
    if (!slot->target.p)
        mct_schema_stop(run, "the schema refers to %.*s%s, which is not in it", MCT_SCHEMA_SHOW(ref));
    return !run->stopped;
}

/* Where a reference leads, kept until another one needs its slot. NULL: stopped. */
static const struct mct_schema_ref_slot *resolved(struct mct_schema_run *run, const struct mct_schema_frame *f,
                                                  struct mct_str ref)
{
    struct mct_schema_ref_slot *slot = &run->ref[((uintptr_t)ref.p * 0x9e3779b97f4a7c15u >> 32) % MCT_SCHEMA_REF_SLOTS];
    if (slot->ref == ref.p)
        return slot;
    return resolve(run, f->resource, ref, slot) ? slot : NULL;
}

/* ---- the keywords ---- */

bool mct_schema_ref(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str arg)
{
    const struct mct_schema_ref_slot *slot = resolved(run, f, arg);
    return slot && mct_schema_apply_here(run, f, slot->target);
}

/* 2020-12 core section 8.2.3.2: a dynamic anchor gives way to the one of that name in the outermost
 * resource passed on the way here. */
bool mct_schema_dynamic_ref(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str arg)
{
    const struct mct_schema_ref_slot *slot = resolved(run, f, arg);
    if (!slot)
        return false;
    struct mct_str target = slot->target;
    if (slot->dynamic) {
        struct mct_str name = mct_schema_text(run, &run->other, anchor(run, slot->dynamic)->name);
        for (const struct mct_schema_frame *from = f; from; from = from->up) {
            size_t number = find_anchor(run, from->resource, name, true);
            target = number ? anchor(run, number)->schema : target;
        }
    }
    return mct_schema_apply_here(run, f, target);
}

/* 2019-09 core section 8.2.4.2.1: "#" only, and the outermost resource with $recursiveAnchor. */
bool mct_schema_recursive_ref(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str arg)
{
    const struct mct_schema_resource *target = mct_schema_resource(run, f->resource);
    if (!mct_json_is(arg, "#"))
        return mct_schema_stop(run, "the schema's \"$recursiveRef\" must be \"#\", not %.*s%s", MCT_SCHEMA_SHOW(arg));
    for (const struct mct_schema_frame *from = target->recursive ? f : NULL; from; from = from->up)
        if (mct_schema_resource(run, from->resource)->recursive)
            target = mct_schema_resource(run, from->resource);
    return mct_schema_apply_here(run, f, target->schema);
}
