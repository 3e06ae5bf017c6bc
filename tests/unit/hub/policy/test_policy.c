/* Read-only mode: which tools only look, and what is said of the others. */
#include "unit.h"

#include "hub/view/view.h"
#include "hub/policy/policy.h"
#include "hub/local/local.h"
#include "mcp/shape/shape.h"

static struct mcti_sched sched;
static struct mcti_registry registry;
static struct mcti_view view;

static void add_provider(const char *name, const char *const *tools)
{
    struct mcti_provider *p = mcti_provider_local_new(name, &sched, NULL);
    assert_non_null(p);
    for (; *tools; tools++)
        assert_int_equal(mcti_items_add(&p->items[MCT_TOOL], mcti_item_new(MCT_TOOL, mcti_str_of(*tools))), 0);
    assert_int_equal(mcti_registry_add(&registry, p), 0);
}

static void open_registry(const char *const *only, size_t n_only)
{
    static const struct mcti_naming naming = { "double", NULL, MCT_PREFIX_AUTO, 64 };
    static const char *const tools[] = { "{\"name\":\"get\",\"annotations\":{\"readOnlyHint\":true}}",
                                         "{\"name\":\"put\",\"annotations\":{\"readOnlyHint\":false}}",
                                         "{\"name\":\"a.b\"}",
                                         "{\"name\":\"odd\",\"annotations\":{\"readOnlyHint\":\"true\"}}", NULL };
    mcti_sched_init(&sched);
    mcti_registry_init(&registry, &sched);
    add_provider("s", tools);
    add_provider("t", tools);
    assert_int_equal(mcti_view_init(&view, &registry, &(struct mcti_view_opts){ &naming, only, n_only }), 0);
}

static void close_registry(void)
{
    mcti_view_done(&view);
    mcti_registry_done(&registry);
}

static bool is_read_only(const struct mcti_policy *p, const char *name)
{
    const struct mcti_exposure *x = mcti_view_named(&view, MCT_TOOL, mcti_str_of(name), NULL);
    assert_non_null(x);
    return mcti_view_is_read_only(&view, p, x);
}

/* One row a tool of s, in a policy of at most one glob each. */
struct row {
    const char *name;
    bool trusted, only_looks;
    const char *read_only, *mutating;
    bool expected;
};

static void check_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &rows[i];
        const struct mcti_policy p = { .read_only_tools = &r->read_only,
                                       .n_read_only_tools = r->read_only != NULL,
                                       .mutating_tools = &r->mutating,
                                       .n_mutating_tools = r->mutating != NULL };
        registry.v[0]->trusted = r->trusted;
        registry.v[0]->read_only = r->only_looks;
        if (is_read_only(&p, r->name) != r->expected)
            fail_msg("row %zu: %s is %sread-only", i, r->name, r->expected ? "not " : "");
    }
}

static void classes(void **state)
{
    static const struct row rows[] = {
        { "s__get", false, false, NULL, NULL, false }, /* anybody can say that */
        { "s__get", true, false, NULL, NULL, true },         { "s__put", true, false, NULL, NULL, false },
        { "s__a_b", true, false, NULL, NULL, false },        { "s__odd", true, false, NULL, NULL, false },
        { "t__get", true, false, NULL, NULL, false }, /* it is s that is trusted */
        { "s__put", false, true, NULL, NULL, true },         { "t__put", false, true, NULL, NULL, false },
        { "s__put", false, true, NULL, "*", true },          { "s__put", false, false, "s.put", NULL, true },
        { "s__put", false, false, "s.*", NULL, true },       { "s__put", false, false, "?.put", NULL, true },
        { "s__put", false, false, "s__put", NULL, true },    { "s__put", false, false, "put", NULL, false },
        { "s__put", false, false, "S.put", NULL, false },    { "t__put", false, false, "s.put", NULL, false },
        { "s__a_b", false, false, "s.a.b", NULL, true },     { "s__a_b", false, false, "s__a_b", NULL, true },
        { "s__get", true, false, NULL, "s.get", false },     { "s__get", true, false, NULL, "s__get", false },
        { "s__get", true, false, NULL, "t.*", true },        { "s__get", true, false, "s.get", "*.get", false },
        { "s__put", false, false, "s.put", "s__p*", false },
    };
    (void)state;
    open_registry(NULL, 0);
    check_rows(rows, sizeof rows / sizeof *rows);
    close_registry();
}

