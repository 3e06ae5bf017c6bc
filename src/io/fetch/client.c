#include "io/fetch/client_impl.h"
#include "base/limits.h"
#include "io/fetch/direct.h"
#include "io/fetch/origin.h"
#include "io/fetch/url.h"

#include <stdlib.h>
#include <sys/ioctl.h>

enum { USELESS_EVENTS = 16 };

static void client_end_finished(struct mcti_http_client *c)
{
    CURLMsg *m;
    int left;
    while ((m = c->curl.multi_info_read(c->multi, &left))) {
        void *t = NULL;
        CURLcode code = m->data.result;
        if (m->msg != CURLMSG_DONE)
            continue;
        c->curl.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t);
        ((struct mcti_transfer *)t)->over(t, code);
    }
}

/* ---- event loop ---- */

static void client_act(struct mcti_http_client *c, curl_socket_t fd, int events)
{
    int running;
    c->curl.multi_socket_action(c->multi, fd, events, &running);
    client_end_finished(c);
}

static void client_on_time(void *data)
{
    client_act(data, CURL_SOCKET_TIMEOUT, 0);
}

static int client_on_timer_wanted(CURLM *multi, long in_ms, void *data)
{
    struct mcti_http_client *c = data;
    (void)multi;
    if (in_ms < 0)
        mcti_timer_stop(&c->loop->sched, &c->timer);
    else
        mcti_timer_set(&c->loop->sched, &c->timer, (uint64_t)in_ms);
    return 0;
}

/*
 * libcurl passes headers and bodies on. It drops other bytes without telling anybody: the extensions of chunks, or
 * compressed data without content. They are counted when the
 * socket has become readable several times and nothing was passed on, because counting is a system call.
 */
bool mcti_fetch_count_readable(struct mcti_fetch *f, curl_socket_t fd)
{
    int n = 0;
    if (++f->n_useless > USELESS_EVENTS && ioctl(fd, FIONREAD, &n) == 0 && n > 0)
        f->useless_bytes += (size_t)n;
    return mcti_fetch_is_flooded(f);
}

static void client_on_ready(uv_poll_t *poll, int status, int events)
{
    struct mcti_http_watch *w = MCT_CONTAINER(poll, struct mcti_http_watch, poll);
    int what = (events & UV_READABLE ? CURL_CSELECT_IN : 0) | (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);
    if (events & UV_READABLE && w->fetch && mcti_fetch_count_readable(w->fetch, w->fd)) {
        mcti_fetch_on_transfer_over(w->fetch, CURLE_RECV_ERROR);
        return;
    }
    /* libcurl finds the error itself */
    client_act(w->client, w->fd, status < 0 ? CURL_CSELECT_IN | CURL_CSELECT_OUT : what);
}

static void free_watch(uv_handle_t *h)
{
    free(MCT_CONTAINER(h, struct mcti_http_watch, poll));
}

static struct mcti_http_watch *watch_new(struct mcti_http_client *c, curl_socket_t fd)
{
    struct mcti_http_watch *w = calloc(1, sizeof *w);
    if (!w || uv_poll_init_socket(&c->loop->uv, &w->poll, fd) < 0) {
        free(w);
        return NULL;
    }
    w->client = c;
    w->fd = fd;
    c->curl.multi_assign(c->multi, fd, w);
    return w;
}

/* Ends what both are linked to, and links them if both are given. */
static void client_link(struct mcti_http_watch *w, struct mcti_fetch *f)
{
    if (w && w->fetch)
        w->fetch->watch = NULL;
    if (f && f->watch)
        f->watch->fetch = NULL;
    if (w)
        w->fetch = f;
    if (f)
        f->watch = w;
}

void mcti_fetch_unlink(struct mcti_fetch *f)
{
    client_link(NULL, f);
}

