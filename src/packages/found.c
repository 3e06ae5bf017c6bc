#include "packages/found.h"

#include "auth/wire/form.h"
#include "packages/impl.h"
#include "packages/server_json.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- URLs ---- */

static void found_put_base(struct mcti_buf *to, const char *base)
{
    struct mcti_str url = mcti_str_of(base);
    while (url.len && url.p[url.len - 1] == '/')
        url.len--;
    const char *slash = url.len ? memrchr(url.p, '/', url.len) : NULL;
    struct mcti_str last = slash ? mcti_str_range(slash + 1, url.p + url.len) : MCT_STR_NONE;
    mcti_buf_add(to, url);
    mcti_buf_addz(to, mcti_str_is(last, "v0") || mcti_str_is(last, "v0.1") ? "/servers" : "/v0.1/servers");
}

void mcti_found_put_search_url(struct mcti_buf *to, const char *base, struct mcti_str word, struct mcti_str cursor)
{
    found_put_base(to, base);
    mcti_buf_printf(to, "?limit=%d&version=latest", MCT_PACKAGES_PAGE);
    mcti_form_put(to, "search", word);
    mcti_form_put(to, "cursor", cursor);
}

void mcti_found_put_version_url(struct mcti_buf *to, const char *base, struct mcti_str name, struct mcti_str version)
{
    found_put_base(to, base);
    mcti_buf_addc(to, '/');
    mcti_buf_add_percent(to, name);
    mcti_buf_addz(to, "/versions/");
    mcti_buf_add_percent(to, version.p ? version : MCT_STR("latest"));
}

/* ---- answers ---- */

struct mcti_str mcti_found_root(struct mcti_str body, struct mct_error *err)
{
    struct mcti_json_top top;
    if (mcti_json_valid(body, 64, &top, NULL) && mcti_json_type(top.value) == '{')
        return top.value;
    mcti_fail(err, MCT_ERR_PROTOCOL, "the answer is not JSON; is this the URL of a registry?");
    return MCT_STR_NONE;
}

void mcti_found_read_entry(struct mcti_str json, struct mcti_found_entry *ret)
{
    struct mcti_json_member m;
    struct mcti_str server = mcti_json_get(json, "server");
    *ret = (struct mcti_found_entry){ .server = mcti_json_type(server) == '{' ? server : json };
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(json, "_meta")); mcti_json_next_member(&it, &m);) {
        struct mcti_str status = mcti_json_get(m.value, "status"), latest = mcti_json_get(m.value, "isLatest");
        ret->deprecated |= mcti_json_is(status, "deprecated");
        ret->deleted |= mcti_json_is(status, "deleted");
        ret->is_latest |= mcti_json_type(latest) == 't';
        ret->is_old |= mcti_json_type(latest) == 'f';
        if (!ret->message.p)
            ret->message = mcti_json_get(m.value, "statusMessage");
    }
}

/* ---- what was found ---- */

static void found_clear(struct mcti_found_server *f)
{
    free(f->name);
    free(f->version);
    free(f->title);
    free(f->description);
    free(f->runs);
}

void mcti_found_done(struct mcti_found *l)
{
    for (size_t i = 0; i < l->n; i++)
        found_clear(&l->v[i]);
    free(l->v);
    *l = (struct mcti_found){ 0 };
}

