/* One connection: a head with CONNECT, an address, and then bytes in both directions. */
#include "io/egress/impl.h"

#include "base/base64.h"
#include "io/http/address.h"

#include <stdio.h>
#include <stdlib.h>

/* One direction: what was read from `from` is written to `to` before more is read. */
struct pump {
    struct link *link;
    uv_tcp_t *from, *to;
    uv_write_t write;
    uv_shutdown_t shutdown;
    bool ended;
    char bytes[MCT_EGRESS_BUFFER_BYTES];
};

struct link {
    struct mcti_list node;
    struct mcti_egress *egress;
    uv_tcp_t client, server;
    unsigned n_open; /* handles, and the request for an address */
    bool closing, resolving, has_server;
    struct mcti_timer late;
    uv_getaddrinfo_t resolve;
    struct addrinfo *found, *next;
    uv_connect_t connect;
    uv_write_t answer;
    enum mcti_egress_verdict verdict;
    char head[MCT_EGRESS_HEAD_BYTES + 1], host[256], said[512];
    size_t head_len, head_used; /* head_used: the bytes behind are for the server */
    unsigned port;
    struct pump up, down;
};

static void link_close(struct link *l);
static void link_try_next(struct link *l);

/* ---- ending ---- */

static void link_release(struct link *l)
{
    struct mcti_egress *e = l->egress;
    if (l->n_open || !l->closing)
        return;
    mcti_timer_stop(&e->loop->sched, &l->late);
    uv_freeaddrinfo(l->found);
    mcti_list_remove(&l->node);
    e->n_links--;
    free(l);
    mcti_egress_release(e);
}

static void link_on_closed(uv_handle_t *h)
{
    struct link *l = h->data;
    l->n_open--;
    if (!l->closing && h == (uv_handle_t *)&l->server)
        link_try_next(l);
    else
        link_release(l);
}

/* Closes a socket to an address that did not work; then the next one is tried. */
static void link_close_server(struct link *l)
{
    if (l->has_server && !uv_is_closing((uv_handle_t *)&l->server))
        uv_close((uv_handle_t *)&l->server, link_on_closed);
    l->has_server = false;
}

static void link_close(struct link *l)
{
    if (l->closing)
        return;
    l->closing = true;
    mcti_timer_stop(&l->egress->loop->sched, &l->late);
    if (l->resolving)
        uv_cancel((uv_req_t *)&l->resolve);
    uv_close((uv_handle_t *)&l->client, link_on_closed);
    link_close_server(l);
}

void mcti_egress_close_links(struct mcti_egress *e)
{
    for (struct mcti_list *n = e->links.next, *after; n != &e->links; n = after) {
        after = n->next;
        link_close(MCT_CONTAINER(n, struct link, node));
    }
}

/* ---- answers ---- */

static void link_on_refused(uv_write_t *w, int status)
{
    (void)status;
    link_close(w->data);
}

/* Answers with a refusal, and closes the connection. */
static void link_refuse(struct link *l, const char *status, const char *why)
{
    struct mcti_egress *e = l->egress;
    int n = snprintf(
        l->said, sizeof l->said,
        "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nConnection: close\r\n%sContent-Length: %zu\r\n\r\n%s\n", status,
        !strncmp(status, "407", 3) ? "Proxy-Authenticate: Basic realm=\"sandbox\"\r\n" : "", strlen(why) + 1, why);
    uv_buf_t buf = uv_buf_init(l->said, n > 0 && n < (int)sizeof l->said ? (unsigned)n : 0);
    mcti_log(e->log, MCT_LOG_INFO, "server '%s': its sandbox refuses a connection to %s:%u: %s", e->name,
             *l->host ? l->host : "?", l->port, why);
    uv_read_stop((uv_stream_t *)&l->client);
    l->answer.data = l;
    if (uv_write(&l->answer, (uv_stream_t *)&l->client, &buf, 1, link_on_refused) < 0)
        link_close(l);
}

static void link_on_late(void *data)
{
    link_close(data);
}

/* ---- carrying ---- */

static void pump_start(struct pump *p);

static void pump_alloc(uv_handle_t *h, size_t hint, uv_buf_t *ret)
{
    struct link *l = h->data;
    struct pump *p = h == (uv_handle_t *)&l->client ? &l->up : &l->down;
    (void)hint;
    *ret = uv_buf_init(p->bytes, sizeof p->bytes);
}

static void pump_on_written(uv_write_t *w, int status)
{
    struct pump *p = w->data;
    if (status < 0)
        link_close(p->link);
    else if (!p->link->closing)
        pump_start(p);
}

