/* Stage "vetted": refuses requests about quarantined items that name them by their server, not by a view. Views have no
 * names for such items. */
#include "hub/call/stages.h"

#include "hub/vet/vet.h"

enum mcti_pass mcti_vetted_enter(struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    (void)s;
    return call->provider && call->provider->vetter && mcti_vet_check(call->provider, call, err) < 0 ? MCT_ANSWER
                                                                                                     : MCT_PASS;
}
