/* The tables' engine, and results. */
#include "mcp/shape/impl.h"

#include "mcp/handshake.h"

/* ---- tables ---- */

static const struct shape_rule *find_rule(const struct shape_rule *rules, size_t n, struct mct_str key)
{
    for (size_t i = 0; i < n; i++)
        if (mct_json_key_is(key, rules[i].key))
            return &rules[i];
    return NULL;
}

/* A word of 2026-07-28 is an extra without meaning in what another server says, and stays one. */
static bool is_known(const struct shape *s, const struct shape_rule *r)
{
    bool early = r->since && s->to < r->since, late = r->until && s->to > r->until;
    return !late && (!early || (mct_rev_is_stateless(r->since) && !mct_rev_is_stateless(s->from)));
}

static enum shape_fate fate(struct shape *s, const struct shape_rule *r, const struct mct_json_member *m)
{
    if (!r)
        return SHAPE_KEEP;
    if (!is_known(s, r))
        return SHAPE_LEAVE_OUT;
    return r->inside ? r->inside(s, m) : SHAPE_KEEP;
}

int shape_members_open(struct shape *s, struct mct_str object, const struct shape_rule *rules, size_t n,
                       struct mct_json_edit_members *ret)
{
    struct mct_str around = s->whole;
    enum shape_fate f = SHAPE_KEEP;
    *ret = mct_json_edit_members(object);
    while (f != SHAPE_FAIL && mct_json_edit_next(&s->edit, ret)) {
        s->whole = object;
        f = fate(s, find_rule(rules, n, ret->now.key), &ret->now);
        if (f == SHAPE_LEAVE_OUT)
            mct_json_edit_leave_out(&s->edit, ret);
    }
    s->whole = around;
    return f == SHAPE_FAIL ? -1 : 0;
}

int shape_members(struct shape *s, struct mct_str object, const struct shape_rule *rules, size_t n)
{
    struct mct_json_edit_members m;
    return n ? shape_members_open(s, object, rules, n, &m) : 0;
}

enum shape_fate shape_each(struct shape *s, struct mct_str array, shape_item_fn *fn)
{
    struct mct_str item;
    enum shape_fate f = SHAPE_KEEP;
    if (mct_json_type(array) != '[')
        return f;
    for (struct mct_json_iter it = mct_json_open(array); f == SHAPE_KEEP && mct_json_next_item(&it, &item);)
        f = fn(s, item);
    return f;
}

enum shape_fate shape_never(struct shape *s, const struct mct_json_member *m)
{
    (void)s;
    (void)m;
    return SHAPE_LEAVE_OUT;
}

enum shape_fate shape_without(struct shape *s, struct mct_str value, const char *key)
{
    const struct shape_rule rule = { key, .inside = shape_never };
    struct mct_json_member m;
    size_t n_others = 0, n = 0;
    if (mct_json_type(value) != '{')
        return SHAPE_KEEP;
    for (struct mct_json_iter it = mct_json_open(value); mct_json_next_member(&it, &m); n++)
        n_others += !mct_json_key_is(m.key, key);
    if (n && !n_others)
        return SHAPE_LEAVE_OUT;
    shape_members(s, value, &rule, n == n_others ? 0 : 1);
    return SHAPE_KEEP;
}

/* ---- the envelope of a result ---- */

static bool is_upward(const struct shape *s)
{
    return mct_rev_is_stateless(s->to) && !mct_rev_is_stateless(s->from);
}

/* These words are ours to say about a handshake server's result. */
static enum shape_fate stateless_word(struct shape *s, const struct mct_json_member *m)
{
    (void)m;
    return is_upward(s) ? SHAPE_LEAVE_OUT : SHAPE_KEEP;
}

static enum shape_fate add_server_info(struct shape *s, struct mct_str meta)
{
    static const struct shape_rule rules[] = { { MCT_META_SERVER_INFO, .inside = shape_never } };
    struct mct_json_edit_members m;
    if (mct_json_type(meta) != '{') {
        mct_json_edit_replace(&s->edit, meta, MCT_STR("{\"" MCT_META_SERVER_INFO "\":" MCT_IMPLEMENTATION "}"));
        return SHAPE_KEEP;
    }
    shape_members_open(s, meta, SHAPE_TABLE(rules), &m);
    mct_json_edit_add_key(&s->edit, &m, MCT_META_SERVER_INFO);
    mct_buf_add(s->edit.to, MCT_STR(MCT_IMPLEMENTATION));
    return SHAPE_KEEP;
}

static enum shape_fate result_meta(struct shape *s, const struct mct_json_member *m)
{
    if (is_upward(s))
        return add_server_info(s, m->value);
    return shape_is_downward(s) ? shape_without(s, m->value, MCT_META_SERVER_INFO) : SHAPE_KEEP;
}

static bool has_hints(enum mct_verb verb)
{
    return verb == MCT_VERB_RESOURCES_READ || verb == MCT_VERB_DISCOVER ||
           (verb >= MCT_VERB_TOOLS_LIST && verb <= MCT_VERB_PROMPTS_LIST);
}

static void add_raw(struct shape *s, struct mct_json_edit_members *m, const char *key, struct mct_str value)
{
    mct_json_edit_add_key(&s->edit, m, key);
    mct_buf_add(s->edit.to, value);
}

