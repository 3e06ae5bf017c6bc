/* Questions of servers, and the answers to them. */
#include "mcp/shape/impl.h"

#include "base/rand.h"
#include "mcp/task.h"

/* ---- what every question may have ---- */

static enum shape_fate cannot(struct shape *s, const char *what)
{
    mct_fail(s->err, MCT_ERR_UNSUPPORTED, "%s cannot be said in revision %s", what, mct_rev_text(s->to));
    return SHAPE_FAIL;
}

/* The token is good on the connection the question came on. */
static enum shape_fate ask_meta(struct shape *s, const struct mct_json_member *m)
{
    return shape_without(s, m->value, "progressToken");
}

#define ANY_ASK { "_meta", .inside = ask_meta }, { MCT_TASK_PARAM, .inside = shape_never }

static const struct shape_rule roots_rules[] = { ANY_ASK };

/* ---- elicitation ---- */

static size_t n_items(struct mct_str array)
{
    struct mct_str item;
    size_t n = 0;
    if (mct_json_type(array) == '[')
        for (struct mct_json_iter it = mct_json_open(array); mct_json_next_item(&it, &item);)
            n++;
    return n;
}

/* "KEY":[…] of the choices' member `of`, or else of their const. */
static void put_choices(struct shape *s, const char *key, struct mct_str choices, const char *of)
{
    struct mct_buf *to = s->edit.to;
    struct mct_str one;
    mct_buf_printf(to, "\"%s\":", key);
    char before = '[';
    for (struct mct_json_iter it = mct_json_open(choices); mct_json_next_item(&it, &one); before = ',') {
        struct mct_str text = mct_json_get(one, of);
        mct_buf_addc(to, before);
        mct_buf_add(to, mct_json_type(text) == '"' ? text : mct_json_get(one, "const"));
    }
    mct_buf_addc(to, ']');
}

/* 2025-06-18 has titled choices as enum and enumNames. */
static enum shape_fate choices(struct shape *s, const struct mct_json_member *m)
{
    struct mct_str one;
    if (!n_items(m->value))
        return cannot(s, "a choice that is no list of choices");
    for (struct mct_json_iter it = mct_json_open(m->value); mct_json_next_item(&it, &one);)
        if (mct_json_type(mct_json_get(one, "const")) != '"')
            return cannot(s, "a choice without a text as its value");
    mct_json_edit_cut(&s->edit, mct_str_range(m->key.p - 1, m->value.p + m->value.len));
    put_choices(s, "enum", m->value, "const");
    mct_buf_addc(s->edit.to, ',');
    put_choices(s, "enumNames", m->value, "title");
    return SHAPE_KEEP;
}

static enum shape_fate fields(struct shape *s, const struct mct_json_member *m)
{
    static const struct shape_rule rules[] = { { "oneOf", .inside = choices } };
    struct mct_json_member field;
    struct mct_json_iter it = mct_json_open(m->value);
    int r = 0;
    if (mct_json_type(m->value) != '{')
        return cannot(s, "a form without fields");
    while (r == 0 && mct_json_next_member(&it, &field)) {
        if (mct_json_is(mct_json_get(field.value, "type"), "array"))
            return cannot(s, "a choice of several values");
        r = shape_members(s, field.value, SHAPE_TABLE(rules));
    }
    return r < 0 ? SHAPE_FAIL : SHAPE_KEEP;
}

static enum shape_fate form(struct shape *s, const struct mct_json_member *m)
{
    static const struct shape_rule rules[] = { { "properties", .inside = fields } };
    if (s->to >= MCT_REV_2025_11_25)
        return SHAPE_KEEP;
    return shape_members(s, m->value, SHAPE_TABLE(rules)) < 0 ? SHAPE_FAIL : SHAPE_KEEP;
}

static const struct shape_rule elicit_rules[] = {
    ANY_ASK, { "mode", MCT_REV_2025_11_25 }, { "requestedSchema", .inside = form },
    { "elicitationId", MCT_REV_2025_11_25, MCT_REV_2025_11_25 },
};

static enum shape_fate check_mode(struct shape *s, struct mct_str mode)
{
    if (s->to < MCT_REV_2025_06_18)
        return cannot(s, "an elicitation");
    if (s->to < MCT_REV_2025_11_25 && mode.p && !mct_json_is(mode, "form"))
        return cannot(s, "an elicitation of another mode than form");
    return SHAPE_KEEP;
}

static int elicit(struct shape *s, struct mct_str params)
{
    struct mct_json_edit_members m;
    struct mct_str mode = mct_json_get(params, "mode");
    char id[33];
    if (check_mode(s, mode) == SHAPE_FAIL || shape_members_open(s, params, SHAPE_TABLE(elicit_rules), &m) < 0)
        return -1;
    if (s->to == MCT_REV_2025_11_25 && mct_json_is(mode, "url") && !mct_json_get(params, "elicitationId").p) {
        mct_random_id(id);
        mct_json_edit_add_key(&s->edit, &m, "elicitationId");
        mct_json_put_string(s->edit.to, mct_str_of(id));
    }
    return 0;
}

/* ---- sampling ---- */

