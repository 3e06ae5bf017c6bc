/*
 * The HTTP client's two objects, shared by client.c (connections, event loop) and fetch.c (one request with its
 * answer).
 */
#ifndef MCT_IO_HTTP_CLIENT_IMPL_H
#define MCT_IO_HTTP_CLIENT_IMPL_H

#include "base/limits.h"
#include "base/table/map.h"
#include "io/fetch/body.h"
#include "io/fetch/client.h"
#include "io/fetch/curl.h"
#include "io/intake.h"

#include <netinet/in.h>

enum { MCT_HTTP_SPARE = 32 };

struct mcti_origin;

/* A host that direct connections go to; see direct.h. */
struct mcti_direct_host {
    struct mcti_origin *origin;         /* a server with TLS (origin.h), without addresses here; NULL: this machine */
    struct sockaddr_storage address[2]; /* tried in this order */
    unsigned n;
    struct mcti_str name; /* with the port, as in the URL; borrowed from it */
    struct mcti_str path; /* with the query; borrowed, too. It may lack the slash at its beginning */
};

struct mcti_http_client {
    struct mcti_loop *loop;
    struct mcti_curl curl;
    CURLM *multi;
    CURLSH *share; /* TLS sessions, which later connections resume */
    struct mcti_timer timer;
    struct mcti_task work;    /* runs operations that are not allowed inside libcurl's callbacks */
    struct mcti_list fetches; /* all unfinished fetches */
    CURL *spare[MCT_HTTP_SPARE];
    size_t n_spare;
    struct mcti_list directs; /* direct connections */
    struct mcti_timer direct_prune;
    struct mcti_map origins;
    const char *ca_file; /* from the environment; NULL: the system's certificates */
};

/* Something that libcurl does for us: CURLOPT_PRIVATE of its easy handle. */
struct mcti_transfer {
    struct mcti_fetch *fetch; /* NULL: only a connection is made */
    void (*over)(struct mcti_transfer *t, CURLcode code);
};

enum mcti_fetch_stage { MCT_FETCH_STARTING, MCT_FETCH_RUNNING, MCT_FETCH_OVER };

struct mcti_fetch {
    struct mcti_http_client *client;
    struct mcti_list node;
    struct mcti_fetch_events events;
    enum mcti_fetch_stage stage;
    bool cancelled, head_reported;
    struct mcti_transfer transfer;
    CURL *easy;
    char *url;
    const char *method;
    struct mcti_body body;
    char *ca_file, *cert_file, *key_file; /* NULL: the usual ones, none */
    size_t body_sent;
    size_t n_sent; /* `once`: how often libcurl has begun to send the request */
    bool once, fresh, no_redirects, public_only, is_refused, head_too_large, trailers_too_large;
    char refused[INET6_ADDRSTRLEN]; /* an address that public_only excludes; "": none */
    struct curl_slist *headers;
    struct mcti_buf head;      /* status line and headers of the answer */
    struct mcti_intake intake; /* body bytes not yet passed to on_body */
    bool unread;               /* the body exceeded the intake's limit */
    /* Since a part of the answer was passed on last: bytes that were not, and how often the socket was readable. */
    size_t useless_bytes;
    unsigned n_useless;
    struct mcti_http_watch *watch;
    bool is_direct;
    struct mcti_direct *direct;   /* NULL: libcurl, or none yet */
    struct mcti_direct_host host; /* is_direct: of the URL; this and the next */
    struct mcti_buf request;      /* request line and headers */
    bool is_joined;               /* the body is there, too */
    bool peer_is_public;          /* is_direct */
    bool ended;                   /* libcurl has finished with `code`; part of the body is still in the intake */
    CURLcode code;
    long status;
    unsigned n_redirects;
    char why[CURL_ERROR_SIZE];
};

/* A socket that libcurl watches. Both ends of the link between it and its fetch end it. */
struct mcti_http_watch {
    uv_poll_t poll;
    struct mcti_http_client *client;
    curl_socket_t fd;
    struct mcti_fetch *fetch;
};

/* Loads libcurl, once. */
int mcti_http_client_load(struct mcti_http_client *c, struct mct_error *err);

/* Starts the transfer of a new fetch; on failure ends the fetch. */
void mcti_fetch_run(struct mcti_fetch *f);

/* Continues after libcurl has finished the transfer with `code`: follows a redirect or ends the fetch. */
void mcti_fetch_on_transfer_over(struct mcti_fetch *f, CURLcode code);

/* Calls on_done() with `err`, unless the fetch was cancelled, and frees it. Must not be called inside libcurl's
 * callbacks. */
void mcti_fetch_finish(struct mcti_fetch *f, const struct mct_error *err);

/* Sets options of an easy handle that decide how a connection to `url` is made. */
CURLcode mcti_transfer_set_up(struct mcti_http_client *c, CURL *easy, const char *url);

/* The socket of the fetch is readable. Returns true if that was too often without a part of the answer. */
bool mcti_fetch_count_readable(struct mcti_fetch *f, curl_socket_t fd);

/* Tells the socket that its fetch is freed. */
void mcti_fetch_unlink(struct mcti_fetch *f);

/* A part of the answer was passed on: no byte before it is useless. */
static inline void mcti_fetch_heard(struct mcti_fetch *f)
{
    f->useless_bytes = 0;
    f->n_useless = 0;
}

/* Returns true if the server sends too much that is no part of an answer. */
static inline bool mcti_fetch_is_flooded(const struct mcti_fetch *f)
{
    return f->useless_bytes > MCT_LIMIT_HTTP_USELESS_BYTES;
}

/* Takes parts of an answer: its complete head in f->head, and bytes of its body. Returns false if the exchange must
 * end. */
bool mcti_fetch_take_head(struct mcti_fetch *f);
bool mcti_fetch_take_body(struct mcti_fetch *f, struct mcti_str bytes);

/* ---- public.c ---- */

/* Limits the fetch to public addresses. Returns -1 and sets *err if the URL itself has another one. */
int mcti_fetch_stay_public(struct mcti_fetch *f, struct mct_error *err);

/* Returns false if the address that answers the transfer is not public; see mcti_fetch_peer_is_public(). */
bool mcti_transfer_is_public(const struct mcti_http_client *c, const char *url, CURL *easy);

/* Ends the fetch with the refusal of the address f->refused, described in *ret. */
void mcti_fetch_describe_refusal(struct mcti_fetch *f, struct mct_error *ret);

#endif
