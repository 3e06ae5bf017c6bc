/* Types of the official schemas, by method. */
#ifndef MCT_TESTS_TYPES_H
#define MCT_TESTS_TYPES_H

#include "mcp/shape/shape.h"

static inline const char *result_type(enum mcti_verb verb)
{
    switch (verb) {
    case MCT_VERB_TOOLS_CALL:
        return "CallToolResult";
    case MCT_VERB_PROMPTS_GET:
        return "GetPromptResult";
    case MCT_VERB_RESOURCES_READ:
        return "ReadResourceResult";
    default:
        return "CompleteResult";
    }
}

#define CALL MCT_VERB_TOOLS_CALL
#define READ MCT_VERB_RESOURCES_READ

#define PROMPT MCT_VERB_PROMPTS_GET

static const char *const item_types[] = {
    [MCT_TOOL] = "Tool", [MCT_RESOURCE] = "Resource", [MCT_TEMPLATE] = "ResourceTemplate", [MCT_PROMPT] = "Prompt"
};

#endif
