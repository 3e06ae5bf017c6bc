/* Results from outside: which they are, which clients have received one, and which tools are guarded then. */
#include "unit.h"

#include "hub/local/local.h"
#include "hub/policy/outside.h"

enum { REMEMBER_MS = 1000 };

static const struct mcti_naming naming = { "double", NULL, MCT_PREFIX_AUTO, 64 };
static struct mcti_sched sched;
static struct mcti_registry registry;
static struct mcti_outside outside;
static struct mcti_provider *web, *mail;

static struct mcti_provider *add_provider(const char *name, const char *tool)
{
    struct mcti_provider *p = mcti_provider_local_new(name, &sched, NULL);
    assert_non_null(p);
    assert_int_equal(mcti_items_add(&p->items[MCT_TOOL], mcti_item_new(MCT_TOOL, mcti_str_of(tool))), 0);
    assert_int_equal(mcti_registry_add(&registry, p), 0);
    return p;
}

static int set_up(void **state)
{
    (void)state;
    mcti_sched_init(&sched);
    mcti_registry_init(&registry, &sched);
    mcti_outside_init(&outside, &naming, &sched, NULL);
    registry.outside = &outside;
    web = add_provider("web", "{\"name\":\"fetch\"}");
    mail = add_provider("mail", "{\"name\":\"send_mail\"}");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mcti_registry_done(&registry);
    mcti_outside_done(&outside);
    return 0;
}

static struct mcti_rules lists(const char *const *v, size_t n)
{
    struct mcti_rule_step *steps = calloc(n ? n : 1, sizeof *steps);
    for (size_t i = 0; i < n; i++)
        steps[i].deny = (struct mcti_rule_list){ &v[i], 1 };
    return (struct mcti_rules){ .steps = steps, .n_steps = n };
}

/* The entries are lists of one. */
static void configure(const char *const *external, size_t n_external, const char *const *guarded, size_t n_guarded)
{
    struct mcti_outside_opts opts = { .is_on = true, .remember_ms = REMEMBER_MS };
    opts.external = lists(external, n_external);
    opts.guarded = lists(guarded, n_guarded);
    opts.rules = calloc(n_guarded ? n_guarded : 1, sizeof *opts.rules);
    mcti_outside_take(&outside, &opts);
}

static bool is_external(const char *entry, const struct mcti_provider *p, const char *raw)
{
    configure(&entry, 1, NULL, 0);
    const struct mcti_item *item = raw ? mcti_items_find(&p->items[MCT_TOOL], mcti_str_of(raw)) : NULL;
    return mcti_outside_is_external(&outside, p, item, mcti_str_of(raw));
}

static void any_name_of_a_tool_or_server_counts(void **state)
{
    (void)state;
    assert_true(is_external("web", web, "fetch") && is_external("web.fetch", web, "fetch"));
    assert_true(is_external("WEB__F*", web, "fetch") && is_external("fetch", web, "fetch") &&
                is_external("*", web, "fetch"));
    assert_false(is_external("web", mail, "send_mail") || is_external("mail.x", mail, "send_mail"));
    /* what is no tool has the name of its server only */
    assert_true(is_external("web", web, NULL) && is_external("*", web, NULL));
    assert_false(is_external("web.fetch", web, NULL));
    /* a tool that the server does not list */
    assert_true(is_external("web.new", web, "new") && is_external("n*", web, "new") && is_external("web", web, "new"));
    assert_false(is_external("web.old", web, "new"));
}

static void a_connection_counts_as_its_server(void **state)
{
    struct mcti_provider *branch = mcti_provider_local_new("web", &sched, NULL);
    (void)state;
    branch->origin = web;
    assert_true(is_external("web.fetch", branch, "fetch"));
    configure(NULL, 0, NULL, 0);
    assert_false(mcti_outside_is_external(&outside, branch, NULL, MCT_STR("fetch")));
    web->external = true;
    assert_true(mcti_outside_is_external(&outside, branch, NULL, MCT_STR("fetch")));
    branch->ops->free(branch);
}

static bool has_received(uint64_t session, uint64_t authority)
{
    struct mcti_call call = { .session = session, .authority = authority };
    return mcti_outside_client(&outside, &call);
}

static void note(uint64_t session, uint64_t authority, const char *from)
{
    struct mcti_call call = { .session = session, .authority = authority };
    mcti_outside_note(&outside, &call, mcti_str_of(from));
}