static void pump_on_shut(uv_shutdown_t *s, int status)
{
    struct pump *p = s->data;
    (void)status;
    if (p->link->up.ended && p->link->down.ended)
        link_close(p->link);
}

static void pump_put(struct pump *p, char *bytes, size_t n)
{
    uv_buf_t buf = uv_buf_init(bytes, (unsigned)n);
    p->write.data = p;
    if (uv_write(&p->write, (uv_stream_t *)p->to, &buf, 1, pump_on_written) < 0)
        link_close(p->link);
}

static void pump_on_read(uv_stream_t *from, ssize_t n, const uv_buf_t *buf)
{
    struct link *l = from->data;
    struct pump *p = from == (uv_stream_t *)&l->client ? &l->up : &l->down;
    if (n == 0)
        return;
    uv_read_stop(from);
    if (n > 0) {
        pump_put(p, buf->base, (size_t)n);
        return;
    }
    p->ended = true;
    p->shutdown.data = p;
    if (n != UV_EOF || uv_shutdown(&p->shutdown, (uv_stream_t *)p->to, pump_on_shut) < 0)
        link_close(l);
}

static void pump_start(struct pump *p)
{
    if (uv_read_start((uv_stream_t *)p->from, pump_alloc, pump_on_read) < 0)
        link_close(p->link);
}

static void link_on_accepted(uv_write_t *w, int status)
{
    struct link *l = w->data;
    if (l->closing)
        return;
    if (status < 0) {
        link_close(l);
        return;
    }
    l->up = (struct pump){ .link = l, .from = &l->client, .to = &l->server };
    l->down = (struct pump){ .link = l, .from = &l->server, .to = &l->client };
    pump_start(&l->down);
    if (l->head_len > l->head_used)
        pump_put(&l->up, l->head + l->head_used, l->head_len - l->head_used);
    else
        pump_start(&l->up);
}

/* ---- connecting ---- */

static void link_on_connected(uv_connect_t *c, int status)
{
    static const char yes[] = "HTTP/1.1 200 Connection established\r\n\r\n";
    struct link *l = c->data;
    if (l->closing)
        return;
    if (status < 0) {
        link_close_server(l);
        return;
    }
    mcti_timer_stop(&l->egress->loop->sched, &l->late);
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)yes, sizeof yes - 1);
    l->answer.data = l;
    if (uv_write(&l->answer, (uv_stream_t *)&l->client, &buf, 1, link_on_accepted) < 0)
        link_close(l);
}

/* Connects to the next address that is allowed. */
static void link_try_next(struct link *l)
{
    bool refused = false;
    while (l->next && l->verdict == EGRESS_PUBLIC && !mcti_address_is_public(l->next->ai_addr)) {
        refused = true;
        l->next = l->next->ai_next;
    }
    if (!l->next) {
        link_refuse(l, refused ? "403 Forbidden" : "502 Bad Gateway",
                    refused ? "its address is not public; \"allow\": [\"private-addresses\"] of \"sandbox\" allows it"
                            : "no address of it accepts connections");
        return;
    }
    const struct sockaddr *address = l->next->ai_addr;
    l->next = l->next->ai_next;
    uv_tcp_init(&l->egress->loop->uv, &l->server);
    l->server.data = l->connect.data = l;
    l->has_server = true;
    l->n_open++;
    if (uv_tcp_connect(&l->connect, &l->server, address, link_on_connected) < 0)
        link_close_server(l);
}

static void link_on_resolved(uv_getaddrinfo_t *r, int status, struct addrinfo *found)
{
    struct link *l = r->data;
    l->resolving = false;
    l->found = found;
    l->n_open--;
    if (l->closing) {
        link_release(l);
        return;
    }
    l->next = found;
    if (status < 0)
        link_refuse(l, "502 Bad Gateway", "its name cannot be resolved");
    else
        link_try_next(l);
}

static void link_connect(struct link *l)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
    char port[16];
    snprintf(port, sizeof port, "%u", l->port);
    l->verdict = mcti_egress_judge(l->egress, mcti_str_of(l->host), l->port);
    if (l->verdict == EGRESS_NO) {
        link_refuse(l, "403 Forbidden", "it is not in \"network\" of \"sandbox\"");
        return;
    }
    l->resolve.data = l;
    if (uv_getaddrinfo(&l->egress->loop->uv, &l->resolve, link_on_resolved, l->host, port, &hints) < 0) {
        link_refuse(l, "502 Bad Gateway", "its name cannot be resolved");
        return;
    }
    l->resolving = true;
    l->n_open++;
}

