/* Items that promise less than they do: a tool that says it reads, and deletes or sends. */
#include "scan/impl.h"

#define M(name) SCAN_MASK(name)

enum { PROMISE };

static const struct mcti_scan_rule rules[] = {
    [PROMISE] = { "mismatch.read-only", MCT_SCAN_SOFT, "MCP02",
                  "promises to read only, and says that it changes or sends",
                  "readOnlyHint or get/list/read … in the name + deletes/sends in the description",
                  "Do not rely on the annotation; allow the tool by name only.", .weight = 1 },
};

static const char *const reading[] = { "get",  "list", "read",  "search", "find",
                                       "show", "view", "fetch", "lookup", "describe" };

static bool reads_by_name(struct mcti_str name)
{
    for (size_t i = 0; i < SCAN_COUNT(reading); i++) {
        size_t n = strlen(reading[i]);
        bool ends = name.len > n && (name.p[n] == '_' || name.p[n] == '-' || (name.p[n] >= 'A' && name.p[n] <= 'Z'));
        if (ends && mcti_str_eq_nocase((struct mcti_str){ name.p, n }, mcti_str_of(reading[i])))
            return true;
    }
    return false;
}

/* "and", "then" or a comma in front of the verb make it a second thing that the tool does. */
static bool joins_verb(struct mcti_str raw, const struct mcti_scan_token *token)
{
    static const struct mcti_str joints[] = { MCT_STR("and "), MCT_STR("then "), MCT_STR("also "), MCT_STR(", ") };
    for (size_t i = 0; i < SCAN_COUNT(joints); i++)
        if (token->raw >= joints[i].len &&
            mcti_str_eq_nocase((struct mcti_str){ raw.p + token->raw - joints[i].len, joints[i].len }, joints[i]))
            return true;
    return token->raw == 0;
}

static void mismatch_words(struct mcti_scan_run *run, const struct mcti_scan_text *t)
{
    bool reads = run->is_tool && (run->read_only || reads_by_name(run->item_name));
    if (!reads || run->role != SCAN_ROLE_TEXT || !(t->mask & M(DELETE)))
        return;
    for (size_t i = 0; i < t->n_tokens; i++)
        if (t->token[i].mask & M(DELETE) && !(t->token[i].around & (M(NEG) | M(WITHOUT))) &&
            joins_verb(t->raw, &t->token[i])) {
            mcti_scan_found(run, &rules[PROMISE], t->raw,
                            mcti_str_range(t->raw.p + t->token[i].raw, t->raw.p + t->token[i].rend));
            return;
        }
}

const struct mcti_scan_family mcti_scan_mismatch = { rules, SCAN_COUNT(rules), NULL, mismatch_words };
