/* The library as a program uses it: servers that come and go, what they say of themselves, and what they report. */
#include "program.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#define ENTRY(args) "{\"command\":\"" TEST_SERVER "\",\"args\":[" args "]}"

/* ---- what is reported ---- */

static struct {
    int n_lists, n_updated, n_messages, n_changed;
    char servers[512]; /* of tools_changed, in order, each followed by a blank */
    char lists[512];   /* of lists_changed: SERVER:BITS */
    char updated[128], message[256];
    struct mct_watch *watch;
} heard;

static void on_tools(struct mct_instance *r, const char *server, void *data)
{
    (void)r;
    (void)data;
    size_t n = strlen(heard.servers);
    heard.n_changed++;
    snprintf(heard.servers + n, sizeof heard.servers - n, "%s ", server ? server : "(own)");
}

static void on_lists(struct mct_instance *r, const char *server, unsigned lists, void *data)
{
    (void)r;
    (void)data;
    size_t n = strlen(heard.lists);
    heard.n_lists++;
    snprintf(heard.lists + n, sizeof heard.lists - n, "%s:%u ", server ? server : "(own)", lists);
}

static void on_updated(struct mct_instance *r, const char *server, const char *uri, void *data)
{
    (void)r;
    (void)data;
    heard.n_updated++;
    snprintf(heard.updated, sizeof heard.updated, "%s %s", server, uri);
}

static void on_message(struct mct_instance *r, const char *server, const char *level, const char *logger,
                       const char *json, void *data)
{
    (void)r;
    (void)data;
    heard.n_messages++;
    snprintf(heard.message, sizeof heard.message, "%s %s %s %.40s", server, level, logger ? logger : "-", json);
}

static const struct mct_instance_opts opts = { .size = sizeof opts,
                                               .tools_changed = on_tools,
                                               .state_changed = on_state };

static struct mct_watch *watch(struct mct_instance *r)
{
    const struct mct_watch_opts o = {
        .size = sizeof o, .lists_changed = on_lists, .resource_updated = on_updated, .message = on_message
    };
    struct mct_error err;
    struct mct_watch *w = mct_instance_watch(r, &o, &err);
    assert_non_null(w);
    return w;
}

static int set_up_servers(void **state)
{
    memset(&heard, 0, sizeof heard);
    return set_up(state);
}

/* Turns the loops of two instances until the condition holds. */
#define UNTIL_BOTH(a, b, condition)                                                                                    \
    for (int turns = 0; !(condition); turns++) {                                                                       \
        struct pollfd p[2] = { { mct_instance_fd(a), POLLIN, 0 }, { mct_instance_fd(b), POLLIN, 0 } };                 \
        poll(p, 2, 10);                                                                                                \
        mct_instance_dispatch(a);                                                                                      \
        mct_instance_dispatch(b);                                                                                      \
        assert_true(turns < PATIENCE_MS / 10);                                                                         \
    }

/* ---- coming and going ---- */

