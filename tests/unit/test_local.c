#include "unit.h"

#include "hub/call/start.h"
#include "hub/local/local.h"

/* ---- a provider, and calls of it, on a clock of our own ---- */

struct world {
    struct mcti_sched sched;
    struct mcti_provider *p;
    uint64_t now_ms;
    unsigned changed, n_changed, n_stopped, n_ran, n_cancelled;
    char message[256], updated[256];
};

static struct world w;

static void on_changed(void *data, struct mcti_provider *p, unsigned kinds)
{
    (void)data;
    (void)p;
    w.changed |= kinds;
    w.n_changed += kinds != 0; /* 0: nobody need be told */
}

static void keep(char *to, struct mcti_str s)
{
    assert_true(s.len < 256);
    memcpy(to, s.p, s.len);
    to[s.len] = '\0';
}

static void on_message(void *data, struct mcti_provider *p, struct mcti_str params)
{
    (void)data;
    (void)p;
    keep(w.message, params);
}

static void on_updated(void *data, struct mcti_provider *p, struct mcti_str params)
{
    (void)data;
    (void)p;
    keep(w.updated, params);
}

static void on_stopped(void *data, struct mcti_provider *p)
{
    (void)data;
    (void)p;
    w.n_stopped++;
}

static void advance(unsigned ms)
{
    for (; ms; ms--)
        mcti_sched_run(&w.sched, ++w.now_ms);
}

static int set_up(void **state)
{
    (void)state;
    memset(&w, 0, sizeof w);
    mcti_sched_init(&w.sched);
    w.p = mcti_provider_local_new("mine", &w.sched, NULL);
    w.p->events = (struct mcti_provider_events){
        .changed = on_changed, .message = on_message, .updated = on_updated, .stopped = on_stopped
    };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (w.p)
        w.p->ops->free(w.p);
    return 0;
}

static void begin(void)
{
    w.p->ops->start(w.p);
    advance(1);
    assert_int_equal(w.p->state, MCT_CONNECTED);
    w.changed = w.n_changed = 0;
}

struct wish {
    struct mcti_call call;
    unsigned n_done, n_progress;
    char *result, *error, progress[256], log[256];
    struct mct_error failed;
};

static void on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct wish *x = MCT_CONTAINER(call, struct wish, call);
    x->n_done++;
    x->result = o->result.p ? mcti_str_dup(o->result) : NULL;
    x->error = o->error.p ? mcti_str_dup(o->error) : NULL;
    if (o->failed)
        x->failed = *o->failed;
    assert_int_equal(!!x->result + !!x->error + !!o->failed, 1);
}

static void on_progress(struct mcti_call *call, struct mcti_str params)
{
    struct wish *x = MCT_CONTAINER(call, struct wish, call);
    x->n_progress++;
    keep(x->progress, params);
}

static void on_log(struct mcti_call *call, struct mcti_str params)
{
    keep(MCT_CONTAINER(call, struct wish, call)->log, params);
}

static void wish_clear(struct wish *x)
{
    free(x->result);
    free(x->error);
    *x = (struct wish){ 0 };
}

/* The client declares everything. */
static void start(struct wish *x, enum mcti_verb verb, const char *params)
{
    struct mcti_caller caller = {
        .rev = MCT_REV_LATEST, .capabilities = MCT_STR(MCT_JSON({ "elicitation": {}, "sampling": {}, "roots": {} })) };
    x->call.verb = verb;
    x->call.params = mcti_str_of(params);
    x->call.done = on_done;
    x->call.progress = on_progress;
    if (!x->call.caller.rev)
        x->call.caller = caller;
    assert_int_equal(mcti_provider_call(w.p, &x->call, NULL), 0);
    assert_int_equal(x->n_done, 0); /* never from inside */
}

static void run(struct wish *x, enum mcti_verb verb, const char *params)
{
    start(x, verb, params);
    advance(1);
    assert_int_equal(x->n_done, 1);
}

static struct mcti_str member(const char *object, const char *key)
{
    return object ? mcti_json_get(mcti_str_of(object), key) : MCT_STR_NONE;
}

static int64_t code_of(const struct wish *x)
{
    int64_t code = 0;
    mcti_json_int(member(x->error, "code"), &code);
    return code;
}

