/* Looks for the metadata of a server (RFC 9728), then for that of its authorization server (RFC 8414, OpenID Connect
 * Discovery), one place after the other. check.c decides on what they say. */
#include "auth/flow/impl.h"

#include "auth/wire/url.h"

enum { URL_BYTES = 2 * MCT_AUTH_DOCUMENT_BYTES };

/* A document, and what follows from it: take() and missing() set d->document to the next one, or to NULL if everything
 * is found. They return -1 and set *err to end the discovery. */
struct document {
    const char *what;
    bool (*put_place)(const struct mcti_discover *d, struct mcti_buf *to); /* false: there are no more places */
    int (*take)(struct mcti_discover *d, struct mcti_str body, struct mct_error *err);
    int (*missing)(struct mcti_discover *d, struct mct_error *err); /* no place has it */
};

struct mcti_discover {
    struct mcti_discover_opts opts;
    const struct document *document; /* that is looked for */
    unsigned place;                  /* its number, from 0 */
    char *url;                       /* of the place */
    char *issuer;                    /* whose metadata is looked for */
    bool guessed;                    /* the issuer is the origin of the server, as in 2025-03-26 */
    struct mcti_auth_request *request;
    struct mcti_discovery found;
};

static struct mcti_str discover_server(const struct mcti_discover *d)
{
    return mcti_auth_url_without_fragment(mcti_str_of(d->opts.env->server_url));
}

/* ---- the metadata of the authorization server ---- */

static bool put_issuer_place(const struct mcti_discover *d, struct mcti_buf *to)
{
    return mcti_auth_put_issuer_place(to, mcti_str_of(d->issuer), d->place);
}

static int take_issuer(struct mcti_discover *d, struct mcti_str body, struct mct_error *err)
{
    d->document = NULL;
    d->found.has_issuer_metadata = true;
    return mcti_issuer_metadata_read(&d->found.as, body, err) < 0
               ? -1
               : mcti_check_issuer(&d->found.as, d->issuer, d->guessed, err);
}

/* Returns a text to free(), or NULL. */
static char *discover_join(const char *a, const char *b)
{
    char *text;
    return asprintf(&text, "%s%s", a, b) < 0 ? NULL : text;
}

/* Takes the default endpoints of 2025-03-26 ("Fallbacks for Servers without Metadata Discovery"). */
static int miss_issuer(struct mcti_discover *d, struct mct_error *err)
{
    struct mcti_issuer_metadata *as = &d->found.as;
    if (!d->guessed)
        return mcti_fail(err, MCT_ERR_AUTH, "the authorization server %s publishes no metadata (last tried: %s)",
                         d->issuer, d->url);
    d->document = NULL;
    as->issuer = mcti_str_dup(mcti_str_of(d->issuer));
    as->authorization_endpoint = discover_join(d->issuer, "/authorize");
    as->token_endpoint = discover_join(d->issuer, "/token");
    as->registration_endpoint = discover_join(d->issuer, "/register");
    return as->issuer && as->authorization_endpoint && as->token_endpoint && as->registration_endpoint
               ? 0
               : mcti_no_memory(err);
}

static const struct document issuer_document = { "the metadata of the authorization server", put_issuer_place,
                                                 take_issuer, miss_issuer };

static int discover_go_to(struct mcti_discover *d, struct mcti_str issuer, struct mct_error *err)
{
    d->document = &issuer_document;
    d->place = 0;
    d->issuer = mcti_str_dup(issuer);
    return d->issuer ? 0 : mcti_no_memory(err);
}

/* ---- the metadata of the server ---- */

static bool put_resource_place(const struct mcti_discover *d, struct mcti_buf *to)
{
    if (!d->opts.resource_metadata)
        return mcti_auth_put_resource_place(to, discover_server(d), d->place);
    mcti_buf_addz(to, d->opts.resource_metadata);
    return d->place == 0;
}

static int take_resource(struct mcti_discover *d, struct mcti_str body, struct mct_error *err)
{
    struct mcti_discovery *found = &d->found;
    struct mcti_str issuer;
    if (mcti_resource_metadata_read(&found->prm, body, err) < 0 ||
        mcti_check_resource(&found->prm, discover_server(d), err) < 0 ||
        mcti_choose_issuer(&found->prm, &d->opts, &issuer, err) < 0)
        return -1;
    found->has_resource_metadata = true;
    found->resource = mcti_str_dup(mcti_str_of(found->prm.resource));
    return found->resource ? discover_go_to(d, issuer, err) : mcti_no_memory(err);
}

/* The authorization server of a server without metadata is the one that the configuration or a person names, otherwise
 * the server itself (2025-03-26). */
static int miss_resource(struct mcti_discover *d, struct mct_error *err)
{
    const char *pinned = mcti_pinned_issuer(&d->opts);
    if (d->opts.resource_metadata)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the server names %s as its metadata, but nothing is there",
                         d->opts.resource_metadata);
    d->guessed = !pinned;
    return discover_go_to(d, pinned ? mcti_str_of(pinned) : mcti_auth_url_origin(discover_server(d)), err);
}

