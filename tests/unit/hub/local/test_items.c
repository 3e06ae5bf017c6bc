#include "unit.h"

#include "world.h"
#include "hub/local/local.h"

/* ---- a provider, and calls of it, on a clock of our own ---- */

static void on_log(struct mcti_call *call, struct mcti_str params)
{
    keep(MCT_CONTAINER(call, struct wish, call)->log, params);
}

static void say(struct mcti_local_request *r, void *data)
{
    w.n_ran++;
    mcti_local_text(r, "%s", (const char *)data);
}

/* ---- items ---- */

static void items_are_listed_and_announced(void **state)
{
    struct mct_error err;
    (void)state;
    assert_true(mcti_server_can(&w.p->info, "logging", NULL));
    assert_false(mcti_server_can(&w.p->info, "tools", NULL));
    add(MCT_TOOL, TOOL("a"), say, "a");
    assert_int_equal(w.n_changed, 0); /* nobody is there yet */
    assert_true(mcti_server_can(&w.p->info, "tools", "listChanged"));
    begin();
    add(MCT_TOOL, TOOL("b"), say, "b");
    assert_int_equal(w.changed, 1u << MCT_TOOL);
    assert_int_equal(w.p->items[MCT_TOOL].n, 2);
    assert_span(mcti_item_json(w.p->items[MCT_TOOL].v[1]), "{\"name\":\"b\",\"inputSchema\":{\"type\":\"object\"}}");
    add(MCT_TEMPLATE, MCT_JSON({ "uriTemplate": "x://{y}", "name": "x" }), say, NULL);
    assert_true(mcti_server_can(&w.p->info, "resources", "subscribe"));
    w.changed = 0;
    assert_int_equal(mcti_local_remove(w.p, MCT_TOOL, "a"), 0);
    assert_int_equal(w.changed, 1u << MCT_TOOL);
    assert_int_equal(w.p->items[MCT_TOOL].n, 1);
    assert_span(mcti_item_id(w.p->items[MCT_TOOL].v[0]), "b");
    assert_int_equal(mcti_local_remove(w.p, MCT_TOOL, "a"), -1);
    assert_int_equal(mcti_local_add(w.p, MCT_TOOL, TOOL("b"), say, NULL, &err), -1);
    assert_string_equal(err.message, "duplicate tool 'b'");
}

static void what_is_no_item_is_refused(void **state)
{
    static const char *const bad[] = { "", "[]", "{\"name\":1}", "{\"name\":\"\"}", "{\"name\":\"a\"", "{}" };
    struct mct_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(mcti_local_add(w.p, MCT_TOOL, bad[i], say, NULL, &err), -1);
    assert_int_equal(mcti_local_add(w.p, MCT_RESOURCE, "{\"name\":\"no uri\"}", say, NULL, &err), -1);
    assert_int_equal(mcti_local_add(w.p, MCT_RESOURCE, "{\"uri\":\"no:name\"}", say, NULL, &err), -1);
    assert_int_equal(w.p->items[MCT_TOOL].n + w.p->items[MCT_RESOURCE].n, 0);
}

/* ---- answers ---- */

static void results_have_what_the_revision_demands(void **state)
{
    struct wish x = { 0 };
    (void)state;
    add(MCT_TOOL, TOOL("a"), say, "hello \"you\"");
    begin();
    run(&x, MCT_VERB_TOOLS_CALL, "{\"name\":\"\\u0061\"}");
    assert_string_equal(x.result,
                        "{\"content\":[{\"type\":\"text\",\"text\":\"hello \\\"you\\\"\"}],\"_meta\":{"
                        "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"mine\",\"version\":\"" MCT_VERSION "\"}},"
                        "\"resultType\":\"complete\"}");
    assert_null(x.call.provider);
    wish_clear(&x);
}

static void read_text(struct mcti_local_request *r, void *data)
{
    assert_span(mcti_local_uri(r), data);
    mcti_local_contents(r, "text/plain", MCT_STR("t"));
}

static void read_own_hints(struct mcti_local_request *r, void *data)
{
    (void)data;
    mcti_local_result(r, MCT_STR(MCT_JSON({ "contents": [], "ttlMs": 5, "_meta": { "a": 1 } })));
}

static void resources_go_before_templates(void **state)
{
    struct wish x = { 0 };
    (void)state;
    add(MCT_TEMPLATE, MCT_JSON({ "uriTemplate": "x://{y}", "name": "t" }), read_own_hints, NULL);
    add(MCT_RESOURCE, MCT_JSON({ "uri": "x://a", "name": "a" }), read_text, "x://a");
    begin();
    run(&x, MCT_VERB_RESOURCES_READ, "{\"uri\":\"x://a\"}");
    assert_span(member(x.result, "contents"), "[{\"uri\":\"x://a\",\"mimeType\":\"text/plain\",\"text\":\"t\"}]");
    assert_span(member(x.result, "ttlMs"), "0");
    assert_span(member(x.result, "cacheScope"), "\"private\"");
    wish_clear(&x);
    run(&x, MCT_VERB_RESOURCES_READ, "{\"uri\":\"x://b\"}");
    assert_span(member(x.result, "ttlMs"), "5");
    assert_span(mcti_json_get(member(x.result, "_meta"), "a"), "1");
    wish_clear(&x);
    run(&x, MCT_VERB_RESOURCES_READ, "{\"uri\":\"y://b\"}");
    assert_int_equal(code_of(&x), -32602);
    assert_span(member(x.error, "data"), "{\"uri\":\"y://b\"}");
    wish_clear(&x);
    x.call.caller.rev = MCT_REV_2025_11_25;
    run(&x, MCT_VERB_RESOURCES_READ, "{\"uri\":\"y://b\"}");
    assert_int_equal(code_of(&x), -32002);
    wish_clear(&x);
}

