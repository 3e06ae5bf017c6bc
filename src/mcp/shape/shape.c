/* Applies the tables, and converts results. */
#include "mcp/shape/impl.h"

#include "mcp/handshake.h"

/* ---- tables ---- */

static const struct mcti_shape_rule *find_rule(const struct mcti_shape_rule *rules, size_t n, struct mcti_str key)
{
    for (size_t i = 0; i < n; i++)
        if (mcti_json_key_is(key, rules[i].key))
            return &rules[i];
    return NULL;
}

/* Returns true if the target revision has the member. A 2026-07-28 member of a handshake server is an extension without
 * that meaning and is kept. */
static bool is_known(const struct mcti_shape *s, const struct mcti_shape_rule *r)
{
    bool early = r->since && s->to < r->since, late = r->until && s->to > r->until;
    return !late && (!early || (mcti_rev_is_stateless(r->since) && !mcti_rev_is_stateless(s->from)));
}

static enum mcti_shape_outcome shape_fate(struct mcti_shape *s, const struct mcti_shape_rule *r,
                                          const struct mcti_json_member *m)
{
    if (!r)
        return SHAPE_KEEP;
    if (!is_known(s, r))
        return SHAPE_LEAVE_OUT;
    return r->inside ? r->inside(s, m) : SHAPE_KEEP;
}

int mcti_shape_members_open(struct mcti_shape *s, struct mcti_str object, const struct mcti_shape_rule *rules, size_t n,
                            struct mcti_json_edit_members *ret)
{
    struct mcti_str around = s->whole;
    enum mcti_shape_outcome f = SHAPE_KEEP;
    *ret = mcti_json_edit_members(object);
    while (f != SHAPE_FAIL && mcti_json_edit_next(&s->edit, ret)) {
        s->whole = object;
        f = shape_fate(s, find_rule(rules, n, ret->now.key), &ret->now);
        if (f == SHAPE_LEAVE_OUT)
            mcti_json_edit_leave_out(&s->edit, ret);
    }
    s->whole = around;
    return f == SHAPE_FAIL ? -1 : 0;
}

int mcti_shape_members(struct mcti_shape *s, struct mcti_str object, const struct mcti_shape_rule *rules, size_t n)
{
    struct mcti_json_edit_members m;
    return n ? mcti_shape_members_open(s, object, rules, n, &m) : 0;
}

enum mcti_shape_outcome mcti_shape_each(struct mcti_shape *s, struct mcti_str array, mcti_shape_item_fn *fn)
{
    struct mcti_str item;
    enum mcti_shape_outcome f = SHAPE_KEEP;
    if (mcti_json_type(array) != '[')
        return f;
    for (struct mcti_json_iter it = mcti_json_open(array); f == SHAPE_KEEP && mcti_json_next_item(&it, &item);)
        f = fn(s, item);
    return f;
}

enum mcti_shape_outcome mcti_shape_never(struct mcti_shape *s, const struct mcti_json_member *m)
{
    (void)s;
    (void)m;
    return SHAPE_LEAVE_OUT;
}

enum mcti_shape_outcome mcti_shape_without(struct mcti_shape *s, struct mcti_str value, const char *key)
{
    const struct mcti_shape_rule rule = { key, .inside = mcti_shape_never };
    return mcti_shape_without_all(s, value, &rule, 1);
}

enum mcti_shape_outcome mcti_shape_without_all(struct mcti_shape *s, struct mcti_str value,
                                               const struct mcti_shape_rule *rules, size_t n_rules)
{
    struct mcti_json_member m;
    size_t n_others = 0, n = 0;
    if (mcti_json_type(value) != '{')
        return SHAPE_KEEP;
    for (struct mcti_json_iter it = mcti_json_open(value); mcti_json_next_member(&it, &m); n++)
        n_others += !find_rule(rules, n_rules, m.key);
    if (n && !n_others)
        return SHAPE_LEAVE_OUT;
    mcti_shape_members(s, value, rules, n == n_others ? 0 : n_rules);
    return SHAPE_KEEP;
}

/* ---- the envelope of a result ---- */

static bool is_upward(const struct mcti_shape *s)
{
    return mcti_rev_is_stateless(s->to) && !mcti_rev_is_stateless(s->from);
}

/* Drops members that the gateway itself adds to a handshake server's result. */
static enum mcti_shape_outcome stateless_member(struct mcti_shape *s, const struct mcti_json_member *m)
{
    (void)m;
    return is_upward(s) ? SHAPE_LEAVE_OUT : SHAPE_KEEP;
}

