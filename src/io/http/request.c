/* The input of a request, and access to it. */
#include "io/http/conn.h"

#include "base/hash.h"

#include <stdlib.h>

enum { SPARE_MAX = 16 };

int mcti_http_request_begin(struct mcti_http_conn *c)
{
    struct mcti_http_server *s = c->server;
    struct mcti_http_request *r = s->spare;
    if (r) {
        s->spare = r->next;
        s->n_spare--;
        mcti_buf_clear(&r->head);
        mcti_buf_clear(&r->body);
    } else {
        r = malloc(sizeof *r);
        if (!r)
            return -1;
        mcti_buf_init(&r->head, MCT_LIMIT_HTTP_HEADER_BYTES);
        mcti_buf_init(&r->body, s->opts.body_bytes);
    }
    llhttp_init(&r->parser, HTTP_REQUEST, &mcti_http_settings);
    r->parser.data = c;
    r->check = NULL;
    r->target_len = r->n_headers = r->trailer_len = r->seen_len = r->moved_len = 0;
    r->in_value = r->head_done = false;
    r->lines = (struct mcti_http_lines){ 0 };
    c->request = r;
    c->x = (struct mcti_http_exchange){ 0 };
    return 0;
}

static void request_free(struct mcti_http_request *r)
{
    mcti_buf_done(&r->head);
    mcti_buf_done(&r->body);
    free(r);
}

void mcti_http_request_end(struct mcti_http_conn *c)
{
    struct mcti_http_server *s = c->server;
    struct mcti_http_request *r = c->request;
    c->request = NULL;
    if (!r)
        return;
    mcti_http_conn_note(c, MCT_HELD_REQUEST, c->ahead.len);
    free(r->check);
    r->check = NULL;
    if (s->n_spare == SPARE_MAX || s->freed) {
        request_free(r);
        return;
    }
    mcti_buf_clear(&r->body); /* frees a large body */
    r->next = s->spare;
    s->spare = r;
    s->n_spare++;
}

void mcti_http_requests_free(struct mcti_http_server *s)
{
    for (struct mcti_http_request *r; (r = s->spare);) {
        s->spare = r->next;
        request_free(r);
    }
    s->n_spare = 0;
}

/* ---- access ---- */

struct mcti_str mcti_http_method(const struct mcti_http_exchange *x)
{
    return x->known ? mcti_str_of(llhttp_method_name((llhttp_method_t)x->method)) : MCT_STR("");
}

static const struct mcti_str scheme = MCT_STR("http://");

/* Splits an absolute target, "http://authority/path" (RFC 9112 section 3.2.2), and returns its path. */
static struct mcti_str split_authority(struct mcti_str target, struct mcti_str *ret_authority)
{
    *ret_authority = MCT_STR_NONE;
    if (!mcti_str_starts(target, scheme))
        return target;
    const char *from = target.p + scheme.len, *end = target.p + target.len, *at = from;
    while (at < end && *at != '/' && *at != '?')
        at++;
    *ret_authority = mcti_str_range(from, at);
    return at < end && *at == '/' ? mcti_str_range(at, end) : MCT_STR("/");
}

/* Removes the default port of the scheme. */
static struct mcti_str without_default_port(struct mcti_str authority)
{
    bool has = authority.len > 3 && !memcmp(authority.p + authority.len - 3, ":80", 3);
    return (struct mcti_str){ authority.p, authority.len - (has ? 3 : 0) };
}

bool mcti_http_names_host(const struct mcti_http_exchange *x)
{
    const struct mcti_http_request *r = mcti_http_conn_of(x)->request;
    struct mcti_str authority;
    split_authority((struct mcti_str){ r->head.p, r->target_len }, &authority);
    return !authority.p ||
           mcti_str_eq_nocase(without_default_port(authority), without_default_port(mcti_http_get(x, "host")));
}

/* Returns the path and sets *ret_query to the text after the first '?', or to an absent span. */
static struct mcti_str split_target(const struct mcti_http_exchange *x, struct mcti_str *ret_query)
{
    const struct mcti_http_request *r = mcti_http_conn_of(x)->request;
    struct mcti_str path = MCT_STR("");
    *ret_query = MCT_STR_NONE;
    if (!r)
        return path;
    *ret_query = split_authority((struct mcti_str){ r->head.p, r->target_len }, &(struct mcti_str){ 0 });
    mcti_str_split(ret_query, '?', &path);
    return path;
}

struct mcti_str mcti_http_path(const struct mcti_http_exchange *x)
{
    return split_target(x, &(struct mcti_str){ 0 });
}

struct mcti_str mcti_http_query_text(const struct mcti_http_exchange *x)
{
    struct mcti_str query;
    split_target(x, &query);
    return query;
}

