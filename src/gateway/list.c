/* Answers the four list methods: merged lists, in pages, with caching hints for 2026-07-28 clients. */
#include "gateway/list.h"

#include "gateway/answer.h"
#include "gateway/apps.h"
#include "gateway/local.h"

#include <stdio.h>

static enum mcti_kind gateway_list_kind_of(enum mcti_verb verb)
{
    for (int k = 0; k < MCT_KIND_N; k++)
        if (mcti_kind_info((enum mcti_kind)k)->list_verb == verb)
            return (enum mcti_kind)k;
    return MCT_TOOL;
}

/* ---- cursors ---- */

/* Writes a cursor: the number of a kept list and a position in it, sealed against forgery. */
static void put_cursor(struct mcti_buf *to, struct mcti_gateway *g, const struct mcti_page *page)
{
    char text[64];
    snprintf(text, sizeof text, "%llx %zx", (unsigned long long)page->list, page->next);
    mcti_json_put_key(to, "nextCursor");
    mcti_buf_addc(to, '"');
    mcti_seal(to, gw_seal_key(g), mcti_str_of(text));
    mcti_buf_addc(to, '"');
}

static int read_cursor(struct mcti_gateway *g, struct mcti_str cursor, uint64_t *ret_list, size_t *ret_from)
{
    struct mcti_buf text;
    struct mcti_str sealed;
    unsigned long long list;
    int r = -1;
    mcti_buf_init(&text, 256);
    if (mcti_json_plain(cursor, &sealed) && mcti_unseal(&text, gw_seal_key(g), sealed) == 0) {
        mcti_buf_addc(&text, '\0');
        r = mcti_buf_ok(&text) && sscanf(text.p, "%llx %zx", &list, ret_from) == 2 ? 0 : -1;
    }
    mcti_buf_done(&text);
    if (r == 0)
        *ret_list = list;
    return r;
}

/* `capabilities`: of a 2026-07-28 request. */
static int find_page(struct mcti_gw_request *r, const struct mcti_msg *msg, struct mcti_str capabilities,
                     struct mcti_page *ret, struct mct_error *err)
{
    enum mcti_kind kind = gateway_list_kind_of(r->verb);
    struct mcti_str cursor = mcti_json_get(msg->params, "cursor");
    struct mcti_gateway *g = r->peer->gateway;
    uint64_t list;
    size_t from;
    const struct mcti_list_of of = { kind, r->rev, kind == MCT_TOOL && mcti_gw_shows_apps(r, capabilities) };
    r->peer->lists_apps |= of.apps;
    if (!cursor.p && mcti_view_first_page(r->peer->view, &of, g->page_items, ret) == 0)
        return 0;
    if (!cursor.p)
        return mcti_fail(err, MCT_ERR_LIMIT, "the merged list is too large");
    if (read_cursor(g, cursor, &list, &from) < 0 ||
        mcti_view_next_page(r->peer->view, kind, list, from, g->page_items, ret) < 0)
        return mcti_fail(err, MCT_ERR_USAGE, "unknown cursor; request the list again without one");
    return 0;
}

/* Returns why a list of the view's servers is missing or incomplete; NULL: it is whole. */
static const struct mct_error *list_lack(const struct mcti_view *v, enum mcti_kind kind)
{
    for (size_t i = 0; i < mcti_view_n_providers(v); i++)
        if (mcti_view_provider(v, i)->list_error[kind]->kind)
            return mcti_view_provider(v, i)->list_error[kind];
    return NULL;
}

/* ---- caching hints ---- */

struct hint {
    uint64_t now, left;
    bool is_public, any;
};

/* Combines the hints of all servers: the shortest remaining time, and private if any list is (2026-07-28 "Caching"). */
static void add_hints(struct hint *h, const struct mcti_view *v, enum mcti_kind kind)
{
    for (size_t i = 0; i < mcti_view_n_providers(v); i++) {
        const struct mcti_provider *p = mcti_view_provider(v, i);
        uint64_t until = p->list_error[kind]->kind ? 0 : p->hint[kind].fresh_until_ms;
        if (p->state == MCT_CONNECTED && !mcti_server_can(&p->info, mcti_kind_info(kind)->capability, NULL))
            continue; /* it has no items of this kind */
        h->any = true;
        h->is_public &= p->hint[kind].is_public;
        if (p->state != MCT_CONNECTED || until <= h->now)
            h->left = 0;
        else if (until - h->now < h->left)
            h->left = until - h->now;
    }
}

/* Writes the hints of a list. A list that differs between clients is private. Tools of the view's own depend on the
 * lists that they are made of. */
static void put_hints(struct mcti_buf *to, const struct mcti_gw_request *r, enum mcti_kind kind)
{
    const struct mcti_view *v = r->peer->view;
    const struct mcti_view_own *own = kind == MCT_TOOL ? v->own : NULL;
    bool for_some = v->kind[kind].n_apps > v->kind[kind].n; /* tools that not every client gets */
    struct hint h = { .now = mcti_sched_now(v->registry->sched), .left = UINT64_MAX, .is_public = true };
    if (!own || !own->alone)
        add_hints(&h, v, kind);
    for (int k = 0; own && k < MCT_KIND_N; k++)
        if (own->follows & 1u << k)
            add_hints(&h, v, (enum mcti_kind)k);
    mcti_json_put_key(to, "ttlMs");
    mcti_buf_addu(to, h.any ? h.left : 0);
    h.is_public &= h.any && !own && !for_some && !r->peer->gateway->apart;
    mcti_json_put_raw(to, "cacheScope", h.is_public ? MCT_STR("\"public\"") : MCT_STR("\"private\""));
}

void mcti_gw_list(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    enum mcti_kind kind = gateway_list_kind_of(r->verb);
    struct mcti_page page;
    struct mct_error err;
    const struct mct_error *lack = r->peer->is_command ? list_lack(r->peer->view, kind) : NULL;
    if (lack) { /* a command reports it like a list that it has requested itself */
        mcti_gw_fail(r, lack);
        return;
    }
    if (find_page(r, msg, meta->capabilities, &page, &err) < 0) {
        mcti_gw_fail(r, &err);
        return;
    }
    struct mcti_splices splices;
    struct mcti_buf *b = mcti_inbound_begin(&r->in);
    mcti_inbound_splice(&r->in, &splices, page.chunk);
    mcti_view_freshen(r->peer->view); /* sends the old list now and a notification if the new one differs */
    mcti_buf_addc(b, '{');
    mcti_json_put_key(b, mcti_kind_info(kind)->list_key);
    mcti_buf_addc(b, '[');
    mcti_buf_add(b, page.items);
    if (kind == MCT_TEMPLATE && mcti_results_on(r->peer->gateway->results) && !page.next)
        mcti_buf_printf(b, "%s%s", page.items.len ? "," : "", mcti_result_template);
    mcti_buf_addc(b, ']');
    if (page.next)
        put_cursor(b, r->peer->gateway, &page);
    if (mcti_rev_is_stateless(r->rev)) {
        mcti_json_put_raw(b, "resultType", MCT_STR("\"complete\""));
        put_hints(b, r, kind);
        mcti_gw_put_result_meta(b, r->peer);
    }
    mcti_buf_addc(b, '}');
    mcti_inbound_send(&r->in);
    mcti_gw_request_free(r);
}
