/* Converts list items. */
#include "mcp/shape/impl.h"

#include "mcp/http/headers.h"

static enum mcti_shape_outcome exposed_name(struct mcti_shape *s, const struct mcti_json_member *m)
{
    if (s->name.p)
        mcti_json_edit_replace(&s->edit, m->value, s->name);
    return SHAPE_KEEP;
}

static enum mcti_shape_outcome input_schema(struct mcti_shape *s, const struct mcti_json_member *m)
{
    if (mcti_rev_is_stateless(s->to))
        mcti_param_headers_drop_bad(&s->edit, m->value);
    else if (mcti_shape_is_downward(s))
        mcti_shape_property_schemas(s, m->value);
    return SHAPE_KEEP;
}

static enum mcti_shape_outcome output_schema(struct mcti_shape *s, const struct mcti_json_member *m)
{
    if (mcti_shape_is_downward(s) && mcti_shape_wraps(m->value))
        mcti_shape_wrap_schema(s, m->value);
    else if (mcti_shape_is_downward(s))
        mcti_shape_property_schemas(s, m->value);
    return SHAPE_KEEP;
}

static enum mcti_shape_outcome shape_item_argument(struct mcti_shape *s, struct mcti_str item)
{
    static const struct mcti_shape_rule rules[] = { { "title", MCT_REV_2025_06_18 } };
    mcti_shape_members(s, item, SHAPE_TABLE(rules));
    return SHAPE_KEEP;
}

static enum mcti_shape_outcome shape_item_arguments(struct mcti_shape *s, const struct mcti_json_member *m)
{
    return mcti_shape_each(s, m->value, shape_item_argument);
}

/* Clients are offered no tasks of 2025-11-25, so tools do not say that they support or need one. */
static enum mcti_shape_outcome tool_execution(struct mcti_shape *s, const struct mcti_json_member *m)
{
    struct mcti_str support = mcti_json_get(m->value, "taskSupport");
    (void)s;
    return mcti_json_is(support, "optional") || mcti_json_is(support, "required") ? SHAPE_LEAVE_OUT : SHAPE_KEEP;
}

#define ANY_ITEM                                                                                                       \
    { "name", .inside = exposed_name }, { "title", MCT_REV_2025_06_18 }, { "icons", MCT_REV_2025_11_25 },              \
    {                                                                                                                  \
        "_meta", MCT_REV_2025_06_18                                                                                    \
    }

static const struct mcti_shape_rule item_rules[] = { ANY_ITEM };
static const struct mcti_shape_rule prompt_rules[] = { ANY_ITEM, { "arguments", .inside = shape_item_arguments } };
static const struct mcti_shape_rule tool_rules[] = {
    ANY_ITEM,
    { "annotations", MCT_REV_2025_03_26 },
    { "execution", MCT_REV_2025_11_25, MCT_REV_2025_11_25, tool_execution },
    { "inputSchema", .inside = input_schema },
    { "outputSchema", MCT_REV_2025_06_18, 0, output_schema },
};

enum mcti_shape_outcome mcti_shape_tool(struct mcti_shape *s, struct mcti_str item)
{
    mcti_shape_members(s, item, SHAPE_TABLE(tool_rules));
    return SHAPE_KEEP;
}

/* Used within one revision. */
static const struct mcti_shape_rule same_rules[] = { { "name", .inside = exposed_name },
                                                     { "inputSchema", .inside = input_schema } };

static const struct mcti_shape_rule same_2025_rules[] = { { "name", .inside = exposed_name },
                                                          { "execution", .inside = tool_execution } };

void mcti_shape_item(struct mcti_buf *to, enum mcti_kind kind, struct mcti_str item, struct mcti_str name,
                     enum mcti_rev from, enum mcti_rev to_rev)
{
    struct mcti_shape s = { .edit = mcti_json_edit_open(to, item), .from = from, .to = to_rev, .name = name };
    bool headers = kind == MCT_TOOL && mcti_rev_is_stateless(to_rev);
    if (from == to_rev && kind == MCT_TOOL && to_rev == MCT_REV_2025_11_25)
        mcti_shape_members(&s, item, SHAPE_TABLE(same_2025_rules));
    else if (from == to_rev)
        mcti_shape_members(&s, item, same_rules, headers ? 2 : name.p ? 1 : 0);
    else if (kind == MCT_TOOL)
        mcti_shape_tool(&s, item);
    else if (kind == MCT_PROMPT)
        mcti_shape_members(&s, item, SHAPE_TABLE(prompt_rules));
    else
        mcti_shape_members(&s, item, SHAPE_TABLE(item_rules));
    mcti_json_edit_close(&s.edit, item);
}

void mcti_shape_implementation(struct mcti_buf *to, struct mcti_str info, enum mcti_rev to_rev)
{
    static const struct mcti_shape_rule rules[] = { { "title", MCT_REV_2025_06_18 },
                                                    { "description", MCT_REV_2025_11_25 },
                                                    { "icons", MCT_REV_2025_11_25 },
                                                    { "websiteUrl", MCT_REV_2025_11_25 } };
    struct mcti_shape s = { .edit = mcti_json_edit_open(to, info), .from = MCT_REV_LATEST, .to = to_rev };
    mcti_shape_members(&s, info, SHAPE_TABLE(rules));
    mcti_json_edit_close(&s.edit, info);
}