/* ---- the head ---- */

/* Reads "CONNECT HOST:PORT HTTP/1.1". */
static bool head_read_target(struct link *l, struct mcti_str line)
{
    struct mcti_str rest = line, method, target;
    if (!mcti_str_split(&rest, ' ', &method) || !mcti_str_is(method, "CONNECT") || !mcti_str_split(&rest, ' ', &target))
        return false;
    const char *colon = memrchr(target.p, ':', target.len);
    struct mcti_str host = colon ? mcti_str_range(target.p, colon) : MCT_STR_NONE;
    if (host.len > 2 && host.p[0] == '[' && host.p[host.len - 1] == ']')
        host = (struct mcti_str){ host.p + 1, host.len - 2 };
    if (!host.len || host.len >= sizeof l->host || memchr(host.p, '\0', host.len))
        return false;
    memcpy(l->host, host.p, host.len);
    l->host[host.len] = '\0';
    l->port = (unsigned)strtoul(colon + 1, NULL, 10);
    return l->port > 0 && l->port <= 65535;
}

/* Compares "Proxy-Authorization: Basic …" with the secret. */
static bool head_is_authorized(const struct link *l, struct mcti_str head)
{
    char plain[64];
    struct mcti_str line, name;
    struct mcti_buf wanted;
    bool same = !*l->egress->secret;
    snprintf(plain, sizeof plain, "mcptools:%s", l->egress->secret);
    mcti_buf_init_secret(&wanted, 256);
    mcti_buf_addz(&wanted, "Basic ");
    mcti_base64_put(&wanted, mcti_str_of(plain));
    while (!same && mcti_str_split(&head, '\n', &line))
        if (mcti_str_split(&line, ':', &name) && mcti_str_eq_nocase(name, MCT_STR("Proxy-Authorization")))
            same = mcti_str_eq_secret(mcti_str_trim_white(line), mcti_buf_str(&wanted));
    mcti_buf_done(&wanted);
    return same;
}

static void link_take_head(struct link *l)
{
    struct mcti_str head = { l->head, l->head_used }, rest = head, line;
    uv_read_stop((uv_stream_t *)&l->client);
    mcti_str_split(&rest, '\r', &line);
    if (!head_read_target(l, line))
        link_refuse(l, "405 Method Not Allowed", "the proxy of a sandbox knows CONNECT HOST:PORT only (https)");
    else if (!head_is_authorized(l, head))
        link_refuse(l, "407 Proxy Authentication Required", "the password of the proxy is wrong");
    else
        link_connect(l);
    mcti_timer_set(&l->egress->loop->sched, &l->late, MCT_EGRESS_CONNECT_MS);
}

static void head_alloc(uv_handle_t *h, size_t hint, uv_buf_t *ret)
{
    struct link *l = h->data;
    (void)hint;
    *ret = uv_buf_init(l->head + l->head_len, (unsigned)(MCT_EGRESS_HEAD_BYTES - l->head_len));
}

static void head_on_read(uv_stream_t *from, ssize_t n, const uv_buf_t *buf)
{
    struct link *l = from->data;
    (void)buf;
    if (n < 0) {
        link_close(l);
        return;
    }
    l->head_len += (size_t)n;
    const char *end = memmem(l->head, l->head_len, "\r\n\r\n", 4);
    if (end) {
        l->head_used = (size_t)(end - l->head) + 4;
        link_take_head(l);
    } else if (l->head_len == MCT_EGRESS_HEAD_BYTES) {
        link_close(l);
    }
}

void mcti_egress_accept(struct mcti_egress *e)
{
    struct link *l = calloc(1, sizeof *l);
    if (!l)
        return; /* libuv keeps the connection, and accepts no other until the next one is asked for */
    l->egress = e;
    mcti_list_append(&e->links, &l->node);
    e->n_links++;
    mcti_timer_init(&l->late, link_on_late, l);
    uv_tcp_init(&e->loop->uv, &l->client);
    l->client.data = l;
    l->n_open = 1;
    if (uv_accept((uv_stream_t *)&e->listener, (uv_stream_t *)&l->client) < 0 || e->n_links > MCT_EGRESS_LINKS ||
        uv_read_start((uv_stream_t *)&l->client, head_alloc, head_on_read) < 0) {
        link_close(l);
        return;
    }
    mcti_timer_set(&e->loop->sched, &l->late, MCT_EGRESS_HEAD_MS);
}