static void added_and_removed(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "")), &opts);
    struct mct_error err;
    (void)state;
    start(r);
    assert_true(has_tool(r, "tool0"));
    assert_ok(mct_instance_add_server(r, "b", ENTRY("\"--name\",\"b\""), &err));
    assert_ok(mct_instance_wait_ready(r, PATIENCE_MS, &err));
    assert_true(has_tool(r, "b__btool0"));
    assert_true(has_tool(r, "a__tool0"));
    assert_says(r, "b__btool0", NULL, "ok");
    until(r, &heard.n_changed, 2);
    assert_has(heard.servers, "a ");
    assert_has(heard.servers, "b ");
    heard.servers[0] = '\0';
    heard.n_changed = 0;
    assert_ok(mct_instance_remove_server(r, "b", &err));
    assert_false(has_tool(r, "b__btool0"));
    assert_true(has_tool(r, "tool0"));
    assert_null(mct_instance_state(r, "b", NULL));
    assert_int_equal(mct_instance_remove_server(r, "b", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    until(r, &heard.n_changed, 2);
    assert_has(heard.servers, "b ");
    assert_ok(mct_instance_add_server(r, "b", ENTRY("\"--name\",\"new\""), &err));
    assert_ok(mct_instance_wait_ready(r, PATIENCE_MS, &err));
    assert_true(has_tool(r, "b__newtool0"));
    mct_instance_close_wait(r);
}

static void bad_entries(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "")), &opts);
    struct mct_error err;
    (void)state;
    start(r);
    assert_int_equal(mct_instance_add_server(r, "a", ENTRY(""), &err), -1);
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    assert_has(err.message, "'a' exists already");
    static const char *const bad[] = { "{", "17", "{}", "{\"command\":7}",
                                       "{\"command\":\"x\"},\"c\":{\"command\":\"y\"}" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(mct_instance_add_server(r, "b", bad[i], &err), -1);
        if (err.kind != MCT_ERR_CONFIG)
            fail_msg("%s: %s", bad[i], err.message);
        assert_null(mct_instance_state(r, "b", NULL));
    }
    assert_int_equal(mct_instance_add_server(r, "b", "{\"type\":\"plugin\",\"path\":\"x.so\"}", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_UNSUPPORTED);
    assert_int_equal(mct_instance_add_server(r, NULL, ENTRY(""), &err), -1);
    assert_int_equal(mct_instance_restart_server(r, "b", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    assert_ok(mct_instance_add_server(r, "b", "{\"command\":\"/nonexistent\"}", &err));
    assert_int_equal(mct_instance_wait_ready(r, PATIENCE_MS, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_PARTIAL);
    mct_instance_close_wait(r);
}

static void many_that_are_down(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "")), &opts);
    struct mct_error err;
    char name[64];
    (void)state;
    start(r);
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "server-number-%d", i);
        assert_ok(mct_instance_add_server(r, name, "{\"command\":\"/nonexistent\"}", &err));
    }
    assert_int_equal(mct_instance_wait_ready(r, PATIENCE_MS, NULL), -1);
    assert_int_equal(mct_instance_wait_ready(r, PATIENCE_MS, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_PARTIAL);
    assert_has(err.message, "not connected: 'server-number-0', 'server-number-1', ");
    assert_has(err.message, " more");
    mct_instance_close_wait(r);
}

static void loaded_twice(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "")), &opts);
    struct mct_error err;
    (void)state;
    start(r);
    assert_ok(mct_instance_load_text(
        r, SERVERS(SERVER("a", "\"--name\",\"x\"") "," SERVER("b", "") "," SERVER("c", "")), &err));
    assert_ok(mct_instance_wait_ready(r, PATIENCE_MS, &err));
    assert_true(has_tool(r, "a__tool0"));
    assert_true(has_tool(r, "b__tool0"));
    assert_true(has_tool(r, "c__tool0"));
    assert_false(has_tool(r, "a__xtool0"));
    assert_ok(mct_instance_load_text(r, "{\"mcpServers\":{},\"mcptools\":{\"policy\":{\"deny\":[\"*\"]}}}", &err));
    assert_has(logged, "settings are loaded before the start");
    assert_true(has_tool(r, "a__tool0"));
    assert_int_equal(mct_instance_load_text(r, "{", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CONFIG);
    mct_instance_close_wait(r);
}

