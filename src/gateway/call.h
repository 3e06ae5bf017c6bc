/* Starts the call that a request stands for, on the server that has the named item. */
#ifndef MCT_GATEWAY_CALL_H
#define MCT_GATEWAY_CALL_H

#include "gateway/impl.h"

/* Prepares r->call for the provider `p` and starts it; `subject` replaces a member of the params, unless its value is
 * absent. On failure returns -1 and sets *err. */
int mcti_gw_start(struct mcti_gw_request *r, struct mcti_provider *p, const struct mcti_msg *msg,
                  const struct mcti_msg_meta *meta, const struct mcti_json_set *subject, struct mct_error *err);

/* A tool that was found in a view, and the request about it. */
struct mcti_gw_found {
    struct mcti_view *view;
    const struct mcti_exposure *exposure;
    const struct mcti_msg *msg;
    const struct mcti_msg_meta *meta;
};

/* The same for the server of a tool. */
int mcti_gw_start_found(struct mcti_gw_request *r, const struct mcti_gw_found *found,
                        const struct mcti_json_set *subject, struct mct_error *err);

/* Resumes the parked call that the request's requestState names. Returns GO_ON if it names none. */
enum mcti_gw_step mcti_gw_resume(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                 const struct mcti_msg_meta *meta);

/* Sets *ret to the string parameter `name`: a span of the message, or of `scratch` if the string has escapes. On
 * failure returns -1 and sets *err. */
int mcti_gw_text_param(const struct mcti_msg *msg, const char *name, size_t max, struct mcti_buf *scratch,
                       struct mcti_str *ret, struct mct_error *err);

/* Sends progress to the client in the form of its revision, under the client's token. */
void mcti_gw_progress(struct mcti_gw_request *r, struct mcti_str params);

/* Handles tools/call and prompts/get. */
void mcti_gw_call_named(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta);

#endif
