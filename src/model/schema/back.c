/* Restores arguments that a model made for a normalised schema to the form that the tool accepts. */
#include "model/schema/back.h"

#include "schema/schema.h"

static struct mcti_json_node *back_restored(struct mcti_normal_run *run, struct mcti_json_node *value,
                                            const struct mcti_normal_choices *choices);

/* ---- strings that stand for a number, a boolean or null ---- */

enum verdict { ACCEPTS, UNDECIDED, ACCEPTS_AS_OTHER, REJECTS };

static enum verdict verdict_of_values(struct mcti_normal_run *run, const struct mcti_json_node *values,
                                      const struct mcti_json_node *text, struct mcti_json_node **another)
{
    enum verdict verdict = REJECTS;
    if (!mcti_normal_spend(run, values->n))
        return ACCEPTS;
    for (unsigned i = 0; i < values->n; i++) {
        struct mcti_json_node *value = values->v[i].value;
        if (value->type == '"' && mcti_str_eq(value->text, text->text))
            return ACCEPTS;
        if (strchr("\"{[", value->type))
            continue;
        struct mcti_str printed = value->type == '0' ? mcti_normal_number(run, value->text) : value->text;
        if (verdict == REJECTS && mcti_str_eq(printed, mcti_json_node_raw(text))) {
            *another = value;
            verdict = ACCEPTS_AS_OTHER;
        }
    }
    return verdict;
}

/* Returns the verdict of one schema, without those it refers to, on a string. */
static enum verdict verdict_of(struct mcti_normal_run *run, struct mcti_json_node *schema,
                               const struct mcti_json_node *text, struct mcti_json_node **another)
{
    static const char *const others[] = { "$ref", "anyOf", "oneOf", "allOf", "if", "not" };
    struct mcti_json_node *type = NORMAL_GET(run, schema, "type"), *values = NORMAL_GET(run, schema, "enum");
    struct mcti_json_node *constant = NORMAL_GET(run, schema, "const"), *one = mcti_json_tree_new(&run->tree, '[');
    if (schema->type != '{')
        return schema->type == 'f' ? REJECTS : ACCEPTS;
    if (mcti_json_node_is(values, '['))
        return verdict_of_values(run, values, text, another);
    if (constant) {
        mcti_json_tree_add(&run->tree, one, constant);
        return verdict_of_values(run, one, text, another);
    }
    if (!mcti_normal_spend_list(run, type))
        return ACCEPTS;
    if (type)
        return mcti_json_node_says(type, "string") || mcti_normal_holds(type, "\"string\"") ? ACCEPTS : REJECTS;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (mcti_json_tree_get(&run->tree, schema, mcti_str_of(others[i])))
            return UNDECIDED;
    return ACCEPTS;
}

static struct mcti_json_node *restored_string(struct mcti_normal_run *run, struct mcti_json_node *text,
                                              const struct mcti_normal_choices *choices)
{
    struct mcti_json_node *another = NULL, *found = NULL;
    for (unsigned i = 0; i < choices->n; i++) {
        enum verdict verdict = verdict_of(run, choices->v[i], text, &another);
        if (verdict == ACCEPTS)
            return text;
        if (verdict == ACCEPTS_AS_OTHER && !found)
            found = another;
    }
    return found ? found : text;
}

/* ---- objects and arrays ---- */

/* Returns true if a null member only exists because the provider requires every member. */
static bool is_filler_null(struct mcti_normal_run *run, struct mcti_str name, const struct mcti_normal_choices *choices)
{
    bool optional = false;
    for (unsigned i = 0; i < choices->n; i++) {
        struct mcti_json_node *schema = mcti_normal_member_schema(run, choices->v[i], name);
        if (schema && mcti_normal_allows_null(run, schema))
            return false;
        optional |= schema && !mcti_normal_requires(run, choices->v[i], name);
    }
    return optional;
}

