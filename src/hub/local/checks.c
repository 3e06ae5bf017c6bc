/* Checks arguments and results of definitions against their schemas. */
#include "hub/local/def.h"

#include "base/limits.h"
#include "schema/schema.h"

/* Logs once that a schema of the tool cannot be applied; its calls go on unchecked. */
static void tell_unusable(struct mcti_local_def *d, const char *what, const struct mcti_schema_fault *fault)
{
    if (!d->told_unusable)
        mcti_log(d->provider->log, MCT_LOG_WARN,
                 "tool '%s': the schema of its %s cannot be applied, so they are not checked: %s", d->name, what,
                 fault->why);
    d->told_unusable = true;
}

/* Returns false if `value` does not match the schema; *ret then says where and why. */
static bool local_check(struct mcti_local_def *d, const char *what, const char *schema, struct mcti_str value,
                        struct mcti_schema_fault *ret)
{
    enum mcti_schema_verdict verdict = mcti_schema_check(mcti_str_of(schema), value, ret);
    if (verdict == MCT_SCHEMA_UNUSABLE)
        tell_unusable(d, what, ret);
    return verdict != MCT_SCHEMA_INVALID;
}

/* ---- arguments ---- */

/* Models read results of tools and correct their calls (2025-11-25 "Error Handling"). */
static bool checks_of_tool(struct mct_tool_call *c)
{
    struct mcti_schema_fault fault;
    struct mcti_str arguments = c->arguments.p ? c->arguments : MCT_STR("{}");
    if (!c->def->input || local_check(c->def, "arguments", c->def->input, arguments, &fault))
        return true;
    c->answered = true;
    mcti_local_text_error(c->request, "invalid arguments for tool '%s': %s %s", c->def->name,
                          *fault.where ? fault.where : "the object", fault.why);
    return false;
}

/* Returns the name of a required argument that is missing; absent if there is none. */
static struct mcti_str find_missing(struct mcti_str wanted, struct mcti_str given)
{
    struct mcti_str one, name;
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(wanted); mcti_json_next_item(&it, &one);) {
        bool found = !mcti_json_true(mcti_json_get(one, "required"));
        name = mcti_json_get(one, "name");
        for (struct mcti_json_iter at = mcti_json_open(given); !found && mcti_json_next_member(&at, &m);)
            found = mcti_str_eq(mcti_json_key_value(m.key), name);
        if (!found)
            return name;
    }
    return MCT_STR_NONE;
}

static bool checks_of_prompt(struct mct_tool_call *c)
{
    struct mcti_str missing = c->def->input ? find_missing(mcti_str_of(c->def->input), c->arguments) : MCT_STR_NONE;
    char message[256];
    if (!missing.p)
        return true;
    c->answered = true;
    snprintf(message, sizeof message, "the prompt needs the argument %.200s", missing.p);
    message[sizeof "the prompt needs the argument " - 1 + (missing.len < 200 ? missing.len : 200)] = '\0';
    mcti_local_fail(c->request, MCT_RPC_INVALID_PARAMS, message, MCT_STR_NONE);
    return false;
}

bool mcti_local_check_arguments(struct mct_tool_call *c)
{
    if (c->verb == MCT_VERB_TOOLS_CALL)
        return checks_of_tool(c);
    return c->verb == MCT_VERB_PROMPTS_GET ? checks_of_prompt(c) : true;
}

/* ---- results ---- */

bool mcti_local_check_result(struct mct_tool_call *c, struct mcti_str result)
{
    struct mcti_schema_fault fault = { "", "must have \"structuredContent\", because the tool has an output schema" };
    struct mcti_str content = mcti_json_get(result, "structuredContent");
    if (c->verb != MCT_VERB_TOOLS_CALL || !c->def->output || mcti_json_true(mcti_json_get(result, "isError")))
        return true;
    if (content.p && local_check(c->def, "results", c->def->output, content, &fault))
        return true;
    const char *where = !content.p ? "it" : *fault.where ? fault.where : "\"structuredContent\"";
    mcti_log(c->def->provider->log, MCT_LOG_WARN, "tool '%s' returned an invalid result: %s %s", c->def->name, where,
             fault.why);
    mcti_local_text_error(c->request, "tool '%s' returned an invalid result: %s %s", c->def->name, where, fault.why);
    return false;
}
