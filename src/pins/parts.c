/* The parts of an item that are pinned, and how they compare. */
#include "pins/pins.h"

#include "base/limits.h"

/* Members of items that models do not see, or that change by themselves. */
static const struct parts_skip {
    unsigned subjects; /* bits */
    const char *key;
} parts_skipped[] = {
    { 1u << MCT_SUBJECT_TOOL | 1u << MCT_SUBJECT_PROMPT, "name" }, /* it identifies the item */
    { 1u << MCT_SUBJECT_TOOL, "execution" },
    { 1u << MCT_SUBJECT_RESOURCE, "uri" },
    { 1u << MCT_SUBJECT_RESOURCE, "size" },
    { 1u << MCT_SUBJECT_TEMPLATE, "uriTemplate" },
};

static bool parts_skip(enum mcti_subject subject, struct mcti_str key)
{
    for (size_t i = 0; i < sizeof parts_skipped / sizeof *parts_skipped; i++)
        if (parts_skipped[i].subjects & 1u << subject && mcti_json_key_is(key, parts_skipped[i].key))
            return true;
    return false;
}

/* Returns whether the text is kept beside its hash: it is not long, and not nested so deeply that its lines are. */
static bool parts_keeps(struct mcti_str canonical)
{
    enum { DEPTH = 64 };
    int depth = 0;
    bool in_string = false;
    if (canonical.len > MCT_LIMIT_PIN_BYTES)
        return false;
    for (size_t i = 0; i < canonical.len && depth <= DEPTH; i++) {
        char c = canonical.p[i];
        if (c == '"')
            in_string = !in_string;
        else if (in_string)
            i += c == '\\';
        else
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    }
    return depth <= DEPTH;
}

int mcti_pins_put_part(struct mcti_buf *to, struct mcti_str key, struct mcti_str json)
{
    struct mcti_buf value;
    char hash[MCT_PINS_HASH_CHARS + 1];
    mcti_buf_init(&value, 2 * json.len + 64);
    int r = mcti_pins_canon(&value, json) < 0 ? -1 : mcti_pins_hash(mcti_buf_str(&value), hash);
    if (r == 0) {
        mcti_buf_addz(to, mcti_buf_last(to) == '{' ? "" : ",");
        mcti_json_put_compact(to, mcti_json_key_value(key));
        mcti_buf_addz(to, ":{");
        mcti_json_put_member(to, "sha256", mcti_str_of(hash));
        if (parts_keeps(mcti_buf_str(&value)))
            mcti_json_put_raw(to, "value", mcti_buf_str(&value));
        mcti_buf_addc(to, '}');
    }
    mcti_buf_done(&value);
    return r;
}

/* Annotations of resources have the time of the last change, which is no text for models. */
static int parts_put_annotations(struct mcti_buf *to, struct mcti_json_member m)
{
    static const struct mcti_json_set no_time = { .key = "lastModified" };
    struct mcti_buf rest;
    mcti_buf_init(&rest, 2 * m.value.len + 64);
    mcti_json_put_object(&rest, m.value, &no_time, 1);
    int r = !mcti_buf_ok(&rest)                      ? -1
            : mcti_str_is(mcti_buf_str(&rest), "{}") ? 0
                                                     : mcti_pins_put_part(to, m.key, mcti_buf_str(&rest));
    mcti_buf_done(&rest);
    return r;
}

static int parts_put_object(struct mcti_buf *to, enum mcti_subject subject, struct mcti_str text)
{
    struct mcti_json_iter it = mcti_json_open(text);
    struct mcti_json_member m;
    bool has_times = subject == MCT_SUBJECT_RESOURCE || subject == MCT_SUBJECT_TEMPLATE;
    int r = 0;
    while (r == 0 && mcti_json_next_member(&it, &m)) {
        if (parts_skip(subject, m.key))
            continue;
        bool is_timed = has_times && mcti_json_key_is(m.key, "annotations") && mcti_json_type(m.value) == '{';
        r = is_timed ? parts_put_annotations(to, m) : mcti_pins_put_part(to, m.key, m.value);
    }
    return r;
}

bool mcti_pins_has_doubles(struct mcti_str canonical)
{
    struct mcti_json_iter it = mcti_json_open(canonical);
    struct mcti_json_member m;
    struct mcti_str last = MCT_STR_NONE;
    for (; mcti_json_next_member(&it, &m); last = m.key)
        if (last.p && mcti_str_eq(last, m.key))
            return true;
    return false;
}

