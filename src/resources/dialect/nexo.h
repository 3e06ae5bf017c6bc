/* Shared by the files of the dialect "nexo". */
#ifndef MCT_RESOURCES_DIALECT_NEXO_H
#define MCT_RESOURCES_DIALECT_NEXO_H

#include "resources/dialect/impl.h"

/* Sets c->server to the server named in the arguments, if one is named. If the name is unknown, returns false: the call
 * is refused once it is known which servers are connected. */
bool mcti_nexo_take_server(struct mcti_dialect_call *c, const char *tool);

/* ---- nexo_auth.c: the tool McpAuth ---- */

extern const char mcti_nexo_auth_json[];
mcti_dialect_check_fn mcti_nexo_check_auth;
void mcti_nexo_run_auth(struct mcti_dialect_call *c);

#endif
