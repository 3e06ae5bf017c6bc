#include "resources/cause.h"

#include "mcp/era.h"

struct cause_words {
    const char *words; /* in lower case */
    enum mcti_cause means;
};

/* The words that come first in a message decide; of words at the same place, those in the upper row. */
static const struct cause_words rows[] = {
    { "unknown resource", MCT_CAUSE_ABSENT },   /* server-everything; SDKs for Python (mcp, FastMCP) and C# */
    { "not found", MCT_CAUSE_ABSENT },          /* SDKs for TypeScript, Go, Java, Kotlin and Ruby */
    { "resource_not_found", MCT_CAUSE_ABSENT }, /* SDK for Rust */
    { "no such resource", MCT_CAUSE_ABSENT },
    { "no such file", MCT_CAUSE_ABSENT }, /* strerror(): C, Go, Python, Rust */
    { "enoent", MCT_CAUSE_ABSENT },       /* Node */
    { "filenotfounderror", MCT_CAUSE_ABSENT },
    { "does not exist", MCT_CAUSE_ABSENT }, /* server-filesystem; .NET */
    { "doesn't exist", MCT_CAUSE_ABSENT },
    { "could not find", MCT_CAUSE_ABSENT },       /* .NET */
    { "cannot find the file", MCT_CAUSE_ABSENT }, /* Windows */
    { "cannot find the path", MCT_CAUSE_ABSENT },
    { "不存在", MCT_CAUSE_ABSENT },
    { "未找到", MCT_CAUSE_ABSENT },
    { "找不到", MCT_CAUSE_ABSENT },

    { "access denied", MCT_CAUSE_DENIED },    /* server-filesystem */
    { "access is denied", MCT_CAUSE_DENIED }, /* Windows */
    { "outside allowed", MCT_CAUSE_DENIED },  /* server-filesystem */
    { "outside of allowed", MCT_CAUSE_DENIED },
    { "outside the allowed", MCT_CAUSE_DENIED },
    { "not under any root", MCT_CAUSE_DENIED },       /* SDK for Go */
    { "path escapes from parent", MCT_CAUSE_DENIED }, /* Go */
    { "path traversal", MCT_CAUSE_DENIED },
    { "permission denied", MCT_CAUSE_DENIED }, /* strerror() */
    { "operation not permitted", MCT_CAUSE_DENIED },
    { "eacces", MCT_CAUSE_DENIED }, /* Node */
    { "eperm", MCT_CAUSE_DENIED },
    { "permissionerror", MCT_CAUSE_DENIED },
    { "permission_denied", MCT_CAUSE_DENIED }, /* gRPC */
    { "insufficient permission", MCT_CAUSE_DENIED },
    { "insufficient permissions", MCT_CAUSE_DENIED },
    { "insufficient scope", MCT_CAUSE_DENIED },
    { "forbidden", MCT_CAUSE_DENIED },    /* HTTP 403 of a service behind the server */
    { "unauthorized", MCT_CAUSE_DENIED }, /* HTTP 401 */
    { "unauthorised", MCT_CAUSE_DENIED },
    { "not authorized", MCT_CAUSE_DENIED },
    { "not authorised", MCT_CAUSE_DENIED },
    { "权限不足", MCT_CAUSE_DENIED },
    { "权限被拒绝", MCT_CAUSE_DENIED },
    { "权限拒绝", MCT_CAUSE_DENIED },
    { "没有权限", MCT_CAUSE_DENIED },
    { "无权限", MCT_CAUSE_DENIED },
    { "拒绝访问", MCT_CAUSE_DENIED },
    { "禁止访问", MCT_CAUSE_DENIED },

    { "invalid url", MCT_CAUSE_MALFORMED }, /* SDK for TypeScript: new URL() */
    { "invalid uri", MCT_CAUSE_MALFORMED },
    { "malformed url", MCT_CAUSE_MALFORMED },
    { "malformed uri", MCT_CAUSE_MALFORMED },
    { "should be a valid url", MCT_CAUSE_MALFORMED },       /* SDK for Python: pydantic */
    { "relative url without a base", MCT_CAUSE_MALFORMED }, /* Rust, pydantic */
    { "missing protocol scheme", MCT_CAUSE_MALFORMED },     /* Go: url.Parse() */

    /* things that are not found and are no resource */
    { "method not found", MCT_CAUSE_OTHER },
    { "tool not found", MCT_CAUSE_OTHER },
    { "command not found", MCT_CAUSE_OTHER },
    { "module not found", MCT_CAUSE_OTHER },
    { "session not found", MCT_CAUSE_OTHER },
    { "key not found", MCT_CAUSE_OTHER },
    { "token not found", MCT_CAUSE_OTHER },
    { "credentials not found", MCT_CAUSE_OTHER },
    { "host not found", MCT_CAUSE_OTHER },
    { "server not found", MCT_CAUSE_OTHER },
    { "database does not exist", MCT_CAUSE_OTHER },
    { "could not find module", MCT_CAUSE_OTHER },
};

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* ---- words of the URI ---- */

