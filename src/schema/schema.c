/* Applies a schema to a value, and implements keywords that apply other schemas to the same value. */
#include "schema/value.h"

/* ---- evaluated children ---- */

static bool needs_marks(const struct mcti_schema_frame *f)
{
    char type = mcti_json_type(f->value);
    return (type == '[' && f->word[W_UNEVALUATED_ITEMS].p) || (type == '{' && f->word[W_UNEVALUATED_PROPERTIES].p);
}

/* Allocates the marks of a frame. Each frame has its own, because a schema sees what its own subschemas evaluated, but
 * not what sibling schemas did. */
static bool schema_track(struct mcti_schema_run *run, struct mcti_schema_frame *f,
                         const struct mcti_schema_frame *collector)
{
    f->tracks = collector || needs_marks(f);
    if (!f->tracks)
        return true;
    f->n_marks = collector ? collector->n_marks : mcti_schema_count(run, f->value);
    f->marks = run->marks.len;
    if (!mcti_schema_spend_bytes(run, f->n_marks))
        return false;
    char *fresh = mcti_buf_reserve(&run->marks, f->n_marks + 1); /* never of size 0 */
    if (!fresh)
        return mcti_schema_stop(run, "has too many members or items for the available memory");
    memset(fresh, 0, f->n_marks);
    run->marks.len += f->n_marks;
    return true;
}

/* Merges the marks of a matching schema into those of `collector`. */
static void merge_marks(struct mcti_schema_run *run, const struct mcti_schema_frame *f,
                        const struct mcti_schema_frame *collector, bool matched)
{
    if (!f->tracks || run->stopped)
        return;
    for (size_t i = 0; collector && matched && i < f->n_marks; i++)
        run->marks.p[collector->marks + i] |= run->marks.p[f->marks + i];
    run->marks.len = f->marks;
}

/* ---- one schema ---- */

static bool check_words(struct mcti_schema_run *run, struct mcti_schema_frame *f)
{
    char type = mcti_json_type(f->value);
    if (f->dialect <= D7 && f->word[W_REF].p) /* siblings of $ref are ignored up to draft-07 (core section 8.3) */
        return mcti_schema_ref(run, f, f->word[W_REF]);
    for (size_t i = 0; i < W_N; i++) {
        const struct mcti_schema_word *w = &mcti_schema_words[i];
        bool applies = f->word[i].p && w->check && (!w->on || w->on == type);
        if (applies && !w->check(run, f, f->word[i]))
            return false;
    }
    return !run->stopped;
}

static bool check_object(struct mcti_schema_run *run, struct mcti_str schema, struct mcti_str value,
                         const struct mcti_schema_frame *collector)
{
    struct mcti_schema_frame f = { .up = run->frame, .value = value };
    f.resource = mcti_schema_resource_at(run, schema.p);
    f.dialect = mcti_schema_resource(run, f.resource)->dialect;
    if (!mcti_schema_collect(run, schema, f.dialect, f.word) || !schema_track(run, &f, collector))
        return false;
    run->frame = &f;
    bool matches = check_words(run, &f);
    merge_marks(run, &f, collector, matches);
    run->frame = f.up;
    return matches;
}

static bool schema_apply(struct mcti_schema_run *run, struct mcti_str schema, struct mcti_str value,
                         const struct mcti_schema_frame *collector)
{
    char type = mcti_json_type(schema);
    if (!mcti_schema_spend(run, 16 + schema.len / 16))
        return false;
    if (type == 't')
        return true;
    if (type == 'f')
        return mcti_schema_mismatch(run, "is not allowed");
    if (type != '{')
        return mcti_schema_stop(run, "a schema must be an object or a boolean, not %.*s%s", MCT_SCHEMA_SHOW(schema));
    if (run->depth == MCT_SCHEMA_DEPTH)
        return mcti_schema_stop(run, "the schema refers to itself endlessly, or is nested too deeply");
    run->depth++;
    bool matches = check_object(run, schema, value, collector);
    run->depth--;
    return matches;
}

bool mcti_schema_apply(struct mcti_schema_run *run, struct mcti_str schema, struct mcti_str value,
                       const struct mcti_schema_place *at)
{
    const struct mcti_schema_place *was = run->at;
    run->at = at;
    bool matches = schema_apply(run, schema, value, NULL);
    run->at = was;
    return matches;
}

bool mcti_schema_apply_here(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str schema)
{
    return schema_apply(run, schema, f->value, f->tracks ? f : NULL);
}

/* Applies a schema without reporting a mismatch. */
static bool try_here(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str schema)
{
    run->quiet++;
    bool matches = mcti_schema_apply_here(run, f, schema);
    run->quiet--;
    return matches;
}

/* ---- keywords ---- */

bool mcti_schema_all_of(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_str schema;
    for (struct mcti_json_iter it = mcti_json_open(arg); mcti_schema_next(run, &it, &schema);)
        if (!mcti_schema_apply_here(run, f, schema))
            return false;
    return true;
}

bool mcti_schema_any_of(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_str schema;
    bool any = false;
    for (struct mcti_json_iter it = mcti_json_open(arg); (!any || f->tracks) && mcti_schema_next(run, &it, &schema);)
        any |= try_here(run, f, schema);
    return any || mcti_schema_mismatch(run, "matches none of the schemas of \"anyOf\"");
}

bool mcti_schema_one_of(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    struct mcti_str schema;
    size_t i = 0, first = 0;
    for (struct mcti_json_iter it = mcti_json_open(arg); mcti_schema_next(run, &it, &schema);) {
        i++;
        if (!try_here(run, f, schema))
            continue;
        if (first)
            return mcti_schema_mismatch(run, "matches schemas %zu and %zu of \"oneOf\"; it must match exactly one",
                                        first, i);
        first = i;
    }
    return first || mcti_schema_mismatch(run, "matches none of the schemas of \"oneOf\"");
}

bool mcti_schema_not(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    return !try_here(run, f, arg) || mcti_schema_mismatch(run, "matches the schema of \"not\"");
}

bool mcti_schema_if(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg)
{
    if (!f->word[W_THEN].p && !f->word[W_ELSE].p && !f->tracks)
        return true;
    struct mcti_str branch = f->word[try_here(run, f, arg) ? W_THEN : W_ELSE];
    return !branch.p || mcti_schema_apply_here(run, f, branch);
}

/* ---- the whole check ---- */

enum mcti_schema_verdict mcti_schema_check(struct mcti_str schema, struct mcti_str value, struct mcti_schema_fault *ret)
{
    static const struct mcti_schema_place root;
    struct mcti_schema_run run;
    mcti_schema_run_init(&run, ret);
    run.at = &root;
    schema = mcti_str_trim_white(schema);
    value = mcti_str_trim_white(value);
    bool matches = value.len ? mcti_schema_index(&run, schema) && mcti_schema_apply(&run, schema, value, &root)
                             : mcti_schema_stop(&run, "no value to check");
    bool stopped = run.stopped;
    mcti_schema_run_done(&run);
    return stopped ? MCT_SCHEMA_UNUSABLE : matches ? MCT_SCHEMA_VALID : MCT_SCHEMA_INVALID;
}
