/* The redirect listener of a flow. It is opened before the client is registered, because its port is part of the
 * redirect URI. */
#include "auth/flow/impl.h"

static enum mcti_redirect_page listen_on_arrival(void *data, struct mcti_str query)
{
    struct mcti_flow *f = data;
    int r = f->grant && f->ops->answer ? f->ops->answer(f->grant, query) : 0;
    return r > 0 ? MCT_PAGE_DONE : r < 0 ? MCT_PAGE_DENIED : MCT_PAGE_UNKNOWN;
}

int mcti_flow_listen(struct mcti_flow *f, unsigned port, bool says_localhost, struct mct_error *err)
{
    const char *uri = f->env->person ? f->env->person->redirect_uri : NULL;
    const struct mcti_redirect_opts opts = { .loop = f->env->net.loop,
                                             .port = port,
                                             .says_localhost = says_localhost,
                                             .server = f->env->name,
                                             .arrived = listen_on_arrival,
                                             .data = f };
    mcti_flow_deafen(f);
    if (f->ops != &mcti_grant_code)
        return 0;
    if (!uri && !(f->redirect = mcti_redirect_open(&opts, err)))
        return -1;
    f->redirect_uri = mcti_str_dup(mcti_str_of(uri ? uri : mcti_redirect_uri(f->redirect)));
    return f->redirect_uri ? 0 : mcti_no_memory(err);
}

int mcti_flow_listen_anywhere(struct mcti_flow *f, struct mct_error *err)
{
    bool says_localhost = f->env->settings->callback_localhost != f->switches_host;
    unsigned port = f->env->settings->callback_port;
    int r = mcti_flow_listen(f, port, says_localhost, err);
    return r < 0 && port ? mcti_flow_listen(f, 0, says_localhost, err) : r;
}

void mcti_flow_deafen(struct mcti_flow *f)
{
    mcti_redirect_close(f->redirect);
    f->redirect = NULL;
    free(f->redirect_uri);
    f->redirect_uri = NULL;
}

/* Returns the query of a URL, without '?' and fragment; absent: it has none. */
static struct mcti_str url_query(struct mcti_str url)
{
    const char *end = url.p + url.len, *hash = url.len ? memchr(url.p, '#', url.len) : NULL;
    const char *mark = url.len ? memchr(url.p, '?', url.len) : NULL;
    end = hash ? hash : end;
    return mark && mark < end ? mcti_str_range(mark + 1, end) : MCT_STR_NONE;
}

int mcti_flow_paste(struct mcti_flow *f, struct mcti_str url, struct mct_error *err)
{
    struct mcti_str query = url_query(mcti_str_trim_white(url));
    if (!f->grant || !f->ops->answer)
        return mcti_fail(err, MCT_ERR_USAGE, "this login does not wait for the address of a page");
    if (!query.p)
        return mcti_fail(err, MCT_ERR_USAGE, "this is not the address at which the browser arrived: it begins with %s?",
                         f->redirect_uri);
    return f->ops->answer(f->grant, query)
               ? 0
               : mcti_fail(err, MCT_ERR_USAGE, "this address belongs to another login, or to an older attempt");
}
