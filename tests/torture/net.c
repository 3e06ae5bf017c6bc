#include "net.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ROWS = 32, TURNS = 1000 };

struct mcti_auth_request {
    struct mcti_task task;
    const struct net_row *row; /* NULL: there is nothing */
    mcti_auth_response_fn done;
    void *data;
};

static struct {
    struct mcti_loop loop;
    const struct net_row *rows;
    unsigned n_taken[ROWS];
    uint64_t now_ms;
    int status;
    const char *challenge;
} net;

static const struct net_row *net_find(const char *request)
{
    const struct net_row *found = NULL;
    for (size_t i = 0; net.rows[i].request; i++) {
        if (strcmp(net.rows[i].request, request) != 0)
            continue;
        found = &net.rows[i];
        if (!net.n_taken[i]++)
            return found;
    }
    return found;
}

static void net_answer(void *data)
{
    struct mcti_auth_request r = *(struct mcti_auth_request *)data;
    const struct mcti_auth_response response = { .status = r.row ? r.row->status : 404,
                                                 .body = mcti_str_of(r.row ? r.row->body : "") };
    free(data);
    r.done(r.data, &response, NULL);
}

struct mcti_auth_request *__wrap_mcti_auth_request_start(const struct mcti_auth_net *at,
                                                         const struct mcti_auth_request_opts *opts,
                                                         mcti_auth_response_fn done, void *data, struct mct_error *err);
void __wrap_mcti_auth_request_cancel(struct mcti_auth_request *r);

struct mcti_auth_request *__wrap_mcti_auth_request_start(const struct mcti_auth_net *at,
                                                         const struct mcti_auth_request_opts *opts,
                                                         mcti_auth_response_fn done, void *data, struct mct_error *err)
{
    char request[512];
    struct mcti_auth_request *r = calloc(1, sizeof *r);
    (void)at;
    if (!r) {
        mcti_no_memory(err);
        return NULL;
    }
    snprintf(request, sizeof request, "%s %s", opts->method, opts->url);
    *r = (struct mcti_auth_request){ .row = net_find(request), .done = done, .data = data };
    mcti_task_init(&r->task, net_answer, r);
    mcti_task_post(&net.loop.sched, &r->task);
    return r;
}

void __wrap_mcti_auth_request_cancel(struct mcti_auth_request *r)
{
    if (r)
        mcti_task_stop(&r->task);
    free(r);
}

struct mcti_str __real_mcti_fetch_header(const struct mcti_fetch *f, const char *name);
struct mcti_str __wrap_mcti_fetch_header(const struct mcti_fetch *f, const char *name);

/* The answers have no headers. */
struct mcti_str __wrap_mcti_fetch_header(const struct mcti_fetch *f, const char *name)
{
    return f ? __real_mcti_fetch_header(f, name) : MCT_STR_NONE;
}

int __real_mcti_fetch_status(const struct mcti_fetch *f);
int __wrap_mcti_fetch_status(const struct mcti_fetch *f);
struct mcti_str __real_mcti_fetch_header_nth(const struct mcti_fetch *f, const char *name, size_t n);
struct mcti_str __wrap_mcti_fetch_header_nth(const struct mcti_fetch *f, const char *name, size_t n);
bool __real_mcti_fetch_peer_is_public(const struct mcti_fetch *f);
bool __wrap_mcti_fetch_peer_is_public(const struct mcti_fetch *f);

int __wrap_mcti_fetch_status(const struct mcti_fetch *f)
{
    return f ? __real_mcti_fetch_status(f) : net.status;
}

struct mcti_str __wrap_mcti_fetch_header_nth(const struct mcti_fetch *f, const char *name, size_t n)
{
    if (f)
        return __real_mcti_fetch_header_nth(f, name, n);
    return !n && !strcasecmp(name, "WWW-Authenticate") ? mcti_str_of(net.challenge) : MCT_STR_NONE;
}

bool __wrap_mcti_fetch_peer_is_public(const struct mcti_fetch *f)
{
    return !f || __real_mcti_fetch_peer_is_public(f);
}

void net_refuse(int status, const char *challenge)
{
    net.status = status;
    net.challenge = challenge;
}

struct mcti_loop *net_open(const struct net_row *rows)
{
    memset(&net, 0, sizeof net);
    net.rows = rows;
    net.now_ms = 1000;
    mcti_sched_init(&net.loop.sched);
    mcti_sched_run(&net.loop.sched, net.now_ms);
    return &net.loop;
}

int net_run(const bool *flag)
{
    for (int i = 0; i < TURNS && !*flag; i++) {
        int64_t in_ms = mcti_sched_next_ms(&net.loop.sched);
        if (in_ms < 0)
            return -1;
        mcti_sched_run(&net.loop.sched, net.now_ms += (uint64_t)in_ms);
    }
    return *flag ? 0 : -1;
}
