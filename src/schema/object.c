/* The keywords about objects. */
#include "schema/impl.h"

bool mct_schema_min_properties(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str arg)
{
    return mct_schema_at_least(run, mct_schema_count(run, f->value), arg, "members");
}

bool mct_schema_max_properties(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str arg)
{
    return mct_schema_at_most(run, mct_schema_count(run, f->value), arg, "members");
}

/* ---- members that must be there ---- */

static bool has_all(struct mct_schema_run *run, struct mct_str object, struct mct_str names, const char *why)
{
    struct mct_json_iter at = mct_json_open(object);
    struct mct_str name, found;
    for (struct mct_json_iter it = mct_json_open(names); mct_schema_next(run, &it, &name);) {
        if (mct_json_type(name) != '"')
            return mct_schema_stop(run, "the schema names a required member %.*s%s, which is no string",
                                   MCT_SCHEMA_SHOW(name));
        if (!mct_schema_find(run, object, &at, mct_schema_raw(name), &found))
            return mct_schema_say(run, "lacks the required member %.*s%s%s", MCT_SCHEMA_SHOW(name), why);
    }
    return true;
}

bool mct_schema_required(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str arg)
{
    return mct_schema_spend_bytes(run, arg.len) && has_all(run, f->value, arg, "");
}

/* What a member asks for by being there: other members, or a schema for the whole object. */
static bool dependent(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str what)
{
    if (mct_json_type(what) == '[')
        return has_all(run, f->value, what, ", which another member needs");
    return mct_schema_apply_here(run, f, what);
}

bool mct_schema_dependents(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str arg)
{
    struct mct_json_iter at = mct_json_open(f->value);
    struct mct_json_member m;
    struct mct_str found;
    if (!mct_schema_spend_bytes(run, arg.len))
        return false;
    for (struct mct_json_iter it = mct_json_open(arg); mct_schema_next_member(run, &it, &m);)
        if (mct_schema_find(run, f->value, &at, m.key, &found) && !dependent(run, f, m.value))
            return false;
    return true;
}

/* ---- schemas for members ---- */

bool mct_schema_property_names(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str arg)
{
    struct mct_json_member m;
    bool fits = true;
    for (struct mct_json_iter it = mct_json_open(f->value); fits && mct_schema_next_member(run, &it, &m);) {
        struct mct_str name = mct_json_key_value(m.key);
        run->quiet++;
        fits = mct_schema_apply(run, arg, name, run->at);
        run->quiet--;
        if (!fits)
            mct_schema_say(run, "must not have a member of the name %.*s%s", MCT_SCHEMA_SHOW(name));
    }
    return fits;
}

/* A member under the schemas of `properties` and `patternProperties`; *ret_known when there is one. */
static bool known_member(struct mct_schema_run *run, struct mct_schema_frame *f, const struct mct_json_member *m,
                         struct mct_json_iter *at, const struct mct_schema_place *place, bool *ret_known)
{
    struct mct_str properties = f->word[W_PROPERTIES], patterns = f->word[W_PATTERN_PROPERTIES], schema;
    struct mct_json_member row;
    *ret_known = at->p && mct_schema_find(run, properties, at, m->key, &schema);
    if (*ret_known && !mct_schema_apply(run, schema, m->value, place))
        return false;
    if (!patterns.p || !mct_schema_spend_bytes(run, patterns.len))
        return !run->stopped;
    for (struct mct_json_iter it = mct_json_open(patterns); mct_schema_next_member(run, &it, &row);) {
        if (!mct_schema_match(run, row.key, mct_schema_text(run, &run->text, m->key)))
            continue;
        *ret_known = true;
        if (!mct_schema_apply(run, row.value, m->value, place))
            return false;
    }
    return !run->stopped;
}

static bool is_first(struct mct_str arg, struct mct_str a, struct mct_str b)
{
    return arg.p == (a.p ? a.p : b.p ? b.p : arg.p);
}

/* One pass for `properties`, `patternProperties` and `additionalProperties`, made by the first of them. */
bool mct_schema_members(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str arg)
{
    struct mct_str properties = f->word[W_PROPERTIES], other = f->word[W_ADDITIONAL_PROPERTIES];
    if (!is_first(arg, properties, f->word[W_PATTERN_PROPERTIES]))
        return true;
    struct mct_json_iter it = mct_json_open(f->value), at = mct_json_open(properties);
    struct mct_json_member m;
    bool known;
    mct_schema_spend_bytes(run, f->value.len);
    for (size_t i = 0; mct_schema_next_member(run, &it, &m); i++) {
        struct mct_schema_place place = { .up = run->at, .key = m.key };
        if (!known_member(run, f, &m, &at, &place, &known))
            return false;
        if (!known && other.p && !mct_schema_apply(run, other, m.value, &place))
            return false;
        if (known || other.p)
            mct_schema_mark(run, f, i);
    }
    return true;
}

bool mct_schema_unevaluated_members(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str arg)
{
    struct mct_json_iter it = mct_json_open(f->value);
    struct mct_json_member m;
    mct_schema_spend_bytes(run, f->value.len);
    for (size_t i = 0; mct_schema_next_member(run, &it, &m); i++) {
        struct mct_schema_place place = { .up = run->at, .key = m.key };
        if (!run->marks.p[f->marks + i] && !mct_schema_apply(run, arg, m.value, &place))
            return false;
        mct_schema_mark(run, f, i);
    }
    return true;
}
