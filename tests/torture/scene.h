/* What transcripts do not reach: one function for each thing, run with each of its allocations failing once. */
#ifndef MCT_TESTS_SCENE_H
#define MCT_TESTS_SCENE_H

#include "base/buf.h"

struct scene {
    const char *name;
    /* Appends the outcome, frees everything else. Returns -1 if a failure was reported (a buffer that failed counts as
     * that, too), more than 0 if bytes are still charged to an
     * account, or an outcome that must be JSON is not. */
    int (*run)(struct mcti_buf *to);
};

/* All of them; ends with a row without a name. */
extern const struct scene scenes[];

int scene_auth(struct mcti_buf *to);
int scene_config(struct mcti_buf *to);
int scene_connect(struct mcti_buf *to);
int scene_flow(struct mcti_buf *to);
int scene_expand(struct mcti_buf *to);
int scene_http(struct mcti_buf *to);
int scene_jose(struct mcti_buf *to);
int scene_login(struct mcti_buf *to);
int scene_model_array(struct mcti_buf *to);
int scene_model_calls(struct mcti_buf *to);
int scene_redirect(struct mcti_buf *to);
int scene_request(struct mcti_buf *to);
int scene_store(struct mcti_buf *to);

#endif
