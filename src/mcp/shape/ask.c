/* Converts questions of servers and the answers to them. */
#include "mcp/shape/impl.h"

#include "base/rand.h"
#include "mcp/extension.h"

/* ---- members of every question ---- */

static enum mcti_shape_outcome shape_ask_cannot(struct mcti_shape *s, const char *what)
{
    mcti_fail(s->err, MCT_ERR_UNSUPPORTED, "%s is not supported in revision %s", what, mcti_rev_text(s->to));
    return SHAPE_FAIL;
}

/* Removes the progress token and the id of a task, which are valid only on the server's connection. */
static enum mcti_shape_outcome ask_meta(struct mcti_shape *s, const struct mcti_json_member *m)
{
    static const struct mcti_shape_rule rules[] = { { "progressToken", .inside = mcti_shape_never },
                                                    { MCT_META_RELATED_TASK, .inside = mcti_shape_never } };
    return mcti_shape_without_all(s, m->value, SHAPE_TABLE(rules));
}

#define ANY_ASK                                                                                                        \
    { "_meta", .inside = ask_meta },                                                                                   \
    {                                                                                                                  \
        MCT_TASK_PARAM, .inside = mcti_shape_never                                                                     \
    }

static const struct mcti_shape_rule roots_rules[] = { ANY_ASK };

/* ---- elicitation ---- */

static size_t n_items(struct mcti_str array)
{
    struct mcti_str item;
    size_t n = 0;
    if (mcti_json_type(array) == '[')
        for (struct mcti_json_iter it = mcti_json_open(array); mcti_json_next_item(&it, &item);)
            n++;
    return n;
}

/* Writes "KEY":[…] with member `of` of each choice, or its const. */
static void shape_ask_put_choices(struct mcti_shape *s, const char *key, struct mcti_str choices, const char *of)
{
    struct mcti_buf *to = s->edit.to;
    struct mcti_str one;
    mcti_buf_printf(to, "\"%s\":", key);
    char before = '[';
    for (struct mcti_json_iter it = mcti_json_open(choices); mcti_json_next_item(&it, &one); before = ',') {
        struct mcti_str text = mcti_json_get(one, of);
        mcti_buf_addc(to, before);
        mcti_buf_add(to, mcti_json_type(text) == '"' ? text : mcti_json_get(one, "const"));
    }
    mcti_buf_addc(to, ']');
}

/* Converts titled choices: 2025-06-18 has enum and enumNames. */
static enum mcti_shape_outcome shape_ask_choices(struct mcti_shape *s, const struct mcti_json_member *m)
{
    struct mcti_str one;
    if (!n_items(m->value))
        return shape_ask_cannot(s, "a choice that is not a list");
    for (struct mcti_json_iter it = mcti_json_open(m->value); mcti_json_next_item(&it, &one);)
        if (mcti_json_type(mcti_json_get(one, "const")) != '"')
            return shape_ask_cannot(s, "a choice whose value is not a string");
    mcti_json_edit_cut(&s->edit, mcti_str_range(m->key.p - 1, m->value.p + m->value.len));
    shape_ask_put_choices(s, "enum", m->value, "const");
    mcti_buf_addc(s->edit.to, ',');
    shape_ask_put_choices(s, "enumNames", m->value, "title");
    return SHAPE_KEEP;
}

static enum mcti_shape_outcome shape_ask_fields(struct mcti_shape *s, const struct mcti_json_member *m)
{
    static const struct mcti_shape_rule rules[] = { { "oneOf", .inside = shape_ask_choices } };
    struct mcti_json_member field;
    struct mcti_json_iter it = mcti_json_open(m->value);
    int r = 0;
    if (mcti_json_type(m->value) != '{')
        return shape_ask_cannot(s, "a form without fields");
    while (r == 0 && mcti_json_next_member(&it, &field)) {
        if (mcti_json_is(mcti_json_get(field.value, "type"), "array"))
            return shape_ask_cannot(s, "a multiple choice");
        r = mcti_shape_members(s, field.value, SHAPE_TABLE(rules));
    }
    return r < 0 ? SHAPE_FAIL : SHAPE_KEEP;
}