int mcti_found_compare_versions(const char *a, const char *b)
{
    while (*a || *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *a_end, *b_end;
            unsigned long long x = strtoull(a, &a_end, 10), y = strtoull(b, &b_end, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a = a_end;
            b = b_end;
        } else if (*a != *b) {
            if (*a == '-' || *b == '-') /* 1.0.0-beta is older than 1.0.0 */
                return *a == '-' ? -1 : 1;
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return 0;
}

static bool found_has(const char *text, const char *word)
{
    return text && strcasestr(text, word);
}

/* Returns how well a word fits: 0 is the best; UINT_MAX: not at all. */
static unsigned found_rank(const struct mcti_found_server *f, const char *word)
{
    static const char host[] = "io.github."; /* half of all names begin with it */
    const char *slash = strchr(f->name, '/'), *last = slash ? slash + 1 : f->name;
    const char *space = strncmp(f->name, host, sizeof host - 1) ? f->name : f->name + sizeof host - 1;
    size_t len = strlen(word), n_space = slash && slash > space ? (size_t)(slash - space) : 0;
    if (!strcasecmp(f->name, word))
        return 0;
    if (n_space == len && !strncasecmp(space, word, len)) /* the owner has this name */
        return 1;
    if (!strcasecmp(last, word))
        return 2;
    if (!strncasecmp(last, word, len))
        return 3;
    if (found_has(last, word) || found_has(f->title, word))
        return 4;
    if (found_has(space, word))
        return 5;
    return found_has(f->description, word) ? 6 : ~0u;
}

static unsigned found_rank_all(const struct mcti_found_server *f, const struct mcti_strings *words)
{
    unsigned worst = 0;
    for (size_t i = 0; i < words->n; i++) {
        unsigned rank = found_rank(f, words->v[i]);
        worst = rank > worst ? rank : worst;
    }
    return worst;
}

static char *found_runs(struct mcti_str server)
{
    struct mcti_package_ways ways;
    struct mcti_buf b;
    mcti_buf_init(&b, 200);
    mcti_package_ways(server, &ways);
    for (size_t i = 0; i < ways.n; i++) {
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again |= !strcmp(ways.v[i].word, ways.v[j].word);
        if (!again)
            mcti_buf_printf(&b, "%s%s", b.len ? ", " : "", ways.v[i].word);
    }
    char *text = b.len ? mcti_buf_take(&b) : strdup("");
    mcti_buf_done(&b);
    return text;
}

/* Adds `f`, or keeps the newer one of it and an earlier entry of the same name. Takes its texts. */
static int found_keep(struct mcti_found *l, struct mcti_found_server *f, bool is_latest)
{
    for (size_t i = 0; i < l->n; i++)
        if (!strcmp(l->v[i].name, f->name)) {
            bool newer = is_latest || mcti_found_compare_versions(f->version, l->v[i].version) > 0;
            found_clear(newer ? &l->v[i] : f);
            l->v[i] = newer ? *f : l->v[i];
            return 0;
        }
    struct mcti_found_server *v = l->n < MCT_PACKAGES_FOUND ? realloc(l->v, (l->n + 1) * sizeof *v) : NULL;
    if (!v) {
        found_clear(f);
        return l->n < MCT_PACKAGES_FOUND ? -1 : 0;
    }
    l->v = v;
    v[l->n++] = *f;
    return 0;
}

static int found_add(struct mcti_found *l, struct mcti_str json, const struct mcti_strings *words)
{
    struct mcti_found_entry e;
    mcti_found_read_entry(json, &e);
    struct mcti_found_server f = { .name = mcti_package_text(mcti_json_get(e.server, "name")),
                                   .version = mcti_package_words(mcti_json_get(e.server, "version")),
                                   .title = mcti_package_words(mcti_json_get(e.server, "title")),
                                   .description = mcti_package_words(mcti_json_get(e.server, "description")),
                                   .deprecated = e.deprecated };
    bool usable = f.name && mcti_package_name_is_valid(mcti_str_of(f.name)) && !e.deleted && !e.is_old;
    f.version = f.version ? f.version : strdup("");
    f.rank = usable ? found_rank_all(&f, words) : ~0u;
    f.runs = f.rank != ~0u ? found_runs(e.server) : NULL;
    if (f.rank != ~0u && f.version && f.runs)
        return found_keep(l, &f, e.is_latest);
    found_clear(&f);
    return 0;
}

int mcti_found_add_page(struct mcti_found *l, struct mcti_str body, const struct mcti_strings *words,
                        struct mcti_str *ret_cursor, struct mct_error *err)
{
    struct mcti_str root = mcti_found_root(body, err), item, servers = mcti_json_get(root, "servers");
    *ret_cursor = MCT_STR_NONE;
    if (!root.p)
        return -1;
    if (mcti_json_type(servers) != '[')
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the answer has no \"servers\"; is this the URL of a registry?");
    for (struct mcti_json_iter it = mcti_json_open(servers); mcti_json_next_item(&it, &item);)
        if (found_add(l, item, words) < 0)
            return mcti_no_memory(err);
    struct mcti_str metadata = mcti_json_get(root, "metadata"), next = mcti_json_get(metadata, "nextCursor");
    if (!mcti_json_plain(next, ret_cursor) && !mcti_json_plain(mcti_json_get(metadata, "next_cursor"), ret_cursor))
        *ret_cursor = MCT_STR_NONE;
    if (!ret_cursor->len)
        *ret_cursor = MCT_STR_NONE;
    return 0;
}

void mcti_found_sort(struct mcti_found *l)
{
    for (size_t i = 1; i < l->n; i++) { /* insertion: keeps the order of equals */
        struct mcti_found_server f = l->v[i];
        size_t j = i;
        for (; j > 0 && l->v[j - 1].rank > f.rank; j--)
            l->v[j] = l->v[j - 1];
        l->v[j] = f;
    }
}
