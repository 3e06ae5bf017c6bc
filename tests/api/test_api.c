/* The library as a program uses it: servers and tools of its own in one array, called, cancelled and closed. */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static void own_tools(void **state)
{
    struct mct_instance *r = with(NULL, NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_add_tool(r, &greet_def, &err));
    assert_int_equal(mct_instance_add_tool(r, &greet_def, &err), -1);
    assert_has(err.message, "greet");
    assert_ok(mct_instance_add_tool(r, &slow_def, &err));
    assert_ok(mct_instance_add_tool(r, &fails_def, &err));
    assert_ok(mct_instance_add_tool(r, &no_result_def, &err));
    start(r);

    struct mct_tools *t = mct_instance_tools(r, &err);
    assert_int_equal(t->n, 4);
    assert_string_equal(t->v[0]->name, "greet");
    assert_string_equal(t->v[0]->label, "Greeting");
    assert_string_equal(t->v[0]->description, "Greets somebody");
    assert_has(t->v[0]->parameters, "\"required\":[\"name\"]");
    assert_string_equal(t->v[0]->annotations, "{\"readOnlyHint\":true}");
    assert_null(t->v[0]->server);
    assert_false(t->v[0]->owner_only);
    assert_string_equal(t->v[1]->parameters, "{\"type\":\"object\"}");
    mct_tools_free(t);

    assert_says(r, "greet", "{\"name\":\"\\u00e4\"}", "Hello, ä!");
    assert_says(r, "greet", NULL, "Hello, nobody!");
    assert_says(r, "slow", "{\"ms\":5}", "later");
    struct mct_request *q = call(r, "fails", "{}", NULL);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_true(mct_request_is_error(q));
    assert_string_equal(mct_request_text(q, NULL), "it is broken");
    assert_null(mct_request_error(q));
    mct_request_free(q);
    assert_has(logged, "tool 'fails' answered a call that has already ended");
    q = call(r, "no_result", "{}", NULL);
    mct_request_wait(q, NULL);
    assert_true(mct_request_is_error(q));
    assert_has(mct_request_text(q, NULL), "returned no CallToolResult");
    mct_request_free(q);

    assert_int_equal(seen.n_freed, 0);
    assert_int_equal(mct_instance_remove_tool(r, "greet", NULL), 0);
    assert_int_equal(mct_instance_remove_tool(r, "greet", NULL), -1);
    assert_int_equal(seen.n_freed, 1);
    assert_null(mct_instance_call(r, "greet", NULL, NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    mct_instance_close_wait(r);
}

/* A tool of the only server that has the name of a tool of the program has the name that it has beside others. */
static void own_tool_beside_one_server(void **state)
{
    static const struct mct_tool_def def = { .size = sizeof def, .name = "tool0", .execute = greet };
    struct mct_instance *r = with(SERVERS(SERVER("s", "")), NULL);
    struct mct_error err;
    (void)state;
    start(r);
    assert_true(has_tool(r, "tool0"));
    assert_ok(mct_instance_add_tool(r, &def, &err));
    assert_true(has_tool(r, "tool0"));
    assert_true(has_tool(r, "s__tool0"));
    assert_true(has_tool(r, "tool1"));
    assert_says(r, "tool0", NULL, "Hello, nobody!");
    assert_says(r, "s__tool0", NULL, "ok");
    mct_instance_close_wait(r);
    const struct mct_instance_opts always = { .size = sizeof always, .prefix = "always" };
    r = with(SERVERS(SERVER("s", "")), &always);
    start(r);
    assert_true(has_tool(r, "s__tool0"));
    assert_false(has_tool(r, "tool0"));
    mct_instance_close_wait(r);
}

static void bad_definitions(void **state)
{
    static const struct {
        struct mct_tool_def def;
        const char *says;
    } rows[] = {
        { { .name = NULL, .execute = greet }, "the name must have" },
        { { .name = "a b", .execute = greet }, "the name must have" },
        { { .name = "a", .execute = NULL }, "missing function" },
        { { .name = "a", .execute = greet, .parameters = "{" }, "parameters: not valid JSON" },
        { { .name = "a", .execute = greet, .parameters = "[]" }, "parameters: must be a JSON object" },
        { { .name = "a", .execute = greet, .parameters = "{\"type\":\"string\"}" }, "\"type\" must be \"object\"" },
        { { .name = "a", .execute = greet, .output_schema = "1" }, "outputSchema" },
        { { .name = "a", .execute = greet, .annotations = "\"x\"" }, "annotations" },
    };
    struct mct_instance *r = with(NULL, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mct_tool_def def = rows[i].def;
        struct mct_error err;
        def.size = sizeof def;
        assert_int_equal(mct_instance_add_tool(r, &def, &err), -1);
        assert_has(err.message, rows[i].says);
    }
    mct_instance_close_wait(r);
}

/* One array, in the order of the configuration, each name once; own tools keep their names. */
static void one_array(void **state)
{
    struct mct_instance *r = with(
        SERVERS(SERVER("a", "\"--tools\",\"2\",\"--tool-name\",\"greet\"") "," SERVER("b", "\"--tools\",\"1\"")), NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_add_tool(r, &greet_def, &err));
    start(r);
    struct mct_tools *t = mct_instance_tools(r, &err);
    assert_int_equal(t->n, 5);
    assert_non_null(find_tool(t, "greet"));
    assert_null(find_tool(t, "greet")->server);
    const struct mct_tool *tool = find_tool(t, "a__tool1");
    assert_non_null(tool);
    assert_string_equal(tool->server, "a");
    assert_string_equal(tool->raw_name, "tool1");
    assert_string_equal(tool->label, "A tool");
    assert_has(tool->definition, "\"x-unknown\":1e400"); /* nothing is lost */
    assert_non_null(find_tool(t, "a__greet"));
    assert_non_null(find_tool(t, "b__tool0"));
    mct_tools_free(t);

    assert_says(r, "greet", "{\"name\":\"x\"}", "Hello, x!");
    struct mct_request *q = call(r, "b__tool0", "{\"text\":\"t\",\"n\":10000000000000000000000}", NULL);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_has(mct_request_result(q), "\"n\":10000000000000000000000");
    assert_string_equal(mct_request_text(q, NULL), "ok");
    assert_has(mct_request_content(q, NULL), "[{\"type\":\"text\",\"text\":\"ok\"}]");
    mct_request_free(q);
    assert_null(mct_instance_call(r, "a__tool1", "[]", NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    assert_null(mct_instance_call(r, "nothing", NULL, NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    assert_string_equal(mct_instance_state(r, "a", NULL), "connected");
    assert_null(mct_instance_state(r, "x", NULL));
    char *status = mct_instance_status(r, NULL);
    assert_has(status, "\"name\":\"b\",\"state\":\"connected\"");
    mct_free(status);
    mct_instance_close_wait(r);
}

static void failing_servers(void **state)
{
    struct mct_instance *r =
        with(SERVERS(SERVER("good", "\"--tools\",\"1\"") ",\"bad\":{\"command\":\"/nonexistent/x\"}"), NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_start(r, &err));
    assert_int_equal(mct_instance_wait_ready(r, PATIENCE_MS, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_PARTIAL);
    assert_has(err.message, "'bad'");
    assert_string_equal(mct_instance_state(r, "bad", &err), "error");
    assert_string_equal(err.server, "bad");
    assert_has(err.message, "/nonexistent/x");
    assert_true(has_tool(r, "good__tool0"));
    mct_instance_close_wait(r);

    r = with(NULL, NULL);
    assert_int_equal(mct_instance_load_text(r, "{\"mcpServers\":", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CONFIG);
    mct_instance_close_wait(r);
    r = with(NULL, NULL);
    assert_int_equal(mct_instance_load_file(r, "/nonexistent/mcptools.json", &err), -1);
    assert_has(err.message, "/nonexistent/mcptools.json");
    assert_null(mct_instance_call(r, "x", NULL, NULL, &err));
    assert_has(err.message, "not been started");
    assert_null(mct_instance_tools(r, &err));
    mct_instance_close_wait(r);
    assert_null(
        mct_instance_new(&(struct mct_instance_opts){ .size = sizeof(struct mct_instance_opts), .mode = "x" }, &err));
    assert_has(err.message, "mode 'x'");
}

/* The program's own tools stand in a server of their own, which takes nobody's name. */
static void a_server_named_local(void **state)
{
    struct mct_instance *r = with(NULL, NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_add_tool(r, &greet_def, &err));
    assert_ok(mct_instance_load_text(r, SERVERS(SERVER("local", "\"--tool-name\",\"greet\"")), &err));
    start(r);
    char *status = mct_instance_status(r, NULL);
    assert_has(status, "\"name\":\"local\"");
    assert_null(strstr(status, "local-2")); /* that is nobody's concern */
    mct_free(status);
    assert_string_equal(mct_instance_state(r, "local", NULL), "connected");
    assert_says(r, "greet", NULL, "Hello, nobody!");
    struct mct_tools *t = mct_instance_tools(r, &err);
    assert_int_equal(t->n, 5); /* four of the server, one of which wanted the name, too */
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i]->server)
            assert_says(r, t->v[i]->name, NULL, "ok");
    mct_tools_free(t);
    mct_instance_close_wait(r);
}

struct watched {
    int n_done, n_progress;
    double last;
    char message[64];
};

static void on_done(struct mct_request *q, void *data)
{
    struct watched *w = data;
    assert_true(mct_request_is_over(q));
    w->n_done++;
}

static void on_progress(struct mct_request *q, double progress, double total, const char *message, void *data)
{
    struct watched *w = data;
    (void)q;
    (void)total;
    assert_true(progress > w->last);
    w->last = progress;
    w->n_progress++;
    snprintf(w->message, sizeof w->message, "%s", message);
}

/* Callbacks come from dispatch, never from the function that asked. */
static void callbacks(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    struct watched w = { 0 };
    const struct mct_call_opts o = { .size = sizeof o, .done = on_done, .progress = on_progress, .data = &w };
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_add_tool(r, &slow_def, &err));
    start(r);
    struct mct_request *q = call(r, "slow", "{\"ms\":20}", &o);
    assert_int_equal(w.n_done + w.n_progress, 0);
    until(r, &w.n_done, 1);
    assert_int_equal(w.n_progress, 2);
    assert_string_equal(w.message, "done");
    assert_ptr_equal(mct_request_data(q), &w);
    mct_request_free(q);

    w = (struct watched){ 0 };
    q = call(r, "tool0", "{\"progress\":3}", &o);
    until(r, &w.n_done, 1);
    assert_int_equal(w.n_progress, 3);
    mct_request_free(q);
    mct_instance_close_wait(r);
}

static void on_heartbeat(struct mct_request *q, double progress, double total, const char *message, void *data)
{
    struct watched *w = data;
    (void)q;
    (void)total;
    assert_true(progress >= w->last);
    w->last = progress;
    if (!strncmp(message, "still running after ", strlen("still running after ")))
        w->n_progress++;
}

/* A call that says nothing reports that it still runs, if the program wants that. */
static void heartbeats(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    struct watched w = { 0 };
    const struct mct_call_opts o = {
        .size = sizeof o, .done = on_done, .progress = on_heartbeat, .data = &w, .heartbeat_ms = 5
    };
    (void)state;
    start(r);
    struct mct_request *q = call(r, "tool0", "{\"delay_ms\":1000000}", &o);
    until(r, &w.n_progress, 3);
    assert_int_equal(w.n_done, 0);
    mct_request_cancel(q, "enough");
    until(r, &w.n_done, 1);
    int n = w.n_progress;
    assert_says(r, "tool0", "{}", "ok");
    assert_int_equal(w.n_progress, n); /* it has ended */
    mct_request_free(q);
    mct_instance_close_wait(r);
}

static void ends_early(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    struct watched w = { 0 };
    struct mct_call_opts o = { .size = sizeof o, .done = on_done, .data = &w };
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_add_tool(r, &slow_def, &err));
    start(r);

    struct mct_request *q = call(r, "slow", "{\"ms\":1000000}", &o),
                       *other = call(r, "tool0", "{\"delay_ms\":1000000}", &o);
    until(r, &seen.n_cancelled, 0);
    mct_instance_dispatch(r);
    mct_request_cancel(q, "enough");
    mct_request_cancel(other, NULL);
    assert_int_equal(w.n_done, 0);
    until(r, &w.n_done, 2);
    assert_int_equal(mct_request_error(q)->kind, MCT_ERR_CANCELLED);
    assert_string_equal(mct_request_error(q)->message, "enough");
    assert_int_equal(mct_request_error(other)->kind, MCT_ERR_CANCELLED);
    assert_int_equal(seen.n_cancelled, 1);
    mct_request_cancel(q, "again"); /* nothing */
    mct_request_free(q);
    mct_request_free(other);

    o.timeout_ms = 10; /* a deadline: progress does not put it off */
    q = call(r, "slow", "{\"ms\":1000000}", &o);
    assert_int_equal(mct_request_wait(q, NULL), -1);
    assert_int_equal(mct_request_error(q)->kind, MCT_ERR_TIMEOUT);
    mct_request_free(q);

    w.n_done = 0;
    o.timeout_ms = 0;
    q = call(r, "slow", "{\"ms\":1000000}", &o);
    mct_request_free(q); /* under way: cancelled, and nobody is told */
    assert_says(r, "slow", "{\"ms\":1}", "later");
    assert_int_equal(w.n_done, 0);
    mct_instance_close_wait(r);
}

static void *fire(void *data)
{
    mct_cancel_fire(data);
    return NULL;
}

static void tokens(void **state)
{
    struct mct_instance *r = with(NULL, NULL);
    struct mct_error err;
    pthread_t thread;
    (void)state;
    assert_ok(mct_instance_add_tool(r, &slow_def, &err));
    start(r);
    struct mct_cancel *c = mct_cancel_new(r, NULL), *unused = mct_cancel_new(r, NULL);
    const struct mct_call_opts o = { .size = sizeof o, .cancel = c };
    struct mct_request *q = call(r, "slow", "{\"ms\":1000000}", &o), *other = call(r, "slow", "{\"ms\":1000000}", &o);
    assert_int_equal(pthread_create(&thread, NULL, fire, c), 0);
    assert_int_equal(mct_request_wait(q, NULL), -1); /* from another thread, while this one waits */
    assert_int_equal(mct_request_wait(other, NULL), -1);
    pthread_join(thread, NULL);
    assert_int_equal(mct_request_error(other)->kind, MCT_ERR_CANCELLED);
    mct_request_free(other);
    mct_request_free(q);
    assert_null(mct_instance_call(r, "slow", "{\"ms\":1}", &o, &err)); /* it stays fired: nothing is sent */
    assert_int_equal(err.kind, MCT_ERR_CANCELLED);
    mct_cancel_free(c);

    c = mct_cancel_new(r, NULL);
    const struct mct_call_opts more = { .size = sizeof more, .cancel = c };
    q = call(r, "slow", "{\"ms\":1000000}", &more);
    mct_cancel_fire(c);
    mct_cancel_free(c); /* before the loop has heard of it */
    assert_int_equal(mct_request_wait(q, NULL), -1);
    mct_instance_close_wait(r);
    mct_request_free(q); /* may outlive its instance */
    mct_cancel_fire(unused);
    mct_cancel_free(unused);
}

static void told_of_changes(void **state)
{
    const struct mct_instance_opts o = { .size = sizeof o, .tools_changed = on_changed, .state_changed = on_state };
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"") "," SERVER("b", "\"--tools\",\"1\"")), &o);
    struct mct_error err;
    (void)state;
    start(r);
    assert_true(seen.n_states >= 2);
    until(r, &seen.n_changed, 1); /* that there are tools now */
    seen.n_changed = 0;
    struct mct_request *q = call(r, "a__tool0", "{\"grow\":true}", NULL);
    mct_request_wait(q, NULL);
    mct_request_free(q);
    until(r, &seen.n_changed, 1);
    assert_string_equal(seen.changed, "a");
    assert_true(has_tool(r, "a__tool1"));
    assert_ok(mct_instance_add_tool(r, &greet_def, &err)); /* while it runs */
    until(r, &seen.n_changed, 2);
    assert_true(has_tool(r, "greet"));
    assert_says(r, "greet", NULL, "Hello, nobody!");
    q = mct_instance_refresh(r, NULL, NULL, &err);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_has(mct_request_result(q), "\"name\":\"a\",\"state\":\"connected\"");
    assert_has(mct_request_result(q), "\"tools\":2");
    mct_request_free(q);
    assert_null(mct_instance_refresh(r, "x", NULL, &err));
    assert_has(err.message, "'x'");
    mct_instance_close_wait(r);
}

/* Resources, templates, prompts, completion: optional further calls. */
static void further_calls(void **state)
{
    struct mct_instance *r =
        with(SERVERS(SERVER("a", "\"--tools\",\"1\",\"--resources\",\"2\",\"--templates\",\"1\",\"--prompts\",\"1\",\"-"
                                 "-name\",\"a\"") "," SERVER("b", "\"--resources\",\"1\",\"--name\",\"b\"")),
             NULL);
    struct mct_error err;
    (void)state;
    start(r);
    struct mct_entries *e = mct_instance_resources(r, &err);
    assert_int_equal(e->n, 3);
    assert_string_equal(e->v[2]->id, "test://bresource/0");
    assert_string_equal(e->v[2]->server, "b");
    assert_string_equal(e->v[2]->mime_type, "text/plain");
    mct_entries_free(e);
    e = mct_instance_templates(r, &err);
    assert_int_equal(e->n, 1);
    assert_string_equal(e->v[0]->id, "test://atemplate0/{x}");
    mct_entries_free(e);
    e = mct_instance_prompts(r, &err);
    assert_int_equal(e->n, 1);
    assert_string_equal(e->v[0]->id, "a__aprompt0");

    struct mct_request *q = mct_instance_read(r, NULL, "test://bresource/0", NULL, &err);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_has(mct_request_result(q), "\"text\":\"the text\"");
    assert_has(mct_request_result(q), "\"server\":\"b\"");
    assert_string_equal(mct_request_text(q, NULL), "the text");
    assert_string_equal(mct_request_content(q, NULL), "[{\"type\":\"text\",\"text\":\"the text\"}]");
    mct_request_free(q);
    q = mct_instance_read(r, "a", "test://bresource/0", NULL, &err);
    assert_int_equal(mct_request_wait(q, NULL), -1);
    assert_int_equal(mct_request_error(q)->kind, MCT_ERR_NOT_FOUND);
    assert_string_equal(mct_request_error(q)->server, "a");
    mct_request_free(q);
    assert_null(mct_instance_read(r, "c", "test://bresource/0", NULL, &err));
    q = mct_instance_get_prompt(r, e->v[0]->id, "{\"a\":\"1\"}", NULL, &err);
    mct_entries_free(e);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_has(mct_request_result(q), "\"messages\"");
    mct_request_free(q);
    struct mct_completion what = { .size = sizeof what, .prompt = "a__aprompt0", .argument = "a", .value = "x" };
    q = mct_instance_complete(r, &what, NULL, &err);
    assert_non_null(q);
    mct_request_wait(q, NULL);
    assert_true(mct_request_is_over(q));
    mct_request_free(q);
    what = (struct mct_completion){
        .size = sizeof what, .uri_template = "test://atemplate0/{x}", .argument = "x", .context = "{\"y\":\"2\"}"
    };
    q = mct_instance_complete(r, &what, NULL, &err);
    assert_non_null(q);
    mct_request_wait(q, NULL);
    mct_request_free(q);
    what.server = "b";
    assert_null(mct_instance_complete(r, &what, NULL, &err));
    assert_has(err.message, "at server b");
    what.context = "[]";
    what.server = NULL;
    assert_null(mct_instance_complete(r, &what, NULL, &err));
    assert_has(err.message, "context: must be a JSON object");
    what.argument = NULL;
    assert_null(mct_instance_complete(r, &what, NULL, &err));
    assert_null(mct_instance_complete(r, &(struct mct_completion){ .prompt = "x" }, NULL, &err));
    assert_has(err.message, ".size is not set");
    mct_instance_close_wait(r);
}

/* ---- around it ---- */

static void two_instances(void **state)
{
    struct mct_instance *a = with(SERVERS(SERVER("s", "\"--tools\",\"1\"")), NULL);
    struct mct_instance *b = with(SERVERS(SERVER("s", "\"--tools\",\"2\"")), NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_add_tool(b, &greet_def, &err));
    start(a);
    start(b);
    assert_false(has_tool(a, "greet"));
    assert_true(has_tool(b, "tool1"));
    mct_instance_close_wait(a);
    assert_says(b, "greet", NULL, "Hello, nobody!");
    mct_instance_close_wait(b);
}

static void set_flag(void *data)
{
    *(int *)data = 1;
}

/* Closing does not wait either: the program drives it to the end. */
static void closes_while_driven(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    int closed = 0, n = 0;
    (void)state;
    start(r);
    struct mct_request *q = call(r, "tool0", "{\"delay_ms\":1000000}", NULL);
    mct_instance_close(r, set_flag, &closed);
    assert_int_equal(closed, 0);
    while (!closed) {
        struct pollfd p = { .fd = mct_instance_fd(r), .events = POLLIN };
        int timeout = mct_instance_timeout(r);
        poll(&p, 1, timeout < 0 ? PATIENCE_MS : timeout);
        mct_instance_dispatch(r);
        n++;
    }
    assert_true(n < 10000); /* it does not spin */
    assert_int_equal(mct_request_error(q)->kind, MCT_ERR_CANCELLED);
    mct_request_free(q);
    mct_instance_close_wait(NULL);
}

/* In front of a server that never says anything, and one that never goes by itself: each function returns before
 * anything has happened, which it could not if it waited for it. */
static void nothing_blocks(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("mute", "\"--silent\",\"--ignore-eof\",\"--ignore-term\"") "," SERVER(
                                      "slow", "\"--tools\",\"1\",\"--resources\",\"1\"")),
                                  NULL);
    struct mct_error err;
    int closed = 0;
    (void)state;
    assert_ok(mct_instance_add_tool(r, &slow_def, &err));
    assert_ok(mct_instance_start(r, &err));
    assert_string_equal(mct_instance_state(r, "mute", NULL), "connecting");
    assert_int_equal(mct_instance_is_ready(r), 0);
    while (strcmp(mct_instance_state(r, "slow", NULL), "connected")) {
        struct pollfd p = { .fd = mct_instance_fd(r), .events = POLLIN };
        poll(&p, 1, mct_instance_timeout(r));
        mct_instance_dispatch(r);
    }
    struct mct_request *q[4] = {
        call(r, "slow__tool0", "{\"delay_ms\":100000}", NULL), call(r, "slow", "{\"ms\":100000}", NULL),
        mct_instance_read(r, "mute", "test://x", NULL, &err),
        mct_instance_refresh(r, NULL, NULL, &err), /* of one that is still connecting, too */
    };
    for (int i = 0; i < 4; i++) {
        assert_non_null(q[i]);
        assert_false(mct_request_is_over(q[i]));
    }
    assert_null(mct_instance_call(r, "mute__x", NULL, NULL, &err));
    assert_has(err.message, "still connecting");
    mct_instance_dispatch(r);
    mct_instance_close(r, set_flag, &closed);
    assert_int_equal(closed, 0);
    while (!closed) {
        struct pollfd p = { .fd = mct_instance_fd(r), .events = POLLIN };
        poll(&p, 1, mct_instance_timeout(r));
        mct_instance_dispatch(r);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(mct_request_error(q[i])->kind, MCT_ERR_CANCELLED);
        mct_request_free(q[i]);
    }
}

