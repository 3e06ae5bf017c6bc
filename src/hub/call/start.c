#include "hub/call/start.h"

#include "hub/hooks/run.h"

int mcti_provider_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err)
{
    call->hooked = NULL;
    return call->hooks ? mcti_hooked_start(p, call, err) : mcti_call_begin(p, call, err);
}

void mcti_call_cancel(struct mcti_call *call, const char *reason)
{
    if (!call->provider)
        return;
    if (call->hooked)
        mcti_hooked_cancel(call, reason);
    else
        mcti_call_end(call, reason);
}