static enum shape_fate check_block(struct shape *s, struct mct_str block)
{
    static const struct {
        const char *type, *what;
        enum mct_rev since;
    } rows[] = {
        { "audio", "audio", MCT_REV_2025_03_26 },
        { "tool_use", "the use of a tool", MCT_REV_2025_11_25 },
        { "tool_result", "the result of a tool", MCT_REV_2025_11_25 },
    };
    struct mct_str type = mct_json_get(block, "type");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (s->to < rows[i].since && mct_json_is(type, rows[i].type))
            return cannot(s, rows[i].what);
    return SHAPE_KEEP;
}

static enum shape_fate tool_output(struct shape *s, const struct mct_json_member *m)
{
    if (mct_json_type(m->value) != '{')
        shape_wrap(s, m->value);
    return SHAPE_KEEP;
}

static enum shape_fate sampling_block(struct shape *s, struct mct_str block)
{
    static const struct shape_rule rules[] = { { "structuredContent", .inside = tool_output } };
    if (check_block(s, block) == SHAPE_FAIL)
        return SHAPE_FAIL;
    if (s->to == MCT_REV_2025_11_25)
        shape_members(s, block, SHAPE_TABLE(rules));
    return SHAPE_KEEP;
}

/* One block, or from 2025-11-25 a list of them. */
static enum shape_fate sampling_content(struct shape *s, const struct mct_json_member *m)
{
    struct mct_str v = m->value, only;
    if (mct_json_type(v) != '[')
        return sampling_block(s, v);
    if (s->to >= MCT_REV_2025_11_25)
        return shape_each(s, v, sampling_block);
    if (n_items(v) != 1)
        return cannot(s, "content of another number of blocks than one");
    struct mct_json_iter it = mct_json_open(v);
    mct_json_next_item(&it, &only);
    mct_json_edit_cut(&s->edit, mct_str_range(v.p, only.p));
    enum shape_fate f = sampling_block(s, only);
    mct_json_edit_cut(&s->edit, mct_str_range(only.p + only.len, v.p + v.len));
    return f;
}

static enum shape_fate sampling_message(struct shape *s, struct mct_str item)
{
    static const struct shape_rule rules[] = { { "content", .inside = sampling_content } };
    return shape_members(s, item, SHAPE_TABLE(rules)) < 0 ? SHAPE_FAIL : SHAPE_KEEP;
}

static enum shape_fate sampling_messages(struct shape *s, const struct mct_json_member *m)
{
    return shape_each(s, m->value, sampling_message);
}

static enum shape_fate sampling_tools(struct shape *s, const struct mct_json_member *m)
{
    if (s->to < MCT_REV_2025_11_25)
        return cannot(s, "sampling with tools");
    return shape_each(s, m->value, shape_tool);
}

static enum shape_fate sampling_choice(struct shape *s, const struct mct_json_member *m)
{
    (void)m;
    return s->to < MCT_REV_2025_11_25 ? cannot(s, "sampling with tools") : SHAPE_KEEP;
}

static const struct shape_rule sampling_rules[] = {
    ANY_ASK, { "messages", .inside = sampling_messages }, { "tools", .inside = sampling_tools },
    { "toolChoice", .inside = sampling_choice },
};

/* ---- both ways ---- */

/* Who wrote it is not told: what the other era has is taken for meant. */
static struct shape start(struct mct_buf *to, struct mct_str text, enum mct_rev to_rev, struct mct_error *err)
{
    return (struct shape){ .edit = mct_json_edit_open(to, text), .to = to_rev, .err = err,
                           .from = mct_rev_is_stateless(to_rev) ? MCT_REV_LATEST_HANDSHAKE : MCT_REV_LATEST };
}

int mct_shape_ask(struct mct_buf *to, enum mct_ask_kind kind, struct mct_str params, enum mct_rev to_rev,
                  struct mct_error *err)
{
    struct mct_str text = params.p ? params : MCT_STR("{}");
    struct shape s = start(to, text, to_rev, err);
    if (mct_json_type(text) != '{')
        return mct_fail(err, MCT_ERR_PROTOCOL, "the params of %s must be an object", mct_ask_method(kind));
    int r = kind == MCT_ASK_ELICITATION ? elicit(&s, text)
            : kind == MCT_ASK_SAMPLING  ? shape_members(&s, text, SHAPE_TABLE(sampling_rules))
                                        : shape_members(&s, text, SHAPE_TABLE(roots_rules));
    mct_json_edit_close(&s.edit, text);
    return r;
}

int mct_shape_reply(struct mct_buf *to, enum mct_ask_kind kind, struct mct_str reply, enum mct_rev to_rev,
                    struct mct_error *err)
{
    static const struct shape_rule rules[] = { { "resultType", MCT_REV_2026_07_28 },
                                               { "content", .inside = sampling_content } };
    struct shape s = start(to, reply, to_rev, err);
    if (mct_json_type(reply) != '{')
        return mct_fail(err, MCT_ERR_PROTOCOL, "the answer must be an object");
    int r = mct_rev_is_stateless(to_rev) ? 0 : shape_members(&s, reply, rules, kind == MCT_ASK_SAMPLING ? 2 : 1);
    mct_json_edit_close(&s.edit, reply);
    return r;
}
