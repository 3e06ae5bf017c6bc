/*
 * Tasks of 2025-11-25, an experimental feature of the protocol: the client asks for a task with a parameter of the
 * call, and a tool may need one. tasks/result is answered when the task ends, and questions of the task belong to it as
 * questions of any call belong to that, so there is nothing to poll.
 */
#include "hub/tasks/impl.h"

enum { MARGIN_MS = 60000 };

void mcti_hold_ask_for_task(struct mcti_hold *h)
{
    unsigned ms = h->call->timeout_ms ? h->call->timeout_ms : h->provider->call_timeout_ms;
    int n = ms ? snprintf(h->task, sizeof h->task, "{\"ttl\":%llu}", (unsigned long long)ms + MARGIN_MS)
               : snprintf(h->task, sizeof h->task, "{}");
    h->call->task = (struct mcti_str){ h->task, (size_t)n };
}

void mcti_hold_read_2025(struct mcti_hold *h)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 64);
    mcti_buf_addz(&b, "{}"); /* the id is the subject of the request */
    mcti_hold_send(h, MCT_VERB_TASKS_RESULT, &b);
}

void mcti_hold_begin_2025(struct mcti_hold *h, const struct mcti_outcome *o)
{
    struct mcti_str task = mcti_json_get(o->result, "task");
    struct mcti_task_state t;
    struct mct_error err;
    if (mcti_json_type(task) != '{')
        mcti_hold_finish(h, o); /* it has run the tool at once */
    else if (mcti_task_read(task, &t, &err) < 0 || mcti_hold_note_task(h, &t, &err) < 0)
        mcti_hold_fail(h, &err, false);
    else
        mcti_hold_read_2025(h);
}

void mcti_hold_take_2025(struct mcti_hold *h, const struct mcti_outcome *o)
{
    struct mcti_str meta = mcti_json_get(o->result, "_meta");
    struct mcti_outcome own = *o;
    struct mcti_buf rest, b;
    struct mct_error err;
    const struct mcti_json_set related = { MCT_META_RELATED_TASK, MCT_STR_NONE };
    if (!mcti_json_get(meta, MCT_META_RELATED_TASK).p) {
        mcti_hold_finish(h, o);
        return;
    }
    mcti_buf_init(&rest, meta.len + 64);
    mcti_buf_init(&b, o->result.len + 64);
    mcti_json_put_object(&rest, meta, &related, 1);
    const struct mcti_json_set set = { "_meta", rest.len > 2 ? mcti_buf_str(&rest) : MCT_STR_NONE };
    mcti_json_put_object(&b, o->result, &set, 1);
    own.result = mcti_buf_str(&b);
    own.chunk = NULL;
    if (!mcti_buf_ok(&rest) || !mcti_buf_ok(&b)) {
        mcti_no_memory(&err);
        own = (struct mcti_outcome){ .failed = &err, .rev = o->rev };
    }
    mcti_hold_finish(h, &own);
    mcti_buf_done(&rest);
    mcti_buf_done(&b);
}
