/* Admission, routing and refusal of HTTP requests. Each function here that refuses a request has answered it. */
#ifndef MCT_FRONT_HTTP_HANDLE_H
#define MCT_FRONT_HTTP_HANDLE_H

#include "front/http/impl.h"

struct mcti_http_session;

/* ---- admit.c, cors.c ---- */

/* Checks the head of a request and refuses it if its sender may not use the endpoint. `data` is the front. */
void mcti_http_admit(void *data, struct mcti_http_exchange *x);

/* Returns the number of the principal that sent the request, see mcti_guard_principal(). */
int mcti_http_principal_of(struct mcti_front_http *f, const struct mcti_http_exchange *x);

/* Prepares the CORS headers of serve.origins. Returns -1 when out of memory. */
int mcti_cors_init(struct mcti_front_http *f);
void mcti_cors_free(struct mcti_front_http *f);

/* Sets the CORS headers of the answer. */
void mcti_cors_mark(struct mcti_front_http *f, struct mcti_http_exchange *x);

/* Answers a CORS preflight request of an allowed origin; returns false for any other request. */
bool mcti_cors_preflight(struct mcti_front_http *f, struct mcti_http_exchange *x);

/* ---- http.c ---- */

/* Fills v->prefs from the token and the URL. If the URL is invalid, answers with an error and returns false. */
bool mcti_http_visit_read_prefs(struct mcti_http_visit *v);

/* Answers with {"error":{"kind","message"}}: for requests outside JSON-RPC. `headers` may be absent. */
void mcti_http_reply_plain(struct mcti_http_exchange *x, int status, struct mcti_str headers, const char *kind,
                           const char *message);

/* ---- by method: post.c, batch.c, stateless.c, get.c, sse.c ---- */

void mcti_http_handle_post(const struct mcti_http_visit *v);
void mcti_http_handle_get(const struct mcti_http_visit *v);
void mcti_http_handle_delete(const struct mcti_http_visit *v);
void mcti_http_handle_sse(const struct mcti_http_visit *v);
void mcti_http_handle_sse_message(const struct mcti_http_visit *v);

/* Handles a JSON-RPC batch (2025-03-26). */
void mcti_http_handle_batch(const struct mcti_http_visit *v, const struct mcti_msg *batch);

/* Handles a message that names 2026-07-28 in its `_meta` or its header. */
void mcti_http_handle_stateless(const struct mcti_http_visit *v, const struct mcti_msg *msg,
                                const struct mcti_msg_meta *meta);

/* Finds the session that the request names and restores its face; on failure refuses and returns NULL. */
struct mcti_http_session *mcti_http_named_session(const struct mcti_http_visit *v, struct mcti_str id);

/* Does the same for a session that is about to end: a freed face is not restored. */
struct mcti_http_session *mcti_http_leaving_session(const struct mcti_http_visit *v, struct mcti_str id);

/* Checks that the session is read-only if the URL demands it; refuses the request if not. */
bool mcti_http_check_session_prefs(const struct mcti_http_visit *v, const struct mcti_http_session *s,
                                   struct mcti_str id);

/* Checks that MCP-Protocol-Version is absent or a handshake revision; refuses the request if not. */
bool mcti_http_check_version(const struct mcti_http_visit *v, struct mcti_str id);

/* Returns the first MCP header that the request has more than once; NULL: none. */
const char *mcti_http_repeated_header(const struct mcti_http_exchange *x);

/* Returns true if the Accept headers admit the media type. */
bool mcti_http_accepts(const struct mcti_http_exchange *x, const char *type);

/* Answers with a JSON-RPC error. `id` and `data` may be absent; the substitute for an absent id depends on the revision
 * that the request names. */
void mcti_http_reply_error(struct mcti_http_exchange *x, int status, struct mcti_str id, const struct mct_error *err,
                           struct mcti_str data);
void mcti_http_post_refuse(struct mcti_http_exchange *x, int status, int code, struct mcti_str id, const char *why);

/* Appends the same JSON-RPC error message to *to, for a stream or a batch. */
void mcti_http_error_put(struct mcti_buf *to, struct mcti_str id, const struct mct_error *err, struct mcti_str data);

/* Refuses a new request with 503 while the front drains. Returns true if it did. */
bool mcti_http_refuse_when_draining(const struct mcti_http_visit *v, struct mcti_str id);

/* Returns the page of that path; NULL: there is none. */
const struct mcti_http_page *mcti_http_page_find(const struct mcti_front_http *f, struct mcti_str path);

/* Returns false for the endpoint of a server that was removed, until one of its name is added. */
bool mcti_http_endpoint_exists(const struct mcti_http_endpoint *e);

/* Return whether the endpoint has that path: /mcp, /mcp/NAME, or /NAME/mcp, which some clients make of it; for HTTP+SSE
 * /sse or /sse/NAME. Names may be percent-encoded, and a slash may follow. Not if its server was removed. */
bool mcti_http_endpoint_is(const struct mcti_http_endpoint *e, struct mcti_str path);
bool mcti_http_endpoint_is_sse(const struct mcti_http_endpoint *e, struct mcti_str path);

/* Returns whether the request comes from a browser in which a person opens the URL. */
bool mcti_http_is_browser(const struct mcti_http_exchange *x);

#endif
