/* The parts of an item that are pinned, and how they compare. */
#include "pins/pins.h"

#include "base/limits.h"

#include <stdlib.h>

/* Members of items that models do not see, or that change by themselves. */
static const struct parts_skip {
    unsigned subjects; /* bits */
    const char *key;
} parts_skipped[] = {
    { 1u << MCT_SUBJECT_TOOL | 1u << MCT_SUBJECT_PROMPT, "name" }, /* it identifies the item */
    { 1u << MCT_SUBJECT_TOOL, "execution" },
    { 1u << MCT_SUBJECT_RESOURCE, "uri" },
    { 1u << MCT_SUBJECT_RESOURCE, "size" },
    { 1u << MCT_SUBJECT_RESOURCE | 1u << MCT_SUBJECT_TEMPLATE, "annotations" }, /* has the time of the last change */
    { 1u << MCT_SUBJECT_TEMPLATE, "uriTemplate" },
};

static bool parts_skip(enum mcti_subject subject, struct mcti_str key)
{
    for (size_t i = 0; i < sizeof parts_skipped / sizeof *parts_skipped; i++)
        if (parts_skipped[i].subjects & 1u << subject && mcti_json_key_is(key, parts_skipped[i].key))
            return true;
    return false;
}

int mcti_pins_put_part(struct mcti_buf *to, struct mcti_str key, struct mcti_str json)
{
    struct mcti_buf value;
    char hash[MCT_PINS_HASH_CHARS + 1];
    mcti_buf_init(&value, 2 * json.len + 64);
    int r = mcti_pins_canon(&value, json);
    if (r == 0)
        r = mcti_pins_hash(mcti_buf_str(&value), hash);
    if (r == 0) {
        mcti_buf_addz(to, mcti_buf_last(to) == '{' ? "" : ",");
        mcti_json_put_compact(to, mcti_json_key_value(key));
        mcti_buf_addz(to, ":{");
        mcti_json_put_member(to, "sha256", mcti_str_of(hash));
        if (value.len <= MCT_LIMIT_PIN_BYTES)
            mcti_json_put_raw(to, "value", mcti_buf_str(&value));
        mcti_buf_addc(to, '}');
    }
    mcti_buf_done(&value);
    return r;
}

static int parts_put_object(struct mcti_buf *to, enum mcti_subject subject, struct mcti_str text)
{
    struct mcti_json_iter it = mcti_json_open(text);
    struct mcti_json_member m;
    int r = 0;
    while (r == 0 && mcti_json_next_member(&it, &m))
        if (!parts_skip(subject, m.key))
            r = mcti_pins_put_part(to, m.key, m.value);
    return r;
}

/* An object with two members of one name is pinned as a whole. */
static int parts_put_whole(struct mcti_buf *to, struct mcti_str text)
{
    static const char key[] = "\"object\"";
    return mcti_pins_put_part(to, (struct mcti_str){ key + 1, sizeof key - 3 }, text);
}

static int parts_put_text(struct mcti_buf *to, struct mcti_str text)
{
    static const char key[] = "\"text\"";
    struct mcti_buf json;
    mcti_buf_init(&json, 6 * text.len + 3);
    mcti_json_put_string(&json, text);
    int r = mcti_buf_ok(&json) ? mcti_pins_put_part(to, (struct mcti_str){ key + 1, 4 }, mcti_buf_str(&json)) : -1;
    mcti_buf_done(&json);
    return r;
}

int mcti_pins_put_parts(struct mcti_buf *to, enum mcti_subject subject, struct mcti_str text)
{
    struct mcti_buf sorted, parts;
    mcti_buf_init(&parts, (size_t)1 << 30);
    mcti_buf_init(&sorted, (size_t)1 << 30);
    mcti_buf_addc(&parts, '{');
    int unique = subject == MCT_SUBJECT_INSTRUCTIONS ? 1 : mcti_json_unique(text);
    int r = unique < 0                            ? -1
            : subject == MCT_SUBJECT_INSTRUCTIONS ? parts_put_text(&parts, text)
            : unique                              ? parts_put_object(&parts, subject, text)
                                                  : parts_put_whole(&parts, text);
    mcti_buf_addc(&parts, '}');
    if (r == 0 && mcti_buf_ok(&parts))
        r = mcti_pins_canon(&sorted, mcti_buf_str(&parts));
    if (r == 0)
        mcti_buf_add(to, mcti_buf_str(&sorted));
    r = r == 0 && mcti_buf_ok(&parts) && mcti_buf_ok(&sorted) ? 0 : -1;
    mcti_buf_done(&sorted);
    mcti_buf_done(&parts);
    return r;
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