/* At /mcp/s nothing is prefixed; a list that names the prefixed name holds there, too. */
static void classes_do_not_depend_on_the_prefix(void **state)
{
    static const char *const only[] = { "s" };
    static const struct row rows[] = {
        { "get", true, false, NULL, "s__get", false }, { "get", true, false, NULL, "s.get", false },
        { "get", true, false, NULL, "get", false },    { "get", true, false, NULL, NULL, true },
        { "put", false, false, "s__put", NULL, true }, { "put", false, false, "t__put", NULL, false },
        { "put", false, false, "put", NULL, false }, /* any server may have a tool of that name */
    };
    (void)state;
    open_registry(only, 1);
    check_rows(rows, sizeof rows / sizeof *rows);
    close_registry();
}

/* ---- names that depend on the view ---- */

struct named_row {
    const char *server; /* shown alone; NULL: all are shown */
    enum mcti_prefix prefix;
    const char *name, *read_only, *mutating;
    bool expected;
};

static void check_named(const struct named_row *r, size_t i)
{
    static const char *const of_a[] = { "{\"name\":\"x.y\",\"annotations\":{\"readOnlyHint\":true}}",
                                        "{\"name\":\"x_y\",\"annotations\":{\"readOnlyHint\":true}}",
                                        "{\"name\":\"drop\",\"annotations\":{\"readOnlyHint\":true}}", NULL };
    static const char *const of_b[] = { "{\"name\":\"drop\"}", "{\"name\":\"a__wipe\"}", "{\"name\":\"c__wipe\"}",
                                        "{\"name\":\"c.wipe\"}", NULL };
    static const char *const of_bc[] = { "{\"name\":\"look\"}", NULL };
    const struct mcti_naming naming = { "double", NULL, r->prefix, 64 };
    const struct mcti_policy p = { .read_only_tools = &r->read_only,
                                   .n_read_only_tools = r->read_only != NULL,
                                   .mutating_tools = &r->mutating,
                                   .n_mutating_tools = r->mutating != NULL };
    mcti_sched_init(&sched);
    mcti_registry_init(&registry, &sched);
    add_provider("a", of_a);
    registry.v[0]->trusted = true;
    add_provider("b", of_b);
    add_provider("b__c", of_bc);
    add_provider("b.c", of_bc);
    assert_int_equal(
        mcti_view_init(&view, &registry, &(struct mcti_view_opts){ &naming, &r->server, r->server != NULL }), 0);
    if (is_read_only(&p, r->name) != r->expected)
        fail_msg("row %zu: %s is %sread-only", i, r->name, r->expected ? "not " : "");
    close_registry();
}

