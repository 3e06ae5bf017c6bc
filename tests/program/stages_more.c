/*
 * The table of stages with one more at its beginning, which refuses calls that have an argument "extra". Linked in
 * front of the archive, it takes the place of hub/call/stages.c.
 */
#include "hub/core/stage.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 32 };

extern const struct mcti_stage_ops mcti_usual_stages[];
extern struct mcti_stage_ops mcti_stages[MAX];
struct mcti_stage_ops mcti_stages[MAX];

static enum mcti_pass extra_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err)
{
    (void)start;
    if (!mcti_json_get(mcti_json_get(call->params, "arguments"), "extra").p)
        return MCT_PASS;
    mcti_fail(err, MCT_ERR_USAGE, "refused by one more stage");
    return MCT_ANSWER;
}

static void __attribute__((constructor)) make_table(void)
{
    size_t n = 0;
    while (mcti_usual_stages[n].name)
        n++;
    if (n + 2 > MAX)
        abort();
    mcti_stages[0] = (struct mcti_stage_ops){ .name = "extra", .enter = extra_enter };
    memcpy(mcti_stages + 1, mcti_usual_stages, n * sizeof *mcti_stages);
}