static enum mcti_shape_outcome shape_ask_form(struct mcti_shape *s, const struct mcti_json_member *m)
{
    static const struct mcti_shape_rule rules[] = { { "properties", .inside = shape_ask_fields } };
    if (s->to >= MCT_REV_2025_11_25)
        return SHAPE_KEEP;
    return mcti_shape_members(s, m->value, SHAPE_TABLE(rules)) < 0 ? SHAPE_FAIL : SHAPE_KEEP;
}

static const struct mcti_shape_rule elicit_rules[] = {
    ANY_ASK,
    { "mode", MCT_REV_2025_11_25 },
    { "requestedSchema", .inside = shape_ask_form },
    { "elicitationId", MCT_REV_2025_11_25, MCT_REV_2025_11_25 },
};

static enum mcti_shape_outcome check_mode(struct mcti_shape *s, struct mcti_str mode)
{
    if (s->to < MCT_REV_2025_06_18)
        return shape_ask_cannot(s, "elicitation");
    if (s->to < MCT_REV_2025_11_25 && mode.p && !mcti_json_is(mode, "form"))
        return shape_ask_cannot(s, "an elicitation in another mode than form");
    return SHAPE_KEEP;
}

static int shape_ask_elicit(struct mcti_shape *s, struct mcti_str params)
{
    struct mcti_json_edit_members m;
    struct mcti_str mode = mcti_json_get(params, "mode");
    char id[33];
    if (check_mode(s, mode) == SHAPE_FAIL || mcti_shape_members_open(s, params, SHAPE_TABLE(elicit_rules), &m) < 0)
        return -1;
    if (s->to == MCT_REV_2025_11_25 && mcti_json_is(mode, "url") && !mcti_json_get(params, "elicitationId").p) {
        mcti_random_id(id);
        mcti_json_edit_add_key(&s->edit, &m, "elicitationId");
        mcti_json_put_string(s->edit.to, mcti_str_of(id));
    }
    return 0;
}

/* ---- sampling ---- */

static enum mcti_shape_outcome check_block(struct mcti_shape *s, struct mcti_str block)
{
    static const struct {
        const char *type, *what;
        enum mcti_rev since;
    } rows[] = {
        { "audio", "audio", MCT_REV_2025_03_26 },
        { "tool_use", "a tool_use block", MCT_REV_2025_11_25 },
        { "tool_result", "a tool_result block", MCT_REV_2025_11_25 },
    };
    struct mcti_str type = mcti_json_get(block, "type");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (s->to < rows[i].since && mcti_json_is(type, rows[i].type))
            return shape_ask_cannot(s, rows[i].what);
    return SHAPE_KEEP;
}

static enum mcti_shape_outcome tool_output(struct mcti_shape *s, const struct mcti_json_member *m)
{
    if (mcti_json_type(m->value) != '{')
        mcti_shape_wrap(s, m->value);
    return SHAPE_KEEP;
}

static enum mcti_shape_outcome sampling_block(struct mcti_shape *s, struct mcti_str block)
{
    static const struct mcti_shape_rule rules[] = { { "structuredContent", .inside = tool_output } };
    if (check_block(s, block) == SHAPE_FAIL)
        return SHAPE_FAIL;
    if (s->to == MCT_REV_2025_11_25)
        mcti_shape_members(s, block, SHAPE_TABLE(rules));
    return SHAPE_KEEP;
}

