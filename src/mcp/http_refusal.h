/* What an HTTP server's refusal means, in words. */
#ifndef MCT_MCP_HTTP_REFUSAL_H
#define MCT_MCP_HTTP_REFUSAL_H

#include "io/transport.h"
#include "mcp/message.h"

/* Sets *err (kind, http_status, message with the beginning of the body); returns -1. */
int mct_fail_refused(struct mct_error *err, int status, struct mct_str body);

/* Sets *err to "this is no answer of an MCP server"; `type` is the content type. Returns -1. */
int mct_fail_not_mcp(struct mct_error *err, int status, struct mct_str type, struct mct_str body);

/* Sets *err to "this JSON is not the answer"; returns -1. */
int mct_fail_no_answer(struct mct_error *err, int status, struct mct_str body);

/* Whether this refusal of a first request says that the URL is not for this transport or revision (a 4xx
 * other than those about credentials, time or load). */
bool mct_http_says_other(int status);

/* -1 with *err when no further answer or notification may wait for a server that accepts none: n wait, `bytes` long;
 * max_bytes is the longest message. */
int mct_http_may_wait(size_t n, size_t bytes, size_t max_bytes, struct mct_error *err);

/* Gives up an answer or notification of ours that may not wait, because of `why`: a notification is dropped. True: the
 * connection must end, as the server's requests would pile up without our answers. */
bool mct_http_refuse_word(const struct mct_transport_events *e, const struct mct_msg *word, const struct mct_error *why);

/* Whether one more may be under way: a word (an answer or a notification of ours) or a request. */
bool mct_http_has_turn(bool is_word, size_t n_words, size_t n_requests, size_t max_requests);

/* Milliseconds a Retry-After header asks for, 0: none or not in seconds. */
unsigned mct_http_retry_after_ms(struct mct_str value);

#endif
