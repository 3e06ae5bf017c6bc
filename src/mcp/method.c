#include "mcp/method.h"

#include "base/limits.h"

#define NAMED(name) name, sizeof(name) - 1

static const struct mcti_method methods[MCT_VERB_N] = {
    [MCT_VERB_INITIALIZE] = { NAMED("initialize"), true, false, NULL },
    [MCT_VERB_DISCOVER] = { NAMED("server/discover"), true, true, NULL },
    [MCT_VERB_PING] = { NAMED("ping"), true, false, NULL },
    [MCT_VERB_TOOLS_LIST] = { NAMED("tools/list"), true, true, NULL },
    [MCT_VERB_RESOURCES_LIST] = { NAMED("resources/list"), true, true, NULL },
    [MCT_VERB_TEMPLATES_LIST] = { NAMED("resources/templates/list"), true, true, NULL },
    [MCT_VERB_PROMPTS_LIST] = { NAMED("prompts/list"), true, true, NULL },
    [MCT_VERB_TOOLS_CALL] = { NAMED("tools/call"), true, true, "name" },
    [MCT_VERB_RESOURCES_READ] = { NAMED("resources/read"), true, true, "uri" },
    [MCT_VERB_PROMPTS_GET] = { NAMED("prompts/get"), true, true, "name" },
    [MCT_VERB_COMPLETE] = { NAMED("completion/complete"), true, true, NULL },
    [MCT_VERB_SET_LEVEL] = { NAMED("logging/setLevel"), true, false, NULL },
    [MCT_VERB_SUBSCRIBE] = { NAMED("resources/subscribe"), true, false, NULL },
    [MCT_VERB_UNSUBSCRIBE] = { NAMED("resources/unsubscribe"), true, false, NULL },
    [MCT_VERB_LISTEN] = { NAMED("subscriptions/listen"), false, true, NULL },
    [MCT_VERB_TASKS_GET] = { NAMED("tasks/get"), true, true, "taskId" },
    [MCT_VERB_TASKS_UPDATE] = { NAMED("tasks/update"), false, true, "taskId" },
    [MCT_VERB_TASKS_CANCEL] = { NAMED("tasks/cancel"), true, true, "taskId" },
    [MCT_VERB_TASKS_RESULT] = { NAMED("tasks/result"), true, false, NULL },
    [MCT_VERB_TASKS_LIST] = { NAMED("tasks/list"), true, false, NULL },
    [MCT_VERB_HOOKS_LIST] = { NAMED("openclaw/hooks/list"), false, false, NULL },
    [MCT_VERB_HOOKS_RUN] = { NAMED("openclaw/hooks/run"), false, false, NULL },
    [MCT_VERB_HOOKS_RESOLVE] = { NAMED("openclaw/hooks/resolve"), false, false, NULL },
    [MCT_VERB_FOREIGN] = { NAMED(""), true, true, NULL },
};

static const struct mcti_kind_info kinds[MCT_KIND_N] = {
    [MCT_TOOL] = { "tool", "tools", MCT_VERB_TOOLS_LIST, "name", MCT_LIMIT_NAME_BYTES, "tools",
                   "notifications/tools/list_changed" },
    [MCT_RESOURCE] = { "resource", "resources", MCT_VERB_RESOURCES_LIST, "uri", MCT_LIMIT_URI_BYTES, "resources",
                       "notifications/resources/list_changed" },
    [MCT_TEMPLATE] = { "template", "resourceTemplates", MCT_VERB_TEMPLATES_LIST, "uriTemplate", MCT_LIMIT_URI_BYTES,
                       "resources", "notifications/resources/list_changed" },
    [MCT_PROMPT] = { "prompt", "prompts", MCT_VERB_PROMPTS_LIST, "name", MCT_LIMIT_NAME_BYTES, "prompts",
                     "notifications/prompts/list_changed" },
};

const struct mcti_method *mcti_method(enum mcti_verb verb)
{
    return &methods[verb];
}

enum mcti_verb mcti_method_find(struct mcti_str name)
{
    for (int i = 1; i < MCT_VERB_FOREIGN; i++)
        if (name.len == methods[i].len && !memcmp(name.p, methods[i].name, name.len))
            return (enum mcti_verb)i;
    return MCT_VERB_UNKNOWN;
}

bool mcti_method_in(enum mcti_verb verb, enum mcti_rev rev)
{
    if (mcti_rev_is_stateless(rev))
        return methods[verb].stateless;
    return methods[verb].handshake && (!mcti_verb_is_any_task(verb) || rev == MCT_REV_2025_11_25);
}

const struct mcti_kind_info *mcti_kind_info(enum mcti_kind kind)
{
    return &kinds[kind];
}

unsigned mcti_kinds_changed(struct mcti_str method)
{
    unsigned set = 0;
    for (int k = 0; k < MCT_KIND_N; k++)
        if (mcti_str_is(method, kinds[k].changed))
            set |= 1u << k;
    return set;
}