static void say(struct mcti_local_request *r, void *data)
{
    w.n_ran++;
    mcti_local_text(r, "%s", (const char *)data);
}

static void add(enum mcti_kind kind, const char *json, mcti_local_fn fn, void *data)
{
    struct mct_error err;
    assert_int_equal(mcti_local_add(w.p, kind, json, fn, data, &err), 0);
}

#define TOOL(name) "{\"name\":\"" name "\"}"

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
    assert_span(w.p->items[MCT_TOOL].v[1]->json, "{\"name\":\"b\",\"inputSchema\":{\"type\":\"object\"}}");
    add(MCT_TEMPLATE, MCT_JSON({ "uriTemplate": "x://{y}", "name": "x" }), say, NULL);
    assert_true(mcti_server_can(&w.p->info, "resources", "subscribe"));
    w.changed = 0;
    assert_int_equal(mcti_local_remove(w.p, MCT_TOOL, "a"), 0);
    assert_int_equal(w.changed, 1u << MCT_TOOL);
    assert_int_equal(w.p->items[MCT_TOOL].n, 1);
    assert_span(w.p->items[MCT_TOOL].v[0]->id, "b");
    assert_int_equal(mcti_local_remove(w.p, MCT_TOOL, "a"), -1);
    assert_int_equal(mcti_local_add(w.p, MCT_TOOL, TOOL("b"), say, NULL, &err), -1);
    assert_string_equal(err.message, "there is a tool b already");
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

/* ---- questions ---- */

#define ASK_NAME MCT_JSON({ "who": { "method": "elicitation/create", "params": { "message": "?" } } })

static void ask(struct mcti_local_request *r, void *data)
{
    struct mcti_str who = mcti_local_input(r, "who");
    (void)data;
    w.n_ran++;
    if (who.p)
        mcti_local_text(r, "%.*s %.*s", MCT_STR_ARG(who), MCT_STR_ARG(mcti_local_state(r)));
    else
        mcti_local_ask(r, MCT_STR(ASK_NAME), MCT_STR("round one"));
}

static void answers_come_with_the_state(void **state)
{
    struct wish x = { 0 };
    char params[1024];
    (void)state;
    add(MCT_TOOL, TOOL("ask"), ask, NULL);
    add(MCT_TOOL, TOOL("other"), ask, NULL);
    begin();
    run(&x, MCT_VERB_TOOLS_CALL, "{\"name\":\"ask\",\"inputResponses\":{\"who\":7}}"); /* no answer at all */
    assert_span(member(x.result, "resultType"), "\"input_required\"");
    assert_span(member(x.result, "inputRequests"), ASK_NAME);
    struct mcti_str sealed = member(x.result, "requestState");
    assert_int_equal(mcti_json_type(sealed), '"');
    static const struct {
        const char *name, *suffix;
        bool good;
    } rows[] = { { "ask", "", true }, { "other", "", false }, { "ask", "-TAMPERED", false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wish again = { 0 };
        unsigned before = w.n_ran;
        snprintf(params, sizeof params,
                 "{\"name\":\"%s\",\"inputResponses\":{\"x\":{},\"who\":{\"a\":1}},"
                 "\"requestState\":%.*s%s\"}",
                 rows[i].name, (int)sealed.len - 1, sealed.p, rows[i].suffix);
        run(&again, MCT_VERB_TOOLS_CALL, params);
        assert_int_equal(w.n_ran - before, rows[i].good);
        assert_int_equal(code_of(&again), rows[i].good ? 0 : -32602);
        if (rows[i].good)
            assert_non_null(strstr(again.result, "{\\\"a\\\":1} round one"));
        wish_clear(&again);
    }
    wish_clear(&x);
}

static void ask_as_told(struct mcti_local_request *r, void *data)
{
    mcti_local_ask(r, mcti_str_of(data), MCT_STR_NONE);
}

static void only_what_is_declared_is_asked(void **state)
{
    static const struct {
        const char *capabilities, *questions, *lacking; /* NULL: may be asked */
    } rows[] = {
        { "{\"elicitation\":{}}", ASK_NAME, NULL },
        { "{}", ASK_NAME, "{\"elicitation\":{\"form\":{}}}" },
        { "{\"elicitation\":{\"url\":{}}}", ASK_NAME, "{\"elicitation\":{\"form\":{}}}" },
        { "{\"elicitation\":{}}", MCT_JSON({ "a": { "method": "elicitation/create", "params": { "mode": "url" } } }),
                                             "{\"elicitation\":{\"url\":{}}}" },
          { "{\"elicitation\":{}}",
            MCT_JSON({ "a": { "method": "sampling/createMessage", "params": {} } }), "{\"sampling\":{}}" },
            { "{\"sampling\":{}}", MCT_JSON({ "a": { "method": "roots/list" } }), "{\"roots\":{}}" },
            };
    (void)state;
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wish x = { .call.caller = { .rev = MCT_REV_LATEST, .capabilities = mcti_str_of(rows[i].capabilities) } };
        add(MCT_TOOL, TOOL("ask"), ask_as_told, (void *)rows[i].questions);
        run(&x, MCT_VERB_TOOLS_CALL, TOOL("ask"));
        assert_int_equal(code_of(&x), rows[i].lacking ? -32021 : 0);
        if (rows[i].lacking)
            assert_span(mcti_json_get(member(x.error, "data"), "requiredCapabilities"), rows[i].lacking);
        wish_clear(&x);
        mcti_local_remove(w.p, MCT_TOOL, "ask");
    }
}