static void put_decoded(struct mcti_buf *to, struct mcti_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        int byte = mcti_str_percent(text, i);
        mcti_buf_addc(to, mcti_lower(byte < 0 ? text.p[i] : (char)byte));
        i += byte < 0 ? 0 : 2;
    }
}

/* Returns the part of a URI after its scheme and slashes. */
static struct mcti_str cause_path_of(struct mcti_str uri)
{
    const char *colon = uri.len ? memchr(uri.p, ':', uri.len) : NULL;
    struct mcti_str path = colon ? mcti_str_range(colon + 1, uri.p + uri.len) : uri;
    while (path.len && *path.p == '/') {
        path.p++;
        path.len--;
    }
    return path;
}

/* Replaces each occurrence of `what` in the message; as_path: only those after a slash, a backslash or a quote. */
static void cause_blank(struct mcti_buf *message, struct mcti_str what, bool as_path)
{
    char *from = message->p, *end = message->p + message->len, *at;
    while (what.len && (at = memmem(from, (size_t)(end - from), what.p, what.len))) {
        bool named = at > message->p && strchr("/\\'\"`", at[-1]);
        if (named || !as_path)
            memset(at, ' ', what.len);
        from = at + what.len;
    }
}

static void cause_blank_uri(struct mcti_buf *message, struct mcti_str uri)
{
    struct mcti_buf form;
    mcti_buf_init(&form, 2 * uri.len + 1);
    mcti_buf_add_lower(&form, uri);
    cause_blank(message, mcti_buf_str(&form), false);
    mcti_buf_clear(&form);
    put_decoded(&form, uri);
    cause_blank(message, mcti_buf_str(&form), false);
    cause_blank(message, cause_path_of(mcti_buf_str(&form)), true);
    mcti_buf_done(&form);
}

/* ---- words of the server ---- */

/* Returns the place of the words in the message, as whole words; NULL if they are not in it. */
static const char *cause_find(struct mcti_str message, const char *words)
{
    size_t n = strlen(words);
    const char *from = message.p, *end = message.p + message.len, *at;
    while ((at = memmem(from, (size_t)(end - from), words, n))) {
        bool begins = at == message.p || !is_word_char(at[-1]) || !is_word_char(words[0]);
        bool ends = at + n == end || !is_word_char(at[n]) || !is_word_char(words[n - 1]);
        if (begins && ends)
            return at;
        from = at + 1;
    }
    return NULL;
}

static enum mcti_cause cause_by_words(const struct mct_error *err, struct mcti_str uri)
{
    enum mcti_cause means = MCT_CAUSE_OTHER;
    const char *first = NULL;
    struct mcti_buf message;
    mcti_buf_init(&message, sizeof err->message);
    mcti_buf_add_lower(&message, mcti_str_of(err->message));
    if (uri.len && message.len)
        cause_blank_uri(&message, uri);
    for (size_t i = 0; message.len && i < sizeof rows / sizeof *rows; i++) {
        const char *at = cause_find(mcti_buf_str(&message), rows[i].words);
        if (at && (!first || at < first)) {
            first = at;
            means = rows[i].means;
        }
    }
    mcti_buf_done(&message);
    return means;
}

enum mcti_cause mcti_cause_of(const struct mct_error *err, struct mcti_str uri)
{
    enum mcti_cause means = cause_by_words(err, uri);
    if (!uri.p)
        return means == MCT_CAUSE_DENIED ? means : MCT_CAUSE_OTHER;
    if (means != MCT_CAUSE_OTHER)
        return means;
    bool named = uri.len && memmem(err->message, strlen(err->message), uri.p, uri.len);
    bool absent = err->code == MCT_RPC_RESOURCE_NOT_FOUND || (err->code == MCT_RPC_INVALID_PARAMS && named);
    return absent ? MCT_CAUSE_ABSENT : MCT_CAUSE_OTHER;
}