static int n_nested;

static void wait_inside(struct mct_request *q, void *data)
{
    struct mct_instance *r = data;
    struct mct_error err;
    (void)q;
    n_nested++;
    assert_int_equal(mct_instance_wait_ready(r, 1, &err), -1);
    assert_has(err.message, "callback");
    mct_instance_dispatch(r); /* nothing */
}

static void nothing_waits_inside(void **state)
{
    struct mct_instance *r = with(NULL, NULL);
    struct mct_error err;
    const struct mct_call_opts o = { .size = sizeof o, .done = wait_inside, .data = r };
    (void)state;
    n_nested = 0;
    assert_ok(mct_instance_add_tool(r, &greet_def, &err));
    start(r);
    struct mct_request *q = call(r, "greet", NULL, &o);
    until(r, &n_nested, 1);
    mct_request_free(q);
    mct_instance_close_wait(r);
}

/* Descriptors that are open, besides the standard ones. */
static int n_open(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* A server that dies while it is written to must not take the program with it; nothing stays behind. */
static void leaves_the_program_alone(void **state)
{
    struct sigaction before, after;
    int files = n_open();
    (void)state;
    sigaction(SIGPIPE, NULL, &before);
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    start(r);
    struct mct_request *q = call(r, "tool0", "{\"crash\":true}", NULL), *more[50];
    for (int i = 0; i < 50; i++)
        more[i] = call(r, "tool0", "{}", NULL);
    for (int i = 0; i < 50; i++)
        mct_request_wait(more[i], NULL);
    assert_int_equal(mct_request_wait(q, NULL), -1);
    assert_int_equal(mct_request_error(q)->kind, MCT_ERR_CONNECT);
    for (int i = 0; i < 50; i++)
        mct_request_free(more[i]);
    mct_request_free(q);
    mct_instance_close_wait(r);
    sigaction(SIGPIPE, NULL, &after);
    assert_ptr_equal(before.sa_handler, after.sa_handler);
    assert_int_equal(n_open(), files);
}

static int write_errno;

static void write_too_much(struct mct_tool_call *call, void *data)
{
    char path[] = "/tmp/mcptools-test-XXXXXX";
    struct rlimit before;
    int fd = mkstemp(path);
    (void)data;
    unlink(path);
    getrlimit(RLIMIT_FSIZE, &before);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 0, before.rlim_max });
    write_errno = write(fd, "x", 1) < 0 ? errno : 0;
    setrlimit(RLIMIT_FSIZE, &before);
    close(fd);
    mct_tool_call_text(call, "written");
}

