/*
 * Skills (SEP-2640) at an endpoint of several servers: their lists as one, and URIs with the name of the server
 * (skills/label.h). At the endpoint of one server everything passes as it is (gateway/foreign.h). Nothing is fetched
 * that the client has not asked for, and a URI of a skill is asked of its own server only.
 */
#ifndef MCT_GATEWAY_SKILLS_H
#define MCT_GATEWAY_SKILLS_H

#include "gateway/impl.h"

/* What the request has to do with skills. */
enum mcti_gw_skill {
    GW_SKILL_NONE,
    GW_SKILL_FILE, /* the URIs of its result are those of a skill, or of files of one */
    GW_SKILL_LIST, /* skills/list: r->candidates are the servers, r->next the one after the server that is asked */
};

/* Returns whether this is a method of skills at an endpoint of several servers. */
bool mcti_gw_is_of_skills(const struct mcti_view *v, struct mcti_str method);

/* Handles such a method. Returns GO_ON for any other. */
enum mcti_gw_step mcti_gw_skills(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                 const struct mcti_msg_meta *meta);

/* Handles resources/read of a URI with the scheme of skills at an endpoint of several servers, some of which have
 * skills. Returns GO_ON for any other URI. */
enum mcti_gw_step mcti_gw_read_skill(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                     const struct mcti_msg_meta *meta, struct mcti_str uri);

/* Asks the next server for its skills if this one has none to give. Returns GO_ON if the outcome is the answer. */
enum mcti_gw_step mcti_gw_skills_retry(struct mcti_gw_request *r, const struct mcti_outcome *o);

/* Returns the outcome with URIs of skills as clients see them; its result is that of `to`, initialised here, unless
 * nothing changes. */
struct mcti_outcome mcti_gw_show_skills(const struct mcti_gw_request *r, const struct mcti_outcome *o,
                                        struct mcti_buf *to);

/* Begins or continues the capability "extensions" with the extension, if servers of the view have it; `n` counts what
 * is in it. */
void mcti_gw_put_skills(struct mcti_buf *to, const struct mcti_view *v, unsigned *n);

#endif