static void what_is_no_question_is_not_asked(void **state)
{
    static const char *const bad[] = { "[]", "{\"a\":{\"method\":\"ping\"}}", "{\"a\":1}", "{" };
    (void)state;
    begin();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wish x = { 0 };
        add(MCT_TOOL, TOOL("ask"), ask_as_told, (void *)bad[i]);
        run(&x, MCT_VERB_TOOLS_CALL, TOOL("ask"));
        assert_int_equal(code_of(&x), -32603);
        wish_clear(&x);
        mcti_local_remove(w.p, MCT_TOOL, "ask");
    }
}

static void answer_bob(void *data, struct mcti_ask *a)
{
    (void)data;
    assert_int_equal(a->kind, MCT_ASK_ELICITATION);
    mcti_ask_answer(a, MCT_STR("{\"name\":\"Bob\"}"));
}

/* The same handler for a client that is asked in the old way. */
static void interactive_calls_go_round(void **state)
{
    static const struct mcti_answerer person = { .form = true, .ask = answer_bob };
    struct wish x = { .call = { .interactive = true, .answerer = &person, .caller.rev = MCT_REV_2025_11_25 } };
    (void)state;
    add(MCT_TOOL, TOOL("ask"), ask, NULL);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("ask"));
    advance(3);
    assert_int_equal(x.n_done, 1);
    assert_int_equal(w.n_ran, 2);
    assert_non_null(strstr(x.result, "{\\\"name\\\":\\\"Bob\\\"} round one"));
    wish_clear(&x);
}

/* ---- what takes time ---- */

static void step(struct mcti_local_request *r, void *data)
{
    unsigned *n = data;
    if (*n == 2)
        mcti_local_progress(r, 1, 3, NULL); /* no progress */
    ++*n;
    mcti_local_progress(r, *n, 3, *n == 1 ? "one" : NULL);
    if (*n < 3)
        mcti_local_later(r, 10, step, n);
    else
        mcti_local_text(r, "%u", *n);
}

static void note_cancel(struct mcti_local_request *r, void *data)
{
    (void)r;
    assert_ptr_equal(data, &w);
    w.n_cancelled++;
}

static void slow(struct mcti_local_request *r, void *data)
{
    unsigned *n = mcti_local_memory(r, sizeof *n);
    (void)data;
    assert_int_equal(*n, 0);
    assert_ptr_equal(mcti_local_memory(r, sizeof *n), n);
    mcti_local_on_cancel(r, note_cancel, &w);
    mcti_local_later(r, 10, step, n);
}

