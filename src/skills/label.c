#include "skills/label.h"

#include "json/edit.h"

#define SCHEME "skill://"

/* ---- one URI ---- */

static bool is_plain_in_label(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~", c));
}

static void label_put_head(struct mcti_buf *to, struct mcti_str server)
{
    mcti_buf_addz(to, SCHEME);
    for (size_t i = 0; i < server.len; i++)
        if (is_plain_in_label(server.p[i]))
            mcti_buf_addc(to, server.p[i]);
        else
            mcti_buf_printf(to, "%%%02X", (unsigned char)server.p[i]);
    mcti_buf_addc(to, '/');
}

void mcti_skill_put_labelled(struct mcti_buf *to, struct mcti_str server, struct mcti_str uri)
{
    const char *colon = uri.len ? memchr(uri.p, ':', uri.len) : NULL, *end = uri.p + uri.len;
    label_put_head(to, server);
    if (mcti_skill_has_scheme(uri)) {
        struct mcti_str rest = mcti_str_range(uri.p + sizeof SCHEME - 1, end);
        mcti_buf_addz(to, rest.len && *rest.p == '+' ? "+" : "");
        mcti_buf_add(to, rest);
        return;
    }
    mcti_buf_addc(to, '+');
    if (!colon || !mcti_str_starts(mcti_str_range(colon, end), MCT_STR("://"))) {
        mcti_buf_add(to, uri);
        return;
    }
    mcti_buf_add(to, mcti_str_range(uri.p, colon));
    mcti_buf_add(to, mcti_str_range(colon + 2, end));
}

bool mcti_skill_put_unlabelled(struct mcti_buf *to, struct mcti_str server, struct mcti_str uri)
{
    struct mcti_buf head;
    mcti_buf_init(&head, 3 * server.len + 64);
    label_put_head(&head, server);
    bool is_its = mcti_buf_ok(&head) && uri.len > head.len && mcti_str_starts(uri, mcti_buf_str(&head));
    struct mcti_str rest = is_its ? mcti_str_range(uri.p + head.len, uri.p + uri.len) : MCT_STR("");
    mcti_buf_done(&head);
    if (!is_its)
        return false;
    bool is_other = *rest.p == '+' && !(rest.len > 1 && rest.p[1] == '+');
    size_t scheme = 1;
    while (is_other && scheme < rest.len && rest.p[scheme] != '/' && rest.p[scheme] != ':')
        scheme++;
    if (!is_other) {
        mcti_buf_addz(to, SCHEME);
        mcti_buf_add(to, mcti_str_range(rest.p + (*rest.p == '+'), rest.p + rest.len));
        return true;
    }
    mcti_buf_add(to, mcti_str_range(rest.p + 1, rest.p + scheme));
    mcti_buf_addz(to, scheme < rest.len && rest.p[scheme] == '/' ? ":/" : "");
    mcti_buf_add(to, mcti_str_range(rest.p + scheme, rest.p + rest.len));
    return true;
}

/* ---- results ---- */

struct relabelling {
    struct mcti_json_edit edit;
    struct mcti_str server;
    enum mcti_skill_relabel which;
};

enum { RELABEL_DEPTH = 6 }; /* of messages[].content[].resource.uri, with the arrays */

void mcti_skill_put_labelled_json(struct mcti_buf *to, struct mcti_str server, struct mcti_str value)
{
    struct mcti_buf uri, labelled;
    mcti_buf_init(&uri, value.len + 1);
    mcti_buf_init(&labelled, value.len + 3 * server.len + 64);
    if (mcti_json_unescape(value, &uri) < 0) {
        mcti_buf_add(to, value);
    } else {
        mcti_skill_put_labelled(&labelled, server, mcti_buf_str(&uri));
        mcti_json_put_string(to, mcti_buf_str(&labelled));
    }
    to->failed |= !mcti_buf_ok(&uri) || !mcti_buf_ok(&labelled);
    mcti_buf_done(&labelled);
    mcti_buf_done(&uri);
}

/* Returns whether the URI, a JSON string, has the scheme of skills. */
static bool relabel_has_scheme(struct mcti_str value)
{
    struct mcti_buf uri;
    mcti_buf_init(&uri, value.len + 1);
    bool is = mcti_json_unescape(value, &uri) == 0 && mcti_skill_has_scheme(mcti_buf_str(&uri));
    mcti_buf_done(&uri);
    return is;
}

static void relabel_uri(struct relabelling *r, struct mcti_str value)
{
    if (mcti_json_type(value) != '"' || (r->which == MCT_RELABEL_SCHEME && !relabel_has_scheme(value)))
        return;
    mcti_json_edit_cut(&r->edit, value);
    mcti_skill_put_labelled_json(r->edit.to, r->server, value);
}

/* Visits a value that may have URIs: an object, or an array of such. Only members that lead to URIs are followed. */
static void relabel_value(struct relabelling *r, struct mcti_str value, int depth)
{
    static const struct mcti_str ways[] = { MCT_STR("contents"), MCT_STR("content"),   MCT_STR("messages"),
                                            MCT_STR("resource"), MCT_STR("resources"), MCT_STR("skill"),
                                            MCT_STR("skills") };
    enum { N_WAYS = sizeof ways / sizeof *ways };
    struct mcti_json_iter it = mcti_json_open(value);
    struct mcti_json_member m;
    struct mcti_str item;
    char type = mcti_json_type(value);
    while (type == '[' && depth && mcti_json_next_item(&it, &item))
        relabel_value(r, item, depth - 1);
    while (type == '{' && mcti_json_next_member(&it, &m))
        if (mcti_json_key_is(m.key, "uri"))
            relabel_uri(r, m.value);
        else if (depth && mcti_json_key_find(m.key, ways, N_WAYS) < N_WAYS)
            relabel_value(r, m.value, depth - 1);
}

void mcti_skill_put_result(struct mcti_buf *to, struct mcti_str server, enum mcti_skill_relabel which,
                           struct mcti_str result)
{
    struct relabelling r = { .edit = mcti_json_edit_open(to, result), .server = server, .which = which };
    relabel_value(&r, result, RELABEL_DEPTH);
    mcti_json_edit_close(&r.edit, result);
}
