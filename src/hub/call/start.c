#include "hub/call/start.h"

#include "hub/hooks/run.h"

int mct_provider_call(struct mct_provider *p, struct mct_call *call, struct mct_error *err)
{
    call->hooked = NULL;
    return call->hooks ? mct_hooked_start(p, call, err) : mct_call_begin(p, call, err);
}

void mct_call_cancel(struct mct_call *call, const char *reason)
{
    if (!call->provider)
        return;
    if (call->hooked)
        mct_hooked_cancel(call, reason);
    else
        mct_call_end(call, reason);
}
