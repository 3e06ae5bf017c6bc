/*
 * Which of several servers a method of an extension is for. Methods say nothing of their server, and trying several
 * could have effects: a method is routed only if one server can be meant.
 */
#ifndef MCT_GATEWAY_FOREIGN_ROUTE_H
#define MCT_GATEWAY_FOREIGN_ROUTE_H

#include "gateway/impl.h"

/* Key of `_meta` with which a client names the server that it means. */
#define MCT_META_SERVER "io.github.mcptools/server"

/* Returns whether extensions or experimental capabilities of the server cross at an endpoint of its own. */
bool mcti_gw_has_extensions(const struct mcti_view *v, const struct mcti_provider *p);

/* Returns whether the server declares an extension that the method can belong to: of the same prefix
 * ("com.example/echo" and "com.example/demo"), or the official one of its name ("skills/list"). */
bool mcti_gw_declares(const struct mcti_provider *p, struct mcti_str method);

/* Returns the server of the view that the method is for: the only one that declares its extension; of several, the one
 * that `_meta` names, or has the parameter "uri" or "name". Otherwise returns NULL, and *err names the choices. */
struct mcti_provider *mcti_gw_route(struct mcti_view *v, const struct mcti_msg *msg, struct mct_error *err);

/* Returns the server's own name, a JSON string, of the tool or prompt that the parameter "name" names; absent: the
 * parameter stays as it is. */
struct mcti_str mcti_gw_own_name(struct mcti_view *v, const struct mcti_provider *p, const struct mcti_msg *msg);

/* Writes the extensions whose methods mcti_gw_route() can route: those of one server. */
void mcti_gw_put_routed(struct mcti_buf *to, const struct mcti_view *v, unsigned *n);

/* ---- foreign.c ---- */

/* Begins or continues the member "extensions"; `n` counts what is in it. */
void mcti_gw_put_extension(struct mcti_buf *to, const char *id, struct mcti_str settings, unsigned *n);

#endif
