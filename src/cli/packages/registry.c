/* Requests to a registry of packages, one at a time. */
#include "cli/packages/packages.h"

#include "auth/net/net.h"

#include <stdlib.h>

enum { REGISTRY_ENOUGH = 40 };

const char *mcti_packages_registry(const struct mcti_app *app)
{
    const char *env = getenv("MCPTOOLS_REGISTRY_URL"), *configured = app->inst.config.packages_url;
    if (app->opt.registry)
        return app->opt.registry;
    return env && *env ? env : configured && *configured ? configured : MCT_PACKAGES_URL;
}

/* ---- one request ---- */

struct registry_request {
    struct mcti_buf *body;
    struct mct_error err;
    int status; /* of HTTP; 0: no answer */
    bool done;
};

static void registry_on_response(void *data, const struct mcti_auth_response *r, const struct mct_error *err)
{
    struct registry_request *q = data;
    if (err) {
        q->err = *err;
    } else {
        q->status = r->status;
        mcti_buf_add(q->body, r->body);
    }
    q->done = true;
}

/* Appends the answer to `body`. Returns its HTTP status, or -1 with *err. */
static int registry_get(struct mcti_app *app, const char *url, struct mcti_buf *body, struct mct_error *err)
{
    struct registry_request q = { .body = body };
    struct mcti_http_client *http = mcti_http_client_new(&app->inst.loop, err);
    const struct mcti_auth_net net = { &app->inst.loop, http, &app->log, true };
    const struct mcti_auth_request_opts opts = {
        .method = "GET", .url = url, .what = "the registry", .timeout_ms = app->opt.timeout_ms
    };
    struct mcti_auth_request *r = http ? mcti_auth_request_start(&net, &opts, registry_on_response, &q, err) : NULL;
    if (r && !mcti_app_wait(app, &q.done)) {
        mcti_auth_request_cancel(r);
        mcti_fail(err, MCT_ERR_CANCELLED, "interrupted");
    } else if (r && q.err.kind) {
        *err = q.err;
    }
    mcti_http_client_free(http);
    if (r && !q.done)
        q.status = 0;
    return q.status ? q.status : -1;
}

/* Fails because of the HTTP status of an answer. */
static int registry_refused(int status, const char *base, struct mct_error *err)
{
    return mcti_fail(err, status == 401 || status == 403 ? MCT_ERR_AUTH : MCT_ERR_CONNECT,
                     "the registry %s answers with HTTP %d%s", base, status,
                     status == 404 ? "; is this the URL of a registry?" : "");
}

/* ---- a search ---- */

struct registry_search {
    struct mcti_app *app;
    const struct mcti_strings *words;
    struct mcti_found *found;
    bool more;
};

/* Adds the pages for one word. Returns -1 with *err. */
static int registry_search_word(struct registry_search *s, const char *word, unsigned n_pages, struct mct_error *err)
{
    const char *base = mcti_packages_registry(s->app);
    struct mcti_buf url, body, cursor;
    int r = 0;
    mcti_buf_init(&url, 1u << 16);
    mcti_buf_init(&body, 1u << 24);
    mcti_buf_init(&cursor, 1u << 14);
    for (unsigned i = 0; i < n_pages && r == 0; i++) {
        struct mcti_str next = MCT_STR_NONE;
        mcti_buf_clear(&url);
        mcti_buf_clear(&body);
        mcti_found_put_search_url(&url, base, mcti_str_of(word), i ? mcti_buf_str(&cursor) : MCT_STR_NONE);
        mcti_buf_addc(&url, '\0');
        int status = mcti_buf_ok(&url) ? registry_get(s->app, url.p, &body, err) : mcti_no_memory(err);
        r = status < 0 ? -1 : status != 200 ? registry_refused(status, base, err) : 0;
        if (r == 0 && mcti_found_add_page(s->found, mcti_buf_str(&body), s->words, &next, err) < 0)
            r = mcti_error_wrap(err, "the registry %s", base);
        mcti_buf_clear(&cursor);
        mcti_buf_add(&cursor, next);
        s->more |= next.p && i + 1 == n_pages;
        if (!next.p)
            break;
    }
    mcti_buf_done(&cursor);
    mcti_buf_done(&body);
    mcti_buf_done(&url);
    return r;
}

/* A registry finds parts of names. Names that begin with the word behind the slash, and namespaces that end in it, are
 * asked for first: "github" is a part of half of all names. */
int mcti_packages_search(struct mcti_app *app, const struct mcti_strings *words, struct mcti_found *ret, bool *ret_more,
                         struct mct_error *err)
{
    static const char *const forms[] = { "/%s", ".%s/", "%s" };
    struct registry_search s = { .app = app, .words = words, .found = ret };
    const char *longest = "";
    int r = 0;
    for (size_t i = 0; i < words->n; i++)
        longest = strlen(words->v[i]) > strlen(longest) ? words->v[i] : longest;
    for (size_t i = strchr(longest, '/') ? 2 : 0; i < 3 && r == 0 && ret->n < REGISTRY_ENOUGH; i++) {
        char *word = NULL;
        r = asprintf(&word, forms[i], longest) < 0
                ? mcti_no_memory(err)
                : registry_search_word(&s, word, i == 2 ? MCT_PACKAGES_PAGES : 1, err);
        free(word);
    }
    mcti_found_sort(ret);
    *ret_more = s.more;
    return r;
}

/* ---- one server ---- */

static int registry_check_entry(const struct mcti_found_entry *e, struct mcti_str name, struct mct_error *err)
{
    char *found = mcti_json_dup(mcti_json_get(e->server, "name"));
    int r = 0;
    if (!found || !mcti_str_is(name, found))
        r = mcti_fail(err, MCT_ERR_PROTOCOL, "the registry answers with another server than '%.*s'", MCT_STR_ARG(name));
    else if (e->deleted)
        r = mcti_fail(err, MCT_ERR_NOT_FOUND, "'%.*s' has been deleted from the registry", MCT_STR_ARG(name));
    free(found);
    return r;
}

int mcti_packages_fetch(struct mcti_app *app, struct mcti_str name, struct mcti_str version, struct mcti_buf *body,
                        struct mcti_found_entry *ret_entry, struct mct_error *err)
{
    const char *base = mcti_packages_registry(app);
    struct mcti_buf url;
    mcti_buf_init(&url, 1u << 16);
    mcti_found_put_version_url(&url, base, name, version);
    mcti_buf_addc(&url, '\0');
    int status = mcti_buf_ok(&url) ? registry_get(app, url.p, body, err) : mcti_no_memory(err);
    mcti_buf_done(&url);
    if (status < 0)
        return -1;
    if (status == 404)
        return mcti_fail(err, MCT_ERR_NOT_FOUND, "the registry %s has no server '%.*s'%s%.*s", base, MCT_STR_ARG(name),
                         version.p ? " of version " : "", MCT_STR_ARG(version));
    if (status != 200)
        return registry_refused(status, base, err);
    struct mcti_str root = mcti_found_root(mcti_buf_str(body), err);
    if (!root.p)
        return mcti_error_wrap(err, "the registry %s", base);
    mcti_found_read_entry(root, ret_entry);
    return registry_check_entry(ret_entry, name, err);
}
