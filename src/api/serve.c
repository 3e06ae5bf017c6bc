/* Serving an instance as an MCP endpoint over HTTP and stdio. */
#include "api/impl.h"

#include <stdlib.h>

/* Creates the servers of an instance with clients. Must be called before the start, because the handshake declares to
 * servers which questions clients can answer: all of them. */
static int prepare_to_serve(struct mct_instance *a, struct mct_error *err)
{
    if (a->phase != API_OPEN)
        return mcti_fail(err, MCT_ERR_USAGE,
                         "call mct_instance_serve_http() and mct_instance_serve_stdio() before "
                         "mct_instance_start()");
    a->serves = true; /* before servers are created, because it decides their client capabilities */
    return mcti_api_prepare(a, err);
}

int mct_instance_serve_http(struct mct_instance *r, const char *address, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->inst.service.http)
        return mcti_fail(err, MCT_ERR_USAGE, "the instance already serves HTTP");
    if (prepare_to_serve(a, err) < 0)
        return -1;
    free(a->address);
    a->address = address ? strdup(address) : NULL;
    if (address && !a->address)
        return mcti_no_memory(err);
    if (mcti_instance_serve_http(&a->inst, &(struct mcti_service_http_opts){ .address = a->address }, err) < 0)
        return -1;
    return mcti_front_http_port(a->inst.service.http);
}

static void api_serve_on_gone(void *data)
{
    struct mct_instance *a = data;
    a->stdio_gone = true;
    if (a->gone)
        a->gone(a->gone_data);
}

int mct_instance_serve_stdio(struct mct_instance *r, void (*gone)(void *data), void *data, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->inst.service.on_stdio)
        return mcti_fail(err, MCT_ERR_USAGE, "the instance already serves stdin and stdout");
    if (prepare_to_serve(a, err) < 0)
        return -1;
    a->gone = gone;
    a->gone_data = data;
    return mcti_instance_serve_stdio(&a->inst, api_serve_on_gone, a, err);
}

int mct_instance_serve_stdio_wait(struct mct_instance *r, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (mcti_api_may_wait(a, err) < 0 || mct_instance_serve_stdio(r, NULL, NULL, err) < 0 ||
        mct_instance_start(r, err) < 0)
        return -1;
    while (!a->stdio_gone && a->phase == API_STARTED)
        mcti_api_turn(a, UV_RUN_ONCE);
    return 0;
}