static enum mcti_shape_outcome add_server_info(struct mcti_shape *s, struct mcti_str meta)
{
    static const struct mcti_shape_rule rules[] = { { MCT_META_SERVER_INFO, .inside = mcti_shape_never } };
    struct mcti_json_edit_members m;
    if (mcti_json_type(meta) != '{') {
        mcti_json_edit_replace(&s->edit, meta, MCT_STR("{\"" MCT_META_SERVER_INFO "\":" MCT_IMPLEMENTATION "}"));
        return SHAPE_KEEP;
    }
    mcti_shape_members_open(s, meta, SHAPE_TABLE(rules), &m);
    mcti_json_edit_add_key(&s->edit, &m, MCT_META_SERVER_INFO);
    mcti_buf_add(s->edit.to, MCT_STR(MCT_IMPLEMENTATION));
    return SHAPE_KEEP;
}

static enum mcti_shape_outcome result_meta(struct mcti_shape *s, const struct mcti_json_member *m)
{
    if (is_upward(s))
        return add_server_info(s, m->value);
    return mcti_shape_is_downward(s) ? mcti_shape_without(s, m->value, MCT_META_SERVER_INFO) : SHAPE_KEEP;
}

/* Returns whether the result has cache hints in 2026-07-28: those of lists and reads, and of skills/list and skills/get
 * (SEP-2640). */
static bool has_hints(enum mcti_verb verb, struct mcti_str result)
{
    bool of_skills = verb == MCT_VERB_FOREIGN && (mcti_json_type(mcti_json_get(result, "skills")) == '[' ||
                                                  mcti_json_type(mcti_json_get(result, "skill")) == '{');
    return of_skills || verb == MCT_VERB_RESOURCES_READ || verb == MCT_VERB_DISCOVER ||
           (verb >= MCT_VERB_TOOLS_LIST && verb <= MCT_VERB_PROMPTS_LIST);
}

static void add_raw(struct mcti_shape *s, struct mcti_json_edit_members *m, const char *key, struct mcti_str value)
{
    mcti_json_edit_add_key(&s->edit, m, key);
    mcti_buf_add(s->edit.to, value);
}

static void add_stateless_members(struct mcti_shape *s, enum mcti_verb verb, struct mcti_str result,
                                  struct mcti_json_edit_members *m)
{
    if (!is_upward(s))
        return;
    add_raw(s, m, "resultType", MCT_STR("\"complete\""));
    if (!mcti_json_get(result, "_meta").p)
        add_raw(s, m, "_meta", MCT_STR("{\"" MCT_META_SERVER_INFO "\":" MCT_IMPLEMENTATION "}"));
    if (!has_hints(verb, result))
        return;
    add_raw(s, m, "ttlMs", MCT_STR("0"));
    add_raw(s, m, "cacheScope", MCT_STR("\"private\""));
}

/* ---- the content of a result ---- */

static void put_instead(struct mcti_shape *s)
{
    mcti_buf_addc(s->edit.to, '[');
    mcti_shape_put_text_block(s->edit.to, s->instead);
    mcti_buf_addc(s->edit.to, ']');
}

static enum mcti_shape_outcome shape_content(struct mcti_shape *s, const struct mcti_json_member *m)
{
    struct mcti_str first;
    struct mcti_json_iter it = mcti_json_open(m->value);
    if (s->instead.p && !mcti_json_next_item(&it, &first)) {
        mcti_json_edit_cut(&s->edit, m->value);
        put_instead(s);
    } else if (mcti_shape_blocks_differ(s->to)) {
        return mcti_shape_each(s, m->value, mcti_shape_block);
    }
    return SHAPE_KEEP;
}

static void add_content(struct mcti_shape *s, struct mcti_str result, struct mcti_json_edit_members *m)
{
    if (!s->instead.p || mcti_json_get(result, "content").p)
        return;
    mcti_json_edit_add_key(&s->edit, m, "content");
    put_instead(s);
}

static enum mcti_shape_outcome shape_structured(struct mcti_shape *s, const struct mcti_json_member *m)
{
    if (mcti_shape_is_downward(s) && (mcti_json_type(m->value) != '{' || mcti_shape_wraps(s->output_schema)))
        mcti_shape_wrap(s, m->value);
    return SHAPE_KEEP;
}