/* Calls in flight, waiting subscriptions and open ones end with the server. */
static void removed_with_calls_in_flight(void **state)
{
    struct mct_instance *r =
        with(SERVERS(SERVER("a", "") "," SERVER("b", "\"--name\",\"b\",\"--resources\",\"2\",\"--subscribe\"")), &opts);
    struct mct_request *calls[8], *sub, *late;
    struct mct_error err;
    (void)state;
    heard.watch = watch(r);
    start(r);
    sub = mct_instance_subscribe(r, "b", "test://bresource/0", NULL, &err);
    assert_int_equal(mct_request_wait(sub, &err), 0);
    assert_string_equal(mct_request_result(sub), "{\"server\":\"b\"}");
    for (size_t i = 0; i < 8; i++)
        calls[i] = call(r, "b__btool0", "{\"delay_ms\":60000}", NULL);
    late = mct_instance_subscribe(r, "b", "test://bresource/1", NULL, &err);
    assert_non_null(late);
    assert_ok(mct_instance_remove_server(r, "b", &err));
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(mct_request_wait(calls[i], &err), -1);
        assert_int_equal(err.kind, MCT_ERR_CONNECT);
        assert_has(err.message, "server 'b': it was removed");
        assert_string_equal(err.server, "b");
        mct_request_free(calls[i]);
    }
    assert_int_equal(mct_request_wait(late, &err), -1);
    assert_int_equal(mct_instance_unsubscribe(r, NULL, "test://bresource/0", &err), -1);
    mct_request_free(late);
    mct_request_free(sub);
    assert_null(mct_instance_call(r, "b__btool0", NULL, NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    assert_says(r, "tool0", NULL, "ok");
    mct_watch_free(heard.watch);
    mct_instance_close_wait(r);
}

static void restarted(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "")), &opts);
    struct mct_error err;
    (void)state;
    start(r);
    struct mct_request *q = call(r, "tool0", "{\"grow\":true}", NULL), *open;
    assert_int_equal(mct_request_wait(q, &err), 0);
    mct_request_free(q);
    until(r, &heard.n_changed, 2); /* the first list, and its change */
    assert_true(has_tool(r, "tool3"));
    open = call(r, "tool0", "{\"delay_ms\":60000}", NULL);
    assert_ok(mct_instance_restart_server(r, "a", &err));
    assert_int_equal(mct_request_wait(open, &err), -1);
    assert_has(err.message, "it was restarted");
    mct_request_free(open);
    assert_ok(mct_instance_wait_ready(r, PATIENCE_MS, &err));
    assert_false(has_tool(r, "tool3")); /* a new process */
    assert_says(r, "tool0", NULL, "ok");
    mct_instance_close_wait(r);
}

static void set_int(void *n)
{
    *(int *)n = 1;
}

/* A client of a served instance sees servers come and go, while it has calls in flight. */
static void clients_are_told(void **state)
{
    struct mct_instance *served = with(SERVERS(SERVER("a", "\"--resources\",\"1\",\"--subscribe\"")), NULL), *client;
    struct mct_error err;
    char config[256];
    int closed = 0;
    (void)state;
    int port = mct_instance_serve_http(served, "127.0.0.1:0", &err);
    assert_true(port > 0);
    start(served);
    snprintf(config, sizeof config, "{\"mcpServers\":{\"g\":{\"url\":\"http://127.0.0.1:%d/mcp\"}}}", port);
    client = with(config, &opts);
    assert_ok(mct_instance_start(client, &err));
    UNTIL_BOTH(served, client, mct_instance_is_ready(client));
    assert_true(has_tool(client, "tool0"));
    assert_ok(
        mct_instance_add_server(served, "b", ENTRY("\"--name\",\"b\",\"--resources\",\"1\",\"--subscribe\""), &err));
    UNTIL_BOTH(served, client, has_tool(client, "b__btool0"));
    struct mct_request *sub = mct_instance_subscribe(client, "g", "test://bresource/0", NULL, &err);
    assert_non_null(sub);
    UNTIL_BOTH(served, client, mct_request_is_over(sub));
    assert_null(mct_request_error(sub));
    mct_request_free(sub);
    struct mct_request *q = call(client, "b__btool0", "{\"delay_ms\":60000}", NULL), *other;
    other = call(client, "a__tool0", "{\"delay_ms\":300}", NULL);
    for (int i = 0; i < 20; i++)
        UNTIL_BOTH(served, client, turns > 0);
    assert_ok(mct_instance_remove_server(served, "b", &err));
    UNTIL_BOTH(served, client, mct_request_is_over(q) && mct_request_is_over(other));
    assert_has(mct_request_error(q)->message, "it was removed");
    assert_null(mct_request_error(other));
    UNTIL_BOTH(served, client, has_tool(client, "tool0") && !has_tool(client, "b__btool0"));
    mct_request_free(q);
    mct_request_free(other);
    assert_ok(mct_instance_unsubscribe(client, "g", "test://bresource/0", &err));
    assert_ok(mct_instance_restart_server(served, "a", &err));
    UNTIL_BOTH(served, client, mct_instance_is_ready(served));
    q = call(client, "tool0", NULL, NULL);
    UNTIL_BOTH(served, client, mct_request_is_over(q));
    assert_null(mct_request_error(q));
    mct_request_free(q);
    mct_instance_close(client, set_int, &closed);
    while (!closed) {
        mct_instance_dispatch(served);
        mct_instance_dispatch(client);
    }
    mct_instance_close_wait(served);
}

