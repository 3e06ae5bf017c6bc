#include "hub/core/call.h"

#include "mcp/mrtr.h"
#include "mcp/task.h"

#include <string.h>

bool mcti_outcome_asks(const struct mcti_outcome *o)
{
    return o->result.p && mcti_rev_is_stateless(o->rev) && mcti_result_asks(o->result);
}

bool mcti_outcome_is_pending(const struct mcti_outcome *o)
{
    return o->is_state || mcti_outcome_asks(o) ||
           (o->result.p && mcti_rev_is_stateless(o->rev) && mcti_result_is_task(o->result));
}

enum { N_TEXTS = 6 };

static void call_texts(struct mcti_call *call, struct mcti_str *ret[N_TEXTS])
{
    ret[0] = &call->params;
    ret[1] = &call->meta;
    ret[2] = &call->subject.value;
    ret[3] = &call->caller.client_info;
    ret[4] = &call->caller.capabilities;
    ret[5] = &call->caller.log_level;
}

size_t mcti_call_texts_len(const struct mcti_call *call)
{
    return call->params.len + call->meta.len + call->subject.value.len + call->caller.client_info.len +
           call->caller.capabilities.len + call->caller.log_level.len;
}

void mcti_call_keep_texts(struct mcti_call *call, char *to)
{
    struct mcti_str *texts[N_TEXTS];
    call_texts(call, texts);
    for (size_t i = 0; i < N_TEXTS; i++) {
        if (!texts[i]->p)
            continue;
        memcpy(to, texts[i]->p, texts[i]->len);
        texts[i]->p = to;
        to += texts[i]->len;
    }
}

struct mcti_call *mcti_call_root(struct mcti_call *call)
{
    while (call->behalf)
        call = call->behalf;
    return call;
}
