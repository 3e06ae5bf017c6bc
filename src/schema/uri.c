/* Resolves URI references (RFC 3986 section 5.2). */
#include "schema/impl.h"

/* Each part includes its delimiters; empty if missing. */
struct uri {
    struct mcti_str scheme, authority, path, query;
};

/* Splits off the part before the first byte of `stops`. */
static struct mcti_str take_until(struct mcti_str *rest, const char *stops)
{
    size_t n = 0;
    while (n < rest->len && !strchr(stops, rest->p[n] ? rest->p[n] : 1))
        n++;
    struct mcti_str part = { rest->p, n };
    *rest = (struct mcti_str){ rest->p + n, rest->len - n };
    return part;
}

static struct uri uri_parse(struct mcti_str text)
{
    struct uri u = { .scheme = MCT_STR(""), .authority = MCT_STR("") };
    struct mcti_str rest = text, scheme = take_until(&rest, ":/?");
    if (scheme.len && rest.len && *rest.p == ':') {
        u.scheme = (struct mcti_str){ text.p, scheme.len + 1 };
        rest = (struct mcti_str){ rest.p + 1, rest.len - 1 };
    } else {
        rest = text;
    }
    if (mcti_str_starts(rest, MCT_STR("//"))) {
        struct mcti_str name = { rest.p + 2, rest.len - 2 };
        u.authority = (struct mcti_str){ rest.p, take_until(&name, "/?").len + 2 };
        rest = name;
    }
    u.path = take_until(&rest, "?");
    u.query = rest;
    return u;
}

/* Returns the path up to and including its last '/'. */
static struct mcti_str uri_folder(const struct uri *base)
{
    size_t n = base->path.len;
    while (n && base->path.p[n - 1] != '/')
        n--;
    if (!n && base->authority.len)
        return MCT_STR("/");
    return (struct mcti_str){ base->path.p, n };
}

static void drop_last_segment(struct mcti_buf *to, size_t path_at)
{
    if (to->len > path_at + 1)
        to->len--;
    while (to->len > path_at && mcti_buf_last(to) != '/')
        to->len--;
}

/* Appends a path to the one that begins at path_at, and removes "." and ".." (section 5.2.4). */
static void put_path(struct mcti_buf *to, size_t path_at, struct mcti_str path)
{
    while (path.len) {
        struct mcti_str name = take_until(&path, "/");
        size_t slash = path.len ? 1 : 0;
        if (mcti_str_is(name, ".."))
            drop_last_segment(to, path_at);
        else if (!mcti_str_is(name, "."))
            mcti_buf_add(to, (struct mcti_str){ name.p, name.len + slash });
        path = (struct mcti_str){ path.p + slash, path.len - slash };
    }
}

void mcti_schema_uri_resolve(struct mcti_buf *to, struct mcti_str base, struct mcti_str ref)
{
    struct uri b = uri_parse(base), r = uri_parse(ref);
    bool absolute = r.scheme.len || r.authority.len || (r.path.len && *r.path.p == '/');
    bool same_path = !absolute && !r.path.len;
    mcti_buf_add(to, r.scheme.len ? r.scheme : b.scheme);
    mcti_buf_add(to, r.scheme.len || r.authority.len ? r.authority : b.authority);
    size_t path_at = to->len;
    if (!absolute)
        put_path(to, path_at, same_path ? b.path : uri_folder(&b));
    put_path(to, path_at, r.path);
    mcti_buf_add(to, same_path && !r.query.len ? b.query : r.query);
}
