#include "hub/call/start.h"

#include "hub/call/stages.h"

static void answer(struct mct_call *call, struct mct_str result)
{
    const struct mct_outcome o = { .result = result, .rev = MCT_REV_LATEST_HANDSHAKE, .blocked = true };
    call->provider = NULL;
    call->done(call, &o);
}

static void texts_done(struct mct_call_texts *t)
{
    struct mct_buf *const all[] = { &t->params, &t->name, &t->rewritten, &t->answer };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mct_buf_done(all[i]);
}

int mct_call_start(struct mct_call *call, struct mct_call_start *start, struct mct_error *err)
{
    struct mct_call_texts texts;
    struct mct_hook_target target;
    struct mct_error why;
    texts.params.p = texts.name.p = texts.rewritten.p = texts.answer.p = NULL;
    start->texts = &texts;
    if (!start->is_hooked)
        start->target = &target;
    int result = mct_call_enter(call, mct_stages, start, &why);
    if (result < 0 && texts.answer.p) {
        result = 0;
        answer(call, mct_buf_str(&texts.answer));
    }
    if (result < 0 && err)
        *err = why;
    if (texts.params.p || texts.name.p || texts.rewritten.p || texts.answer.p)
        texts_done(&texts);
    return result;
}

int mct_provider_call(struct mct_provider *p, struct mct_call *call, struct mct_error *err)
{
    return mct_call_start(call, &(struct mct_call_start){ .provider = p }, err);
}
