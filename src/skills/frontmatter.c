#include "skills/frontmatter.h"

#include "config/notation/document.h"
#include "json/write.h"
#include "schema/schema.h"

#include <stdlib.h>

static struct mcti_str frontmatter_line(struct mcti_str *rest)
{
    const char *end = rest->p + rest->len, *eol = rest->len ? memchr(rest->p, '\n', rest->len) : NULL;
    struct mcti_str line = mcti_str_range(rest->p, eol ? eol : end);
    *rest = eol ? mcti_str_range(eol + 1, end) : MCT_STR_NONE;
    return line;
}

static bool is_fence(struct mcti_str line)
{
    while (line.len > 3 && strchr(" \t\r", line.p[line.len - 1]))
        line.len--;
    return mcti_str_is(line, "---");
}

int mcti_frontmatter_split(struct mcti_str text, struct mcti_str *ret_yaml, struct mcti_str *ret_body,
                           struct mct_error *err)
{
    struct mcti_str rest = text;
    if (mcti_str_starts(rest, MCT_STR("\xef\xbb\xbf")))
        rest = mcti_str_range(rest.p + 3, rest.p + rest.len);
    if (!is_fence(frontmatter_line(&rest)) || !rest.p)
        return mcti_fail(err, MCT_ERR_INTEGRITY, "SKILL.md has no frontmatter: its first line is not \"---\"");
    const char *from = rest.p;
    while (rest.p) {
        struct mcti_str line = frontmatter_line(&rest);
        if (!is_fence(line))
            continue;
        *ret_yaml = mcti_str_range(from, line.p);
        *ret_body = rest.p ? rest : MCT_STR("");
        return 0;
    }
    return mcti_fail(err, MCT_ERR_INTEGRITY, "the frontmatter of SKILL.md has no end: a line \"---\" is missing");
}

int mcti_frontmatter_read(struct mcti_buf *to, struct mcti_str yaml, struct mct_error *err)
{
#ifndef MCT_HAVE_YAML
    (void)to;
    (void)yaml;
    return mcti_fail(err, MCT_ERR_UNSUPPORTED,
                     "this mcptools was built without libyaml and cannot check the frontmatter of skills");
#else
    struct mcti_document d;
    struct mcti_notation_fault fault;
    if (mcti_document_read(MCT_NOTATION_YAML_CORE, yaml, &d, &fault) < 0)
        return mcti_fail(err, MCT_ERR_INTEGRITY, "frontmatter of SKILL.md, line %u: %s", fault.line + 1, fault.why);
    struct mcti_str json = { d.json, d.len };
    bool is_object = mcti_json_type(json) == '{';
    if (is_object)
        mcti_buf_add(to, json);
    mcti_document_done(&d);
    if (!is_object)
        return mcti_fail(err, MCT_ERR_INTEGRITY, "the frontmatter of SKILL.md is not a mapping");
    return mcti_buf_ok(to) ? 0 : mcti_no_memory(err);
#endif
}

/* Returns whether two values are equal, by the rules of JSON Schema: numbers by value, members in whatever order. */
static bool frontmatter_equal(struct mcti_str a, struct mcti_str b)
{
    struct mcti_buf schema;
    mcti_buf_init(&schema, a.len + 64);
    mcti_buf_addz(&schema, "{\"const\":");
    mcti_buf_add(&schema, a);
    mcti_buf_addc(&schema, '}');
    bool equal = mcti_buf_ok(&schema) && mcti_schema_check(mcti_buf_str(&schema), b, NULL) == MCT_SCHEMA_VALID;
    mcti_buf_done(&schema);
    return equal;
}

/* Returns the member of `object` with the key as written in another text; absent: there is none. */
static struct mcti_str frontmatter_member(struct mcti_str object, struct mcti_str key)
{
    char *name = mcti_json_dup(mcti_json_key_value(key));
    struct mcti_str value = name ? mcti_json_get(object, name) : MCT_STR_NONE;
    free(name);
    return value;
}

/* Fails with the name of the first member of `a` that `b` lacks or has with another value. */
static int frontmatter_compare(struct mcti_str a, struct mcti_str b, struct mct_error *err)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(a); mcti_json_next_member(&it, &m);) {
        struct mcti_str other = frontmatter_member(b, m.key);
        if (!other.p || !frontmatter_equal(m.value, other))
            return mcti_fail(err, MCT_ERR_INTEGRITY, "the frontmatter of SKILL.md differs from the entry: \"%.*s\"",
                             MCT_STR_ARG(m.key));
    }
    return 0;
}

int mcti_frontmatter_check(struct mcti_str text, struct mcti_str entry, struct mct_error *err)
{
    struct mcti_str yaml, body;
    struct mcti_buf own;
    if (mcti_frontmatter_split(text, &yaml, &body, err) < 0)
        return -1;
    mcti_buf_init(&own, (size_t)64 << 20);
    int r = mcti_frontmatter_read(&own, yaml, err);
    if (r == 0)
        r = frontmatter_compare(mcti_buf_str(&own), entry, err);
    if (r == 0)
        r = frontmatter_compare(entry, mcti_buf_str(&own), err);
    mcti_buf_done(&own);
    return r;
}