/* SIGXFSZ ends a program. What is written in a turn of the library must not raise it, and its handler is the program's.
 */
static void files_that_may_not_grow_end_no_program(void **state)
{
    const struct mct_tool_def def = { .size = sizeof def, .name = "write", .execute = write_too_much };
    struct sigaction after;
    struct mct_error err;
    sigset_t pending;
    (void)state;
    struct mct_instance *r = with(NULL, NULL);
    assert_ok(mct_instance_add_tool(r, &def, &err));
    start(r);
    assert_says(r, "write", NULL, "written");
    assert_int_equal(write_errno, EFBIG);
    sigaction(SIGXFSZ, NULL, &after);
    assert_true(after.sa_handler == SIG_DFL);
    sigpending(&pending);
    assert_false(sigismember(&pending, SIGXFSZ));
    mct_instance_close_wait(r);
}

/* A program built with an older header has smaller structs. */
static void older_programs(void **state)
{
    struct {
        size_t size;
        const char *name, *label, *description, *parameters, *output, *annotations;
        bool owner;
        mct_tool_fn execute;
    } old = { sizeof old, "old", NULL, NULL, NULL, NULL, NULL, false, greet };
    struct mct_instance *r = with(NULL, NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_add_tool(r, (const struct mct_tool_def *)(const void *)&old, &err));
    start(r);
    assert_says(r, "old", NULL, "Hello, nobody!");
    mct_instance_close_wait(r);
    assert_string_equal(mct_version(), VERSION);
}

