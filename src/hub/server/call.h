/* Calls on an MCP server: sending, waiting, repeating and ending them. */
#ifndef MCT_HUB_SERVER_CALL_H
#define MCT_HUB_SERVER_CALL_H

#include "hub/server/impl.h"

/* Operations of the provider. */
int mcti_server_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);
void mcti_server_cancel(struct mcti_provider *p, struct mcti_call *call, const char *reason);
bool mcti_server_runs_for(const struct mcti_provider *p, const struct mcti_call *behalf);
bool mcti_server_is_busy(const struct mcti_provider *p);

/* Sends the calls that waited for this connection or for fresh lists. */
void mcti_server_calls_go_on(struct mcti_server *m);

/* Fails all calls that are not in flight, because there will be no further connection. */
void mcti_server_calls_fail(struct mcti_server *m, const struct mct_error *why);

/* Adds the Mcp-Param-* headers of a tools/call. */
void mcti_server_put_param_headers(struct mcti_server *m, struct mcti_str params, struct mcti_headers *to);

/* Sends the calls that waited for other calls to end, if they may run now. Returns true if some still wait. */
bool mcti_server_calls_send_waiting(struct mcti_server *m);

/* Logs once that calls of different clients wait for each other. */
void mcti_server_warn_of_turns(struct mcti_server *m);

/* Returns the call whose request is `o`; NULL if `o` is not the request of a call, or if `o` is NULL. */
struct mcti_call *mcti_server_call_of(struct mcti_outbound *o);

#endif
