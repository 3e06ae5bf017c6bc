/* The methods of MCP as a table: what each is called, in which eras it exists, what it names. */
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
    MCT_VERB_HOOKS_LIST, /* of the extension openclaw/hooks, which servers have and clients are not offered */
    MCT_VERB_HOOKS_RUN,
    MCT_VERB_HOOKS_RESOLVE,
    MCT_VERB_N,
};

struct mcti_method {
    const char *name;
    bool handshake, stateless; /* the eras it exists in */
    const char *subject;       /* the parameter that Mcp-Name repeats; NULL: none */
};

const struct mcti_method *mcti_method(enum mcti_verb verb);
enum mcti_verb mcti_method_find(struct mcti_str name);

/* Whether the method exists in the era of `rev`. */
bool mcti_method_in(enum mcti_verb verb, enum mcti_rev rev);

/* The four kinds of things a server lists. */
enum mcti_kind { MCT_TOOL, MCT_RESOURCE, MCT_TEMPLATE, MCT_PROMPT, MCT_KIND_N };

struct mcti_kind_info {
    const char *word;     /* "tool" */
    const char *list_key; /* "tools": the member of the list result, and of the library's JSON */
    enum mcti_verb list_verb;
    const char *id_key;     /* the member that identifies an item: "name" or "uri" or "uriTemplate" */
    const char *capability; /* the server capability it needs */
    const char *changed;    /* the list_changed notification */
};

const struct mcti_kind_info *mcti_kind_info(enum mcti_kind kind);

/* Which kinds a list_changed notification is about, as a bit set of 1 << kind; 0 if it is none. */
unsigned mcti_kinds_changed(struct mcti_str method);

#endif
