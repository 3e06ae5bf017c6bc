/* Orders where a schema has names and values: enum values, defaults, examples, constants, and names of properties. */
#include "scan/impl.h"

#define M(name) SCAN_MASK(name)

enum { VALUE, NAME, CONTEXT };

static const struct mcti_scan_rule rules[] = {
    [VALUE] = { "schema.value", MCT_SCAN_HARD, "MCP03", "has an order to the model as a value of an argument",
                "enum, default, example, const with before/must + read/call + files/tools", "Do not use the item.",
                .weight = 2 },
    [NAME] = { "schema.name", MCT_SCAN_HARD, "MCP03", "has a name that is an order to the model",
               "name of a property or tool: content/read + private file; ignore + instructions", "Do not use the item.",
               .weight = 2 },
    [CONTEXT] = { "schema.context", MCT_SCAN_SOFT, "MCP10", "has an argument for the context of the model",
                  "name of a property: chain of thought, system prompt, conversation history",
                  "Look whether the tool needs it.", .weight = 1, .sign = MCT_SIGN_DATA },
};

#define R(name) &rules[name]
#define VALUES (1u << SCAN_ROLE_VALUE)
#define NAMES (1u << SCAN_ROLE_PROPERTY | 1u << SCAN_ROLE_NAME)
#define PROPERTIES (1u << SCAN_ROLE_PROPERTY)

/* clang-format would make stairs of the rows. */
/* clang-format off */
static const struct mcti_scan_pattern patterns[] = {
    { R(VALUE), { M(READ) | M(CALL) | M(USES) | M(SEND), M(FILES) | M(CREDS), M(BEFORE) | M(MUST) | M(PASS) |
      M(SEND) }, M(NEG), .words = 25, .roles = VALUES },
    { R(VALUE), { M(BEFORE) | M(MUST), M(CALL) | M(USES), M(FOREIGN) | M(KNOWN) }, .words = 20, .roles = VALUES },
    { R(VALUE), { M(CALL) | M(USES) | M(DELETE), M(FOREIGN) | M(KNOWN), M(APPROVED) | M(IGNORE) | M(QUIET) |
      M(DELETE) }, .words = 14, .roles = VALUES },
    { R(NAME), { M(CREDS), M(OTHER) | M(OTHERS) }, .words = 6, .roles = PROPERTIES },
    { R(VALUE), { M(TALK), M(CREDS) | M(SYSTEM) }, .words = 30, .roles = VALUES },
    { R(NAME), { M(READ) | M(SEND), M(FILES) }, .words = 8, .ordered = true, .roles = PROPERTIES },
    { R(NAME), { M(NEG), M(TELL), M(USER) }, .words = 8, .roles = NAMES },
    { R(CONTEXT), { M(SYSTEM) }, .words = 1, .roles = PROPERTIES },
    { R(CONTEXT), { M(TALK), M(WHOLE) | M(EVERY) | M(PRIOR) }, .words = 5, .roles = PROPERTIES },
};
/* clang-format on */

static void schema_words(struct mcti_scan_run *run, const struct mcti_scan_text *t)
{
    mcti_scan_patterns(run, t, patterns, SCAN_COUNT(patterns));
}

const struct mcti_scan_family mcti_scan_schema = { rules, SCAN_COUNT(rules), NULL, schema_words };
