/* What was read of a request, and reading it. */
#include "io/http/conn.h"

#include <stdlib.h>

enum { SPARE_MAX = 16 };

int mct_http_request_begin(struct mct_http_conn *c)
{
    struct mct_http_server *s = c->server;
    struct mct_http_request *r = s->spare;
    if (r) {
        s->spare = r->next;
        s->n_spare--;
        mct_buf_clear(&r->head);
        mct_buf_clear(&r->body);
    } else {
        r = malloc(sizeof *r);
        if (!r)
            return -1;
        mct_buf_init(&r->head, MCT_LIMIT_HTTP_HEADER_BYTES);
        mct_buf_init(&r->body, s->opts.body_bytes);
    }
    llhttp_init(&r->parser, HTTP_REQUEST, &mct_http_settings);
    r->parser.data = c;
    r->target_len = r->n_headers = r->trailer_len = r->seen_len = r->moved_len = 0;
    r->in_value = r->head_done = false;
    r->lines = (struct mct_http_lines){ 0 };
    c->request = r;
    c->x = (struct mct_http_exchange){ 0 };
    return 0;
}

static void request_free(struct mct_http_request *r)
{
    mct_buf_done(&r->head);
    mct_buf_done(&r->body);
    free(r);
}

void mct_http_request_end(struct mct_http_conn *c)
{
    struct mct_http_server *s = c->server;
    struct mct_http_request *r = c->request;
    c->request = NULL;
    if (!r)
        return;
    mct_http_conn_note(c, MCT_HELD_REQUEST, c->ahead.len);
    if (s->n_spare == SPARE_MAX || s->freed) {
        request_free(r);
        return;
    }
    mct_buf_clear(&r->body); /* a large one is given back */
    r->next = s->spare;
    s->spare = r;
    s->n_spare++;
}

void mct_http_requests_free(struct mct_http_server *s)
{
    for (struct mct_http_request *r; (r = s->spare);) {
        s->spare = r->next;
        request_free(r);
    }
    s->n_spare = 0;
}

/* ---- reading ---- */

struct mct_str mct_http_method(const struct mct_http_exchange *x)
{
    return x->known ? mct_str_of(llhttp_method_name((llhttp_method_t)x->method)) : MCT_STR("");
}

static const struct mct_str scheme = MCT_STR("http://");

/* "http://authority/path", the form meant for proxies (RFC 9112 section 3.2.2) -> "/path", and the authority. */
static struct mct_str split_authority(struct mct_str target, struct mct_str *ret_authority)
{
    *ret_authority = MCT_STR_NONE;
    if (!mct_str_starts(target, scheme))
        return target;
    const char *from = target.p + scheme.len, *end = target.p + target.len, *at = from;
    while (at < end && *at != '/' && *at != '?')
        at++;
    *ret_authority = mct_str_range(from, at);
    return at < end && *at == '/' ? mct_str_range(at, end) : MCT_STR("/");
}

/* The port that the scheme implies may be left out. */
static struct mct_str without_default_port(struct mct_str authority)
{
    bool has = authority.len > 3 && !memcmp(authority.p + authority.len - 3, ":80", 3);
    return (struct mct_str){ authority.p, authority.len - (has ? 3 : 0) };
}

bool mct_http_names_host(const struct mct_http_exchange *x)
{
    const struct mct_http_request *r = mct_http_conn_of(x)->request;
    struct mct_str authority;
    split_authority((struct mct_str){ r->head.p, r->target_len }, &authority);
    return !authority.p || mct_str_eq_nocase(without_default_port(authority), without_default_port(mct_http_get(x, "host")));
}

/* The path; *ret_query is what stands behind the first '?', absent: nothing. */
static struct mct_str split_target(const struct mct_http_exchange *x, struct mct_str *ret_query)
{
    const struct mct_http_request *r = mct_http_conn_of(x)->request;
    struct mct_str path = MCT_STR("");
    *ret_query = MCT_STR_NONE;
    if (!r)
        return path;
    *ret_query = split_authority((struct mct_str){ r->head.p, r->target_len }, &(struct mct_str){ 0 });
    mct_str_split(ret_query, '?', &path);
    return path;
}