/* Converts the content: one block, or a list of blocks from 2025-11-25 on. */
static enum mcti_shape_outcome sampling_content(struct mcti_shape *s, const struct mcti_json_member *m)
{
    struct mcti_str v = m->value, only;
    if (mcti_json_type(v) != '[')
        return sampling_block(s, v);
    if (s->to >= MCT_REV_2025_11_25)
        return mcti_shape_each(s, v, sampling_block);
    if (n_items(v) != 1)
        return shape_ask_cannot(s, "content that is not exactly one block");
    struct mcti_json_iter it = mcti_json_open(v);
    mcti_json_next_item(&it, &only);
    mcti_json_edit_cut(&s->edit, mcti_str_range(v.p, only.p));
    enum mcti_shape_outcome f = sampling_block(s, only);
    mcti_json_edit_cut(&s->edit, mcti_str_range(only.p + only.len, v.p + v.len));
    return f;
}

static enum mcti_shape_outcome sampling_message(struct mcti_shape *s, struct mcti_str item)
{
    static const struct mcti_shape_rule rules[] = { { "content", .inside = sampling_content } };
    return mcti_shape_members(s, item, SHAPE_TABLE(rules)) < 0 ? SHAPE_FAIL : SHAPE_KEEP;
}

static enum mcti_shape_outcome sampling_messages(struct mcti_shape *s, const struct mcti_json_member *m)
{
    return mcti_shape_each(s, m->value, sampling_message);
}

static enum mcti_shape_outcome sampling_tools(struct mcti_shape *s, const struct mcti_json_member *m)
{
    if (s->to < MCT_REV_2025_11_25)
        return shape_ask_cannot(s, "sampling with tools");
    return mcti_shape_each(s, m->value, mcti_shape_tool);
}

static enum mcti_shape_outcome sampling_choice(struct mcti_shape *s, const struct mcti_json_member *m)
{
    (void)m;
    return s->to < MCT_REV_2025_11_25 ? shape_ask_cannot(s, "sampling with tools") : SHAPE_KEEP;
}

static const struct mcti_shape_rule sampling_rules[] = {
    ANY_ASK,
    { "messages", .inside = sampling_messages },
    { "tools", .inside = sampling_tools },
    { "toolChoice", .inside = sampling_choice },
};

/* ---- both directions ---- */

/* Begins a conversion. The writer's revision is unknown, so members of both eras are interpreted. */
static struct mcti_shape shape_ask_start(struct mcti_buf *to, struct mcti_str text, enum mcti_rev to_rev,
                                         struct mct_error *err)
{
    return (struct mcti_shape){ .edit = mcti_json_edit_open(to, text),
                                .to = to_rev,
                                .err = err,
                                .from = mcti_rev_is_stateless(to_rev) ? MCT_REV_LATEST_HANDSHAKE : MCT_REV_LATEST };
}

int mcti_shape_ask(struct mcti_buf *to, enum mcti_ask_kind kind, struct mcti_str params, enum mcti_rev to_rev,
                   struct mct_error *err)
{
    struct mcti_str text = params.p ? params : MCT_STR("{}");
    struct mcti_shape s = shape_ask_start(to, text, to_rev, err);
    if (mcti_json_type(text) != '{')
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the params of %s must be an object", mcti_ask_method(kind));
    int r = kind == MCT_ASK_ELICITATION ? shape_ask_elicit(&s, text)
            : kind == MCT_ASK_SAMPLING  ? mcti_shape_members(&s, text, SHAPE_TABLE(sampling_rules))
                                        : mcti_shape_members(&s, text, SHAPE_TABLE(roots_rules));
    mcti_json_edit_close(&s.edit, text);
    return r;
}

int mcti_shape_reply(struct mcti_buf *to, enum mcti_ask_kind kind, struct mcti_str reply, enum mcti_rev to_rev,
                     struct mct_error *err)
{
    static const struct mcti_shape_rule rules[] = { { "resultType", MCT_REV_2026_07_28 },
                                                    { "content", .inside = sampling_content } };
    struct mcti_shape s = shape_ask_start(to, reply, to_rev, err);
    if (mcti_json_type(reply) != '{')
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the answer must be an object");
    int r = mcti_rev_is_stateless(to_rev) ? 0 : mcti_shape_members(&s, reply, rules, kind == MCT_ASK_SAMPLING ? 2 : 1);
    mcti_json_edit_close(&s.edit, reply);
    return r;
}
