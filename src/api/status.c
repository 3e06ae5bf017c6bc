/* How servers are. */
#include "api/impl.h"

#include "base/limits.h"

#include <stdlib.h>

void api_put_servers(struct mct_buf *to, const struct api *a)
{
    const struct mct_registry *r = &a->inst.registry;
    mct_buf_addz(to, "{\"servers\":[");
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (!api_is_server(a, r->v[i]))
            continue;
        mct_buf_addz(to, n++ ? ",{" : "{");
        mct_provider_put_status(to, r->v[i], mct_sched_now(&a->inst.loop.sched));
        mct_json_put_key(to, "tools");
        mct_buf_addu(to, r->v[i]->items[MCT_TOOL].n);
        mct_buf_addc(to, '}');
    }
    mct_buf_addz(to, "]}");
}

char *mct_registry_status(const struct mct_registry *r)
{
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    api_put_servers(&b, api_of(r));
    return mct_buf_take(&b);
}

const char *mct_registry_state(const struct mct_registry *r, const char *server, struct mct_error *ret)
{
    const struct mct_provider *p = mct_registry_find(r, mct_str_of(server));
    if (p && !api_is_server(api_of(r), p))
        return NULL;
    if (p && ret)
        *ret = p->state == MCT_CONNECTED ? (struct mct_error){ 0 } : p->error;
    return p ? mct_state_word(p->state) : NULL;
}