static void add_stateless_words(struct shape *s, enum mct_verb verb, struct mct_str result,
                                struct mct_json_edit_members *m)
{
    if (!is_upward(s))
        return;
    add_raw(s, m, "resultType", MCT_STR("\"complete\""));
    if (!mct_json_get(result, "_meta").p)
        add_raw(s, m, "_meta", MCT_STR("{\"" MCT_META_SERVER_INFO "\":" MCT_IMPLEMENTATION "}"));
    if (!has_hints(verb))
        return;
    add_raw(s, m, "ttlMs", MCT_STR("0"));
    add_raw(s, m, "cacheScope", MCT_STR("\"private\""));
}

/* ---- what is in it ---- */

static void put_instead(struct shape *s)
{
    mct_buf_addc(s->edit.to, '[');
    shape_put_text_block(s->edit.to, s->instead);
    mct_buf_addc(s->edit.to, ']');
}

static enum shape_fate content(struct shape *s, const struct mct_json_member *m)
{
    struct mct_str first;
    struct mct_json_iter it = mct_json_open(m->value);
    if (s->instead.p && !mct_json_next_item(&it, &first)) {
        mct_json_edit_cut(&s->edit, m->value);
        put_instead(s);
    } else if (shape_blocks_differ(s->to)) {
        return shape_each(s, m->value, shape_block);
    }
    return SHAPE_KEEP;
}

static void add_content(struct shape *s, struct mct_str result, struct mct_json_edit_members *m)
{
    if (!s->instead.p || mct_json_get(result, "content").p)
        return;
    mct_json_edit_add_key(&s->edit, m, "content");
    put_instead(s);
}

static enum shape_fate structured(struct shape *s, const struct mct_json_member *m)
{
    if (shape_is_downward(s) && (mct_json_type(m->value) != '{' || mct_shape_wraps(s->output_schema)))
        shape_wrap(s, m->value);
    return SHAPE_KEEP;
}

static enum shape_fate message_content(struct shape *s, const struct mct_json_member *m)
{
    return mct_json_type(m->value) == '[' ? shape_each(s, m->value, shape_block) : shape_block(s, m->value);
}

static enum shape_fate message(struct shape *s, struct mct_str item)
{
    static const struct shape_rule rules[] = { { "content", .inside = message_content } };
    shape_members(s, item, SHAPE_TABLE(rules));
    return SHAPE_KEEP;
}

static enum shape_fate messages(struct shape *s, const struct mct_json_member *m)
{
    return shape_blocks_differ(s->to) ? shape_each(s, m->value, message) : SHAPE_KEEP;
}

#define ENVELOPE                                                                                                       \
    { "_meta", .inside = result_meta }, { "resultType", MCT_REV_2026_07_28, 0, stateless_word },                       \
    { "ttlMs", MCT_REV_2026_07_28, 0, stateless_word }, { "cacheScope", MCT_REV_2026_07_28, 0, stateless_word }

static const struct shape_rule any_rules[] = { ENVELOPE };
static const struct shape_rule call_rules[] = { ENVELOPE, { "content", .inside = content },
                                                { "structuredContent", MCT_REV_2025_06_18, 0, structured } };
static const struct shape_rule prompt_rules[] = { ENVELOPE, { "messages", .inside = messages } };

static int walk(struct shape *s, enum mct_verb verb, struct mct_str result, struct mct_json_edit_members *ret)
{
    if (verb == MCT_VERB_TOOLS_CALL)
        return shape_members_open(s, result, SHAPE_TABLE(call_rules), ret);
    if (verb == MCT_VERB_PROMPTS_GET)
        return shape_members_open(s, result, SHAPE_TABLE(prompt_rules), ret);
    return shape_members_open(s, result, SHAPE_TABLE(any_rules), ret);
}

static bool can_differ(enum mct_verb verb, enum mct_rev from, enum mct_rev to)
{
    if (mct_rev_is_stateless(from) != mct_rev_is_stateless(to))
        return true;
    return from != to && shape_blocks_differ(to) && (verb == MCT_VERB_TOOLS_CALL || verb == MCT_VERB_PROMPTS_GET);
}

/* 2026-07-28 "Results": a result without resultType counts as complete, but may not be passed on without one. */
static void add_result_type(struct shape *s, struct mct_str result)
{
    struct mct_json_edit_members m = mct_json_edit_members(result);
    while (mct_json_edit_next(&s->edit, &m))
        if (mct_json_key_is(m.now.key, "resultType"))
            return;
    add_raw(s, &m, "resultType", MCT_STR("\"complete\""));
}

void mct_shape_result(struct mct_buf *to, enum mct_verb verb, struct mct_str result, enum mct_rev from,
                      enum mct_rev to_rev, struct mct_str output_schema)
{
    struct shape s = { .edit = mct_json_edit_open(to, result), .from = from, .to = to_rev,
                       .output_schema = output_schema };
    struct mct_json_edit_members m;
    if (can_differ(verb, from, to_rev) && mct_json_type(result) == '{') {
        if (verb == MCT_VERB_TOOLS_CALL && to_rev < MCT_REV_2025_06_18)
            s.instead = mct_json_get(result, "structuredContent");
        walk(&s, verb, result, &m);
        add_content(&s, result, &m);
        add_stateless_words(&s, verb, result, &m);
    } else if (mct_rev_is_stateless(from) && mct_json_type(result) == '{') { /* and so is to_rev */
        add_result_type(&s, result);
    }
    mct_json_edit_close(&s.edit, result);
}

bool mct_shape_is_complete(struct mct_str result)
{
    struct mct_str type = mct_json_get(result, "resultType");
    return !type.p || mct_json_is(type, "complete");
}

void mct_shape_tool_says(struct mct_buf *to, struct mct_str text)
{
    mct_buf_addz(to, "{\"content\":[");
    shape_put_text_block(to, text);
    mct_buf_addz(to, "],\"isError\":true}");
}
