#include "skills/uri.h"

#include "base/limits.h"

#define SKILL_FILE "/SKILL.md"

struct mcti_str mcti_skill_root(struct mcti_str uri)
{
    static const struct mcti_str file = { SKILL_FILE, sizeof SKILL_FILE - 1 };
    if (uri.len <= file.len || memcmp(uri.p + uri.len - file.len, file.p, file.len) != 0)
        return MCT_STR_NONE;
    return (struct mcti_str){ uri.p, uri.len - file.len + 1 };
}

struct mcti_str mcti_skill_last_segment(struct mcti_str root)
{
    const char *end = root.p + root.len - 1, *p = end;
    while (p > root.p && p[-1] != '/')
        p--;
    return mcti_str_range(p, end);
}

bool mcti_skill_is_name(struct mcti_str name)
{
    if (!name.len || name.len > MCT_LIMIT_SKILL_NAME || *name.p == '-' || name.p[name.len - 1] == '-')
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.p[i];
        bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!is_word && (c != '-' || name.p[i - 1] == '-'))
            return false;
    }
    return true;
}

/* Returns the value of a hexadecimal digit; -1 for any other character. */
static int uri_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Reads one character, percent-encoded or not, and moves *p behind it. */
static char uri_next(const char **p, const char *end)
{
    char c = *(*p)++;
    if (c != '%' || end - *p < 2 || uri_digit((*p)[0]) < 0 || uri_digit((*p)[1]) < 0)
        return c;
    c = (char)(uri_digit((*p)[0]) << 4 | uri_digit((*p)[1]));
    *p += 2;
    return c;
}

/* Appends a segment, decoded. Returns -1 if it cannot be the name of a file. */
static int uri_put_segment(struct mcti_buf *to, struct mcti_str segment)
{
    size_t from = to->len;
    for (const char *p = segment.p, *end = p + segment.len; p < end;) {
        char c = uri_next(&p, end);
        if ((unsigned char)c < 0x20 || c == 0x7f || c == '/' || c == '\\')
            return -1;
        mcti_buf_addc(to, c);
    }
    if (!mcti_buf_ok(to) || to->len == from)
        return -1;
    struct mcti_str name = { to->p + from, to->len - from };
    return mcti_str_is(name, ".") || mcti_str_is(name, "..") ? -1 : 0;
}

/* Appends the segments of a path, with slashes between them. */
static int uri_put_segments(struct mcti_buf *to, struct mcti_str path)
{
    struct mcti_str segment;
    for (bool first = true; path.p; first = false) {
        const char *slash = path.len ? memchr(path.p, '/', path.len) : NULL, *end = path.p + path.len;
        segment = mcti_str_range(path.p, slash ? slash : end);
        path = slash ? mcti_str_range(slash + 1, end) : MCT_STR_NONE;
        mcti_buf_addz(to, first ? "" : "/");
        if (uri_put_segment(to, segment) < 0)
            return -1;
    }
    return 0;
}

bool mcti_skill_is_inside(struct mcti_str root, struct mcti_str uri)
{
    struct mcti_buf path;
    if (!mcti_str_starts(uri, root) || uri.len == root.len)
        return false;
    mcti_buf_init(&path, uri.len + 1);
    bool is = uri_put_segments(&path, mcti_str_range(uri.p + root.len, uri.p + uri.len)) == 0;
    mcti_buf_done(&path);
    return is;
}

int mcti_skill_put_path(struct mcti_buf *to, struct mcti_str uri)
{
    static const struct mcti_str scheme = MCT_STR("skill://");
    const char *colon = uri.len ? memchr(uri.p, ':', uri.len) : NULL, *end = uri.p + uri.len;
    if (mcti_str_starts(uri, scheme))
        return uri_put_segments(to, mcti_str_range(uri.p + scheme.len, end));
    if (!colon || uri_put_segment(to, mcti_str_range(uri.p, colon)) < 0)
        return -1;
    for (colon++; colon < end && *colon == '/';)
        colon++;
    mcti_buf_addc(to, '/');
    return uri_put_segments(to, mcti_str_range(colon, end));
}
