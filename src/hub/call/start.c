#include "hub/call/start.h"

#include "hub/call/stages.h"

static void start_answer(struct mcti_call *call, struct mcti_str result)
{
    const struct mcti_outcome o = { .result = result, .rev = MCT_REV_LATEST_HANDSHAKE, .blocked = true };
    call->provider = NULL;
    call->done(call, &o);
}

/* A stage initializes a text when it fills it; of the others only `p` is set. */
static void texts_done(struct mcti_call_texts *t)
{
    struct mcti_buf *const all[] = { &t->params, &t->name, &t->rewritten, &t->restored, &t->answer };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]->p)
            mcti_buf_done(all[i]);
    }
}

int mcti_call_start(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err)
{
    struct mcti_call_texts texts;
    struct mcti_hook_target target;
    struct mct_error why;
    texts.params.p = texts.name.p = texts.rewritten.p = texts.restored.p = texts.answer.p = NULL;
    start->texts = &texts;
    if (!start->is_hooked)
        start->target = &target;
    int result = mcti_call_enter(call, mcti_stages, start, &why);
    if (result < 0 && texts.answer.p) {
        result = 0;
        start_answer(call, mcti_buf_str(&texts.answer));
    }
    if (result < 0 && err)
        *err = why;
    if (texts.params.p || texts.name.p || texts.rewritten.p || texts.restored.p || texts.answer.p)
        texts_done(&texts);
    return result;
}

int mcti_provider_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err)
{
    return mcti_call_start(call, &(struct mcti_call_start){ .provider = p }, err);
}
