/* The methods of MCP as a table: what each is called, in which eras it exists, what it names. */
#ifndef MCT_MCP_METHOD_H
#define MCT_MCP_METHOD_H

#include "mcp/era.h"

enum mct_verb {
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

struct mct_method {
    const char *name;
    bool handshake, stateless;  /* the eras it exists in */
    const char *subject;        /* the parameter that Mcp-Name repeats; NULL: none */
};

const struct mct_method *mct_method(enum mct_verb verb);
enum mct_verb mct_method_find(struct mct_str name);

/* Whether the method exists in the era of `rev`. */
bool mct_method_in(enum mct_verb verb, enum mct_rev rev);

/* The four kinds of things a server lists. */
enum mct_kind { MCT_TOOL, MCT_RESOURCE, MCT_TEMPLATE, MCT_PROMPT, MCT_KIND_N };

struct mct_kind_info {
    const char *word;        /* "tool" */
    const char *list_key;    /* "tools": the member of the list result, and of the library's JSON */
    enum mct_verb list_verb;
    const char *id_key;      /* the member that identifies an item: "name" or "uri" or "uriTemplate" */
    const char *capability;  /* the server capability it needs */
    const char *changed;     /* the list_changed notification */
};

const struct mct_kind_info *mct_kind_info(enum mct_kind kind);

/* Which kinds a list_changed notification is about, as a bit set of 1 << kind; 0 if it is none. */
unsigned mct_kinds_changed(struct mct_str method);

#endif
