#include "browser.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_PAGES = 5 };

struct browser {
    struct mcti_auth_person person;
    struct mcti_http_client *http;
    struct mcti_fetch *page;
    char *next; /* where the page redirects to */
    unsigned n_pages;
};

static void browser_get(struct browser *b, const char *url);

static void browser_on_head(void *data, struct mcti_fetch *f)
{
    struct browser *b = data;
    struct mcti_str place = mcti_fetch_header(f, "location");
    free(b->next);
    b->next = mcti_fetch_status(f) / 100 == 3 && place.p ? mcti_str_dup(place) : NULL;
}

static bool browser_on_body(void *data, struct mcti_fetch *f, struct mcti_str *bytes)
{
    (void)data;
    (void)f;
    *bytes = (struct mcti_str){ bytes->p + bytes->len, 0 };
    return true;
}

static void browser_on_done(void *data, struct mcti_fetch *f, const struct mct_error *err)
{
    struct browser *b = data;
    char *next = b->next;
    fprintf(stderr, "browser: %d %s%s\n", mcti_fetch_status(f), err ? err->message : "", next ? next : "");
    b->page = NULL;
    b->next = NULL;
    if (next)
        browser_get(b, next);
    free(next);
}

static void browser_get(struct browser *b, const char *url)
{
    const struct mcti_fetch_events events = { browser_on_head, browser_on_body, browser_on_done, b };
    struct mct_error err;
    struct mcti_headers none;
    if (b->n_pages++ == MAX_PAGES)
        return;
    mcti_headers_init(&none);
    const struct mcti_fetch_opts opts = { .method = "GET", .url = url, .headers = &none, .no_redirects = true };
    b->page = mcti_fetch_start(b->http, &opts, &events, &err);
    if (!b->page)
        fprintf(stderr, "browser: %s\n", err.message);
    mcti_headers_done(&none);
}

/* Like a browser that is told to open a page: the page before is left. */
static int browser_invite(void *data, const struct mcti_auth_invitation *i, struct mct_error *err)
{
    struct browser *b = data;
    (void)err;
    fprintf(stderr, "browser: opens %s\n", i->url);
    mcti_fetch_cancel(b->page);
    b->n_pages = 0;
    browser_get(b, i->url);
    return 0;
}

struct browser *browser_new(struct mcti_loop *loop)
{
    struct browser *b = calloc(1, sizeof *b);
    if (!b || !(b->http = mcti_http_client_new(loop, NULL)))
        abort();
    b->person = (struct mcti_auth_person){ .invite = browser_invite, .data = b };
    return b;
}

const struct mcti_auth_person *browser_person(struct browser *b)
{
    return &b->person;
}

void browser_free(struct browser *b)
{
    mcti_http_client_free(b->http);
    free(b->next);
    free(b);
}
