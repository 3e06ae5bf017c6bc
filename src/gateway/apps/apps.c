#include "gateway/apps.h"

#include "base/limits.h"
#include "hub/apps/inject.h"
#include "hub/apps/rewrite.h"
#include "mcp/apps/ui.h"

#include <stdlib.h>

/* Clients of 2026-07-28 have no session: those of one token count as one for so long. */
enum { REMEMBERED_MS = 10 * 60 * 1000 };

/* ---- lists ---- */

bool mcti_gw_shows_apps(const struct mcti_gw_request *r, struct mcti_str capabilities)
{
    struct mcti_str declared = mcti_rev_is_stateless(r->rev) ? capabilities : mcti_str_of(r->peer->capabilities);
    switch (r->peer->view->app_rules.hiding) {
    case MCT_HIDE_NEVER:
        return true;
    case MCT_HIDE_ALWAYS:
        return r->peer->is_command;
    default:
        return r->peer->is_command || mcti_ui_declared(declared);
    }
}

bool mcti_gw_has_apps(struct mcti_view *v)
{
    mcti_view_items(v, MCT_TOOL); /* updates v->apps */
    return v->apps.has_pages;
}

/* ---- who uses which apps ---- */

/* Returns the memory of the client: that of its session, or of its token. */
static struct mcti_app_memory *apps_memory(struct mcti_gw_request *r, uint64_t *ret_within_ms)
{
    bool stateless = mcti_rev_is_stateless(r->rev);
    *ret_within_ms = stateless ? REMEMBERED_MS : 0;
    return stateless ? &r->principal->apps : &r->peer->apps;
}

void mcti_gw_note_app(struct mcti_gw_request *r, const struct mcti_provider *p)
{
    uint64_t within_ms;
    if (!r->peer->view->single)
        mcti_app_memory_note(apps_memory(r, &within_ms), mcti_str_of(p->name), mcti_sched_now(r->peer->gateway->sched));
}

static bool apps_uses(struct mcti_gw_request *r, const struct mcti_provider *p)
{
    uint64_t within_ms;
    const struct mcti_app_memory *m = apps_memory(r, &within_ms);
    return mcti_app_memory_has(m, mcti_str_of(p->name), mcti_sched_now(r->peer->gateway->sched), within_ms);
}

/* Returns false if the client may use apps of servers that the gateway has forgotten. */
static bool apps_are_known(struct mcti_gw_request *r)
{
    uint64_t within_ms;
    const struct mcti_app_memory *m = apps_memory(r, &within_ms);
    return m->n && mcti_app_memory_is_whole(m, mcti_sched_now(r->peer->gateway->sched), within_ms);
}

const struct mcti_exposure *mcti_gw_app_tool(struct mcti_gw_request *r, struct mcti_str name)
{
    struct mcti_view *v = r->peer->view;
    const struct mcti_exposure *only = NULL;
    if (v->single || !apps_are_known(r) || mcti_view_named(v, MCT_TOOL, name, NULL))
        return NULL;
    const struct mcti_exposures *tools = mcti_view_items(v, MCT_TOOL);
    for (const struct mcti_exposure *x = mcti_exposure_raw(tools, name); x; x = mcti_exposure_next_raw(tools, x)) {
        if (mcti_view_is_own(v, x) || mcti_view_is_foreign(v, x, name) || !apps_uses(r, x->provider))
            continue;
        if (only)
            return NULL;
        only = x;
    }
    return only;
}

/* ---- pages ---- */

/* Chooses among the servers that have the URI: the only one whose apps the client uses, else the first. */
static struct mcti_provider *apps_choose(struct mcti_gw_request *r, struct mcti_str uri)
{
    const struct mcti_app_uris *pages = &r->peer->view->apps;
    const struct mcti_app_uri *first = mcti_app_uri_own(pages, uri, NULL);
    struct mcti_provider *used = NULL;
    size_t n = 0;
    for (const struct mcti_app_uri *at = first; at && apps_are_known(r); at = mcti_app_uri_own(pages, uri, at))
        if (apps_uses(r, at->provider) && ++n)
            used = at->provider;
    return n == 1 ? used : first ? first->provider : NULL;
}

