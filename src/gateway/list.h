/* Answers tools/list, resources/list, resources/templates/list and prompts/list. */
#ifndef MCT_GATEWAY_LIST_H
#define MCT_GATEWAY_LIST_H

#include "gateway/impl.h"

void mcti_gw_list(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

#endif
