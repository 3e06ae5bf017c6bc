/* Shared by the files of gateway/skills/. */
#ifndef MCT_GATEWAY_SKILLS_IMPL_H
#define MCT_GATEWAY_SKILLS_IMPL_H

#include "gateway/skills.h"

enum { GW_SKILL_SERVERS = 256 };

/* Returns the server of the view that has skills and that the client names in `_meta`; NULL: it names none. */
struct mcti_provider *mcti_gw_skills_hint(const struct mcti_view *v, struct mcti_str params);

/* ---- list.c ---- */

/* Handles skills/list: each page is one of one server, so that nothing is kept. */
void mcti_gw_list_skills(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

/* Writes the member "nextCursor" of a page; `upstream` is that of the server, absent on its last page. Nothing is
 * written after the last page of the last server. */
void mcti_gw_put_skills_cursor(struct mcti_buf *to, const struct mcti_gw_request *r, struct mcti_str upstream);

#endif