static struct mcti_json_node *restored_object(struct mcti_normal_run *run, const struct mcti_json_node *value,
                                              const struct mcti_normal_choices *choices)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < value->n; i++) {
        struct mcti_json_entry e = value->v[i];
        struct mcti_normal_choices inner = { .n = 0 };
        if (run->only_names)
            e.key = mcti_normal_original_key(run, e.key, choices);
        else if (e.value->type == 'n' && is_filler_null(run, e.key, choices))
            continue;
        for (unsigned k = 0; k < choices->n; k++)
            mcti_normal_choices_add_member(run, choices->v[k], e.key, &inner);
        mcti_json_tree_put(&run->tree, to, e.key, back_restored(run, e.value, &inner));
    }
    return to;
}

static struct mcti_json_node *restored_array(struct mcti_normal_run *run, const struct mcti_json_node *value,
                                             const struct mcti_normal_choices *choices)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '[');
    for (unsigned i = 0; i < value->n; i++) {
        struct mcti_normal_choices inner = { .n = 0 };
        for (unsigned k = 0; k < choices->n; k++)
            mcti_normal_choices_add(run, mcti_normal_item_schema(run, choices->v[k], i), &inner);
        mcti_json_tree_add(&run->tree, to, back_restored(run, value->v[i].value, &inner));
    }
    return to;
}

static struct mcti_json_node *back_restored(struct mcti_normal_run *run, struct mcti_json_node *value,
                                            const struct mcti_normal_choices *choices)
{
    if (!choices->n)
        return value;
    if (value->type == '"')
        return run->only_names ? value : restored_string(run, value, choices);
    if (value->type == '{')
        return restored_object(run, value, choices);
    return value->type == '[' ? restored_array(run, value, choices) : value;
}

/* Appends the restored arguments. Arguments too large to examine are left unchanged, for the tool to judge. */
static void back_restore(struct mcti_normal_run *run, struct mcti_buf *to, struct mcti_str arguments)
{
    struct mcti_json_limits most = { MCT_LIMIT_SCHEMA_DEPTH, MCT_LIMIT_SCHEMA_NODES };
    struct mcti_normal_choices choices = { .n = 0 };
    struct mcti_json_node *value;
    if (mcti_json_tree_read(&run->tree, arguments, most, &value, NULL) < 0) {
        mcti_buf_add(to, arguments);
        return;
    }
    mcti_normal_choices_add(run, run->document, &choices);
    value = back_restored(run, value, &choices);
    if (mcti_json_tree_ok(&run->tree))
        mcti_json_tree_write(to, value);
    else
        mcti_buf_add(to, arguments);
}

int mcti_schema_restore(struct mcti_buf *to, struct mcti_str schema, struct mcti_str arguments,
                        const struct mcti_schema_profile *profile, struct mct_error *err)
{
    struct mcti_normal_run run;
    struct mcti_buf decoded, named;
    mcti_buf_init(&decoded, arguments.len * 2 + 64);
    mcti_buf_init(&named, to->max);
    if (profile->html_entities) {
        mcti_normal_put_decoded(&decoded, arguments);
        arguments = mcti_buf_ok(&decoded) ? mcti_buf_str(&decoded) : arguments;
    }
    int r = mcti_normal_open(&run, schema, err);
    run.profile = profile;
    if (r == 0 && mcti_normal_has_odd_keys(&run)) {
        run.only_names = true;
        back_restore(&run, &named, arguments);
        run.only_names = false;
        to->failed |= !mcti_buf_ok(&named);
        arguments = mcti_buf_str(&named);
    }
    if (r == 0 && (!profile->steps || mcti_schema_check(schema, arguments, NULL) == MCT_SCHEMA_VALID))
        mcti_buf_add(to, arguments);
    else if (r == 0)
        back_restore(&run, to, arguments);
    mcti_normal_done(&run);
    mcti_buf_done(&decoded);
    mcti_buf_done(&named);
    return r < 0 || mcti_buf_ok(to) ? r : mcti_fail(err, MCT_ERR_LIMIT, "the arguments are too long");
}