/* A key as in struct mcti_json_member: quotes are around the span. */
#define PARTS_KEY(word) ((struct mcti_str){ &("\"" word "\"")[1], sizeof word - 1 })

static int parts_put_text(struct mcti_buf *to, struct mcti_str text)
{
    struct mcti_buf json;
    mcti_buf_init(&json, 6 * text.len + 3);
    mcti_json_put_string(&json, text);
    int r = mcti_buf_ok(&json) ? mcti_pins_put_part(to, PARTS_KEY("text"), mcti_buf_str(&json)) : -1;
    mcti_buf_done(&json);
    return r;
}

/* Returns whether the members of a canonical object can be pinned one by one. */
static bool parts_are_fine(struct mcti_str canonical)
{
    enum { MOST = 256 };
    struct mcti_json_iter it = mcti_json_open(canonical);
    struct mcti_json_member m;
    size_t n = 0;
    while (mcti_json_next_member(&it, &m))
        n++;
    return n <= MOST && !mcti_pins_has_doubles(canonical);
}

/* An object with two members of one name, or with many members or values, is pinned as a whole. */
static int parts_put_json(struct mcti_buf *to, enum mcti_subject subject, struct mcti_str text)
{
    struct mcti_buf sorted;
    mcti_buf_init(&sorted, 2 * text.len + 64);
    int r = mcti_pins_canon(&sorted, text);
    struct mcti_str canonical = mcti_buf_str(&sorted);
    if (r >= 0)
        r = r > 0 || !parts_are_fine(canonical) ? mcti_pins_put_part(to, PARTS_KEY("object"), canonical)
                                                : parts_put_object(to, subject, canonical);
    mcti_buf_done(&sorted);
    return r;
}

/* Parts are in the order of their keys, like the members of a canonical object. */
int mcti_pins_put_parts(struct mcti_buf *to, enum mcti_subject subject, struct mcti_str text)
{
    mcti_buf_addc(to, '{');
    int r = subject == MCT_SUBJECT_INSTRUCTIONS ? parts_put_text(to, text) : parts_put_json(to, subject, text);
    mcti_buf_addc(to, '}');
    return r == 0 && mcti_buf_ok(to) ? 0 : -1;
}

/* ---- comparing ---- */

/* Members that earlier revisions do not have: a server that describes its items in an older shape leaves them out. */
static const struct {
    const char *key;
    enum mcti_rev since;
} parts_since[] = {
    { "annotations", MCT_REV_2025_03_26 }, { "title", MCT_REV_2025_06_18 }, { "outputSchema", MCT_REV_2025_06_18 },
    { "_meta", MCT_REV_2025_06_18 },       { "icons", MCT_REV_2025_11_25 }, { "websiteUrl", MCT_REV_2025_11_25 },
    { "description", MCT_REV_NONE },
};

static bool parts_may_lack(struct mcti_str key, enum mcti_rev rev)
{
    for (size_t i = 0; i < sizeof parts_since / sizeof *parts_since; i++)
        if (mcti_json_key_is(key, parts_since[i].key))
            return rev != MCT_REV_NONE && rev < parts_since[i].since;
    return false;
}

static struct mcti_str parts_get(struct mcti_str parts, struct mcti_str key)
{
    struct mcti_json_iter it = mcti_json_open(parts);
    struct mcti_json_member m;
    while (mcti_json_next_member(&it, &m))
        if (mcti_str_eq(m.key, key))
            return m.value;
    return MCT_STR_NONE;
}

size_t mcti_pins_compare(struct mcti_str was, struct mcti_str is, enum mcti_rev rev,
                         void (*fn)(void *data, struct mcti_str key, struct mcti_str was, struct mcti_str is),
                         void *data)
{
    struct mcti_json_iter it = mcti_json_open(was);
    struct mcti_json_member m;
    size_t n = 0;
    while (mcti_json_next_member(&it, &m)) {
        struct mcti_str now = parts_get(is, m.key);
        bool same = now.p ? mcti_str_eq(mcti_json_get(m.value, "sha256"), mcti_json_get(now, "sha256"))
                          : parts_may_lack(m.key, rev);
        if (same)
            continue;
        n++;
        if (fn)
            fn(data, m.key, m.value, now);
    }
    it = mcti_json_open(is);
    while (mcti_json_next_member(&it, &m))
        if (!parts_get(was, m.key).p) {
            n++;
            if (fn)
                fn(data, m.key, MCT_STR_NONE, m.value);
        }
    return n;
}
