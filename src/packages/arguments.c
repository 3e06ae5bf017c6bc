/* Arguments of server.json: positional and named ones. */
#include "packages/impl.h"

#include <stdio.h>
#include <stdlib.h>

/* Returns true if the argument describes a value to ask for, rather than a fixed word. */
static bool argument_asks(struct mcti_str json)
{
    static const char *const keys[] = { "description", "default",  "choices",    "format",
                                        "isRequired",  "isSecret", "placeholder" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (mcti_json_get(json, keys[i]).p)
            return true;
    return false;
}

static void argument_add_named(struct mcti_plan *p, struct mcti_str json)
{
    char *flag = mcti_package_text(mcti_json_get(json, "name"));
    const struct mcti_input_place at = { p, MCT_INPUT_ARG, flag, false, false };
    bool has_value = mcti_json_get(json, "value").p, asks = argument_asks(json);
    if (!flag || !*flag) {
        p->failed = true;
        free(flag);
        return;
    }
    if (!has_value && !asks) {
        mcti_plan_add_arg(p, flag, NULL, -1);
        return;
    }
    bool is_switch = !has_value && mcti_json_is(mcti_json_get(json, "format"), "boolean");
    char *text = mcti_input_template(&at, json);
    if (is_switch && text) {
        mcti_plan_add_arg(p, flag, NULL, atoi(text + 1));
        free(text);
    } else if (text) {
        mcti_plan_add_arg(p, flag, text, -1);
    } else {
        free(flag);
    }
}

static void argument_add_positional(struct mcti_plan *p, struct mcti_str json)
{
    char name[32];
    char *hint = mcti_package_text(mcti_json_get(json, "valueHint"));
    bool is_fixed = !mcti_json_get(json, "value").p && !argument_asks(json);
    if (is_fixed && !hint)
        return;
    snprintf(name, sizeof name, "argument%zu", p->n_args + 1);
    if (is_fixed) { /* as VS Code does: the hint is the word itself */
        mcti_plan_add_arg(p, NULL, hint, -1);
        return;
    }
    const struct mcti_input_place at = { p, MCT_INPUT_ARG, hint && *hint ? hint : name, false, false };
    char *text = mcti_input_template(&at, json);
    if (text)
        mcti_plan_add_arg(p, NULL, text, -1);
    free(hint);
}

void mcti_arguments_add(struct mcti_plan *p, struct mcti_str list)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item);) {
        bool is_named = mcti_json_is(mcti_json_get(item, "type"), "named");
        if (is_named)
            argument_add_named(p, item);
        else
            argument_add_positional(p, item);
    }
}

bool mcti_arguments_take_env(struct mcti_plan *p, struct mcti_str json)
{
    struct mcti_str name = mcti_json_get(json, "name");
    bool is_env = mcti_json_is(name, "-e") || mcti_json_is(name, "--env");
    char *value = is_env ? mcti_package_text(mcti_json_get(json, "value")) : NULL;
    char *eq = value ? strchr(value, '=') : NULL;
    if (eq)
        *eq = '\0';
    if (eq && mcti_package_is_variable(value)) {
        const struct mcti_input_place at = { p, MCT_INPUT_ENV, value, mcti_json_true(mcti_json_get(json, "isRequired")),
                                             mcti_json_true(mcti_json_get(json, "isSecret")) };
        mcti_plan_add_env(p, strdup(value),
                          mcti_input_text(&at, mcti_str_of(eq + 1), mcti_json_get(json, "variables")));
    } else {
        eq = NULL;
    }
    free(value);
    return eq;
}