static void sessions_are_apart(void **state)
{
    static const char *const guarded = "mail";
    (void)state;
    configure(NULL, 0, &guarded, 1);
    note(1, 7, "web.fetch");
    assert_true(has_received(1, 7) && has_received(1, 8));
    assert_false(has_received(2, 7) || has_received(0, 7) || has_received(7, 1) || has_received(0, 1));
    mcti_sched_run(&sched, 100 * REMEMBER_MS); /* a session does not forget */
    assert_true(has_received(1, 7));
    mcti_outside_forget(&outside, 2);
    mcti_outside_forget(&outside, 0);
    assert_true(has_received(1, 7));
    mcti_outside_forget(&outside, 1);
    assert_false(has_received(1, 7));
}

static void principals_are_for_those_without_sessions(void **state)
{
    static const char *const guarded = "mail";
    (void)state;
    configure(NULL, 0, &guarded, 1);
    mcti_sched_run(&sched, 1);
    note(0, 7, "web.fetch");
    assert_true(has_received(0, 7));
    assert_false(has_received(0, 8) || has_received(7, 7));
    mcti_sched_run(&sched, REMEMBER_MS / 2);
    note(0, 7, "web.fetch"); /* from here on */
    mcti_sched_run(&sched, REMEMBER_MS + 1);
    assert_true(has_received(0, 7));
    mcti_sched_run(&sched, REMEMBER_MS / 2 + REMEMBER_MS);
    assert_false(has_received(0, 7));
    outside.opts.scope = MCT_OUTSIDE_BY_PRINCIPAL;
    note(1, 7, "web.fetch");
    assert_true(has_received(2, 7) && has_received(0, 7));
}

static void calls_for_others_count_for_these(void **state)
{
    static const char *const guarded = "mail";
    struct mcti_call root = { .session = 3 }, inner = { .behalf = &root };
    (void)state;
    configure(NULL, 0, &guarded, 1);
    mcti_outside_note(&outside, &inner, MCT_STR("web"));
    assert_true(has_received(3, 0));
    assert_false(has_received(0, 0));
}

static void nothing_is_kept_if_nothing_is_guarded(void **state)
{
    (void)state;
    configure(NULL, 0, NULL, 0);
    note(1, 0, "web");
    assert_int_equal(outside.clients.n, 0);
}

static void origins_are_one_bounded_line(void **state)
{
    static const char *const guarded = "mail";
    char from[1000];
    struct mcti_call call = { .session = 1 };
    (void)state;
    configure(NULL, 0, &guarded, 1);
    memset(from, 'x', sizeof from - 1);
    from[sizeof from - 1] = '\0';
    memcpy(from, "web\n\033[2J", 8);
    mcti_outside_note(&outside, &call, mcti_str_of(from));
    const struct mcti_outside_client *client = mcti_outside_client(&outside, &call);
    assert_true(strlen(client->from) < MCT_OUTSIDE_FROM_BYTES && !strpbrk(client->from, "\n\033"));
}

static void the_strictest_rule_counts(void **state)
{
    static const char *const guarded[] = { "mail", "mail.send_*", "web" };
    struct mcti_rule_tool tool;
    struct mcti_outside_rule rule;
    (void)state;
    configure(NULL, 0, guarded, 3);
    assert_int_equal(mcti_ruled_tool(&registry, &naming, mail, mail->items[MCT_TOOL].v[0], &tool), 0);
    assert_true(mcti_outside_guards(&outside, &tool, &rule) && rule.mode == MCT_OUTSIDE_ASK);
    assert_int_equal(rule.approval, MCT_OUTSIDE_PER_CLIENT);
    outside.opts.rules[1] = (struct mcti_outside_rule){ MCT_OUTSIDE_ASK, MCT_OUTSIDE_PER_CALL };
    outside.opts.rules[0].mode = MCT_OUTSIDE_DENY;
    assert_true(mcti_outside_guards(&outside, &tool, &rule) && rule.mode == MCT_OUTSIDE_DENY);
    assert_int_equal(rule.approval, MCT_OUTSIDE_PER_CALL);
    outside.opts.rules[0].mode = outside.opts.rules[1].mode = MCT_OUTSIDE_OFF;
    assert_false(mcti_outside_guards(&outside, &tool, &rule));
    assert_true(mcti_outside_guards(&outside, NULL, &rule)); /* unknown: by the third */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_name_of_a_tool_or_server_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_connection_counts_as_its_server, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sessions_are_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(principals_are_for_those_without_sessions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(calls_for_others_count_for_these, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_is_kept_if_nothing_is_guarded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(origins_are_one_bounded_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_strictest_rule_counts, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("outside", tests, NULL, NULL);
}
