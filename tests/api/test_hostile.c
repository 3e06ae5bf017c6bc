/* What careless programs do: odd numbers and texts, names that clash, callbacks that change or close what calls them.
 */
#include "program.h"

#include <locale.h>
#include <math.h>
#include <poll.h>
#include <time.h>

/* Turns the loops of two instances until the condition holds. */
#define UNTIL_BOTH(a, b, condition)                                                                                    \
    for (int turns = 0; !(condition); turns++) {                                                                       \
        struct pollfd p[2] = { { mct_instance_fd(a), POLLIN, 0 }, { mct_instance_fd(b), POLLIN, 0 } };                 \
        poll(p, 2, 10);                                                                                                \
        mct_instance_dispatch(a);                                                                                      \
        mct_instance_dispatch(b);                                                                                      \
        assert_true(turns < PATIENCE_MS / 10);                                                                         \
    }

static int n_told, n_freed;
static char told[256];
static bool inside; /* a function of the library that was called outside of the loop */

static void count_free(void *data)
{
    (void)data;
    n_freed++;
}

static void set_int(void *n)
{
    *(int *)n = 1;
}

/* ---- two instances: one is the client of the other ---- */

static struct mct_instance *served, *client;

static void connect_both(void)
{
    struct mct_instance_opts opts = MCT_INSTANCE_OPTS_INIT;
    struct mct_error err;
    char config[256];
    int port = mct_instance_serve_http(served, "127.0.0.1:0", &err);
    assert_true(port > 0);
    start(served);
    snprintf(config, sizeof config, "{\"mcpServers\":{\"g\":{\"url\":\"http://127.0.0.1:%d/mcp\"}}}", port);
    client = with(config, &opts);
    assert_ok(mct_instance_start(client, &err));
    UNTIL_BOTH(served, client, mct_instance_is_ready(client));
}

static void close_both(void)
{
    int closed = 0;
    mct_instance_close(client, set_int, &closed);
    while (!closed) {
        mct_instance_dispatch(served);
        mct_instance_dispatch(client);
    }
    mct_instance_close_wait(served);
}

/* ---- numbers ---- */

static void odd_progress(struct mct_tool_call *c, void *data)
{
    (void)data;
    mct_tool_call_progress(c, NAN, 1, "not a number");
    mct_tool_call_progress(c, 0.5, INFINITY, "half");
    mct_tool_call_progress(c, INFINITY, NAN, "endless");
    mct_tool_call_progress(c, 0.75, NAN, "three quarters");
    mct_tool_call_text(c, "done");
}

static void keep_progress(struct mct_request *q, double progress, double total, const char *message, void *data)
{
    size_t n = strlen(told);
    (void)q, (void)data;
    snprintf(told + n, sizeof told - n, "%d/%d %s;", (int)(progress * 100), (int)(total * 100), message);
}

static void progress_that_is_no_number(void **state)
{
    const struct mct_tool_def def = { .size = sizeof def, .name = "odd", .execute = odd_progress };
    struct mct_call_opts o = MCT_CALL_OPTS_INIT;
    struct mct_error err;
    (void)state;
    told[0] = '\0';
    o.progress = keep_progress;
    served = with(NULL, NULL);
    assert_ok(mct_instance_add_tool(served, &def, &err));
    connect_both();
    struct mct_request *q = call(client, "odd", NULL, &o);
    UNTIL_BOTH(served, client, mct_request_is_over(q));
    assert_string_equal(mct_request_text(q, &err), "done");
    assert_string_equal(told, "50/0 half;75/0 three quarters;");
    mct_request_free(q);
    close_both();
}

/* A program may have set a locale whose decimal point is a comma. */
static void numbers_in_another_locale(void **state)
{
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR" };
    size_t i = 0;
    while (i < 4 && !setlocale(LC_ALL, names[i]))
        i++;
    if (i == 4)
        return; /* the machine has none of them */
    progress_that_is_no_number(state);
    setlocale(LC_ALL, "C");
}

/* ---- texts ---- */

static void answer(struct mct_tool_call *c, void *data)
{
    mct_tool_call_text(c, data ? data : "answer");
}