struct mcti_provider *mcti_gw_page_server(struct mcti_gw_request *r, struct mcti_str uri, struct mcti_buf *scratch,
                                          struct mcti_str *ret_own)
{
    struct mcti_view *v = r->peer->view;
    if (v->single || !mcti_ui_is_uri(uri))
        return NULL;
    mcti_view_items(v, MCT_RESOURCE); /* updates v->apps */
    struct mcti_provider *p = mcti_app_uri_read(&v->apps, uri, scratch);
    *ret_own = p ? mcti_buf_str(scratch) : uri;
    return p ? p : apps_choose(r, uri);
}

/* Makes the page; NULL when out of memory. */
static struct mcti_gw_page *page_new(struct mcti_str asked, struct mcti_str own)
{
    struct mcti_gw_page *page = malloc(sizeof *page + asked.len + own.len);
    if (!page)
        return NULL;
    char *at = page->text;
    page->asked = mcti_str_keep(&at, asked);
    page->own = mcti_str_keep(&at, own);
    return page;
}

struct mcti_provider *mcti_gw_page_begin(struct mcti_gw_request *r, struct mcti_str uri, struct mct_error *err)
{
    struct mcti_buf scratch;
    struct mcti_str own;
    err->kind = MCT_ERR_NONE;
    mcti_buf_init(&scratch, MCT_LIMIT_URI_BYTES);
    struct mcti_provider *p = mcti_gw_page_server(r, uri, &scratch, &own);
    if (p) {
        free(r->page);
        r->page = page_new(uri, own);
        if (!r->page)
            mcti_no_memory(err);
        mcti_gw_note_app(r, p);
    }
    mcti_buf_done(&scratch);
    return r->page ? p : NULL;
}

/* ---- results ---- */

/* Writes the script for the page of a server: its tools and their names at the endpoint. Leaves `to` empty if no name
 * differs, or if there are too many. */
static void apps_put_script(struct mcti_view *v, const struct mcti_provider *p, struct mcti_buf *to)
{
    const struct mcti_exposures *tools = mcti_view_items(v, MCT_TOOL);
    size_t n = 0;
    mcti_app_script_begin(to);
    for (size_t i = 0; i < tools->n_named; i++)
        if (tools->v[i].provider == p && !mcti_str_eq(tools->v[i].name, mcti_item_id(tools->v[i].item)))
            mcti_app_script_add(to, mcti_item_id(tools->v[i].item), tools->v[i].name, &n);
    mcti_app_script_end(to);
    if (!n || !mcti_buf_ok(to))
        mcti_buf_clear(to);
}

struct mcti_outcome mcti_gw_show_pages(const struct mcti_gw_request *r, const struct mcti_outcome *o,
                                       struct mcti_buf *to)
{
    struct mcti_view *v = r->peer->view;
    struct mcti_outcome shown = *o;
    struct mcti_buf script;
    const struct mcti_provider *p = r->connection && r->connection->origin ? r->connection->origin : r->connection;
    bool injects = r->page && v->app_rules.names == MCT_APP_NAMES_INJECT;
    mcti_buf_init(to, 2 * o->result.len + 8 * MCT_APP_SCRIPT_BYTES);
    if (!o->result.p || !p || o->is_state || !(injects || mcti_app_uris_change(&v->apps, p)))
        return shown;
    mcti_buf_init(&script, MCT_APP_SCRIPT_BYTES);
    if (injects)
        apps_put_script(v, p, &script);
    struct mcti_app_rewrite how = { .uris = &v->apps, .provider = p };
    how.script = script.len ? mcti_buf_str(&script) : MCT_STR_NONE;
    if (r->page) {
        how.asked = r->page->asked;
        how.asked_own = r->page->own;
    }
    if (mcti_app_put_result(to, &how, r->verb, o->result)) {
        shown.result = mcti_buf_str(to);
        shown.chunk = NULL;
    }
    mcti_buf_done(&script);
    return shown;
}
