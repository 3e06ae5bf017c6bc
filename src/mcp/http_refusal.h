/* Errors for refused HTTP requests, and limits of concurrent and queued messages to one server. */
#ifndef MCT_MCP_HTTP_REFUSAL_H
#define MCT_MCP_HTTP_REFUSAL_H

#include "io/transport.h"
#include "mcp/message.h"

/* Sets *err (kind, http_status, message with the beginning of the body) for a refusal with `status`; returns -1. */
int mcti_fail_refused(struct mct_error *err, int status, struct mcti_str body);

/* Sets *err for an answer that is not from an MCP server; `type` is its content type. Returns -1. */
int mcti_fail_not_mcp(struct mct_error *err, int status, struct mcti_str type, struct mcti_str body);

/* Sets *err for JSON that does not answer the request; returns -1. */
int mcti_fail_no_answer(struct mct_error *err, int status, struct mcti_str body);

/* Returns true if this refusal of a first request means that the URL does not support the transport or revision: a 4xx,
 * except those about credentials, timing or load. */
bool mcti_http_is_unsupported(int status);

/* Returns -1 and sets *err if a further answer or notification must not be queued because the server accepts none: `n`
 * messages of `bytes` bytes are queued; `max_bytes` is the longest message. */
int mcti_http_may_queue(size_t n, size_t bytes, size_t max_bytes, struct mct_error *err);

/* Drops an answer or notification that cannot be queued because of `why`. Returns true if the connection must be
 * closed: without our answers, the server's requests would pile up. */
bool mcti_http_drop_notice(const struct mcti_transport_events *e, const struct mcti_msg *notice,
                           const struct mct_error *why);

/* Returns true if one more message (an answer or notification of ours) or request may be sent at the same time. */
bool mcti_http_may_send(bool is_notice, size_t n_notices, size_t n_requests, size_t max_requests);

/* Returns the delay of a Retry-After header, in seconds or as a date, in ms; 0 if it is absent, over or neither.
 * `now_s`: seconds since 1970. */
unsigned mcti_http_retry_after_ms(struct mcti_str value, int64_t now_s);

#endif