static void invalid_utf8(void **state)
{
    const struct mct_resource_def bad[] = {
        { .size = sizeof *bad, .uri = "it://\xff", .name = "a", .read = answer },
        { .size = sizeof *bad, .uri_template = "it://\xc3/{a}", .name = "a", .read = answer },
        { .size = sizeof *bad, .uri_template = "it://{a", .name = "a", .read = answer },
        { .size = sizeof *bad, .uri_template = "it://}{a}", .name = "a", .read = answer },
        { .size = sizeof *bad, .uri_template = "it://{}", .name = "a", .read = answer },
    };
    const struct mct_resource_def odd = { .size = sizeof odd,
                                          .uri = "it://a",
                                          .name = "\xff",
                                          .description = "a\xc3",
                                          .mime_type = "text/\xff",
                                          .read = answer,
                                          .data = "x\xff" };
    const struct mct_tool_def tool = {
        .size = sizeof tool, .name = "t", .description = "\xed\xa0\x80", .execute = answer, .data = "y\xe2\x82"
    };
    struct mct_error err;
    (void)state;
    served = with(NULL, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(mct_instance_add_resource(served, &bad[i], &err), -1);
        assert_int_equal(err.kind, MCT_ERR_USAGE);
    }
    assert_ok(mct_instance_add_resource(served, &odd, &err));
    assert_ok(mct_instance_add_tool(served, &tool, &err));
    connect_both();
    struct mct_request *q = call(client, "t", NULL, NULL), *read = mct_instance_read(client, "g", "it://a", NULL, &err);
    UNTIL_BOTH(served, client, mct_request_is_over(q) && mct_request_is_over(read));
    assert_string_equal(mct_request_text(q, &err), "y\xef\xbf\xbd\xef\xbf\xbd");
    assert_has(mct_request_result(read), "x\xef\xbf\xbd");
    mct_request_free(q);
    mct_request_free(read);
    assert_ok(mct_instance_remove_resource(served, "it://a", &err));
    close_both();
}