struct mcti_str mcti_http_query(const struct mcti_http_exchange *x, const char *name)
{
    struct mcti_str rest = mcti_http_query_text(x), pair, key;
    while (mcti_str_split(&rest, '&', &pair))
        if (mcti_str_split(&pair, '=', &key) && mcti_str_is(key, name))
            return pair.p ? pair : MCT_STR("");
    return MCT_STR_NONE;
}

struct mcti_str mcti_http_body(const struct mcti_http_exchange *x)
{
    const struct mcti_http_request *r = mcti_http_conn_of(x)->request;
    if (r && r->chunk)
        return mcti_chunk_str(r->chunk);
    return r && r->body.len ? mcti_buf_str(&r->body) : MCT_STR_NONE;
}

struct mcti_chunk *mcti_http_body_chunk(const struct mcti_http_exchange *x)
{
    const struct mcti_http_request *r = mcti_http_conn_of(x)->request;
    return r ? r->chunk : NULL;
}

static bool http_request_is_named(const struct mcti_http_request *r, size_t i, struct mcti_str name)
{
    const struct mcti_http_span *span = &r->span[i];
    const char *at = r->head.p + span->name; /* in lower case, as most wanted names are */
    return span->name_len == name.len && *at == mcti_lower(*name.p) &&
           (!memcmp(at, name.p, name.len) || mcti_str_eq_nocase((struct mcti_str){ at, name.len }, name));
}

struct mcti_str mcti_http_get_nth(const struct mcti_http_exchange *x, struct mcti_str name, size_t n)
{
    const struct mcti_http_request *r = mcti_http_conn_of(x)->request;
    for (size_t i = 0; r && i < r->n_headers; i++)
        if (http_request_is_named(r, i, name) && n-- == 0)
            return mcti_str_trim((struct mcti_str){ r->head.p + r->span[i].value, r->span[i].value_len });
    return MCT_STR_NONE;
}

size_t mcti_http_count_of(const struct mcti_http_exchange *x, struct mcti_str name)
{
    const struct mcti_http_request *r = mcti_http_conn_of(x)->request;
    size_t n = 0;
    for (size_t i = 0; r && i < r->n_headers; i++)
        n += http_request_is_named(r, i, name);
    return n;
}

/* ---- pointers of the handler ---- */

void mcti_http_set_user(struct mcti_http_exchange *x, void *user)
{
    x->user = user;
}

void *mcti_http_user(const struct mcti_http_exchange *x)
{
    return x->user;
}

void mcti_http_set_record(struct mcti_http_exchange *x, void *record)
{
    x->record = record;
}

void *mcti_http_record(const struct mcti_http_exchange *x)
{
    return x->record;
}

static uint64_t address_hash(const uv_tcp_t *tcp)
{
    struct sockaddr_storage a = { 0 };
    int n = sizeof a;
    const void *p = &a.ss_family;
    size_t len = sizeof a.ss_family;
    if (uv_tcp_getpeername(tcp, (struct sockaddr *)&a, &n) == 0 && a.ss_family == AF_INET) {
        p = &((const struct sockaddr_in *)&a)->sin_addr;
        len = 4;
    } else if (a.ss_family == AF_INET6) {
        p = &((const struct sockaddr_in6 *)&a)->sin6_addr;
        len = 8;
    }
    return mcti_hash(0, (struct mcti_str){ p, len }) | 1;
}

uint64_t mcti_http_address(struct mcti_http_exchange *x)
{
    struct mcti_http_conn *c = mcti_http_conn_of(x);
    if (!c->address)
        c->address = address_hash(&c->tcp);
    return c->address;
}

void mcti_http_set_account(struct mcti_http_exchange *x, struct mcti_account *parent)
{
    struct mcti_http_conn *c = mcti_http_conn_of(x);
    size_t in = c->held_in, out = c->held_out;
    if (parent == c->account.parent)
        return;
    mcti_account_put(&c->account, MCT_HELD_REQUEST, &c->held_in, 0);
    mcti_account_put(&c->account, MCT_HELD_ANSWER, &c->held_out, 0);
    c->account.parent = parent;
    mcti_account_put(&c->account, MCT_HELD_REQUEST, &c->held_in, in);
    mcti_account_put(&c->account, MCT_HELD_ANSWER, &c->held_out, out);
}

void mcti_http_set_headers(struct mcti_http_exchange *x, const char *lines)
{
    x->headers = lines;
}

int mcti_http_status(const struct mcti_http_exchange *x)
{
    return x->status;
}

uint64_t mcti_http_sent(const struct mcti_http_exchange *x)
{
    return x->sent;
}