struct mct_str mct_http_path(const struct mct_http_exchange *x)
{
    return split_target(x, &(struct mct_str){ 0 });
}

struct mct_str mct_http_query_text(const struct mct_http_exchange *x)
{
    struct mct_str query;
    split_target(x, &query);
    return query;
}

struct mct_str mct_http_query(const struct mct_http_exchange *x, const char *name)
{
    struct mct_str rest = mct_http_query_text(x), pair, key;
    while (mct_str_split(&rest, '&', &pair))
        if (mct_str_split(&pair, '=', &key) && mct_str_is(key, name))
            return pair.p ? pair : MCT_STR("");
    return MCT_STR_NONE;
}

struct mct_str mct_http_body(const struct mct_http_exchange *x)
{
    const struct mct_http_request *r = mct_http_conn_of(x)->request;
    return r && r->body.len ? mct_buf_str(&r->body) : MCT_STR_NONE;
}

static bool is_named(const struct mct_http_request *r, size_t i, struct mct_str name)
{
    const struct mct_http_span *span = &r->span[i];
    return span->name_len == name.len && /* most differ in that already */
           mct_str_eq_nocase((struct mct_str){ r->head.p + span->name, name.len }, name);
}

struct mct_str mct_http_get(const struct mct_http_exchange *x, const char *name)
{
    return mct_http_get_nth(x, name, 0);
}

struct mct_str mct_http_get_nth(const struct mct_http_exchange *x, const char *name, size_t n)
{
    const struct mct_http_request *r = mct_http_conn_of(x)->request;
    struct mct_str wanted = mct_str_of(name);
    for (size_t i = 0; r && i < r->n_headers; i++)
        if (is_named(r, i, wanted) && n-- == 0)
            return mct_str_trim((struct mct_str){ r->head.p + r->span[i].value, r->span[i].value_len });
    return MCT_STR_NONE;
}

size_t mct_http_count(const struct mct_http_exchange *x, const char *name)
{
    const struct mct_http_request *r = mct_http_conn_of(x)->request;
    struct mct_str wanted = mct_str_of(name);
    size_t n = 0;
    for (size_t i = 0; r && i < r->n_headers; i++)
        n += is_named(r, i, wanted);
    return n;
}

/* ---- the handler's own ---- */

void mct_http_set_user(struct mct_http_exchange *x, void *user)
{
    x->user = user;
}

void *mct_http_user(const struct mct_http_exchange *x)
{
    return x->user;
}

void mct_http_set_record(struct mct_http_exchange *x, void *record)
{
    x->record = record;
}

void *mct_http_record(const struct mct_http_exchange *x)
{
    return x->record;
}

void mct_http_set_account(struct mct_http_exchange *x, struct mct_account *parent)
{
    struct mct_http_conn *c = mct_http_conn_of(x);
    size_t in = c->held_in, out = c->held_out;
    if (parent == c->account.parent)
        return;
    mct_account_put(&c->account, MCT_HELD_REQUEST, &c->held_in, 0);
    mct_account_put(&c->account, MCT_HELD_ANSWER, &c->held_out, 0);
    c->account.parent = parent;
    mct_account_put(&c->account, MCT_HELD_REQUEST, &c->held_in, in);
    mct_account_put(&c->account, MCT_HELD_ANSWER, &c->held_out, out);
}

void mct_http_set_headers(struct mct_http_exchange *x, const char *lines)
{
    x->headers = lines;
}

int mct_http_status(const struct mct_http_exchange *x)
{
    return x->status;
}

uint64_t mct_http_sent(const struct mct_http_exchange *x)
{
    return x->sent;
}
