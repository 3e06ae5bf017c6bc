#include "front/path.h"

static bool path_is_name(struct mcti_str part, const char *name)
{
    for (size_t i = 0; i < part.len; i++) {
        int byte = mcti_str_percent(part, i);
        if (!*name || *name++ != (byte >= 0 ? (char)byte : part.p[i]))
            return false;
        i += byte >= 0 ? 2 : 0;
    }
    return !*name;
}

static struct mcti_str path_bare(struct mcti_str path)
{
    return (struct mcti_str){ path.p, path.len - (path.len > 1 && path.p[path.len - 1] == '/') };
}

bool mcti_path_is(struct mcti_str path, struct mcti_str folder, const char *name)
{
    struct mcti_str bare = path_bare(path);
    if (!mcti_str_starts(bare, folder))
        return false;
    struct mcti_str rest = mcti_str_range(bare.p + folder.len, bare.p + bare.len);
    if (!name || !rest.len)
        return !name && !rest.len;
    return *rest.p == '/' && path_is_name(mcti_str_range(rest.p + 1, rest.p + rest.len), name);
}

bool mcti_path_ends(struct mcti_str path, const char *name, struct mcti_str tail)
{
    struct mcti_str bare = path_bare(path);
    if (bare.len <= tail.len || memcmp(bare.p + bare.len - tail.len, tail.p, tail.len) != 0)
        return false;
    return path_is_name(mcti_str_range(bare.p + 1, bare.p + bare.len - tail.len), name);
}
