/*
 * Subscriptions to resources. Every update is reported, and the gateway knows the subscribers; only the first and the
 * last subscription to a resource of the program are of interest here, because the program is told of them: from the
 * loop, since its own subscriptions are made outside.
 */
#include "hub/local/def.h"

#include "base/limits.h"
#include "hub/local/tool.h"

#include <stdlib.h>

/* A subscribed resource. */
struct local_sub {
    struct mcti_map_node by_uri; /* in local->subs */
    struct mcti_list changed;    /* in local->changed_subs until the program is told */
    struct mcti_local_def *def;
    size_t n;  /* subscriptions */
    bool told; /* what the program has been told last */
    char uri[];
};

static struct local_sub *sub_find(const struct mcti_local *l, struct mcti_str uri)
{
    struct mcti_map_node *n = mcti_map_get(&l->subs, uri);
    return n ? MCT_CONTAINER(n, struct local_sub, by_uri) : NULL;
}

static struct local_sub *sub_new(struct mcti_local *l, struct mcti_local_def *d, struct mcti_str uri)
{
    struct local_sub *s = malloc(sizeof *s + uri.len + 1);
    if (!s)
        return NULL;
    *s = (struct local_sub){ .def = d };
    mcti_list_init(&s->changed);
    memcpy(s->uri, uri.p, uri.len);
    s->uri[uri.len] = '\0';
    if (mcti_map_put(&l->subs, &s->by_uri, (struct mcti_str){ s->uri, uri.len }) < 0) {
        free(s);
        return NULL;
    }
    d->n_users++;
    return s;
}

static void sub_free(struct mcti_local *l, struct local_sub *s)
{
    mcti_map_remove(&l->subs, &s->by_uri);
    mcti_list_remove(&s->changed);
    mcti_local_def_unuse(s->def);
    free(s);
}

/* Tells the program if there are subscriptions where there were none, or the other way round. */
static void sub_tell(struct mcti_local *l, struct local_sub *s)
{
    bool on = s->n > 0, differs = on != s->told;
    s->told = on;
    if (differs && s->def->subscribed)
        s->def->subscribed(s->uri, on, s->def->data);
    if (!s->n && !s->told && mcti_list_empty(&s->changed)) /* the function may have caused another subscription */
        sub_free(l, s);
}

void mcti_local_report_subs(void *data)
{
    struct mcti_local *l = data;
    struct mcti_list all;
    mcti_list_take(&all, &l->changed_subs);
    while (!mcti_list_empty(&all)) {
        struct local_sub *s = MCT_CONTAINER(all.next, struct local_sub, changed);
        mcti_list_remove(&s->changed);
        sub_tell(l, s);
    }
}

static void sub_changed(struct mcti_local *l, struct local_sub *s)
{
    if (mcti_list_empty(&s->changed))
        mcti_list_append(&l->changed_subs, &s->changed);
    if (!l->report_subs.set) /* before the calls that come later, which are begun by timers */
        mcti_timer_set(l->base.sched, &l->report_subs, 0);
}

static int sub_add(struct mcti_local *l, struct mcti_local_def *d, struct mcti_str uri, struct mct_error *err)
{
    struct local_sub *s = sub_find(l, uri);
    if (!s && !d->updates)
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "the resource %.*s has no updates", MCT_STR_ARG(uri));
    if (!s && !(s = sub_new(l, d, uri)))
        return mcti_no_memory(err);
    if (!s->n++)
        sub_changed(l, s);
    return 1;
}

int mcti_local_subscribe(struct mcti_provider *p, struct mcti_str uri, struct mcti_agreement *w, struct mct_error *err)
{
    struct mcti_local *l = mcti_local_of(p);
    struct mcti_local_item *x = mcti_local_find_uri(l, uri);
    struct mcti_local_def *d = mcti_local_def_of(x);
    (void)w;
    if (!x)
        return mcti_fail(err, MCT_ERR_NOT_FOUND, "no such resource: %.*s", MCT_STR_ARG(uri));
    return d ? sub_add(l, d, uri, err) : 1;
}

void mcti_local_unsubscribe(struct mcti_provider *p, struct mcti_str uri)
{
    struct mcti_local *l = mcti_local_of(p);
    struct local_sub *s = sub_find(l, uri);
    if (s && s->n && !--s->n)
        sub_changed(l, s);
}

void mcti_local_subs_free(struct mcti_local *l)
{
    struct mcti_map_node *n;
    mcti_timer_stop(l->base.sched, &l->report_subs);
    while ((n = mcti_map_any(&l->subs)))
        sub_free(l, MCT_CONTAINER(n, struct local_sub, by_uri));
    mcti_map_done(&l->subs);
}

/* ---- updates ---- */

void mcti_local_updated(struct mcti_provider *p, const char *uri)
{
    struct mcti_buf b;
    if (!p->events.updated)
        return;
    mcti_buf_init(&b, MCT_LIMIT_URI_BYTES * 6 + 64);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "uri", mcti_str_of(uri));
    mcti_buf_addc(&b, '}');
    if (mcti_buf_ok(&b))
        p->events.updated(p->events.data, p, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

int mcti_local_resource_updated(struct mcti_provider *p, const char *uri, struct mct_error *err)
{
    struct mcti_local *l = mcti_local_of(p);
    struct mcti_local_def *d = mcti_local_def_of(mcti_local_find_uri(l, mcti_str_of(uri)));
    struct local_sub *s = sub_find(l, mcti_str_of(uri));
    if (!d && !s)
        return mcti_fail(err, MCT_ERR_NOT_FOUND, "the program has no resource '%s'", uri);
    if (!s && !d->updates)
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "resource '%s': its definition does not say \"updates\"", uri);
    mcti_local_updated(p, uri);
    return 0;
}
