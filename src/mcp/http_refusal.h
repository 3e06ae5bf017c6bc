/* What an HTTP server's refusal means, in words. */
#ifndef MCT_MCP_HTTP_REFUSAL_H
#define MCT_MCP_HTTP_REFUSAL_H

#include "io/transport.h"
#include "mcp/message.h"

/* Sets *err (kind, http_status, message with the beginning of the body); returns -1. */
int mcti_fail_refused(struct mct_error *err, int status, struct mcti_str body);

/* Sets *err to "this is no answer of an MCP server"; `type` is the content type. Returns -1. */
int mcti_fail_not_mcp(struct mct_error *err, int status, struct mcti_str type, struct mcti_str body);

/* Sets *err to "this JSON is not the answer"; returns -1. */
int mcti_fail_no_answer(struct mct_error *err, int status, struct mcti_str body);

/* Whether this refusal of a first request says that the URL is not for this transport or revision (a 4xx
 * other than those about credentials, time or load). */
bool mcti_http_says_other(int status);

/* -1 with *err when no further answer or notification may wait for a server that accepts none: n wait, `bytes` long;
 * max_bytes is the longest message. */
int mcti_http_may_wait(size_t n, size_t bytes, size_t max_bytes, struct mct_error *err);

/* Gives up an answer or notification of ours that may not wait, because of `why`: a notification is dropped. True: the
 * connection must end, as the server's requests would pile up without our answers. */
bool mcti_http_refuse_word(const struct mcti_transport_events *e, const struct mcti_msg *word,
                           const struct mct_error *why);

/* Whether one more may be under way: a word (an answer or a notification of ours) or a request. */
bool mcti_http_has_turn(bool is_word, size_t n_words, size_t n_requests, size_t max_requests);

/* Milliseconds a Retry-After header asks for, 0: none or not in seconds. */
unsigned mcti_http_retry_after_ms(struct mcti_str value);

#endif