static void steps_are_turns_of_the_loop(void **state)
{
    struct wish x = { 0 };
    (void)state;
    add(MCT_TOOL, TOOL("slow"), slow, NULL);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("slow"));
    advance(12);
    assert_string_equal(x.progress, "{\"progressToken\":0,\"progress\":1,\"total\":3,\"message\":\"one\"}");
    advance(30);
    assert_int_equal(x.n_progress, 3);
    assert_int_equal(x.n_done, 1);
    assert_int_equal(w.n_cancelled, 0);
    wish_clear(&x);
}

static void progress_starts_the_time_anew(void **state)
{
    static const struct {
        unsigned timeout_ms, own_ms; /* of the call, and of the provider for those that name none */
        bool late;
    } rows[] = { { 15, 0, false }, { 9, 0, true }, { 0, 9, true }, { 15, 9, false }, { 0, 0, false } };
    (void)state;
    add(MCT_TOOL, TOOL("slow"), slow, NULL);
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wish x = { .call.timeout_ms = rows[i].timeout_ms };
        mcti_local_set_timeout(w.p, rows[i].own_ms);
        w.n_cancelled = 0;
        start(&x, MCT_VERB_TOOLS_CALL, TOOL("slow"));
        advance(50);
        assert_int_equal(x.n_done, 1);
        assert_int_equal(x.failed.kind, rows[i].late ? MCT_ERR_TIMEOUT : MCT_ERR_NONE);
        assert_int_equal(w.n_cancelled, rows[i].late);
        wish_clear(&x);
    }
}

static void tick(struct mcti_local_request *r, void *data)
{
    unsigned *n = mcti_local_memory(r, sizeof *n);
    (void)data;
    mcti_local_progress(r, ++*n, 0, NULL);
    mcti_local_later(r, 1, tick, NULL);
}

static void progress_does_not_last_for_ever(void **state)
{
    struct wish x = { .call.timeout_ms = 10 };
    (void)state;
    add(MCT_TOOL, TOOL("tick"), tick, NULL);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("tick"));
    advance(90);
    assert_int_equal(x.n_done, 0);
    advance(20);
    assert_int_equal(x.failed.kind, MCT_ERR_TIMEOUT);
    wish_clear(&x);
}

static void cancelled_calls_are_forgotten(void **state)
{
    struct wish x = { 0 };
    (void)state;
    add(MCT_TOOL, TOOL("slow"), slow, NULL);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("slow"));
    mcti_call_cancel(&x.call, "no"); /* before its handler has run */
    assert_int_equal(w.n_cancelled, 0);
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("slow"));
    advance(15);
    mcti_call_cancel(&x.call, "no");
    assert_int_equal(w.n_cancelled, 1);
    advance(50);
    assert_int_equal(x.n_done, 0);
    assert_int_equal(x.n_progress, 1);
    assert_int_equal(mcti_sched_next_ms(&w.sched), -1);
}

static void the_end_fails_what_is_open(void **state)
{
    struct wish x = { 0 };
    (void)state;
    add(MCT_TOOL, TOOL("slow"), slow, NULL);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("slow"));
    advance(5);
    w.p->ops->stop(w.p);
    assert_int_equal(w.n_stopped, 1);
    w.p->ops->free(w.p);
    w.p = NULL;
    assert_int_equal(x.n_done, 1);
    assert_int_equal(x.failed.kind, MCT_ERR_CONNECT);
    assert_int_equal(w.n_cancelled, 1);
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(items_are_listed_and_announced),
        TEST(what_is_no_item_is_refused),
        TEST(results_have_what_the_revision_demands),
        TEST(resources_go_before_templates),
        TEST(errors_are_errors),
        TEST(completions_begin_with_what_was_typed),
        TEST(answers_come_with_the_state),
        TEST(only_what_is_declared_is_asked),
        TEST(what_is_no_question_is_not_asked),
        TEST(interactive_calls_go_round),
        TEST(steps_are_turns_of_the_loop),
        TEST(progress_starts_the_time_anew),
        TEST(progress_does_not_last_for_ever),
        TEST(cancelled_calls_are_forgotten),
        TEST(the_end_fails_what_is_open),
        TEST(handlers_may_remove_themselves),
        TEST(logs_belong_to_the_call_if_it_wants_them),
        TEST(subscriptions_need_a_resource),
    };
    return cmocka_run_group_tests_name("local", tests, NULL, NULL);
}
