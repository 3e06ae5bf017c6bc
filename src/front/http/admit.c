/* Admission of requests: decided by the headers, before the body is received. */
#include "front/http/handle.h"
#include "front/http/log.h"

#include <stdio.h>
#include <stdlib.h>

static bool admit_allowed(struct mcti_front_http *f, struct mcti_http_exchange *x)
{
    struct mcti_str host = mcti_http_get(x, "host");
    if (mcti_guard_host(&f->guard, host) && mcti_guard_origin(&f->guard, mcti_http_get(x, "origin"), host))
        return true;
    mcti_http_reply_plain(x, 403, MCT_STR_NONE, "policy",
                          "Host or Origin not allowed; see serve.hosts and serve.origins in the configuration");
    return false;
}

int mcti_http_principal_of(struct mcti_front_http *f, const struct mcti_http_exchange *x)
{
    return mcti_guard_principal(&f->guard, mcti_http_get(x, "authorization"));
}

/* Counts the token of the request. Refuses it with 429 if wrong ones have come too often from its address. */
static bool admit_try(struct mcti_front_http *f, struct mcti_http_exchange *x, int who)
{
    char retry[64];
    uint64_t now_ms = mcti_sched_now(&f->loop->sched), address = mcti_http_address(x);
    if (!f->tries && !(f->tries = calloc(1, sizeof *f->tries)))
        return true;
    unsigned wait_ms = who < 0 ? mcti_tries_fail(f->tries, address, now_ms)
                               : mcti_tries_pass(f->tries, address, (unsigned)who, now_ms);
    if (!wait_ms)
        return true;
    snprintf(retry, sizeof retry, "Retry-After: %u\r\n", (wait_ms + 999) / 1000);
    mcti_http_reply_plain(x, 429, mcti_str_of(retry), "auth", "too many wrong bearer tokens from this address");
    return false;
}

static bool admit_authorised(struct mcti_front_http *f, struct mcti_http_exchange *x)
{
    int who = mcti_http_principal_of(f, x);
    if (f->guard.n_tokens && mcti_http_get(x, "authorization").p && !admit_try(f, x, who))
        return false;
    if (who >= 0) {
        mcti_access_principal(x, (unsigned)who);
        mcti_http_set_account(x, &f->visitors[who]->principal->account);
        return true;
    }
    const struct mcti_http_page *page = mcti_http_page_find(f, mcti_http_path(x));
    if (page && page->open)
        return true;
    if (!page && mcti_http_is_browser(x)) {
        f->pages->explain(&(struct mcti_http_visit){ .front = f, .x = x }, 401);
        return false;
    }
    mcti_http_reply_plain(x, 401, MCT_STR("WWW-Authenticate: Bearer\r\n"), "auth", "missing or unknown bearer token");
    return false;
}

/* Refuses duplicates of these headers: a proxy in front of us might check one and we might use another. */
static bool admit_unambiguous(struct mcti_http_exchange *x)
{
    static const char *const once[] = { "origin", "authorization", "mcp-session-id" };
    char why[64];
    for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
        if (mcti_http_count(x, once[i]) > 1) {
            snprintf(why, sizeof why, "duplicate header %s", once[i]);
            mcti_http_reply_plain(x, 400, MCT_STR_NONE, "protocol", why);
            return false;
        }
    }
    return true;
}

/* Returns the path as it may be logged: an unknown path may contain anything, so it becomes "(other)". */
static struct mcti_str known_path(const struct mcti_front_http *f, struct mcti_str path)
{
    bool known = false;
    for (size_t i = 0; i < f->n_endpoints && !known; i++) {
        const struct mcti_http_endpoint *e = f->endpoints[i];
        known = mcti_http_endpoint_is(e, path) || mcti_http_endpoint_is_sse(e, path);
    }
    return known || mcti_http_page_find(f, path) ? path : MCT_STR("(other)");
}

void mcti_http_admit(void *data, struct mcti_http_exchange *x)
{
    struct mcti_front_http *f = data;
    mcti_access_begin(f, x, known_path(f, mcti_http_path(x)));
    mcti_cors_mark(f, x);
    if (admit_unambiguous(x) && admit_allowed(f, x) && !mcti_cors_preflight(f, x))
        admit_authorised(f, x);
}
