/* The states of servers. */
#include "api/impl.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

void mcti_api_put_servers(struct mcti_buf *to, const struct mct_instance *a)
{
    const struct mcti_registry *r = &a->inst.registry;
    mcti_buf_addz(to, "{\"servers\":[");
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (!mcti_api_is_server(a, r->v[i]))
            continue;
        mcti_buf_addz(to, n++ ? ",{" : "{");
        mcti_provider_put_status(to, r->v[i], mcti_sched_now(&a->inst.loop.sched));
        mcti_json_put_key(to, "tools");
        mcti_buf_addu(to, r->v[i]->items[MCT_TOOL].n);
        mcti_buf_addc(to, '}');
    }
    mcti_buf_addz(to, "]}");
}

void mcti_api_name_server(const struct mct_instance *a, const struct mcti_provider *p, struct mct_error *err)
{
    bool is_own = p && a->inst.view.own && p == a->inst.view.own->provider;
    if (p && err && !is_own && mcti_api_is_server(a, p))
        snprintf(err->server, sizeof err->server, "%s", p->name);
}

char *mct_instance_status(const struct mct_instance *r, struct mct_error *err)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_api_put_servers(&b, mcti_api_of(r));
    char *text = mcti_buf_take(&b);
    if (!text)
        mcti_no_memory(err);
    return text;
}

const char *mct_instance_state(const struct mct_instance *r, const char *server, struct mct_error *ret)
{
    const struct mcti_provider *p = mcti_registry_find(&mcti_api_of(r)->inst.registry, mcti_str_of(server));
    if (p && !mcti_api_is_server(mcti_api_of(r), p))
        return NULL;
    if (p && ret) {
        *ret = p->state == MCT_CONNECTED ? (struct mct_error){ 0 } : *p->error;
        mcti_api_name_server(mcti_api_of(r), p, ret);
    }
    return p ? mcti_provider_state_word(p) : NULL;
}
