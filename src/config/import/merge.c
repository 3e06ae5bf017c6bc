/* Adds members to the text of a configuration file, without a change to what it has: comments, order and white space
 * stay. */
#include "config/import/import.h"

#include "base/limits.h"
#include "config/notation/jsonc.h"
#include "json/write.h"

#include <stdlib.h>

struct merge {
    struct mcti_str text;  /* as the file has it */
    struct mcti_str plain; /* the same without comments, as JSON */
    const char *newline;
    struct mcti_buf *to;
};

/* ---- white space ---- */

/* Returns the white space in front of the line of a position. */
static struct mcti_str indent_of(const struct merge *m, size_t at)
{
    size_t from = at, to;
    while (from && m->text.p[from - 1] != '\n')
        from--;
    for (to = from; to < at && (m->text.p[to] == ' ' || m->text.p[to] == '\t'); to++)
        ;
    return mcti_str_range(m->text.p + from, m->text.p + to);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Appends JSON in several lines, each behind `indent`. */
static void put_lines(struct merge *m, struct mcti_str json, struct mcti_str indent)
{
    struct mcti_buf pretty;
    mcti_buf_init(&pretty, MCT_LIMIT_MESSAGE_BYTES);
    mcti_json_put_pretty(&pretty, json);
    struct mcti_str rest = mcti_buf_str(&pretty), line;
    mcti_buf_mind(m->to, rest);
    for (bool first = true; mcti_str_split(&rest, '\n', &line); first = false) {
        if (!first) {
            mcti_buf_addz(m->to, m->newline);
            mcti_buf_add(m->to, indent);
        }
        mcti_buf_add(m->to, line);
    }
    mcti_buf_done(&pretty);
}

/* ---- members ---- */

static size_t merge_offset(const struct merge *m, const char *p)
{
    return (size_t)(p - m->plain.p);
}

/* Returns the last member of an object; its value is absent if there is none. */
static struct mcti_json_member last_member(struct mcti_str object)
{
    struct mcti_json_member last = { 0 };
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &last);)
        ;
    return last;
}

/* Returns the position behind the comment that begins at `at`, or `at` if none begins there. */
static size_t behind_comment(struct mcti_str text, size_t at)
{
    bool is_line = text.p[at] == '/' && text.p[at + 1] == '/';
    if (!is_line && !(text.p[at] == '/' && text.p[at + 1] == '*'))
        return at;
    const char *end = is_line ? "\n" : "*/";
    size_t len = strlen(end), from = at + 2;
    const char *found = memmem(text.p + from, text.len - from, end, len);
    return found ? (size_t)(found - text.p) + len : text.len;
}

/* Returns true if the file has a comma behind the last value: mcti_jsonc_blank() took it, and comments, away. */
static bool has_trailing_comma(const struct merge *m, size_t from, size_t to)
{
    size_t i = from, behind;
    while (i < to && m->text.p[i] != ',') {
        behind = behind_comment(m->text, i);
        i = behind == i ? i + 1 : behind;
    }
    return i < to;
}

