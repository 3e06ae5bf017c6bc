/* Stage "connect": finds the connection for the call and sets the server's own name of the tool. */
#include "hub/call/stages.h"

enum mcti_pass mcti_connect_enter(struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    if (s->found) {
        if (s->take && s->take(call, s))
            return MCT_HOLD;
        const struct mcti_item *item = s->found->item;
        if (!mcti_verb_is_task(call->verb)) {
            call->subject.key = "name";
            call->subject.value =
                mcti_str_eq(s->name, mcti_item_id(item)) ? MCT_STR_NONE : mcti_json_get(mcti_item_json(item), "name");
        }
        s->provider = s->found->provider;
    }
    if (s->connect)
        return s->connect(call, s, err);
    call->provider = s->provider;
    return MCT_PASS;
}
