/* Items of lists. */
#include "mcp/shape/impl.h"

#include "mcp/http/headers.h"

static enum shape_fate exposed_name(struct shape *s, const struct mct_json_member *m)
{
    if (s->name.p)
        mct_json_edit_replace(&s->edit, m->value, s->name);
    return SHAPE_KEEP;
}

static enum shape_fate input_schema(struct shape *s, const struct mct_json_member *m)
{
    if (mct_rev_is_stateless(s->to))
        mct_param_headers_drop_bad(&s->edit, m->value);
    else if (shape_is_downward(s))
        shape_property_schemas(s, m->value);
    return SHAPE_KEEP;
}

static enum shape_fate output_schema(struct shape *s, const struct mct_json_member *m)
{
    if (shape_is_downward(s) && mct_shape_wraps(m->value))
        shape_wrap_schema(s, m->value);
    else if (shape_is_downward(s))
        shape_property_schemas(s, m->value);
    return SHAPE_KEEP;
}

static enum shape_fate argument(struct shape *s, struct mct_str item)
{
    static const struct shape_rule rules[] = { { "title", MCT_REV_2025_06_18 } };
    shape_members(s, item, SHAPE_TABLE(rules));
    return SHAPE_KEEP;
}

static enum shape_fate arguments(struct shape *s, const struct mct_json_member *m)
{
    return shape_each(s, m->value, argument);
}

#define ANY_ITEM                                                                                                       \
    { "name", .inside = exposed_name }, { "title", MCT_REV_2025_06_18 }, { "icons", MCT_REV_2025_11_25 },              \
    { "_meta", MCT_REV_2025_06_18 }

static const struct shape_rule item_rules[] = { ANY_ITEM };
static const struct shape_rule prompt_rules[] = { ANY_ITEM, { "arguments", .inside = arguments } };
static const struct shape_rule tool_rules[] = {
    ANY_ITEM,
    { "annotations", MCT_REV_2025_03_26 },
    { "execution", MCT_REV_2025_11_25, MCT_REV_2025_11_25 },
    { "inputSchema", .inside = input_schema },
    { "outputSchema", MCT_REV_2025_06_18, 0, output_schema },
};

enum shape_fate shape_tool(struct shape *s, struct mct_str item)
{
    shape_members(s, item, SHAPE_TABLE(tool_rules));
    return SHAPE_KEEP;
}

/* Within one revision. */
static const struct shape_rule same_rules[] = { { "name", .inside = exposed_name },
                                                { "inputSchema", .inside = input_schema } };

void mct_shape_item(struct mct_buf *to, enum mct_kind kind, struct mct_str item, struct mct_str name,
                    enum mct_rev from, enum mct_rev to_rev)
{
    struct shape s = { .edit = mct_json_edit_open(to, item), .from = from, .to = to_rev, .name = name };
    bool headers = kind == MCT_TOOL && mct_rev_is_stateless(to_rev);
    if (from == to_rev)
        shape_members(&s, item, same_rules, headers ? 2 : name.p ? 1 : 0);
    else if (kind == MCT_TOOL)
        shape_tool(&s, item);
    else if (kind == MCT_PROMPT)
        shape_members(&s, item, SHAPE_TABLE(prompt_rules));
    else
        shape_members(&s, item, SHAPE_TABLE(item_rules));
    mct_json_edit_close(&s.edit, item);
}