static void huge_texts(void **state)
{
    size_t n = (size_t)70 << 20;
    char *huge = malloc(n + 1);
    struct mct_error err;
    (void)state;
    memset(huge, 'x', n);
    huge[n] = '\0';
    const struct mct_tool_def described = {
        .size = sizeof described, .name = "d", .description = huge, .execute = answer
    };
    const struct mct_tool_def named = { .size = sizeof named, .name = huge, .execute = answer };
    const struct mct_tool_def says = { .size = sizeof says, .name = "s", .execute = answer, .data = huge };
    const struct mct_resource_def at = { .size = sizeof at, .uri = huge, .name = "a", .read = answer };
    struct mct_instance *r = with(NULL, NULL);
    assert_int_equal(mct_instance_add_tool(r, &described, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_LIMIT);
    assert_int_equal(mct_instance_add_tool(r, &named, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    assert_int_equal(mct_instance_add_resource(r, &at, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    assert_ok(mct_instance_add_tool(r, &says, &err));
    start(r);
    struct mct_request *q = call(r, "s", NULL, NULL);
    mct_request_wait(q, &err);
    mct_request_text(q, &err);
    mct_request_free(q);
    assert_int_equal(mct_instance_add_server(r, huge, "{\"command\":\"x\"}", &err), -1);
    assert_int_equal(mct_instance_add_server(r, "x", huge, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CONFIG);
    assert_int_equal(mct_instance_remove_tool(r, huge, &err), -1);
    assert_int_equal(mct_instance_remove_tool(r, NULL, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    mct_instance_close_wait(r);
    free(huge);
}

/* ---- names ---- */

static void servers_named_as_the_programs_own(void **state)
{
    struct mct_error err;
    (void)state;
    struct mct_instance *r = with(NULL, NULL);
    const struct mct_tool_def tool = { .size = sizeof tool, .name = "t", .execute = answer };
    assert_ok(mct_instance_add_tool(r, &tool, &err));
    start(r);
    assert_null(mct_instance_state(r, "local", NULL));
    assert_ok(mct_instance_add_server(r, "local", "{\"command\":\"" TEST_SERVER "\"}", &err));
    assert_ok(mct_instance_wait_ready(r, PATIENCE_MS, &err));
    assert_string_equal(mct_instance_state(r, "local", NULL), "connected");
    assert_says(r, "t", NULL, "answer");
    assert_ok(mct_instance_remove_server(r, "local", &err));
    assert_null(mct_instance_state(r, "local", NULL));
    mct_instance_close_wait(r);
}

static void entries_with_more_than_one_server(void **state)
{
    struct mct_error err;
    struct mct_instance *r = with(NULL, NULL);
    (void)state;
    start(r);
    assert_int_equal(mct_instance_add_server(r, "a", "{\"command\":\"x\"},\"b\":{\"command\":\"y\"}", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CONFIG);
    assert_int_equal(mct_instance_add_server(r, "a", "{\"command\":\"x\"}},\"mcptools\":{\"x\":{}", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CONFIG);
    assert_null(mct_instance_state(r, "a", NULL));
    assert_int_equal(mct_instance_add_server(r, "a\xff", "{\"command\":\"x\"}", &err), -1);
    mct_instance_close_wait(r);
}

/* ---- subscriptions ---- */

static struct mct_instance *subscribed_to;

static void on_subscribed(const char *uri, bool on, void *data)
{
    size_t n = strlen(told);
    struct mct_error err;
    (void)data;
    assert_false(inside);
    snprintf(told + n, sizeof told - n, "%s%s;", on ? "+" : "-", uri);
    if (on || n_told++)
        return;
    struct mct_request *q = mct_instance_subscribe(subscribed_to, NULL, uri, NULL, &err); /* and back again */
    assert_non_null(q);
    assert_ok(mct_instance_unsubscribe(subscribed_to, NULL, uri, &err));
    mct_request_free(q);
}

static void subscribed_in_a_callback(void **state)
{
    const struct mct_resource_def def = { .size = sizeof def,
                                          .uri = "it://a",
                                          .name = "a",
                                          .read = answer,
                                          .updates = true,
                                          .subscribed = on_subscribed,
                                          .free_data = count_free };
    struct mct_error err;
    struct mct_instance *r = subscribed_to = with(NULL, NULL);
    (void)state;
    told[0] = '\0';
    n_told = n_freed = 0;
    assert_ok(mct_instance_add_resource(r, &def, &err));
    start(r);
    inside = true;
    struct mct_request *q = mct_instance_subscribe(r, NULL, "it://a", NULL, &err);
    inside = false;
    assert_ok(mct_request_wait(q, &err));
    mct_request_free(q);
    while (strlen(told) < 8)
        until(r, &seen.n_calls, 0), mct_instance_dispatch(r);
    assert_string_equal(told, "+it://a;");
    inside = true;
    assert_ok(mct_instance_unsubscribe(r, NULL, "it://a", &err));
    inside = false;
    for (int i = 0; i < 20; i++)
        mct_instance_dispatch(r);
    assert_string_equal(told, "+it://a;-it://a;");
    assert_ok(mct_instance_remove_resource(r, "it://a", &err));
    assert_int_equal(n_freed, 1);
    mct_instance_close_wait(r);
}

/* ---- callbacks that close or change what calls them ---- */

enum moment {
    IN_EXECUTE,
    IN_LATER,
    IN_READ,
    IN_GET,
    IN_COMPLETE,
    IN_ANSWERED,
    IN_CANCEL,
    IN_SUBSCRIBED,
    IN_UPDATED,
    IN_LISTS,
    IN_CHANGED,
    IN_PROGRESS,
    IN_DONE,
    IN_QUESTION,
    N_MOMENTS
};

static enum moment moment;
static int closed_served, closed_client, n_hits, n_asked;
static struct mct_watch *watched;
static int n_begun;  /* calls */
static bool removes; /* removes what it has instead of closing */

static void strip(struct mct_instance *r)
{
    struct mct_error err;
    mct_instance_remove_tool(r, "tool", &err);
    mct_instance_remove_resource(r, "it://a", &err);
    mct_instance_remove_resource(r, "it://{x}/{y}", &err);
    mct_instance_remove_prompt(r, "prompt", &err);
    mct_instance_remove_server(r, "g", &err);
    mct_instance_remove_server(r, "child", &err);
}

static void hit(enum moment at)
{
    if (at != moment)
        return;
    n_hits++;
    if (removes) {
        if (!closed_served)
            strip(served);
        if (!closed_client)
            strip(client);
        return;
    }
    mct_instance_close(served, set_int, &closed_served);
    mct_instance_close(client, set_int, &closed_client);
}

static void on_moment_cancel(struct mct_tool_call *c, void *data)
{
    (void)c, (void)data;
    hit(IN_CANCEL);
}

static void on_moment_answered(struct mct_tool_call *c, const char *result, const struct mct_error *err, void *data)
{
    (void)data;
    hit(IN_ANSWERED);
    if (!n_asked++)
        mct_tool_call_ask(c, "roots/list", NULL, on_moment_answered, NULL);
    else
        mct_tool_call_text(c, result ? result : err->message);
}

static void moment_later(struct mct_tool_call *c, void *data)
{
    (void)data;
    hit(IN_LATER);
    mct_tool_call_progress(c, 1, 2, "later");
    mct_tool_call_log(c, "error", "asks now");
    mct_tool_call_ask(c, "elicitation/create", "{\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\"}}",
                      on_moment_answered, NULL);
}

static void moment_execute(struct mct_tool_call *c, void *data)
{
    (void)data;
    n_begun++;
    mct_tool_call_caller(c);
    mct_tool_call_on_cancel(c, on_moment_cancel, NULL);
    hit(IN_EXECUTE);
    if (moment != IN_CANCEL) /* a call that ends cannot be cancelled any more */
        mct_tool_call_later(c, 1, moment_later, NULL);
}

static void moment_read(struct mct_tool_call *c, void *data)
{
    (void)data;
    hit(IN_READ);
    mct_tool_call_text(c, "read");
}

static void moment_get(struct mct_tool_call *c, void *data)
{
    (void)data;
    hit(IN_GET);
    mct_tool_call_text(c, "got");
}

static void moment_complete(struct mct_tool_call *c, void *data)
{
    static const char *const values[] = { "a", "b", NULL };
    (void)data;
    hit(IN_COMPLETE);
    mct_tool_call_complete(c, values);
}

static void moment_subscribed(const char *uri, bool on, void *data)
{
    (void)uri, (void)on, (void)data;
    hit(IN_SUBSCRIBED);
}

static void moment_updated(struct mct_instance *r, const char *server, const char *uri, void *data)
{
    (void)r, (void)server, (void)uri, (void)data;
    hit(IN_UPDATED);
}

static void moment_lists(struct mct_instance *r, const char *server, unsigned lists, void *data)
{
    (void)r, (void)server, (void)lists, (void)data;
    hit(IN_LISTS);
}

static void moment_changed(struct mct_instance *r, const char *server, void *data)
{
    (void)r, (void)server, (void)data;
    hit(IN_CHANGED);
}

static void moment_progress(struct mct_request *q, double progress, double total, const char *message, void *data)
{
    (void)q, (void)progress, (void)total, (void)message, (void)data;
    hit(IN_PROGRESS);
}

static void moment_done(struct mct_request *q, void *data)
{
    (void)data;
    hit(IN_DONE);
    mct_request_free(q);
    seen.n_calls++;
}

static void moment_question(struct mct_question *q, void *data)
{
    (void)data;
    bool form = !strcmp(mct_question_method(q), "elicitation/create");
    if (moment == IN_QUESTION && !removes)
        mct_question_refuse(q, -1, NULL);
    else
        mct_question_answer(q, form ? "{\"action\":\"accept\",\"content\":{}}" : "{\"roots\":[]}");
    hit(IN_QUESTION);
}

static void serve_everything(void)
{
    const struct mct_tool_def tool = {
        .size = sizeof tool, .name = "tool", .execute = moment_execute, .free_data = count_free
    };
    const struct mct_resource_def one = { .size = sizeof one,
                                          .uri = "it://a",
                                          .name = "a",
                                          .read = moment_read,
                                          .updates = true,
                                          .subscribed = moment_subscribed,
                                          .free_data = count_free };
    const struct mct_resource_def many = { .size = sizeof many,
                                           .uri_template = "it://{x}/{y}",
                                           .name = "b",
                                           .read = moment_read,
                                           .complete = moment_complete,
                                           .free_data = count_free };
    const struct mct_prompt_def prompt = {
        .size = sizeof prompt, .name = "prompt", .get = moment_get, .complete = moment_complete, .free_data = count_free
    };
    struct mct_instance_opts opts = MCT_INSTANCE_OPTS_INIT;
    struct mct_error err;
    opts.tools_changed = moment_changed;
    served = with(NULL, &opts);
    assert_ok(mct_instance_add_tool(served, &tool, &err));
    assert_ok(mct_instance_add_resource(served, &one, &err));
    assert_ok(mct_instance_add_resource(served, &many, &err));
    assert_ok(mct_instance_add_prompt(served, &prompt, &err));
}

static void made(struct mct_request *q, int *n)
{
    *n += q != NULL;
}

/* Uses everything that is served, at once. Returns the number of requests. */
static int use_everything(void)
{
    struct mct_completion what = MCT_COMPLETION_INIT;
    struct mct_call_opts o = MCT_CALL_OPTS_INIT;
    struct mct_error err;
    int n = 0;
    o.done = moment_done;
    o.progress = moment_progress;
    what.prompt = "prompt";
    what.argument = "x";
    made(mct_instance_call(client, "tool", NULL, &o, &err), &n);
    made(mct_instance_subscribe(client, "g", "it://a", &o, &err), &n);
    made(mct_instance_read(client, "g", "it://a", &o, &err), &n);
    made(mct_instance_read(client, "g", "it://1/2", &o, &err), &n);
    made(mct_instance_get_prompt(client, "prompt", NULL, &o, &err), &n);
    made(mct_instance_complete(client, &what, &o, &err), &n);
    made(mct_instance_call(client, "tool", NULL, &o, &err), &n);
    made(mct_instance_refresh(client, NULL, &o, &err), &n);
    return n;
}

static void turn_both(void)
{
    if (!closed_served)
        mct_instance_dispatch(served);
    if (!closed_client)
        mct_instance_dispatch(client);
}

static void connect_in(const char *revision)
{
    struct mct_watch_opts watch = MCT_WATCH_OPTS_INIT;
    struct mct_instance_opts opts = MCT_INSTANCE_OPTS_INIT;
    struct mct_error err;
    char config[256];
    int port = mct_instance_serve_http(served, "127.0.0.1:0", &err);
    assert_true(port > 0);
    start(served);
    snprintf(config, sizeof config,
             "{\"mcpServers\":{\"g\":{\"url\":\"http://127.0.0.1:%d/mcp\",\"protocol\":\"%s\"}}}", port, revision);
    opts.elicit = opts.roots = moment_question;
    client = with(config, &opts);
    watch.lists_changed = moment_lists;
    watch.resource_updated = moment_updated;
    watched = mct_instance_watch(client, &watch, &err);
    assert_non_null(watched);
    assert_ok(mct_instance_start(client, &err));
    UNTIL_BOTH(served, client, mct_instance_is_ready(client));
}

static void one_moment(enum moment at, const char *revision)
{
    const struct mct_tool_def more = { .size = sizeof more, .name = "more", .execute = answer };
    struct mct_error err;
    moment = N_MOMENTS; /* none before both are connected */
    seen.n_calls = closed_served = closed_client = n_hits = n_begun = n_asked = n_freed = 0;
    serve_everything();
    connect_in(revision);
    moment = at;
    assert_ok(mct_instance_add_server(served, "child", "{\"command\":\"" TEST_SERVER "\"}", &err));
    int n = use_everything();
    assert_int_equal(n, 8);
    for (int turns = 0; (seen.n_calls < n || !n_hits) && !(closed_client && closed_served); turns++) {
        turn_both();
        if (!n_hits && turns % 30 == 29) {
            mct_instance_resource_updated(served, "it://a", &err);
            if (mct_instance_remove_tool(served, "more", &err) < 0)
                mct_instance_add_tool(served, &more, &err);
        }
        if (!n_hits && at == IN_CANCEL && n_begun && !closed_client)
            mct_instance_close(client, set_int, &closed_client);
        struct timespec ms = { 0, 2000000 };
        nanosleep(&ms, NULL);
        if (turns > PATIENCE_MS / 2)
            fail_msg("moment %d, %s: %d of %d requests ended, %d hits", at, revision, seen.n_calls, n, n_hits);
    }
    if (!closed_client)
        mct_instance_close(client, set_int, &closed_client);
    if (!closed_served)
        mct_instance_close(served, set_int, &closed_served);
    while (!closed_client || !closed_served)
        turn_both();
    mct_watch_free(watched);
    assert_int_equal(n_freed, 4);
}

static void all_moments(bool remove)
{
    removes = remove;
    for (int at = 0; at < N_MOMENTS; at++) {
        one_moment((enum moment)at, "2025-11-25");
        one_moment((enum moment)at, "2026-07-28");
    }
}

static void closed_at_any_moment(void **state)
{
    (void)state;
    all_moments(false);
}

static void removed_at_any_moment(void **state)
{
    (void)state;
    all_moments(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(progress_that_is_no_number, set_up),
        cmocka_unit_test_setup(numbers_in_another_locale, set_up),
        cmocka_unit_test_setup(invalid_utf8, set_up),
        cmocka_unit_test_setup(huge_texts, set_up),
        cmocka_unit_test_setup(servers_named_as_the_programs_own, set_up),
        cmocka_unit_test_setup(entries_with_more_than_one_server, set_up),
        cmocka_unit_test_setup(subscribed_in_a_callback, set_up),
        cmocka_unit_test_setup(closed_at_any_moment, set_up),
        cmocka_unit_test_setup(removed_at_any_moment, set_up),
    };
    return cmocka_run_group_tests_name("api-hostile", tests, NULL, NULL);
}