/* Writes the whole text with `"key": json` added at the end of `object`. */
static void put_with_member(struct merge *m, struct mcti_str object, const char *key, struct mcti_str json)
{
    struct mcti_json_member last = last_member(object);
    size_t opens = merge_offset(m, object.p), closes = opens + object.len - 1, end = closes;
    size_t behind = last.value.p ? merge_offset(m, last.value.p) + last.value.len : opens + 1;
    struct mcti_str outer = indent_of(m, opens);
    while (end > behind && is_space(m->text.p[end - 1]))
        end--;
    bool comma = last.value.p && !has_trailing_comma(m, behind, closes);
    mcti_buf_add(m->to, mcti_str_range(m->text.p, m->text.p + behind));
    mcti_buf_addz(m->to, comma ? "," : "");
    mcti_buf_add(m->to, mcti_str_range(m->text.p + behind, m->text.p + end));
    mcti_buf_addz(m->to, m->newline);
    struct mcti_buf indent;
    mcti_buf_init(&indent, 1u << 16);
    bool own_line = last.value.p && indent_of(m, merge_offset(m, last.key.p)).len > outer.len;
    mcti_buf_add(&indent, own_line ? indent_of(m, merge_offset(m, last.key.p)) : outer);
    mcti_buf_addz(&indent, own_line ? "" : "  ");
    mcti_buf_add(m->to, mcti_buf_str(&indent));
    mcti_json_put_string(m->to, mcti_str_of(key));
    mcti_buf_addz(m->to, ": ");
    put_lines(m, json, mcti_buf_str(&indent));
    mcti_buf_done(&indent);
    bool on_line = memchr(m->text.p + end, '\n', closes - end);
    if (!on_line) {
        mcti_buf_addz(m->to, m->newline);
        mcti_buf_add(m->to, outer);
        end = closes;
    }
    mcti_buf_add(m->to, mcti_str_range(m->text.p + end, m->text.p + m->text.len));
}

/* ---- the text ---- */

/* Writes the value inside the objects of `path` that do not exist. */
static void put_nested(struct mcti_buf *to, const char *const *path, const char *key, struct mcti_str json)
{
    mcti_buf_addc(to, '{');
    mcti_json_put_key(to, *path ? *path : key);
    if (*path)
        put_nested(to, path + 1, key, json);
    else
        mcti_buf_add(to, json);
    mcti_buf_addc(to, '}');
}

static int merge_into(struct merge *m, struct mcti_str root, const char *const *path, const char *key,
                      struct mcti_str json, struct mct_error *err)
{
    struct mcti_str object = root, inner;
    struct mcti_buf nested;
    for (; *path && (inner = mcti_json_get(object, *path)).p; path++)
        if (mcti_json_type(object = inner) != '{')
            return mcti_fail(err, MCT_ERR_CONFIG, "\"%s\" is not an object", *path);
    if (!*path && mcti_json_get(object, key).p)
        return 1;
    if (!*path) {
        put_with_member(m, object, key, json);
        return 0;
    }
    mcti_buf_init(&nested, MCT_LIMIT_MESSAGE_BYTES);
    put_nested(&nested, path + 1, key, json);
    put_with_member(m, object, *path, mcti_buf_str(&nested));
    mcti_buf_done(&nested);
    return 0;
}

int mcti_config_merge(struct mcti_buf *text, const char *const *path, const char *key, struct mcti_str json,
                      struct mct_error *err)
{
    static const struct mcti_str empty = { "{}\n", 3 };
    struct mcti_buf out;
    struct mcti_json_top top;
    struct mcti_str whole = text->len ? mcti_buf_str(text) : empty;
    char *plain = mcti_str_dup(whole);
    mcti_buf_init(&out, MCT_LIMIT_MESSAGE_BYTES);
    struct merge m = { .text = whole,
                       .plain = { plain, whole.len },
                       .newline = memmem(whole.p, whole.len, "\r\n", 2) ? "\r\n" : "\n",
                       .to = &out };
    if (!plain)
        return mcti_no_memory(err);
    if (whole.len >= 3 && !memcmp(plain, "\xef\xbb\xbf", 3))
        memset(plain, ' ', 3);
    mcti_jsonc_blank(plain, whole.len);
    int r = mcti_json_valid(m.plain, MCT_LIMIT_JSON_DEPTH, &top, NULL) && mcti_json_type(top.value) == '{'
                ? merge_into(&m, top.value, path, key, json, err)
                : mcti_fail(err, MCT_ERR_CONFIG, "the file does not contain a JSON object");
    free(plain);
    if (r == 0 && !mcti_buf_ok(&out))
        r = mcti_no_memory(err);
    if (r == 0) {
        mcti_buf_done(text);
        *text = out;
        return 0;
    }
    mcti_buf_done(&out);
    return r;
}