/* ---- what servers report ---- */

static void changes_of_each_server(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--name\",\"a\"") "," SERVER("b", "\"--name\",\"b\"")), &opts);
    (void)state;
    heard.watch = watch(r);
    start(r);
    until(r, &heard.n_changed, 2);
    heard.servers[0] = heard.lists[0] = '\0';
    heard.n_changed = heard.n_lists = 0;
    struct mct_request *one = call(r, "a__atool0", "{\"grow\":true}", NULL);
    struct mct_request *two = call(r, "b__btool0", "{\"grow\":true}", NULL);
    until(r, &heard.n_lists, 2);
    assert_has(heard.servers, "a ");
    assert_has(heard.servers, "b ");
    assert_has(heard.lists, "a:1 ");
    assert_has(heard.lists, "b:1 ");
    mct_request_free(one);
    mct_request_free(two);
    mct_instance_close_wait(r);
    mct_watch_free(heard.watch);
}

static void updates_and_messages(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--resources\",\"2\",\"--subscribe\"")), &opts);
    struct mct_error err;
    (void)state;
    heard.watch = watch(r);
    start(r);
    struct mct_request *q = mct_instance_subscribe(r, NULL, "test://resource/1", NULL, &err);
    assert_int_equal(mct_request_wait(q, &err), 0);
    mct_request_free(q);
    assert_says(r, "tool0", "{\"touch\":\"test://resource/1\"}", "ok");
    until(r, &heard.n_updated, 1);
    assert_string_equal(heard.updated, "a test://resource/1");
    assert_ok(mct_instance_unsubscribe(r, NULL, "test://resource/1", &err));
    assert_int_equal(mct_instance_unsubscribe(r, NULL, "test://resource/1", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    assert_ok(mct_instance_set_log_level(r, "warning", &err));
    assert_int_equal(mct_instance_set_log_level(r, "loud", &err), -1);
    assert_has(err.message, "'loud'");
    assert_says(r, "tool0", "{\"log\":true}", "ok");
    until(r, &heard.n_messages, 1);
    assert_string_equal(heard.message, "a warning - \"after a call\"");
    mct_watch_free(heard.watch);
    q = mct_instance_subscribe(r, "nobody", "x://y", NULL, &err);
    assert_null(q);
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    mct_instance_close_wait(r);
    assert_int_equal(heard.n_updated, 1);
}

static void no_subscriptions(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--resources\",\"2\"")), &opts);
    struct mct_error err;
    (void)state;
    start(r);
    assert_null(mct_instance_subscribe(r, "a", "test://resource/1", NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_UNSUPPORTED);
    assert_has(err.message, "server 'a'");
    mct_instance_close_wait(r);
}

static void closes(struct mct_instance *r, const char *server, unsigned lists, void *data)
{
    (void)server;
    (void)lists;
    (void)data;
    heard.n_lists++;
    mct_watch_free(heard.watch);
    mct_instance_close(r, NULL, &heard);
}

static void closed_in_a_watch(void **state)
{
    const struct mct_watch_opts o = { .size = sizeof o, .lists_changed = closes };
    struct mct_instance *r = with(SERVERS(SERVER("a", "")), NULL);
    struct mct_watch *other = watch(r);
    struct mct_error err;
    (void)state;
    heard.watch = mct_instance_watch(r, &o, &err);
    assert_ok(mct_instance_start(r, &err));
    assert_ok(mct_instance_run(r, &err));
    assert_int_equal(heard.n_lists, 2); /* `other` was first */
    mct_watch_free(other);
}

/* ---- what servers say of themselves ---- */

