/* Resolving URI references, RFC 3986 section 5.2. */
#include "schema/impl.h"

/* Each with its delimiters, empty when it is not there. */
struct uri {
    struct mct_str scheme, authority, path, query;
};

/* Takes what stands before the first byte of `stops`. */
static struct mct_str take_until(struct mct_str *rest, const char *stops)
{
    size_t n = 0;
    while (n < rest->len && !strchr(stops, rest->p[n] ? rest->p[n] : 1))
        n++;
    struct mct_str part = { rest->p, n };
    *rest = (struct mct_str){ rest->p + n, rest->len - n };
    return part;
}

static struct uri parse(struct mct_str text)
{
    struct uri u = { .scheme = MCT_STR(""), .authority = MCT_STR("") };
    struct mct_str rest = text, scheme = take_until(&rest, ":/?");
    if (scheme.len && rest.len && *rest.p == ':') {
        u.scheme = (struct mct_str){ text.p, scheme.len + 1 };
        rest = (struct mct_str){ rest.p + 1, rest.len - 1 };
    } else {
        rest = text;
    }
    if (mct_str_starts(rest, MCT_STR("//"))) {
        struct mct_str name = { rest.p + 2, rest.len - 2 };
        u.authority = (struct mct_str){ rest.p, take_until(&name, "/?").len + 2 };
        rest = name;
    }
    u.path = take_until(&rest, "?");
    u.query = rest;
    return u;
}

/* The path up to its last '/', and with it. */
static struct mct_str folder(const struct uri *base)
{
    size_t n = base->path.len;
    while (n && base->path.p[n - 1] != '/')
        n--;
    if (!n && base->authority.len)
        return MCT_STR("/");
    return (struct mct_str){ base->path.p, n };
}

static void drop_last_segment(struct mct_buf *to, size_t path_at)
{
    if (to->len > path_at + 1)
        to->len--;
    while (to->len > path_at && mct_buf_last(to) != '/')
        to->len--;
}

/* Appends a path to the one that begins at path_at, without "." and ".." (section 5.2.4). */
static void put_path(struct mct_buf *to, size_t path_at, struct mct_str path)
{
    while (path.len) {
        struct mct_str name = take_until(&path, "/");
        size_t slash = path.len ? 1 : 0;
        if (mct_str_is(name, ".."))
            drop_last_segment(to, path_at);
        else if (!mct_str_is(name, "."))
            mct_buf_add(to, (struct mct_str){ name.p, name.len + slash });
        path = (struct mct_str){ path.p + slash, path.len - slash };
    }
}

void mct_schema_uri_resolve(struct mct_buf *to, struct mct_str base, struct mct_str ref)
{
    struct uri b = parse(base), r = parse(ref);
    bool absolute = r.scheme.len || r.authority.len || (r.path.len && *r.path.p == '/');
    bool same_path = !absolute && !r.path.len;
    mct_buf_add(to, r.scheme.len ? r.scheme : b.scheme);
    mct_buf_add(to, r.scheme.len || r.authority.len ? r.authority : b.authority);
    size_t path_at = to->len;
    if (!absolute)
        put_path(to, path_at, same_path ? b.path : folder(&b));
    put_path(to, path_at, r.path);
    mct_buf_add(to, same_path && !r.query.len ? b.query : r.query);
}
