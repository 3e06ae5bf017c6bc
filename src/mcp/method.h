/* The table of MCP methods: name, eras, and the parameter that names the subject. */
#ifndef MCT_MCP_METHOD_H
#define MCT_MCP_METHOD_H

#include "mcp/era.h"

enum mcti_verb {
    MCT_VERB_UNKNOWN,
    MCT_VERB_INITIALIZE,
    MCT_VERB_DISCOVER,
    MCT_VERB_PING,
    MCT_VERB_TOOLS_LIST,
    MCT_VERB_RESOURCES_LIST,
    MCT_VERB_TEMPLATES_LIST,
    MCT_VERB_PROMPTS_LIST,
    MCT_VERB_TOOLS_CALL,
    MCT_VERB_RESOURCES_READ,
    MCT_VERB_PROMPTS_GET,
    MCT_VERB_COMPLETE,
    MCT_VERB_SET_LEVEL,
    MCT_VERB_SUBSCRIBE,
    MCT_VERB_UNSUBSCRIBE,
    MCT_VERB_LISTEN,
    MCT_VERB_TASKS_GET, /* extension io.modelcontextprotocol/tasks, see mcp/task.h */
    MCT_VERB_TASKS_UPDATE,
    MCT_VERB_TASKS_CANCEL,
    MCT_VERB_TASKS_RESULT, /* of 2025-11-25 only, as is the next */
    MCT_VERB_TASKS_LIST,
    MCT_VERB_HOOKS_LIST, /* extension openclaw/hooks: offered by servers, never to clients */
    MCT_VERB_HOOKS_RUN,
    MCT_VERB_HOOKS_RESOLVE,
    MCT_VERB_FOREIGN, /* a method of an extension, which the gateway does not know */
    MCT_VERB_N,
};

struct mcti_method {
    const char *name;
    size_t len;                /* of the name */
    bool handshake, stateless; /* eras that have the method */
    const char *subject;       /* parameter that Mcp-Name repeats; NULL: none */
};

const struct mcti_method *mcti_method(enum mcti_verb verb);
enum mcti_verb mcti_method_find(struct mcti_str name);

/* Returns true for the methods of that extension. */
static inline bool mcti_verb_is_task(enum mcti_verb verb)
{
    return verb >= MCT_VERB_TASKS_GET && verb <= MCT_VERB_TASKS_CANCEL;
}

/* Returns true for the methods about tasks of either revision. */
static inline bool mcti_verb_is_any_task(enum mcti_verb verb)
{
    return verb >= MCT_VERB_TASKS_GET && verb <= MCT_VERB_TASKS_LIST;
}

/* Returns true if the method exists in revision `rev`. */
bool mcti_method_in(enum mcti_verb verb, enum mcti_rev rev);

/* The four kinds of items that a server lists. */
enum mcti_kind { MCT_TOOL, MCT_RESOURCE, MCT_TEMPLATE, MCT_PROMPT, MCT_KIND_N };

struct mcti_kind_info {
    const char *word;     /* "tool" */
    const char *list_key; /* "tools": member of the list result, and of the library's JSON */
    enum mcti_verb list_verb;
    const char *id_key;     /* member that identifies an item: "name", "uri" or "uriTemplate" */
    size_t id_bytes;        /* longest value of it */
    const char *capability; /* server capability required for this kind */
    const char *changed;    /* list_changed notification */
};

const struct mcti_kind_info *mcti_kind_info(enum mcti_kind kind);

/* Returns the kinds that a list_changed notification is about, as a bit set of 1 << kind; 0 for another method. */
unsigned mcti_kinds_changed(struct mcti_str method);

#endif
