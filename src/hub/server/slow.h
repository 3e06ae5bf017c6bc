/* Starts that take long: they are mentioned, and others stop waiting for them. */
#ifndef MCT_HUB_SERVER_SLOW_H
#define MCT_HUB_SERVER_SLOW_H

#include "hub/server/impl.h"

void mcti_server_slow_init(struct mcti_server *m);
void mcti_server_slow_begin(struct mcti_server *m); /* a start begins */
void mcti_server_slow_end(struct mcti_server *m);   /* it has ended */

#endif
