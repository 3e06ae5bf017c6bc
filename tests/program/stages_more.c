/*
 * The table of stages with one more at its beginning, which refuses calls that have an argument "extra". Linked in front of
 * the archive, it takes the place of hub/call/stages.c.
 */
#include "hub/core/stage.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 32 };

extern const struct mct_stage_ops mct_usual_stages[];
extern struct mct_stage_ops mct_stages[MAX];
struct mct_stage_ops mct_stages[MAX];

static enum mct_pass extra_enter(struct mct_call *call, struct mct_call_start *start, struct mct_error *err)
{
    (void)start;
    if (!mct_json_get(mct_json_get(call->params, "arguments"), "extra").p)
        return MCT_PASS;
    mct_fail(err, MCT_ERR_USAGE, "refused by one more stage");
    return MCT_ANSWER;
}

static void __attribute__((constructor)) make_table(void)
{
    size_t n = 0;
    while (mct_usual_stages[n].name)
        n++;
    if (n + 2 > MAX)
        abort();
    mct_stages[0] = (struct mct_stage_ops){ .name = "extra", .enter = extra_enter };
    memcpy(mct_stages + 1, mct_usual_stages, n * sizeof *mct_stages);
}
