/* Writes tasks of the gateway's own in the forms of both revisions. */
#include "gateway/tasks/impl.h"

#include "base/clock.h"
#include "base/limits.h"

static void state_put_time(struct mcti_buf *to, const char *key, uint64_t wall_ms)
{
    mcti_json_put_time(to, key, wall_ms / 1000);
}

/* Writes what both forms have in common, behind an open brace or a member. */
static void state_put_common(struct mcti_buf *to, const struct mcti_own_task *t, enum mcti_task_status status)
{
    mcti_json_put_raw(to, "taskId", mcti_str_of(t->id));
    mcti_json_put_member(to, "status", mcti_str_of(mcti_task_status_word(status)));
    if (t->message)
        mcti_json_put_raw(to, "statusMessage", mcti_str_of(t->message));
    state_put_time(to, "createdAt", t->created_ms);
    state_put_time(to, "lastUpdatedAt", t->updated_ms);
}

void mcti_own_put_2025(struct mcti_buf *to, const struct mcti_own_task *t)
{
    mcti_buf_addc(to, '{');
    state_put_common(to, t, mcti_own_task_status_2025(t));
    mcti_buf_printf(to, ",\"ttl\":%llu,\"pollInterval\":%d}", (unsigned long long)t->ttl_ms, MCT_OWN_TASK_POLL_MS);
}

static void state_put_questions(struct mcti_buf *to, const struct mcti_own_task *t)
{
    struct mcti_buf shaped;
    struct mct_error err;
    mcti_json_put_key(to, "inputRequests");
    mcti_buf_addc(to, '{');
    MCT_LIST_EACH(it, &t->asks) {
        const struct mcti_own_ask *a = MCT_CONTAINER(it, struct mcti_own_ask, node);
        mcti_buf_init(&shaped, strlen(a->params) + 65536);
        if (mcti_shape_ask(&shaped, a->kind, mcti_str_of(a->params), MCT_REV_LATEST, &err) == 0)
            mcti_buf_printf(to, "%s\"%u\":{\"method\":\"%s\",\"params\":%.*s}", it == t->asks.next ? "" : ",",
                            a->number, mcti_ask_method(a->kind), MCT_STR_ARG(mcti_buf_str(&shaped)));
        to->failed |= !mcti_buf_ok(&shaped);
        mcti_buf_done(&shaped);
    }
    mcti_buf_addc(to, '}');
}

/* Writes result or error of the task as the extension has them. */
static void state_put_outcome(struct mcti_buf *to, const struct mcti_own_task *t)
{
    struct mcti_str outcome = mcti_str_of(t->outcome);
    to->max += 2 * outcome.len + 65536;
    mcti_json_put_key(to, t->is_error ? "error" : "result");
    if (!t->outcome)
        mcti_buf_addz(to, "{\"code\":-32603,\"message\":\"out of memory\"}");
    else if (t->is_error)
        mcti_shape_error(to, MCT_VERB_TOOLS_CALL, outcome, MCT_REV_2025_11_25, MCT_REV_LATEST, MCT_STR_NONE);
    else
        mcti_shape_result(to, MCT_VERB_TOOLS_CALL, outcome, MCT_REV_2025_11_25, MCT_REV_LATEST, MCT_STR_NONE);
}

void mcti_own_put_state(struct mcti_buf *to, const struct mcti_own_task *t, bool whole)
{
    state_put_common(to, t, t->status);
    mcti_buf_printf(to, ",\"ttlMs\":%llu,\"pollIntervalMs\":%d", (unsigned long long)t->ttl_ms, MCT_OWN_TASK_POLL_MS);
    if (whole && t->status == MCT_TASK_INPUT_REQUIRED)
        state_put_questions(to, t);
    else if (whole && (t->status == MCT_TASK_COMPLETED || t->status == MCT_TASK_FAILED))
        state_put_outcome(to, t);
}

void mcti_own_put_related(struct mcti_buf *to, const struct mcti_own_task *t, struct mcti_str object)
{
    struct mcti_buf id, meta;
    mcti_buf_init(&id, 128);
    mcti_buf_printf(&id, "{\"taskId\":%s}", t->id);
    const struct mcti_json_set related = { MCT_META_RELATED_TASK, mcti_buf_str(&id) };
    mcti_buf_init(&meta, object.len + 256);
    mcti_json_put_object(&meta, mcti_json_get(object, "_meta"), &related, 1);
    const struct mcti_json_set set = { "_meta", mcti_buf_str(&meta) };
    mcti_json_put_object(to, object, &set, 1);
    to->failed |= !mcti_buf_ok(&id) || !mcti_buf_ok(&meta);
    mcti_buf_done(&meta);
    mcti_buf_done(&id);
}