static const struct document resource_document = { "the metadata of the server", put_resource_place, take_resource,
                                                   miss_resource };

/* ---- one place after the other ---- */

static void discover_on_response(void *data, const struct mcti_auth_response *r, const struct mct_error *err);

static int discover_ask(struct mcti_discover *d, struct mct_error *err)
{
    const struct mcti_auth_request_opts opts = { .method = "GET", .url = d->url, .what = d->document->what };
    d->request = mcti_auth_request_start(&d->opts.env->net, &opts, discover_on_response, d, err);
    return d->request ? 0 : -1;
}

/* Writes the URL of the next place to d->url. Returns false if there is none; the URL of the last one is kept. */
static bool discover_find_place(struct mcti_discover *d)
{
    struct mcti_buf url;
    mcti_buf_init(&url, URL_BYTES);
    bool is_there = d->document->put_place(d, &url);
    if (is_there) {
        free(d->url);
        d->url = mcti_buf_take(&url);
    }
    mcti_buf_done(&url);
    return is_there;
}

/* Asks the next place. Returns 1 if everything is found, 0 if an answer follows, -1 and sets *err on failure. */
static int discover_go_on(struct mcti_discover *d, struct mct_error *err)
{
    while (d->document) {
        if (discover_find_place(d))
            return d->url ? discover_ask(d, err) : mcti_no_memory(err);
        if (d->document->missing(d, err) < 0)
            return -1;
    }
    return 1;
}

static int discover_take(struct mcti_discover *d, struct mcti_str body, struct mct_error *err)
{
    const char *what = d->document->what;
    struct mcti_str shown = mcti_auth_url_shown(mcti_str_of(d->url));
    return d->document->take(d, body, err) < 0 ? mcti_error_wrap(err, "%s (%.*s)", what, MCT_STR_ARG(shown)) : 0;
}

/* Returns true if the answer means that nothing is at the place. Proxies answer 502 for a path that nobody serves, and
 * web applications answer any path with their page: a server that has not shown that it has a login is left alone
 * then. */
static bool discover_is_nothing(const struct mcti_discover *d, const struct mcti_auth_response *r)
{
    bool is_guess = d->guessed || (d->document == &resource_document && !d->opts.resource_metadata);
    bool is_page = r->status == 200 && r->fetch && mcti_fetch_has_type(r->fetch, "text/html");
    return (r->status >= 400 && r->status < 500) || r->status == 502 || (is_guess && is_page);
}

static int discover_judge(struct mcti_discover *d, const struct mcti_auth_response *r, struct mct_error *err)
{
    d->place++;
    if (discover_is_nothing(d, r))
        return 0;
    if (r->status == 200)
        return discover_take(d, r->body, err);
    struct mcti_str shown = mcti_auth_url_shown(mcti_str_of(d->url));
    return mcti_fail(err, MCT_ERR_CONNECT, "%s (%.*s): the answer has HTTP status %d", d->document->what,
                     MCT_STR_ARG(shown), r->status);
}

static void discover_end(struct mcti_discover *d, const struct mct_error *err)
{
    struct mcti_discover_opts opts = d->opts;
    struct mcti_discovery found = d->found;
    d->found = (struct mcti_discovery){ 0 };
    mcti_discover_cancel(d);
    opts.done(opts.data, err ? NULL : &found, err);
    mcti_discovery_clear(&found);
}

static void discover_on_response(void *data, const struct mcti_auth_response *r, const struct mct_error *err)
{
    struct mcti_discover *d = data;
    struct mct_error why;
    d->request = NULL;
    if (err) {
        discover_end(d, err);
        return;
    }
    int is_found = discover_judge(d, r, &why) < 0 ? -1 : discover_go_on(d, &why);
    if (is_found)
        discover_end(d, is_found < 0 ? &why : NULL);
}

struct mcti_discover *mcti_discover_start(const struct mcti_discover_opts *opts, struct mct_error *err)
{
    struct mcti_discover *d = calloc(1, sizeof *d);
    if (!d) {
        mcti_no_memory(err);
        return NULL;
    }
    d->opts = *opts;
    d->document = &resource_document;
    /* a checked URL has a place, so this does not end the discovery at once */
    if (mcti_auth_url_check(discover_server(d), "the URL of the server", err) == 0 && discover_go_on(d, err) == 0)
        return d;
    mcti_discover_cancel(d);
    return NULL;
}

void mcti_discover_cancel(struct mcti_discover *d)
{
    if (!d)
        return;
    mcti_auth_request_cancel(d->request);
    mcti_discovery_clear(&d->found);
    free(d->issuer);
    free(d->url);
    free(d);
}

void mcti_discovery_clear(struct mcti_discovery *d)
{
    free(d->resource);
    mcti_resource_metadata_clear(&d->prm);
    mcti_issuer_metadata_clear(&d->as);
    *d = (struct mcti_discovery){ 0 };
}
