/* What session.c and inbound.c share. */
#ifndef MCT_MCP_SESSION_IMPL_H
#define MCT_MCP_SESSION_IMPL_H

#include "mcp/session.h"

/* Sends s->frame, which is empty afterwards. `final`: nothing follows on the lane. Returns -1 if it cannot be sent. */
int mcti_session_send_frame(struct mcti_session *s, void *lane, bool final);

/* Drops a request and reports to its owner that it is cancelled. */
void mcti_inbound_cancel(struct mcti_inbound *in);

#endif
