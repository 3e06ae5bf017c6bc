/* resources/read, of one server or of whichever has the URI. */
#include "api/impl.h"

static void stop_reading(struct mct_request *q, const char *reason)
{
    (void)reason;
    mct_reading_done(&q->reading);
    q->reading = (struct mct_reading){ 0 };
}

/* The result with who gave it (seeds-digest decision 12). */
static void finish_read(struct mct_request *q, const struct mct_reading *g)
{
    struct mct_buf name, b;
    mct_buf_init(&name, 6 * strlen(g->provider->name) + 8);
    mct_buf_init(&b, g->result.len + 6 * strlen(g->provider->name) + 64);
    mct_json_put_string(&name, mct_str_of(g->provider->name));
    const struct mct_json_set set = { "server", mct_buf_str(&name) };
    mct_json_put_object(&b, g->result, &set, 1);
    api_request_finish(q, mct_buf_str(&b), NULL);
    mct_buf_done(&b);
    mct_buf_done(&name);
}

static void on_read(struct mct_reading *g)
{
    struct mct_request *q = MCT_CONTAINER(g, struct mct_request, reading);
    struct mct_error err = g->error;
    if (g->result.p)
        finish_read(q, g);
    else
        api_request_finish(q, MCT_STR_NONE, &err);
    stop_reading(q, NULL);
}

struct mct_provider *api_find_server(const struct mct_registry *r, const char *server, struct mct_error *err)
{
    struct mct_provider *p = mct_registry_find(r, mct_str_of(server));
    if (!p)
        mct_fail(err, MCT_ERR_NOT_FOUND, "there is no server '%s'", server);
    return p;
}

struct mct_request *mct_registry_read(struct mct_registry *r, const char *server, const char *uri,
                                      const struct mct_call_opts *opts, struct mct_error *err)
{
    struct api *a = api_of(r);
    struct mct_provider *only = server ? api_find_server(r, server, err) : NULL;
    struct mct_request *q = server && !only ? NULL : api_request_new(r, opts, err);
    if (!q)
        return NULL;
    q->reading = (struct mct_reading){ .reach = &a->inst.reach, .only = only, .uri = mct_str_of(uri),
                                       .deadline_ms = q->opts.timeout_ms ? q->opts.timeout_ms : a->inst.dialect.read_ms,
                                       .done = on_read };
    q->stop = stop_reading;
    return api_request_started(q, mct_reading_start(&q->reading, err));
}
