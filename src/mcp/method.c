#include "mcp/method.h"

static const struct mct_method methods[MCT_VERB_N] = {
    [MCT_VERB_INITIALIZE] = { "initialize", true, false, NULL },
    [MCT_VERB_DISCOVER] = { "server/discover", true, true, NULL },
    [MCT_VERB_PING] = { "ping", true, false, NULL },
    [MCT_VERB_TOOLS_LIST] = { "tools/list", true, true, NULL },
    [MCT_VERB_RESOURCES_LIST] = { "resources/list", true, true, NULL },
    [MCT_VERB_TEMPLATES_LIST] = { "resources/templates/list", true, true, NULL },
    [MCT_VERB_PROMPTS_LIST] = { "prompts/list", true, true, NULL },
    [MCT_VERB_TOOLS_CALL] = { "tools/call", true, true, "name" },
    [MCT_VERB_RESOURCES_READ] = { "resources/read", true, true, "uri" },
    [MCT_VERB_PROMPTS_GET] = { "prompts/get", true, true, "name" },
    [MCT_VERB_COMPLETE] = { "completion/complete", true, true, NULL },
    [MCT_VERB_SET_LEVEL] = { "logging/setLevel", true, false, NULL },
    [MCT_VERB_SUBSCRIBE] = { "resources/subscribe", true, false, NULL },
    [MCT_VERB_UNSUBSCRIBE] = { "resources/unsubscribe", true, false, NULL },
    [MCT_VERB_LISTEN] = { "subscriptions/listen", false, true, NULL },
    [MCT_VERB_HOOKS_LIST] = { "openclaw/hooks/list", false, false, NULL },
    [MCT_VERB_HOOKS_RUN] = { "openclaw/hooks/run", false, false, NULL },
    [MCT_VERB_HOOKS_RESOLVE] = { "openclaw/hooks/resolve", false, false, NULL },
};

static const struct mct_kind_info kinds[MCT_KIND_N] = {
    [MCT_TOOL] = { "tool", "tools", MCT_VERB_TOOLS_LIST, "name", "tools",
                   "notifications/tools/list_changed" },
    [MCT_RESOURCE] = { "resource", "resources", MCT_VERB_RESOURCES_LIST, "uri", "resources",
                       "notifications/resources/list_changed" },
    [MCT_TEMPLATE] = { "template", "resourceTemplates", MCT_VERB_TEMPLATES_LIST, "uriTemplate",
                       "resources", "notifications/resources/list_changed" },
    [MCT_PROMPT] = { "prompt", "prompts", MCT_VERB_PROMPTS_LIST, "name", "prompts",
                     "notifications/prompts/list_changed" },
};

const struct mct_method *mct_method(enum mct_verb verb)
{
    return &methods[verb];
}

enum mct_verb mct_method_find(struct mct_str name)
{
    for (int i = 1; i < MCT_VERB_N; i++)
        if (mct_str_is(name, methods[i].name))
            return (enum mct_verb)i;
    return MCT_VERB_UNKNOWN;
}

bool mct_method_in(enum mct_verb verb, enum mct_rev rev)
{
    return mct_rev_is_stateless(rev) ? methods[verb].stateless : methods[verb].handshake;
}

const struct mct_kind_info *mct_kind_info(enum mct_kind kind)
{
    return &kinds[kind];
}

unsigned mct_kinds_changed(struct mct_str method)
{
    unsigned set = 0;
    for (int k = 0; k < MCT_KIND_N; k++)
        if (mct_str_is(method, kinds[k].changed))
            set |= 1u << k;
    return set;
}
