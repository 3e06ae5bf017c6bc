/* The profiles, and the way of one schema through its steps. */
#include "model/schema/impl.h"

#define GENERAL normal_refs, normal_openapi, normal_root, normal_array_items

static mct_schema_step_fn *const openclaw_steps[] = { GENERAL, NULL };
static mct_schema_step_fn *const gemini_steps[] = { GENERAL, normal_gemini, NULL };
static mct_schema_step_fn *const openai_steps[] = { normal_repair, GENERAL, normal_object_root, NULL };
static mct_schema_step_fn *const strict_steps[] = { GENERAL, normal_strict, NULL };
static mct_schema_step_fn *const object_steps[] = { GENERAL, normal_object_root, NULL };
static mct_schema_step_fn *const deepseek_steps[] = { GENERAL, normal_object_root, normal_deepseek, NULL };
static mct_schema_step_fn *const llamacpp_steps[] = { GENERAL, normal_grammar, normal_object_root, NULL };

static const char *const xai_strip[] = { "minContains", "maxContains", NULL };

const struct mct_schema_profile mct_schema_profiles[] = {
    { .name = "none", .summary = "as it is" },
    { .name = "openclaw", .summary = "references inlined, an object at the root", .steps = openclaw_steps },
    { .name = "gemini", .summary = "the subset Gemini takes", .steps = gemini_steps },
    { .name = "openai", .summary = "repaired, an object at the root", .steps = openai_steps },
    { .name = "openai-strict", .summary = "for \"strict\": true", .steps = strict_steps },
    { .name = "anthropic", .summary = "an object at the root", .steps = object_steps },
    { .name = "xai", .summary = "without minContains and maxContains", .steps = object_steps, .strip = xai_strip,
      .html_entities = true },
    { .name = "deepseek", .summary = "without anyOf and oneOf", .steps = deepseek_steps },
    { .name = "llamacpp", .summary = "what llama.cpp makes grammars of", .steps = llamacpp_steps },
    { 0 },
};

const struct mct_schema_profile *mct_schema_profile_find(struct mct_str name)
{
    for (const struct mct_schema_profile *p = mct_schema_profiles; p->name; p++)
        if (mct_str_is(name, p->name))
            return p;
    return NULL;
}

int normal_open(struct normal_run *run, struct mct_str schema, struct mct_error *err)
{
    struct mct_json_limits most = { MCT_LIMIT_SCHEMA_DEPTH, MCT_LIMIT_SCHEMA_NODES };
    *run = (struct normal_run){ .nodes_left = MCT_LIMIT_SCHEMA_GROWTH, .bytes_left = MCT_LIMIT_SCHEMA_GROWTH_BYTES,
                                .work_left = MCT_LIMIT_ARGUMENT_WORK };
    mct_json_tree_init(&run->tree, MCT_LIMIT_SCHEMA_BYTES);
    if (mct_json_tree_read(&run->tree, schema, most, &run->document, err) < 0)
        return mct_error_wrap(err, "the schema");
    if (run->document->type != '{')
        return mct_fail(err, MCT_ERR_USAGE, "the schema of a tool must be an object");
    return 0;
}

void normal_done(struct normal_run *run)
{
    mct_json_tree_done(&run->tree);
}

int normal_steps(struct normal_run *run, const struct mct_schema_profile *profile, struct mct_json_node **ret_root,
                 struct mct_error *err)
{
    struct mct_json_node *root = run->document;
    run->profile = profile;
    for (mct_schema_step_fn *const *step = profile->steps; step && *step; step++)
        root = (*step)(run, root);
    root = normal_strip(run, root, profile->strip);
    *ret_root = normal_strip(run, root, profile->extra);
    struct mct_json_size size = mct_json_node_size(*ret_root, SIZE_MAX);
    if (!mct_json_tree_ok(&run->tree))
        return mct_fail(err, MCT_ERR_LIMIT, "the schema becomes too long");
    return size.depth < MCT_LIMIT_JSON_DEPTH ? 0 : mct_fail(err, MCT_ERR_LIMIT, "the schema becomes too deep");
}

static int normalise(struct normal_run *run, struct mct_buf *to, const struct mct_schema_profile *profile,
                     struct mct_error *err)
{
    struct mct_json_node *root;
    if (normal_steps(run, profile, &root, err) < 0)
        return -1;
    mct_json_tree_write(to, root);
    return mct_buf_ok(to) ? 0 : mct_fail(err, MCT_ERR_LIMIT, "the schema becomes too long");
}

int mcti_schema_normalise(struct mct_buf *to, struct mct_str schema, const struct mct_schema_profile *profile,
                         struct mct_schema_report *ret, struct mct_error *err)
{
    struct normal_run run;
    int r = normal_open(&run, schema, err);
    if (r == 0 && !profile->steps && !profile->strip && !profile->extra)
        mct_buf_add(to, schema);
    else if (r == 0)
        r = normalise(&run, to, profile, err);
    if (ret && r == 0)
        ret->cut = run.cut;
    normal_done(&run);
    return r;
}