static void for_models(void **state)
{
    struct mct_error err;
    (void)state;
    char *s = mct_schema_normalise("openai-strict", "{\"type\":\"object\",\"properties\":{}}", &err);
    assert_has(s, "\"additionalProperties\":false");
    mct_free(s);
    assert_null(mct_schema_normalise("x", "{}", &err));
    assert_has(err.message, "'x'");
    assert_null(mct_schema_normalise("gemini", "[", &err));
    s = mct_schema_restore_arguments("gemini", "{\"type\":\"object\",\"properties\":{\"n\":{\"enum\":[1,2]}}}",
                                     "{\"n\":\"2\"}", &err);
    assert_string_equal(s, "{\"n\":2}");
    mct_free(s);
    s = mct_result_degrade_text("{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"AAAA\"}]}",
                                &err);
    assert_string_equal(s, "[Audio result: audio/wav, 3B]");
    mct_free(s);
    s = mct_result_degrade_content("{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAAA\"}]}",
                                   &err);
    assert_string_equal(s, "[{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"image/png\"}]");
    mct_free(s);
    assert_null(mct_result_degrade_text("17", &err));
}

/* What an agent does between a model and tools: the array, a call as the model writes it, and the answer. */
static void a_model_calls(void **state)
{
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_instance_add_tool(r, &greet_def, &err));
    assert_null(mct_instance_model_tools(r, "anthropic", &err));
    start(r);
    char *tools = mct_instance_model_tools(r, "anthropic", &err);
    assert_has(tools, "\"name\":\"greet\"");
    assert_has(tools, "\"input_schema\":{\"type\":\"object\"");
    mct_free(tools);
    assert_null(mct_instance_model_tools(r, "nobody", &err));
    assert_has(err.message, "'nobody'");

    struct mct_request *q = mct_instance_call_model(
        r, "anthropic", "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"greet\",\"input\":{\"name\":\"x\"}}", NULL,
        &err);
    assert_non_null(q);
    assert_null(mct_request_answer(q, NULL));
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_has(mct_request_answer(q, NULL), "\"tool_use_id\":\"t1\"");
    assert_has(mct_request_answer(q, NULL), "Hello, x!");
    mct_request_free(q);
    q = mct_instance_call_model(r, "openai",
                                "{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"tool0\",\"arguments\":\"{"
                                "\\\"delay_ms\\\":100000}\"}}",
                                NULL, &err);
    assert_non_null(q);
    mct_request_cancel(q, "enough");
    assert_has(mct_request_answer(q, NULL), "enough"); /* the model hears of that, too */
    assert_has(mct_request_answer(q, NULL), "\"tool_call_id\":\"c\"");
    mct_request_free(q);
    assert_null(mct_instance_call_model(r, "openai", "{\"id\":\"c\"}", NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    q = mct_instance_call_model(r, "anthropic",
                                "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"nothing\",\"input\":{}}", NULL, &err);
    assert_int_equal(mct_request_wait(q, NULL), -1);
    assert_has(mct_request_answer(q, NULL), "unknown tool: nothing");
    mct_request_free(q);
    mct_instance_close_wait(r);
}

int main(int argc, char **argv)
{
#define T(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        T(own_tools),
        T(own_tool_beside_one_server),
        T(bad_definitions),
        T(one_array),
        T(failing_servers),
        T(a_server_named_local),
        T(callbacks),
        T(heartbeats),
        T(ends_early),
        T(tokens),
        T(told_of_changes),
        T(further_calls),
        T(two_instances),
        T(closes_while_driven),
        T(nothing_blocks),
        T(nothing_waits_inside),
        T(leaves_the_program_alone),
        T(files_that_may_not_grow_end_no_program),
        T(older_programs),
        T(for_models),
        T(a_model_calls),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
