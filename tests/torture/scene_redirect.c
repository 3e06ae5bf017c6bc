/* The browser arrives at the listener of a login, which closes then. */
#include "scene.h"

#include "auth/net/redirect.h"
#include "visit.h"

#include <stdio.h>
#include <stdlib.h>

struct arrival {
    struct mcti_redirect *redirect;
    struct mcti_buf *to;
};

static enum mcti_redirect_page on_arrived(void *data, struct mcti_str query)
{
    struct arrival *v = data;
    mcti_buf_add(v->to, query);
    mcti_redirect_close(v->redirect);
    v->redirect = NULL;
    return MCT_PAGE_DONE;
}

/* Appends the page; -1: there is none. */
static int arrive(struct mcti_loop *loop, unsigned port, struct mcti_buf *to)
{
    char request[128];
    int len = snprintf(request, sizeof request, "GET /callback?code=c HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n", port);
    return visit(loop, port, (struct mcti_str){ request, (size_t)len }, to);
}

int scene_redirect(struct mcti_buf *to)
{
    struct arrival a = { .to = to };
    struct mcti_loop loop;
    int result = -1;
    if (mcti_loop_init(&loop, NULL, NULL) < 0)
        return -1;
    a.redirect = mcti_redirect_open(
        &(struct mcti_redirect_opts){ .loop = &loop, .server = "notes", .arrived = on_arrived, .data = &a }, NULL);
    if (a.redirect)
        result = arrive(&loop, (unsigned)atoi(strrchr(mcti_redirect_uri(a.redirect), ':') + 1), to);
    mcti_redirect_close(a.redirect);
    mcti_loop_done(&loop);
    return result;
}