static void said_of_itself(void **state)
{
    struct mct_instance *r = with(
        SERVERS(SERVER(
            "a", "\"--resources\",\"1\",\"--server-info\",\"{\\\"name\\\":\\\"A\\\",\\\"version\\\":"
                 "\\\"2\\\",\\\"title\\\":\\\"The A\\\",\\\"icons\\\":[]}\"") ",\"d\":{\"command\":\"/nonexistent\"}"),
        NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_start(r, &err));
    assert_int_equal(mct_instance_wait_ready(r, PATIENCE_MS, &err), -1);
    struct mct_server *s = mct_instance_server(r, "a", &err), *d = mct_instance_server(r, "d", &err);
    assert_non_null(s);
    assert_string_equal(s->name, "a");
    assert_string_equal(s->state, "connected");
    assert_string_equal(s->transport, "stdio");
    assert_string_equal(s->protocol_version, "2025-11-25");
    assert_string_equal(s->server_name, "A");
    assert_string_equal(s->server_version, "2");
    assert_string_equal(s->title, "The A");
    assert_string_equal(s->icons, "[]");
    assert_null(s->website_url);
    assert_string_equal(s->instructions, "Be kind.");
    assert_has(s->capabilities, "\"logging\"");
    assert_int_equal(s->n_tools, 3);
    assert_int_equal(s->n_resources, 1);
    assert_int_equal(s->error.kind, MCT_ERR_NONE);
    assert_string_equal(d->state, "error");
    assert_int_equal(d->error.kind, MCT_ERR_CONNECT);
    assert_string_equal(d->error.server, "d");
    assert_null(d->server_info);
    assert_null(mct_instance_server(r, "x", &err));
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    /* a tool of a server that is down: not unknown, but out of reach */
    assert_null(mct_instance_call(r, "d__x", NULL, NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_CONNECT);
    assert_has(err.message, "server 'd' is not connected: ");
    assert_string_equal(err.server, "d");
    mct_instance_close_wait(r);
    mct_server_free(s);
    mct_server_free(d);
}

static void lists_that_fail(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--refuse\",\"tools/list\",\"--refuse-times\",\"1\"")), &opts);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_start(r, &err));
    assert_int_equal(mct_instance_wait_ready(r, PATIENCE_MS, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_PARTIAL);
    assert_has(err.message, "tools/list");
    struct mct_server *s = mct_instance_server(r, "a", &err);
    assert_string_equal(s->state, "connected");
    assert_has(s->lists_error.message, "tools/list");
    assert_string_equal(s->lists_error.server, "a");
    mct_server_free(s);
    char *status = mct_instance_status(r, &err);
    assert_has(status, "\"listErrors\":[{\"list\":\"tools\"");
    mct_free(status);
    assert_null(mct_instance_call(r, "tool0", NULL, NULL, &err));
    assert_has(err.message, "did not list its tools");
    int n = seen.n_states;
    until(r, &heard.n_changed, 1);
    assert_true(seen.n_states >= n);
    assert_ok(mct_instance_wait_ready(r, PATIENCE_MS, &err));
    assert_true(has_tool(r, "tool0"));
    mct_instance_close_wait(r);
}

/* ---- waiting ---- */

static void *fire_later(void *token)
{
    usleep(1000);
    mct_cancel_fire(token);
    return NULL;
}

static void waits_that_are_cancelled(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--silent\"")), NULL);
    struct mct_error err;
    pthread_t thread;
    (void)state;
    assert_ok(mct_instance_start(r, &err));
    struct mct_cancel *token = mct_cancel_new(r, &err);
    assert_int_equal(pthread_create(&thread, NULL, fire_later, token), 0);
    assert_int_equal(mct_instance_wait_ready_cancel(r, PATIENCE_MS, token, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CANCELLED);
    pthread_join(thread, NULL);
    mct_cancel_free(token);
    mct_instance_close_wait(r);
}

#define T(f) cmocka_unit_test_setup(f, set_up_servers)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(added_and_removed),
        T(bad_entries),
        T(many_that_are_down),
        T(loaded_twice),
        T(removed_with_calls_in_flight),
        T(restarted),
        T(clients_are_told),
        T(changes_of_each_server),
        T(updates_and_messages),
        T(no_subscriptions),
        T(closed_in_a_watch),
        T(said_of_itself),
        T(lists_that_fail),
        T(waits_that_are_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
