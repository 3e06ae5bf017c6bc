#include "io/egress/impl.h"

#include "io/http/address.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- the list ---- */

static bool egress_host_matches(struct mcti_str rule, struct mcti_str host)
{
    struct mcti_str suffix = { rule.p + 1, rule.len - 1 };
    if (mcti_str_is(rule, "*"))
        return true;
    if (rule.p[0] != '*')
        return mcti_str_eq_nocase(rule, host);
    return host.len > suffix.len &&
           mcti_str_eq_nocase(suffix, (struct mcti_str){ host.p + host.len - suffix.len, suffix.len });
}

/* Returns true if the rule names an address or this machine, and so means addresses that are not public. */
static bool egress_is_literal(struct mcti_str rule)
{
    struct sockaddr_storage a;
    return mcti_address_read(rule, &a) || mcti_str_eq_nocase(rule, MCT_STR("localhost"));
}

enum mcti_egress_verdict mcti_egress_judge(const struct mcti_egress *e, struct mcti_str host, unsigned port)
{
    enum mcti_egress_verdict best = EGRESS_NO;
    if (host.len && host.p[host.len - 1] == '.')
        host.len--;
    for (size_t i = 0; host.len && i < e->n_rules; i++) {
        struct mcti_str rule = mcti_str_of(e->rules[i].host);
        if ((e->rules[i].port && e->rules[i].port != port) || !egress_host_matches(rule, host))
            continue;
        enum mcti_egress_verdict verdict = e->private_addresses || egress_is_literal(rule) ? EGRESS_ANY : EGRESS_PUBLIC;
        best = verdict > best ? verdict : best;
    }
    return best;
}

/* ---- life ---- */

void mcti_egress_release(struct mcti_egress *e)
{
    if (!e->freed || e->listens || e->n_links)
        return;
    for (size_t i = 0; i < e->n_rules; i++)
        free(e->rules[i].host);
    free(e->rules);
    free(e->name);
    mcti_secret_free(e->secret);
    free(e);
}

static void egress_on_closed(uv_handle_t *h)
{
    struct mcti_egress *e = h->data;
    e->listens = false;
    mcti_egress_release(e);
}

void mcti_egress_free(struct mcti_egress *e)
{
    if (!e)
        return;
    e->freed = true;
    mcti_egress_close_links(e);
    if (e->listens)
        uv_close((uv_handle_t *)&e->listener, egress_on_closed);
    mcti_egress_release(e);
}

static void egress_on_connection(uv_stream_t *listener, int status)
{
    struct mcti_egress *e = listener->data;
    if (status == 0 && !e->freed)
        mcti_egress_accept(e);
}

static int egress_copy(struct mcti_egress *e, const struct mcti_egress_opts *opts)
{
    e->name = strdup(opts->name);
    e->secret = strdup(opts->secret);
    e->rules = calloc(opts->n_peers ? opts->n_peers : 1, sizeof *e->rules);
    bool failed = !e->name || !e->secret || !e->rules;
    for (size_t i = 0; i < opts->n_peers && !failed; i++) {
        struct mcti_str host = opts->peers[i].host;
        if (host.len > 2 && host.p[0] == '[')
            host = (struct mcti_str){ host.p + 1, host.len - 2 };
        e->rules[i] = (struct mcti_egress_rule){ mcti_str_dup(host), opts->peers[i].port };
        failed = !e->rules[i].host;
        e->n_rules++;
    }
    return failed ? -1 : 0;
}

struct mcti_egress *mcti_egress_new(const struct mcti_egress_opts *opts, struct mct_error *err)
{
    enum { BACKLOG = 64 };
    struct mcti_egress *e = calloc(1, sizeof *e);
    if (e) {
        mcti_list_init(&e->links);
        e->loop = opts->loop;
        e->log = opts->log;
        e->private_addresses = opts->private_addresses;
    }
    if (!e || egress_copy(e, opts) < 0) {
        close(opts->fd);
        mcti_egress_free(e);
        mcti_no_memory(err);
        return NULL;
    }
    uv_tcp_init(&e->loop->uv, &e->listener);
    e->listener.data = e;
    e->listens = true;
    int r = uv_tcp_open(&e->listener, opts->fd);
    if (r < 0)
        close(opts->fd);
    r = r < 0 ? r : uv_listen((uv_stream_t *)&e->listener, BACKLOG, egress_on_connection);
    if (r == 0)
        return e;
    mcti_fail(err, MCT_ERR_CONNECT, "the proxy of the sandbox cannot listen: %s", uv_strerror(r));
    mcti_egress_free(e);
    return NULL;
}