static void break_rules(struct mcti_local_request *r, void *data)
{
    mcti_local_result(r, mcti_str_of(data));
}

static void errors_are_errors(void **state)
{
    static const char *const bad[] = { "", "[]", "{\"content\":[}", "{} {}" };
    struct wish x = { 0 };
    (void)state;
    begin();
    run(&x, MCT_VERB_TOOLS_CALL, "{\"name\":\"none\"}");
    assert_int_equal(code_of(&x), -32602);
    assert_span(member(x.error, "message"), "\"unknown tool: none\"");
    wish_clear(&x);
    run(&x, MCT_VERB_COMPLETE, "{}");
    assert_int_equal(code_of(&x), -32601);
    wish_clear(&x);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        add(MCT_TOOL, TOOL("bad"), break_rules, (void *)bad[i]);
        run(&x, MCT_VERB_TOOLS_CALL, TOOL("bad"));
        assert_int_equal(code_of(&x), -32603);
        wish_clear(&x);
        assert_int_equal(mcti_local_remove(w.p, MCT_TOOL, "bad"), 0);
    }
}

static void complete(struct mcti_local_request *r, void *data)
{
    mcti_local_complete(r, data);
}

static void completions_begin_with_what_was_typed(void **state)
{
    static const char *const values[] = { "Ada", "Alan", "Barbara", "a", NULL };
    struct wish x = { 0 };
    (void)state;
    mcti_local_set_complete(w.p, complete, (void *)values);
    assert_true(mcti_server_can(&w.p->info, "completions", NULL));
    begin();
    run(&x, MCT_VERB_COMPLETE, "{\"ref\":{},\"argument\":{\"name\":\"n\",\"value\":\"a\\u006c\"}}");
    assert_span(member(x.result, "completion"), "{\"values\":[\"Alan\"],\"total\":1,\"hasMore\":false}");
    wish_clear(&x);
}

/* ---- itself, logs, subscriptions ---- */

static void remove_itself(struct mcti_local_request *r, void *data)
{
    assert_int_equal(mcti_local_remove(w.p, MCT_TOOL, data), 0);
    mcti_local_text(r, "gone");
}

static void handlers_may_remove_themselves(void **state)
{
    struct wish x = { 0 };
    (void)state;
    add(MCT_TOOL, TOOL("once"), remove_itself, "once");
    begin();
    run(&x, MCT_VERB_TOOLS_CALL, TOOL("once"));
    assert_non_null(x.result);
    assert_int_equal(w.changed, 1u << MCT_TOOL);
    wish_clear(&x);
    run(&x, MCT_VERB_TOOLS_CALL, TOOL("once"));
    assert_int_equal(code_of(&x), -32602);
    wish_clear(&x);
}

static void chatter(struct mcti_local_request *r, void *data)
{
    (void)data;
    mcti_local_log(r, "info", "me", MCT_STR("not JSON"));
    mcti_local_log(r, "info", "me", MCT_STR("{\"n\":1}"));
    mcti_local_text(r, "said");
}

static void logs_belong_to_the_call_if_it_wants_them(void **state)
{
    static const char said[] = "{\"level\":\"info\",\"logger\":\"me\",\"data\":{\"n\":1}}";
    struct wish x = { 0 };
    (void)state;
    add(MCT_TOOL, TOOL("chatter"), chatter, NULL);
    begin();
    run(&x, MCT_VERB_TOOLS_CALL, TOOL("chatter"));
    assert_string_equal(w.message, said);
    wish_clear(&x);
    w.message[0] = '\0';
    x.call.log = on_log;
    run(&x, MCT_VERB_TOOLS_CALL, TOOL("chatter"));
    assert_string_equal(w.message, "");
    assert_string_equal(x.log, said);
    wish_clear(&x);
}

static void subscriptions_need_a_resource(void **state)
{
    struct mct_error err;
    (void)state;
    add(MCT_RESOURCE, MCT_JSON({ "uri": "x://a", "name": "a" }), say, NULL);
    begin();
    assert_int_equal(w.p->ops->subscribe(w.p, MCT_STR("x://a"), NULL, &err), 1);
    assert_int_equal(w.p->ops->subscribe(w.p, MCT_STR("x://b"), NULL, &err), -1);
    w.p->ops->unsubscribe(w.p, MCT_STR("x://a"));
    mcti_local_updated(w.p, "x://a");
    assert_string_equal(w.updated, "{\"uri\":\"x://a\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(items_are_listed_and_announced),
        TEST(what_is_no_item_is_refused),
        TEST(results_have_what_the_revision_demands),
        TEST(resources_go_before_templates),
        TEST(errors_are_errors),
        TEST(completions_begin_with_what_was_typed),
        TEST(handlers_may_remove_themselves),
        TEST(logs_belong_to_the_call_if_it_wants_them),
        TEST(subscriptions_need_a_resource),
    };
    return cmocka_run_group_tests_name("items", tests, NULL, NULL);
}
