/* Keywords for objects. */
#include "schema/value.h"

bool mcti_schema_min_properties(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return mcti_schema_at_least(run, mcti_schema_count(run, f->value), arg, "members");
}

bool mcti_schema_max_properties(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return mcti_schema_at_most(run, mcti_schema_count(run, f->value), arg, "members");
}

/* ---- required members ---- */

static bool has_all(struct mcti_schema_run *run, struct mcti_str object, struct mcti_str names, const char *why)
{
    struct mcti_json_iter at = mcti_json_open(object);
    struct mcti_str name, found;
    for (struct mcti_json_iter it = mcti_json_open(names); mcti_schema_next(run, &it, &name);) {
        if (mcti_json_type(name) != '"')
            return mcti_schema_stop(run, "the schema's \"required\" contains %.*s%s, which is not a string",
                                    MCT_SCHEMA_SHOW(name));
        if (!mcti_schema_find(run, object, &at, mcti_schema_raw(name), &found))
            return mcti_schema_mismatch(run, "lacks the required member %.*s%s%s", MCT_SCHEMA_SHOW(name), why);
    }
    return true;
}

bool mcti_schema_required(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return mcti_schema_spend_bytes(run, arg.len) && has_all(run, f->value, arg, "");
}

/* Checks the requirements that follow from the presence of a member: other members, or a schema for the whole object.
 */
static bool object_dependent(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str what)
{
    if (mcti_json_type(what) == '[')
        return has_all(run, f->value, what, " (required by another member)");
    return mcti_schema_apply_here(run, f, what);
}

bool mcti_schema_dependents(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_json_iter at = mcti_json_open(f->value);
    struct mcti_json_member m;
    struct mcti_str found;
    if (!mcti_schema_spend_bytes(run, arg.len))
        return false;
    for (struct mcti_json_iter it = mcti_json_open(arg); mcti_schema_next_member(run, &it, &m);)
        if (mcti_schema_find(run, f->value, &at, m.key, &found) && !object_dependent(run, f, m.value))
            return false;
    return true;
}

/* ---- schemas for members ---- */

bool mcti_schema_property_names(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_json_member m;
    bool fits = true;
    for (struct mcti_json_iter it = mcti_json_open(f->value); fits && mcti_schema_next_member(run, &it, &m);) {
        struct mcti_str name = mcti_json_key_value(m.key);
        run->quiet++;
        fits = mcti_schema_apply(run, arg, name, run->at);
        run->quiet--;
        if (!fits)
            mcti_schema_mismatch(run, "must not have a member named %.*s%s", MCT_SCHEMA_SHOW(name));
    }
    return fits;
}

/* Checks a member against `properties` and `patternProperties`; sets *ret_known if one of them applies. */
static bool known_member(struct mcti_schema_run *run, struct mcti_schema_frame *f, const struct mcti_json_member *m,
                         struct mcti_json_iter *at, const struct mcti_schema_place *place, bool *ret_known)
{
    struct mcti_str properties = f->word[W_PROPERTIES], patterns = f->word[W_PATTERN_PROPERTIES], schema;
    struct mcti_json_member row;
    *ret_known = at->p && mcti_schema_find(run, properties, at, m->key, &schema);
    if (*ret_known && !mcti_schema_apply(run, schema, m->value, place))
        return false;
    if (!patterns.p || !mcti_schema_spend_bytes(run, patterns.len))
        return !run->stopped;
    for (struct mcti_json_iter it = mcti_json_open(patterns); mcti_schema_next_member(run, &it, &row);) {
        if (!mcti_schema_match(run, row.key, mcti_schema_text(run, &run->text, m->key)))
            continue;
        *ret_known = true;
        if (!mcti_schema_apply(run, row.value, m->value, place))
            return false;
    }
    return !run->stopped;
}

static bool object_is_first(struct mcti_str arg, struct mcti_str a, struct mcti_str b)
{
    return arg.p == (a.p ? a.p : b.p ? b.p : arg.p);
}

/* Checks `properties`, `patternProperties` and `additionalProperties` in one pass, on behalf of the first of them. */
bool mcti_schema_members(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_str properties = f->word[W_PROPERTIES], other = f->word[W_ADDITIONAL_PROPERTIES];
    if (!object_is_first(arg, properties, f->word[W_PATTERN_PROPERTIES]))
        return true;
    struct mcti_json_iter it = mcti_json_open(f->value), at = mcti_json_open(properties);
    struct mcti_json_member m;
    bool known;
    mcti_schema_spend_bytes(run, f->value.len);
    for (size_t i = 0; mcti_schema_next_member(run, &it, &m); i++) {
        struct mcti_schema_place place = { .up = run->at, .key = m.key };
        if (!known_member(run, f, &m, &at, &place, &known))
            return false;
        if (!known && other.p && !mcti_schema_apply(run, other, m.value, &place))
            return false;
        if (known || other.p)
            mcti_schema_mark(run, f, i);
    }
    return true;
}

bool mcti_schema_unevaluated_members(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_json_iter it = mcti_json_open(f->value);
    struct mcti_json_member m;
    mcti_schema_spend_bytes(run, f->value.len);
    for (size_t i = 0; mcti_schema_next_member(run, &it, &m); i++) {
        struct mcti_schema_place place = { .up = run->at, .key = m.key };
        if (!run->marks.p[f->marks + i] && !mcti_schema_apply(run, arg, m.value, &place))
            return false;
        mcti_schema_mark(run, f, i);
    }
    return true;
}
