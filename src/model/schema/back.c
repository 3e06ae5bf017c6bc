/* Arguments for a normalised schema, as the tool wants them. */
#include "model/schema/back.h"

#include "schema/schema.h"


static struct mct_json_node *restored(struct normal_run *run, struct mct_json_node *value,
                                      const struct normal_choices *choices);

/* ---- strings that stand for a number, a boolean or null ---- */

enum opinion { TAKES_IT, SAYS_NOTHING, KNOWS_ANOTHER, REFUSES_IT };

static enum opinion opinion_of_values(struct normal_run *run, const struct mct_json_node *values,
                                      const struct mct_json_node *text, struct mct_json_node **another)
{
    enum opinion opinion = REFUSES_IT;
    if (!normal_spend(run, values->n))
        return TAKES_IT;
    for (unsigned i = 0; i < values->n; i++) {
        struct mct_json_node *value = values->v[i].value;
        if (value->type == '"' && mct_str_eq(value->text, text->text))
            return TAKES_IT;
        if (strchr("\"{[", value->type))
            continue;
        struct mct_str printed = value->type == '0' ? normal_number(run, value->text) : value->text;
        if (opinion == REFUSES_IT && mct_str_eq(printed, mct_json_node_raw(text))) {
            *another = value;
            opinion = KNOWS_ANOTHER;
        }
    }
    return opinion;
}

/* What one schema, without those it refers to, says of a string. */
static enum opinion opinion_of(struct normal_run *run, struct mct_json_node *schema, const struct mct_json_node *text,
                               struct mct_json_node **another)
{
    static const char *const others[] = { "$ref", "anyOf", "oneOf", "allOf", "if", "not" };
    struct mct_json_node *type = NORMAL_GET(run, schema, "type"), *values = NORMAL_GET(run, schema, "enum");
    struct mct_json_node *constant = NORMAL_GET(run, schema, "const"), *one = mct_json_tree_new(&run->tree, '[');
    if (schema->type != '{')
        return schema->type == 'f' ? REFUSES_IT : TAKES_IT;
    if (mct_json_node_is(values, '['))
        return opinion_of_values(run, values, text, another);
    if (constant) {
        mct_json_tree_add(&run->tree, one, constant);
        return opinion_of_values(run, one, text, another);
    }
    if (!normal_spend_list(run, type))
        return TAKES_IT;
    if (type)
        return mct_json_node_says(type, "string") || normal_holds(type, "\"string\"") ? TAKES_IT : REFUSES_IT;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (mct_json_tree_get(&run->tree, schema, mct_str_of(others[i])))
            return SAYS_NOTHING;
    return TAKES_IT;
}

static struct mct_json_node *restored_string(struct normal_run *run, struct mct_json_node *text,
                                             const struct normal_choices *choices)
{
    struct mct_json_node *another = NULL, *found = NULL;
    for (unsigned i = 0; i < choices->n; i++) {
        enum opinion opinion = opinion_of(run, choices->v[i], text, &another);
        if (opinion == TAKES_IT)
            return text;
        if (opinion == KNOWS_ANOTHER && !found)
            found = another;
    }
    return found ? found : text;
}

/* ---- objects and arrays ---- */

/* Whether a member that is null was made up for a provider that wants every member. */
static bool is_made_up(struct normal_run *run, struct mct_str name, const struct normal_choices *choices)
{
    bool optional = false;
    for (unsigned i = 0; i < choices->n; i++) {
        struct mct_json_node *schema = normal_member_schema(run, choices->v[i], name);
        if (schema && normal_allows_null(run, schema))
            return false;
        optional |= schema && !normal_requires(run, choices->v[i], name);
    }
    return optional;
}

static struct mct_json_node *restored_object(struct normal_run *run, const struct mct_json_node *value,
                                             const struct normal_choices *choices)
{
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < value->n; i++) {
        const struct mct_json_entry *e = &value->v[i];
        struct normal_choices inner = { .n = 0 };
        if (e->value->type == 'n' && is_made_up(run, e->key, choices))
            continue;
        for (unsigned k = 0; k < choices->n; k++)
            normal_choices_add(run, normal_member_schema(run, choices->v[k], e->key), &inner);
        mct_json_tree_put(&run->tree, to, e->key, restored(run, e->value, &inner));
    }
    return to;
}

static struct mct_json_node *restored_array(struct normal_run *run, const struct mct_json_node *value,
                                            const struct normal_choices *choices)
{
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '[');
    for (unsigned i = 0; i < value->n; i++) {
        struct normal_choices inner = { .n = 0 };
        for (unsigned k = 0; k < choices->n; k++)
            normal_choices_add(run, normal_item_schema(run, choices->v[k], i), &inner);
        mct_json_tree_add(&run->tree, to, restored(run, value->v[i].value, &inner));
    }
    return to;
}

static struct mct_json_node *restored(struct normal_run *run, struct mct_json_node *value,
                                      const struct normal_choices *choices)
{
    if (!choices->n)
        return value;
    if (value->type == '"')
        return restored_string(run, value, choices);
    if (value->type == '{')
        return restored_object(run, value, choices);
    return value->type == '[' ? restored_array(run, value, choices) : value;
}

/* What cannot be looked at, because it is too large, stays as it is: the tool will say what it thinks of it. */
static void restore(struct normal_run *run, struct mct_buf *to, struct mct_str arguments)
{
    struct mct_json_limits most = { MCT_LIMIT_SCHEMA_DEPTH, MCT_LIMIT_SCHEMA_NODES };
    struct normal_choices choices = { .n = 0 };
    struct mct_json_node *value;
    if (mct_json_tree_read(&run->tree, arguments, most, &value, NULL) < 0) {
        mct_buf_add(to, arguments);
        return;
    }
    normal_choices_add(run, run->document, &choices);
    value = restored(run, value, &choices);
    if (mct_json_tree_ok(&run->tree))
        mct_json_tree_write(to, value);
    else
        mct_buf_add(to, arguments);
}

int mct_schema_restore(struct mct_buf *to, struct mct_str schema, struct mct_str arguments,
                       const struct mct_schema_profile *profile, struct mct_error *err)
{
    struct normal_run run;
    struct mct_buf decoded;
    mct_buf_init(&decoded, arguments.len * 2 + 64);
    if (profile->html_entities) {
        normal_put_decoded(&decoded, arguments);
        arguments = mct_buf_ok(&decoded) ? mct_buf_str(&decoded) : arguments;
    }
    int r = normal_open(&run, schema, err);
    if (r == 0 && (!profile->steps || mct_schema_check(schema, arguments, NULL) == MCT_SCHEMA_VALID))
        mct_buf_add(to, arguments);
    else if (r == 0)
        restore(&run, to, arguments);
    normal_done(&run);
    mct_buf_done(&decoded);
    return r < 0 || mct_buf_ok(to) ? r : mct_fail(err, MCT_ERR_LIMIT, "the arguments are too long");
}