static int client_on_socket_wanted(CURL *easy, curl_socket_t fd, int what, void *data, void *socket_data)
{
    struct mcti_http_client *c = data;
    struct mcti_http_watch *w = socket_data;
    if (what == CURL_POLL_REMOVE) {
        if (w) {
            client_link(w, NULL);
            c->curl.multi_assign(c->multi, fd, NULL);
            uv_poll_stop(&w->poll);
            uv_close((uv_handle_t *)&w->poll, free_watch);
        }
        return 0;
    }
    if (!w)
        w = watch_new(c, fd);
    if (!w)
        return -1;
    void *t = NULL;
    c->curl.easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&t);
    client_link(w, ((struct mcti_transfer *)t)->fetch);
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    return uv_poll_start(&w->poll, events, client_on_ready) < 0 ? -1 : 0;
}

static void client_work(void *data)
{
    struct mcti_http_client *c = data;
    struct mcti_list now;
    mcti_list_take(&now, &c->fetches);
    while (!mcti_list_empty(&now)) { /* callbacks may start and cancel fetches, so each is visited once */
        struct mcti_fetch *f = MCT_CONTAINER(now.next, struct mcti_fetch, node);
        mcti_list_remove(&f->node);
        mcti_list_append(&c->fetches, &f->node);
        if (f->cancelled)
            mcti_fetch_finish(f, NULL);
        else if (f->stage == MCT_FETCH_STARTING)
            mcti_fetch_run(f);
    }
}

/* ---- the client ---- */

int mcti_http_client_load(struct mcti_http_client *c, struct mct_error *err)
{
    if (c->multi)
        return 0;
    if (!c->curl.library && mcti_curl_load(&c->curl, err) < 0)
        return -1;
    c->multi = c->curl.multi_init();
    c->share = c->multi ? c->curl.share_init() : NULL;
    if (!c->share) {
        c->curl.multi_cleanup(c->multi);
        c->multi = NULL;
        return mcti_no_memory(err);
    }
    c->curl.share_setopt(c->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    c->curl.multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, client_on_socket_wanted);
    c->curl.multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
    c->curl.multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, client_on_timer_wanted);
    c->curl.multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
    /* by default, kept connections are closed down to four times the transfers that run just then */
    c->curl.multi_setopt(c->multi, CURLMOPT_MAXCONNECTS, (long)MCT_LIMIT_IN_FLIGHT);
    return 0;
}

char *mcti_http_resolve(struct mcti_http_client *c, const char *base, const char *reference, struct mct_error *err)
{
    return mcti_http_client_load(c, err) < 0 ? NULL : mcti_url_resolve(&c->curl, base, reference, err);
}

struct mcti_http_client *mcti_http_client_new(struct mcti_loop *loop, struct mct_error *err)
{
    struct mcti_http_client *c = calloc(1, sizeof *c);
    if (!c) {
        mcti_no_memory(err);
        return NULL;
    }
    c->loop = loop;
    c->ca_file = getenv("SSL_CERT_FILE");
    mcti_list_init(&c->fetches);
    mcti_list_init(&c->directs);
    mcti_map_init(&c->origins);
    mcti_timer_init(&c->timer, client_on_time, c);
    mcti_timer_init(&c->direct_prune, mcti_direct_on_prune, c);
    mcti_task_init(&c->work, client_work, c);
    return c;
}

void mcti_http_client_free(struct mcti_http_client *c)
{
    if (!c)
        return;
    while (!mcti_list_empty(&c->fetches)) {
        struct mcti_fetch *f = MCT_CONTAINER(c->fetches.next, struct mcti_fetch, node);
        f->cancelled = true;
        mcti_fetch_finish(f, NULL);
    }
    mcti_direct_close_all(c);
    while (c->n_spare)
        c->curl.easy_cleanup(c->spare[--c->n_spare]);
    if (c->multi) {
        c->curl.multi_cleanup(c->multi);
        c->curl.share_cleanup(c->share);
    }
    mcti_origins_free(c);
    mcti_timer_stop(&c->loop->sched, &c->timer);
    mcti_task_stop(&c->work);
    if (c->curl.library)
        mcti_curl_unload(&c->curl);
    free(c);
}
