/* What the files of this folder share. */
#ifndef MCT_FRONT_PAGE_IMPL_H
#define MCT_FRONT_PAGE_IMPL_H

#include "front/http/handle.h"
#include "front/page/page.h"
#include "gateway/overview/overview.h"

/* What a person may see. The owner sees everything; a client with another token sees the servers, its own calls, and
 * what its token permits. */
enum mcti_page_viewer { MCT_VIEWER_NONE, MCT_VIEWER_MEMBER, MCT_VIEWER_OWNER };

/* Somebody who looks at the status page, or at the log of one server: an open event stream. */
struct mcti_page_stream {
    struct mcti_list node;
    struct mcti_http_exchange *x;
    unsigned principal;
    enum mcti_page_viewer viewer; /* when it was opened */
    struct mcti_overview_opts opts;
    uint64_t departed; /* number of clients that were gone in the last overview */
    uint64_t whole_ms; /* time of the last complete list of clients */
    char *server;      /* whose log it is; NULL: the status page */
    uint64_t seq;      /* last line that was sent */
};

/* The state of the pages of a front. */
struct mcti_page_state {
    struct mcti_front_http *front;
    struct mcti_activity_reader reader;
    struct mcti_watcher watcher;
    struct mcti_list streams;
    size_t n_streams;
    struct mcti_timer flush, beat;
    struct mcti_timer late; /* for a complete list of clients that has to wait */
};

/* ---- access.c ---- */

/* Headers of all answers that a browser shows or reads. */
#define MCT_PAGE_HEADERS                                                                                               \
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
#define MCT_PAGE_POLICY                                                                                                \
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "           \
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"                            \
    "X-Frame-Options: DENY\r\nCross-Origin-Opener-Policy: same-origin\r\n"

/* Returns what that principal may see now: tokens may change while the gateway runs. */
enum mcti_page_viewer mcti_page_viewer_of(const struct mcti_front_http *f, unsigned principal);

/* Checks that the sender may see at least that much, that no foreign web page has sent the request, and its method.
 * Answers and returns false if not. POST needs the header Mcptools-Page, which foreign pages cannot send. */
bool mcti_page_admit(const struct mcti_http_visit *v, const char *method, enum mcti_page_viewer least);

/* Appends the decoded value of a query parameter; returns false and answers if it is missing. */
bool mcti_page_param(const struct mcti_http_visit *v, const char *name, struct mcti_buf *to);

/* Answers a request that names no server. */
void mcti_page_reply_unknown(const struct mcti_http_visit *v);

void mcti_page_reply_json(const struct mcti_http_visit *v, struct mcti_buf *take_text);

/* ---- status.c ---- */

void mcti_page_overview(const struct mcti_http_visit *v);
void mcti_page_calls(const struct mcti_http_visit *v);
void mcti_page_find(const struct mcti_http_visit *v);
void mcti_page_restart(const struct mcti_http_visit *v);

/* ---- stream.c ---- */

void *mcti_page_open(struct mcti_front_http *f);
bool mcti_page_abort(void *state, struct mcti_http_exchange *x);
void mcti_page_end(void *state);
void mcti_page_free(void *state);
void mcti_page_events(const struct mcti_http_visit *v);
void mcti_page_log(const struct mcti_http_visit *v);

/* ---- explain.c ---- */

void mcti_page_explain(const struct mcti_http_visit *v, int status);

/* Appends the URL of a path under which the sender of the request reached the gateway; a proxy in front of it says with
 * X-Forwarded-Proto that the sender speaks TLS. */
void mcti_page_put_url(struct mcti_buf *to, const struct mcti_http_visit *v, const char *path);

/* ---- card.c ---- */

void mcti_page_card(const struct mcti_http_visit *v);
void mcti_page_catalog(const struct mcti_http_visit *v);

/* ---- calls.c ---- */

/* Appends the counters of kept results to /metrics. */
void mcti_page_put_results(struct mcti_buf *to, const struct mcti_gateway *g);

/* Appends the outcomes and durations of calls to /metrics, by server. */
void mcti_page_put_calls(struct mcti_buf *to, const struct mcti_gateway *g);

#endif