static void names_of_one_view_are_no_way_around(void **state)
{
    static const struct named_row rows[] = {
        /* a server's own name that looks like another's prefixed one */
        { "b", MCT_PREFIX_AUTO, "a__wipe", "a__*", NULL, false },
        { NULL, MCT_PREFIX_ALWAYS, "b__a__wipe", "a__*", NULL, false },
        { NULL, MCT_PREFIX_ALWAYS, "b__a__wipe", "b__a__wipe", NULL, true },
        { "b", MCT_PREFIX_AUTO, "a__wipe", "b__a__wipe", NULL, true },
        { NULL, MCT_PREFIX_NEVER, "a__wipe", "a__*", NULL, false },
        /* the same with a server whose name begins with this one's */
        { NULL, MCT_PREFIX_ALWAYS, "b__c__wipe", "b__c__*", NULL, false },
        { "b", MCT_PREFIX_AUTO, "c__wipe", "b__c__*", NULL, false },
        { "b", MCT_PREFIX_AUTO, "c.wipe", "b.c.*", NULL, false },
        { "b", MCT_PREFIX_AUTO, "c__wipe", "b.*", NULL, true },
        { "b__c", MCT_PREFIX_AUTO, "look", "b__c__*", NULL, true },
        { "b.c", MCT_PREFIX_AUTO, "look", "b.c.*", NULL, true },
        /* names with hashes, which only some views need */
        { NULL, MCT_PREFIX_ALWAYS, "a__x_y_35d885f9f526", NULL, "a__x_y_35d885f9f526", false },
        { "a", MCT_PREFIX_AUTO, "x_y_35d885f9f526", NULL, "a__x_y_35d885f9f526", false },
        { NULL, MCT_PREFIX_ALWAYS, "a__x_y_35d885f9f526", NULL, "x_y_35d885f9f526", false },
        { "a", MCT_PREFIX_AUTO, "x_y", NULL, "a__x_y_35d885f9f526", true },
        { "a", MCT_PREFIX_AUTO, "x_y_35d885f9f526", "a__x_y", NULL, true },
        /* a second server that brings the name, too */
        { NULL, MCT_PREFIX_CONFLICT, "a__drop", NULL, "drop", false },
        { "a", MCT_PREFIX_AUTO, "drop", NULL, "drop", false },
        { "a", MCT_PREFIX_AUTO, "drop", NULL, "b__drop", true },
        { NULL, MCT_PREFIX_ALWAYS, "a__x_y", NULL, "x.y", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_named(&rows[i], i);
}

/* The refusal as JSON with q for each quote. */
#define BY(q, name, kind)                                                                                              \
    "{" q "tool_name" q ":" q name q "," q "tool_kind" q ":" q "outbound" q "," q "hint" q ":" q                       \
    "Call ExitPlanMode { final_plan } when the plan is ready." q "," q "entered_at" q ":" q "2026-07-28T09:05:07Z" q   \
    "," q "entered_reason" q ":{" q "kind" q ":" q kind q "}}"
#define CONTENT(name, kind) "{\"content\":[{\"type\":\"text\",\"text\":\"" BY("\\\"", name, kind) "\"}]"

enum { WALL_S = 1785229507 }; /* 2026-07-28T09:05:07Z */

static void refusals(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 65536);
    mcti_refusal_put_result(&b, &(struct mcti_refusal){ MCT_STR("s__put"), WALL_S, false });
    assert_buf(&b, CONTENT("s__put", "operator") ",\"structuredContent\":" BY("\"", "s__put",
                                                                              "operator") ",\"isError\":true}");
    mcti_buf_clear(&b);
    mcti_refusal_put_result(&b, &(struct mcti_refusal){ MCT_STR("a\"b"), WALL_S, true });
    assert_buf(&b, CONTENT("a\\\\\\\"b", "client") ",\"structuredContent\":" BY("\"", "a\\\"b",
                                                                                "client") ",\"isError\":true}");
    mcti_buf_done(&b);
}

/* Clients of revisions without structuredContent get the text. */
static void refusals_for_old_clients(void **state)
{
    struct mcti_buf b, shaped;
    (void)state;
    mcti_buf_init(&b, 65536);
    mcti_buf_init(&shaped, 65536);
    mcti_refusal_put_result(&b, &(struct mcti_refusal){ MCT_STR("s__put"), WALL_S, false });
    mcti_shape_result(&shaped, MCT_VERB_TOOLS_CALL, mcti_buf_str(&b), MCT_REV_LATEST_HANDSHAKE, MCT_REV_2025_03_26,
                      MCT_STR_NONE);
    assert_buf(&shaped, CONTENT("s__put", "operator") ",\"isError\":true}");
    mcti_buf_done(&shaped);
    mcti_buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes),
        cmocka_unit_test(classes_do_not_depend_on_the_prefix),
        cmocka_unit_test(names_of_one_view_are_no_way_around),
        cmocka_unit_test(refusals),
        cmocka_unit_test(refusals_for_old_clients),
    };
    return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
