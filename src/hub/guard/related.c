#include "hub/guard/related.h"

#include "mcp/extension.h"

static struct mcti_call *related_at(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_call, node);
}

struct mcti_call *mcti_related_to_task(struct mcti_list *calls, struct mcti_str params)
{
    struct mcti_str related = mcti_json_get(mcti_json_get(params, "_meta"), MCT_META_RELATED_TASK);
    struct mcti_str id = mcti_json_get(related, "taskId");
    MCT_LIST_EACH(it, calls)
        if (id.p && related_at(it)->verb == MCT_VERB_TASKS_RESULT && mcti_str_eq(related_at(it)->subject.value, id))
            return related_at(it);
    return NULL;
}

struct mcti_call *mcti_related_to_token(struct mcti_list *calls, uint64_t token)
{
    MCT_LIST_EACH(it, calls)
        if (related_at(it)->verb == MCT_VERB_TASKS_RESULT && related_at(it)->task_token == token)
            return related_at(it);
    return NULL;
}
