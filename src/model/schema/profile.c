/* The table of profiles, and the run of a schema through the steps of one. */
#include "model/schema/impl.h"

/* The steps of every provider: those of OpenClaw, the forms of 2020-12, and an object at the root. */
#define GENERAL                                                                                                        \
    mcti_normal_refs, mcti_normal_openapi, mcti_normal_modern, mcti_normal_root, mcti_normal_array_items,              \
        mcti_normal_object_root

static mcti_schema_step_fn *const openclaw_steps[] = { mcti_normal_refs, mcti_normal_openapi, mcti_normal_root,
                                                       mcti_normal_array_items, NULL };
static mcti_schema_step_fn *const gemini_steps[] = { mcti_normal_refs,          mcti_normal_openapi,
                                                     mcti_normal_root,          mcti_normal_array_items,
                                                     mcti_normal_object_root,   mcti_normal_gemini,
                                                     mcti_normal_modern,        mcti_normal_gemini_subset,
                                                     mcti_normal_property_keys, NULL };
static mcti_schema_step_fn *const openai_steps[] = { mcti_normal_repair, GENERAL, NULL };
static mcti_schema_step_fn *const strict_steps[] = { GENERAL, mcti_normal_strict, NULL };
static mcti_schema_step_fn *const object_steps[] = { GENERAL, NULL };
static mcti_schema_step_fn *const anthropic_steps[] = { GENERAL, mcti_normal_property_keys, NULL };
static mcti_schema_step_fn *const deepseek_steps[] = { GENERAL, mcti_normal_deepseek, NULL };
static mcti_schema_step_fn *const llamacpp_steps[] = { GENERAL, mcti_normal_grammar, NULL };

static const char *const xai_strip[] = { "minContains", "maxContains", NULL };

const struct mcti_schema_profile mcti_schema_profiles[] = {
    { .name = "none", .summary = "as it is" },
    { .name = "openclaw", .summary = "references inlined, an object at the root", .steps = openclaw_steps },
    { .name = "gemini",
      .summary = "the subset that Gemini accepts",
      .steps = gemini_steps,
      .rules = &mcti_rules_gemini },
    { .name = "openai",
      .summary = "repaired, an object at the root",
      .steps = openai_steps,
      .rules = &mcti_rules_openai },
    { .name = "openai-strict", .summary = "for \"strict\": true", .steps = strict_steps, .rules = &mcti_rules_openai },
    { .name = "anthropic",
      .summary = "an object at the root",
      .steps = anthropic_steps,
      .rules = &mcti_rules_anthropic },
    { .name = "xai",
      .summary = "without minContains and maxContains",
      .steps = object_steps,
      .strip = xai_strip,
      .html_entities = true,
      .rules = &mcti_rules_xai },
    { .name = "deepseek",
      .summary = "without anyOf and oneOf",
      .steps = deepseek_steps,
      .rules = &mcti_rules_deepseek },
    { .name = "llamacpp",
      .summary = "the subset that llama.cpp converts to grammars",
      .steps = llamacpp_steps,
      .rules = &mcti_rules_llamacpp },
    { 0 },
};

const struct mcti_schema_profile *mcti_schema_profile_find(struct mcti_str name)
{
    for (const struct mcti_schema_profile *p = mcti_schema_profiles; p->name; p++)
        if (mcti_str_is(name, p->name))
            return p;
    return NULL;
}

int mcti_normal_open(struct mcti_normal_run *run, struct mcti_str schema, struct mct_error *err)
{
    struct mcti_json_limits most = { MCT_LIMIT_SCHEMA_DEPTH, MCT_LIMIT_SCHEMA_NODES };
    *run = (struct mcti_normal_run){ .nodes_left = MCT_LIMIT_SCHEMA_GROWTH,
                                     .bytes_left = MCT_LIMIT_SCHEMA_GROWTH_BYTES,
                                     .work_left = MCT_LIMIT_ARGUMENT_WORK };
    mcti_json_tree_init(&run->tree, MCT_LIMIT_SCHEMA_BYTES);
    if (mcti_json_tree_read(&run->tree, schema, most, &run->document, err) < 0)
        return mcti_error_wrap(err, "the schema");
    if (run->document->type != '{')
        return mcti_fail(err, MCT_ERR_USAGE, "the schema of a tool must be an object");
    return 0;
}

void mcti_normal_done(struct mcti_normal_run *run)
{
    mcti_json_tree_done(&run->tree);
}

int mcti_normal_steps(struct mcti_normal_run *run, const struct mcti_schema_profile *profile,
                      struct mcti_json_node **ret_root, struct mct_error *err)
{
    struct mcti_json_node *root = run->document;
    run->profile = profile;
    for (mcti_schema_step_fn *const *step = profile->steps; step && *step; step++)
        root = (*step)(run, root);
    root = mcti_normal_strip(run, root, profile->strip);
    *ret_root = mcti_normal_strip(run, root, profile->extra);
    if (run->clash)
        return mcti_fail(err, MCT_ERR_USAGE, "two of its properties would get the same name");
    struct mcti_json_size size = mcti_json_node_size(*ret_root, SIZE_MAX);
    if (!mcti_json_tree_ok(&run->tree))
        return mcti_fail(err, MCT_ERR_LIMIT, "the normalised schema is too long");
    return size.depth < MCT_LIMIT_JSON_DEPTH ? 0 : mcti_fail(err, MCT_ERR_LIMIT, "the normalised schema is too deep");
}

static int profile_normalise(struct mcti_normal_run *run, struct mcti_buf *to,
                             const struct mcti_schema_profile *profile, struct mct_error *err)
{
    struct mcti_json_node *root;
    if (mcti_normal_steps(run, profile, &root, err) < 0)
        return -1;
    mcti_json_tree_write(to, root);
    return mcti_buf_ok(to) ? 0 : mcti_fail(err, MCT_ERR_LIMIT, "the normalised schema is too long");
}

int mcti_schema_normalise(struct mcti_buf *to, struct mcti_str schema, const struct mcti_schema_profile *profile,
                          struct mcti_schema_report *ret, struct mct_error *err)
{
    struct mcti_normal_run run;
    int r = mcti_normal_open(&run, schema, err);
    if (r == 0 && !profile->steps && !profile->strip && !profile->extra)
        mcti_buf_add(to, schema);
    else if (r == 0)
        r = profile_normalise(&run, to, profile, err);
    if (ret && r == 0)
        ret->cut = run.cut;
    mcti_normal_done(&run);
    return r;
}
