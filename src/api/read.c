/* mct_instance_read(): reads a resource of one server, or of the first server that has the URI. */
#include "api/request.h"

static void api_read_stop_reading(struct mct_request *q, const char *reason)
{
    (void)reason;
    mcti_reading_done(&q->reading);
    q->reading = (struct mcti_reading){ 0 };
}

/* Finishes the request with the result, to which the name of the server is added. */
static void finish_read(struct mct_request *q, const struct mcti_reading *g)
{
    struct mcti_buf name, b;
    mcti_buf_init(&name, 6 * strlen(g->provider->name) + 8);
    mcti_buf_init(&b, g->result.len + 6 * strlen(g->provider->name) + 64);
    mcti_json_put_string(&name, mcti_str_of(g->provider->name));
    const struct mcti_json_set set = { "server", mcti_buf_str(&name) };
    mcti_json_put_object(&b, g->result, &set, 1);
    mcti_api_request_finish(q, mcti_buf_str(&b), NULL);
    mcti_buf_done(&b);
    mcti_buf_done(&name);
}

static void api_read_on_read(struct mcti_reading *g)
{
    struct mct_request *q = MCT_CONTAINER(g, struct mct_request, reading);
    struct mct_error err = g->error;
    mcti_api_name_server(q->api, g->provider ? g->provider : g->only, &err);
    if (g->result.p)
        finish_read(q, g);
    else
        mcti_api_request_finish(q, MCT_STR_NONE, &err);
    api_read_stop_reading(q, NULL);
}

struct mcti_provider *mcti_api_find_server(const struct mct_instance *r, const char *server, struct mct_error *err)
{
    struct mcti_provider *p = mcti_registry_find(&mcti_api_of(r)->inst.registry, mcti_str_of(server));
    if (p && mcti_api_is_server(r, p))
        return p;
    mcti_fail(err, MCT_ERR_NOT_FOUND, "unknown server '%s'", server);
    return NULL;
}

struct mct_request *mct_instance_read(struct mct_instance *r, const char *server, const char *uri,
                                      const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    struct mcti_provider *only = server ? mcti_api_find_server(r, server, err) : NULL;
    struct mct_request *q = server && !only ? NULL : mcti_api_request_new(r, opts, err);
    if (!q)
        return NULL;
    q->reading =
        (struct mcti_reading){ .reach = &a->inst.reach,
                               .only = only,
                               .uri = mcti_str_of(uri),
                               .deadline_ms = q->opts.timeout_ms ? q->opts.timeout_ms : a->inst.dialect.read_ms,
                               .done = api_read_on_read };
    q->stop = api_read_stop_reading;
    return api_request_started(q, mcti_reading_start(&q->reading, err));
}