static enum mcti_shape_outcome message_content(struct mcti_shape *s, const struct mcti_json_member *m)
{
    return mcti_json_type(m->value) == '[' ? mcti_shape_each(s, m->value, mcti_shape_block)
                                           : mcti_shape_block(s, m->value);
}

static enum mcti_shape_outcome shape_message(struct mcti_shape *s, struct mcti_str item)
{
    static const struct mcti_shape_rule rules[] = { { "content", .inside = message_content } };
    mcti_shape_members(s, item, SHAPE_TABLE(rules));
    return SHAPE_KEEP;
}

static enum mcti_shape_outcome shape_messages(struct mcti_shape *s, const struct mcti_json_member *m)
{
    return mcti_shape_blocks_differ(s->to) ? mcti_shape_each(s, m->value, shape_message) : SHAPE_KEEP;
}

#define ENVELOPE                                                                                                       \
    { "_meta", .inside = result_meta }, { "resultType", MCT_REV_2026_07_28, 0, stateless_member },                     \
        { "ttlMs", MCT_REV_2026_07_28, 0, stateless_member },                                                          \
    {                                                                                                                  \
        "cacheScope", MCT_REV_2026_07_28, 0, stateless_member                                                          \
    }

static const struct mcti_shape_rule any_rules[] = { ENVELOPE };
static const struct mcti_shape_rule call_rules[] = { ENVELOPE,
                                                     { "content", .inside = shape_content },
                                                     { "structuredContent", MCT_REV_2025_06_18, 0, shape_structured } };
static const struct mcti_shape_rule prompt_rules[] = { ENVELOPE, { "messages", .inside = shape_messages } };

static int shape_walk(struct mcti_shape *s, enum mcti_verb verb, struct mcti_str result,
                      struct mcti_json_edit_members *ret)
{
    if (verb == MCT_VERB_TOOLS_CALL)
        return mcti_shape_members_open(s, result, SHAPE_TABLE(call_rules), ret);
    if (verb == MCT_VERB_PROMPTS_GET)
        return mcti_shape_members_open(s, result, SHAPE_TABLE(prompt_rules), ret);
    return mcti_shape_members_open(s, result, SHAPE_TABLE(any_rules), ret);
}

static bool can_differ(enum mcti_verb verb, enum mcti_rev from, enum mcti_rev to)
{
    if (mcti_rev_is_stateless(from) != mcti_rev_is_stateless(to))
        return true;
    return from != to && mcti_shape_blocks_differ(to) && (verb == MCT_VERB_TOOLS_CALL || verb == MCT_VERB_PROMPTS_GET);
}

/* Adds a missing resultType: such a result counts as complete, but must not be passed on without the member
 * (2026-07-28, "Results"). */
static void add_result_type(struct mcti_shape *s, struct mcti_str result)
{
    struct mcti_json_edit_members m = mcti_json_edit_members(result);
    while (mcti_json_edit_next(&s->edit, &m))
        if (mcti_json_key_is(m.now.key, "resultType"))
            return;
    add_raw(s, &m, "resultType", MCT_STR("\"complete\""));
}

void mcti_shape_result(struct mcti_buf *to, enum mcti_verb verb, struct mcti_str result, enum mcti_rev from,
                       enum mcti_rev to_rev, struct mcti_str output_schema)
{
    struct mcti_shape s = {
        .edit = mcti_json_edit_open(to, result), .from = from, .to = to_rev, .output_schema = output_schema
    };
    struct mcti_json_edit_members m;
    if (can_differ(verb, from, to_rev) && mcti_json_type(result) == '{') {
        if (verb == MCT_VERB_TOOLS_CALL && to_rev < MCT_REV_2025_06_18)
            s.instead = mcti_json_get(result, "structuredContent");
        shape_walk(&s, verb, result, &m);
        add_content(&s, result, &m);
        add_stateless_members(&s, verb, result, &m);
    } else if (mcti_rev_is_stateless(from) && mcti_json_type(result) == '{') { /* to_rev is stateless, too */
        add_result_type(&s, result);
    }
    mcti_json_edit_close(&s.edit, result);
}

bool mcti_shape_is_complete(struct mcti_str result)
{
    struct mcti_str type = mcti_json_get(result, "resultType");
    return !type.p || mcti_json_is(type, "complete");
}

void mcti_shape_tool_says(struct mcti_buf *to, struct mcti_str text)
{
    mcti_buf_addz(to, "{\"content\":[");
    mcti_shape_put_text_block(to, text);
    mcti_buf_addz(to, "],\"isError\":true}");
}
