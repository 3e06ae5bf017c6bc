/* The library as a program uses it: servers and tools of its own in one array, called, cancelled, asked and closed. */
#include "api.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* ---- tools of the program ---- */

struct counters {
    int n_calls, n_cancelled, n_freed, n_changed, n_states, n_questions, n_withdrawn;
    char changed[64], method[64], params[2048];
    struct mct_registry *registry;
};

static struct counters seen;

static void greet(struct mct_tool_call *call, void *data)
{
    char text[200];
    const char *name = mct_tool_call_text_argument(call, "name");
    (void)data;
    seen.n_calls++;
    snprintf(text, sizeof text, "Hello, %s!", name ? name : "nobody");
    mct_tool_call_text(call, text);
}

static void slow_end(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_progress(call, 2, 2, "done");
    mct_tool_call_result(call, "{\"content\":[{\"type\":\"text\",\"text\":\"later\"}],\"structuredContent\":{\"n\":1.0}}");
}

static void slow_cancelled(struct mct_tool_call *call, void *data)
{
    (void)data;
    seen.n_cancelled++;
    mct_tool_call_text(call, "too late"); /* ignored: nobody waits */
}

static void slow(struct mct_tool_call *call, void *data)
{
    const char *ms = mct_tool_call_argument(call, "ms");
    (void)data;
    mct_tool_call_progress(call, 1, 2, "begun");
    mct_tool_call_on_cancel(call, slow_cancelled, NULL);
    mct_tool_call_later(call, ms ? (unsigned)atoi(ms) : 1, slow_end, NULL);
}

static void fails(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_error(call, "it is broken");
    mct_tool_call_text(call, "a second answer"); /* reported, and ignored */
}

static void no_result(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_result(call, "{\"text\":1}");
}

static void count_free(void *data)
{
    (void)data;
    seen.n_freed++;
}

static const struct mct_tool_def greet_def = {
    .size = sizeof greet_def, .name = "greet", .label = "Greeting", .description = "Greets somebody",
    .parameters = "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}",
    .annotations = "{\"readOnlyHint\":true}", .execute = greet, .free_data = count_free,
};
static const struct mct_tool_def slow_def = { .size = sizeof slow_def, .name = "slow", .execute = slow };
static const struct mct_tool_def fails_def = { .size = sizeof fails_def, .name = "fails", .execute = fails };
static const struct mct_tool_def no_result_def = { .size = sizeof no_result_def, .name = "no_result", .execute = no_result };
static const struct mct_tool_def secret_def = { .size = sizeof secret_def, .name = "secret", .owner_only = true,
                                                .execute = greet };

/* ---- a registry ---- */

static char logged[65536];

static void keep_log(enum mct_log_level level, const char *line, void *data)
{
    size_t n = strlen(logged);
    (void)level;
    (void)data;
    snprintf(logged + n, sizeof logged - n, "%s\n", line);
}

static void on_changed(struct mct_registry *r, const char *server, void *data)
{
    (void)r;
    (void)data;
    seen.n_changed++;
    snprintf(seen.changed, sizeof seen.changed, "%s", server ? server : "");
}

static void on_state(struct mct_registry *r, const char *server, void *data)
{
    (void)r;
    (void)server;
    (void)data;
    seen.n_states++;
}

static int set_up(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    logged[0] = '\0';
    return 0;
}

static struct mct_registry *with(const char *servers, const struct mct_registry_opts *opts)
{
    struct mct_registry_opts o = { .size = sizeof o };
    struct mct_error err;
    if (opts)
        o = *opts;
    o.log = keep_log;
    o.log_level = MCT_LOG_INFO;
    struct mct_registry *r = mct_registry_new(&o, &err);
    if (!r)
        fail_msg("%s", err.message);
    if (servers)
        assert_ok(mct_registry_load_text(r, servers, &err));
    return r;
}

static void start(struct mct_registry *r)
{
    struct mct_error err;
    assert_ok(mct_registry_start(r, &err));
    assert_ok(mct_registry_wait_ready(r, PATIENCE_MS, &err));
}

static const struct mct_tool *find_tool(const struct mct_tools *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (!strcmp(t->v[i]->name, name))
            return t->v[i];
    return NULL;
}

static bool has_tool(struct mct_registry *r, const char *name)
{
    struct mct_error err;
    struct mct_tools *t = mct_registry_tools(r, &err);
    assert_non_null(t);
    bool has = find_tool(t, name) != NULL;
    mct_tools_free(t);
    return has;
}

/* Turns the loop as a program of its own does, until `*n` is at least `want`. */
static void until(struct mct_registry *r, const int *n, int want)
{
    while (*n < want) {
        struct pollfd p = { .fd = mct_registry_fd(r), .events = POLLIN };
        int timeout = mct_registry_timeout(r);
        assert_true(poll(&p, 1, timeout < 0 ? PATIENCE_MS : timeout) > 0 || timeout >= 0);
        mct_registry_dispatch(r);
    }
}

static struct mct_request *call(struct mct_registry *r, const char *tool, const char *args, const struct mct_call_opts *o)
{
    struct mct_error err;
    struct mct_request *q = mct_registry_call(r, tool, args, o, &err);
    if (!q)
        fail_msg("%s", err.message);
    return q;
}

/* The text of the result of a call that works. */
static void assert_says(struct mct_registry *r, const char *tool, const char *args, const char *text)
{
    struct mct_request *q = call(r, tool, args, NULL);
    if (mct_request_wait(q) < 0)
        fail_msg("%s", mct_request_error(q)->message);
    assert_string_equal(mct_request_text(q), text);
    mct_request_free(q);
}

/* ---- tests ---- */

static void own_tools(void **state)
{
    struct mct_registry *r = with(NULL, NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_registry_add_tool(r, &greet_def, &err));
    assert_int_equal(mct_registry_add_tool(r, &greet_def, &err), -1);
    assert_has(err.message, "greet");
    assert_ok(mct_registry_add_tool(r, &slow_def, &err));
    assert_ok(mct_registry_add_tool(r, &fails_def, &err));
    assert_ok(mct_registry_add_tool(r, &no_result_def, &err));
    start(r);

    struct mct_tools *t = mct_registry_tools(r, &err);
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
    assert_int_equal(mct_request_wait(q), 0);
    assert_true(mct_request_is_error(q));
    assert_string_equal(mct_request_text(q), "it is broken");
    assert_null(mct_request_error(q));
    mct_request_free(q);
    assert_has(logged, "tool 'fails' answers a call that is over");
    q = call(r, "no_result", "{}", NULL);
    mct_request_wait(q);
    assert_true(mct_request_is_error(q));
    assert_has(mct_request_text(q), "gave no CallToolResult");
    mct_request_free(q);

    assert_int_equal(seen.n_freed, 0);
    assert_int_equal(mct_registry_remove_tool(r, "greet"), 0);
    assert_int_equal(mct_registry_remove_tool(r, "greet"), -1);
    assert_int_equal(seen.n_freed, 1);
    assert_null(mct_registry_call(r, "greet", NULL, NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    mct_registry_close_wait(r);
}

static void bad_definitions(void **state)
{
    static const struct {
        struct mct_tool_def def;
        const char *says;
    } rows[] = {
        { { .name = NULL, .execute = greet }, "a name has" },
        { { .name = "a b", .execute = greet }, "a name has" },
        { { .name = "a", .execute = NULL }, "no function" },
        { { .name = "a", .execute = greet, .parameters = "{" }, "parameters: not valid JSON" },
        { { .name = "a", .execute = greet, .parameters = "[]" }, "parameters: must be a JSON object" },
        { { .name = "a", .execute = greet, .parameters = "{\"type\":\"string\"}" }, "\"type\" must be \"object\"" },
        { { .name = "a", .execute = greet, .output_schema = "1" }, "outputSchema" },
        { { .name = "a", .execute = greet, .annotations = "\"x\"" }, "annotations" },
    };
    struct mct_registry *r = with(NULL, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mct_tool_def def = rows[i].def;
        struct mct_error err;
        def.size = sizeof def;
        assert_int_equal(mct_registry_add_tool(r, &def, &err), -1);
        assert_has(err.message, rows[i].says);
    }
    mct_registry_close_wait(r);
}

/* One array, in the order of the configuration, each name once; own tools keep their names. */
static void one_array(void **state)
{
    struct mct_registry *r = with(SERVERS(SERVER("a", "\"--tools\",\"2\",\"--tool-name\",\"greet\"") ","
                                          SERVER("b", "\"--tools\",\"1\"")), NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_registry_add_tool(r, &greet_def, &err));
    start(r);
    struct mct_tools *t = mct_registry_tools(r, &err);
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
    assert_int_equal(mct_request_wait(q), 0);
    assert_has(mct_request_result(q), "\"n\":10000000000000000000000");
    assert_string_equal(mct_request_text(q), "ok");
    assert_has(mct_request_content(q), "[{\"type\":\"text\",\"text\":\"ok\"}]");
    mct_request_free(q);
    assert_null(mct_registry_call(r, "a__tool1", "[]", NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    assert_null(mct_registry_call(r, "nothing", NULL, NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    assert_string_equal(mct_registry_state(r, "a", NULL), "connected");
    assert_null(mct_registry_state(r, "x", NULL));
    char *status = mct_registry_status(r);
    assert_has(status, "\"name\":\"b\",\"state\":\"connected\"");
    mct_free(status);
    mct_registry_close_wait(r);
}

static void failing_servers(void **state)
{
    struct mct_registry *r = with(SERVERS(SERVER("good", "\"--tools\",\"1\"") ",\"bad\":{\"command\":\"/nonexistent/x\"}"), NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_registry_start(r, &err));
    assert_int_equal(mct_registry_wait_ready(r, PATIENCE_MS, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_PARTIAL);
    assert_has(err.message, "'bad'");
    assert_string_equal(mct_registry_state(r, "bad", &err), "error");
    assert_has(err.message, "/nonexistent/x");
    assert_true(has_tool(r, "good__tool0"));
    mct_registry_close_wait(r);

    r = with(NULL, NULL);
    assert_int_equal(mct_registry_load_text(r, "{\"mcpServers\":", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CONFIG);
    mct_registry_close_wait(r);
    r = with(NULL, NULL);
    assert_int_equal(mct_registry_load_file(r, "/nonexistent/mcptools.json", &err), -1);
    assert_has(err.message, "/nonexistent/mcptools.json");
    assert_null(mct_registry_call(r, "x", NULL, NULL, &err));
    assert_has(err.message, "not been started");
    assert_null(mct_registry_tools(r, &err));
    mct_registry_close_wait(r);
    assert_null(mct_registry_new(&(struct mct_registry_opts){ .size = sizeof(struct mct_registry_opts), .mode = "x" }, &err));
    assert_has(err.message, "mode 'x'");
}

/* The program's own tools stand in a server of their own, which takes nobody's name. */
static void a_server_named_local(void **state)
{
    struct mct_registry *r = with(NULL, NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_registry_add_tool(r, &greet_def, &err));
    assert_ok(mct_registry_load_text(r, SERVERS(SERVER("local", "\"--tool-name\",\"greet\"")), &err));
    start(r);
    char *status = mct_registry_status(r);
    assert_has(status, "\"name\":\"local\"");
    assert_null(strstr(status, "local-2")); /* that is nobody's concern */
    mct_free(status);
    assert_string_equal(mct_registry_state(r, "local", NULL), "connected");
    assert_says(r, "greet", NULL, "Hello, nobody!");
    struct mct_tools *t = mct_registry_tools(r, &err);
    assert_int_equal(t->n, 5); /* four of the server, one of which wanted the name, too */
    for (size_t i = 0; i < t->n; i++)
        if (t->v[i]->server)
            assert_says(r, t->v[i]->name, NULL, "ok");
    mct_tools_free(t);
    mct_registry_close_wait(r);
}

struct watched {
    int n_done, n_progress;
    double last;
    char message[64];
};

static void on_done(struct mct_request *q, void *data)
{
    struct watched *w = data;
    assert_true(mct_request_over(q));
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
    struct mct_registry *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    struct watched w = { 0 };
    const struct mct_call_opts o = { .size = sizeof o, .done = on_done, .progress = on_progress, .data = &w };
    struct mct_error err;
    (void)state;
    assert_ok(mct_registry_add_tool(r, &slow_def, &err));
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
    mct_registry_close_wait(r);
}

static void ends_early(void **state)
{
    struct mct_registry *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    struct watched w = { 0 };
    struct mct_call_opts o = { .size = sizeof o, .done = on_done, .data = &w };
    struct mct_error err;
    (void)state;
    assert_ok(mct_registry_add_tool(r, &slow_def, &err));
    start(r);

    struct mct_request *q = call(r, "slow", "{\"ms\":1000000}", &o), *other = call(r, "tool0", "{\"delay_ms\":1000000}", &o);
    until(r, &seen.n_cancelled, 0);
    mct_registry_dispatch(r);
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
    assert_int_equal(mct_request_wait(q), -1);
    assert_int_equal(mct_request_error(q)->kind, MCT_ERR_TIMEOUT);
    mct_request_free(q);

    w.n_done = 0;
    o.timeout_ms = 0;
    q = call(r, "slow", "{\"ms\":1000000}", &o);
    mct_request_free(q); /* under way: cancelled, and nobody is told */
    assert_says(r, "slow", "{\"ms\":1}", "later");
    assert_int_equal(w.n_done, 0);
    mct_registry_close_wait(r);
}

static void *fire(void *data)
{
    mct_cancel_fire(data);
    return NULL;
}

static void tokens(void **state)
{
    struct mct_registry *r = with(NULL, NULL);
    struct mct_error err;
    pthread_t thread;
    (void)state;
    assert_ok(mct_registry_add_tool(r, &slow_def, &err));
    start(r);
    struct mct_cancel *c = mct_cancel_new(r), *unused = mct_cancel_new(r);
    const struct mct_call_opts o = { .size = sizeof o, .cancel = c };
    struct mct_request *q = call(r, "slow", "{\"ms\":1000000}", &o), *other = call(r, "slow", "{\"ms\":1000000}", &o);
    assert_int_equal(pthread_create(&thread, NULL, fire, c), 0);
    assert_int_equal(mct_request_wait(q), -1); /* from another thread, while this one waits */
    assert_int_equal(mct_request_wait(other), -1);
    pthread_join(thread, NULL);
    assert_int_equal(mct_request_error(other)->kind, MCT_ERR_CANCELLED);
    mct_request_free(other);
    mct_request_free(q);
    assert_null(mct_registry_call(r, "slow", "{\"ms\":1}", &o, &err)); /* it stays fired: nothing is sent */
    assert_int_equal(err.kind, MCT_ERR_CANCELLED);
    mct_cancel_free(c);

    c = mct_cancel_new(r);
    const struct mct_call_opts more = { .size = sizeof more, .cancel = c };
    q = call(r, "slow", "{\"ms\":1000000}", &more);
    mct_cancel_fire(c);
    mct_cancel_free(c); /* before the loop has heard of it */
    assert_int_equal(mct_request_wait(q), -1);
    mct_registry_close_wait(r);
    mct_request_free(q); /* may outlive its registry */
    mct_cancel_fire(unused);
    mct_cancel_free(unused);
}

static void told_of_changes(void **state)
{
    const struct mct_registry_opts o = { .size = sizeof o, .tools_changed = on_changed, .state_changed = on_state };
    struct mct_registry *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"") "," SERVER("b", "\"--tools\",\"1\"")), &o);
    struct mct_error err;
    (void)state;
    start(r);
    assert_true(seen.n_states >= 2);
    until(r, &seen.n_changed, 1); /* that there are tools now */
    seen.n_changed = 0;
    struct mct_request *q = call(r, "a__tool0", "{\"grow\":true}", NULL);
    mct_request_wait(q);
    mct_request_free(q);
    until(r, &seen.n_changed, 1);
    assert_string_equal(seen.changed, "a");
    assert_true(has_tool(r, "a__tool1"));
    assert_ok(mct_registry_add_tool(r, &greet_def, &err)); /* while it runs */
    until(r, &seen.n_changed, 2);
    assert_true(has_tool(r, "greet"));
    assert_says(r, "greet", NULL, "Hello, nobody!");
    q = mct_registry_refresh(r, NULL, NULL, &err);
    assert_int_equal(mct_request_wait(q), 0);
    assert_has(mct_request_result(q), "\"name\":\"a\",\"state\":\"connected\"");
    assert_has(mct_request_result(q), "\"tools\":2");
    mct_request_free(q);
    assert_null(mct_registry_refresh(r, "x", NULL, &err));
    assert_has(err.message, "'x'");
    mct_registry_close_wait(r);
}

/* Resources, templates, prompts, completion: optional further calls. */
static void further_calls(void **state)
{
    struct mct_registry *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\",\"--resources\",\"2\",\"--templates\",\"1\",\"--prompts\",\"1\",\"--name\",\"a\"")
                                          "," SERVER("b", "\"--resources\",\"1\",\"--name\",\"b\"")), NULL);
    struct mct_error err;
    (void)state;
    start(r);
    struct mct_entries *e = mct_registry_resources(r, &err);
    assert_int_equal(e->n, 3);
    assert_string_equal(e->v[2]->id, "test://bresource/0");
    assert_string_equal(e->v[2]->server, "b");
    assert_string_equal(e->v[2]->mime_type, "text/plain");
    mct_entries_free(e);
    e = mct_registry_templates(r, &err);
    assert_int_equal(e->n, 1);
    assert_string_equal(e->v[0]->id, "test://atemplate0/{x}");
    mct_entries_free(e);
    e = mct_registry_prompts(r, &err);
    assert_int_equal(e->n, 1);
    assert_string_equal(e->v[0]->id, "a__aprompt0");

    struct mct_request *q = mct_registry_read(r, NULL, "test://bresource/0", NULL, &err);
    assert_int_equal(mct_request_wait(q), 0);
    assert_has(mct_request_result(q), "\"text\":\"the text\"");
    assert_has(mct_request_result(q), "\"server\":\"b\"");
    assert_string_equal(mct_request_text(q), "the text");
    assert_string_equal(mct_request_content(q), "[{\"type\":\"text\",\"text\":\"the text\"}]");
    mct_request_free(q);
    q = mct_registry_read(r, "a", "test://bresource/0", NULL, &err);
    assert_int_equal(mct_request_wait(q), -1);
    assert_int_equal(mct_request_error(q)->kind, MCT_ERR_NOT_FOUND);
    mct_request_free(q);
    assert_null(mct_registry_read(r, "c", "test://bresource/0", NULL, &err));
    q = mct_registry_prompt(r, e->v[0]->id, "{\"a\":\"1\"}", NULL, &err);
    mct_entries_free(e);
    assert_int_equal(mct_request_wait(q), 0);
    assert_has(mct_request_result(q), "\"messages\"");
    mct_request_free(q);
    struct mct_completion what = { .size = sizeof what, .prompt = "a__aprompt0", .argument = "a", .value = "x" };
    q = mct_registry_complete(r, &what, NULL, &err);
    assert_non_null(q);
    mct_request_wait(q);
    assert_true(mct_request_over(q));
    mct_request_free(q);
    what = (struct mct_completion){ .size = sizeof what, .uri_template = "test://atemplate0/{x}", .argument = "x",
                                    .context = "{\"y\":\"2\"}" };
    q = mct_registry_complete(r, &what, NULL, &err);
    assert_non_null(q);
    mct_request_wait(q);
    mct_request_free(q);
    what.server = "b";
    assert_null(mct_registry_complete(r, &what, NULL, &err));
    assert_has(err.message, "at server b");
    what.context = "[]";
    what.server = NULL;
    assert_null(mct_registry_complete(r, &what, NULL, &err));
    assert_has(err.message, "context: must be a JSON object");
    what.argument = NULL;
    assert_null(mct_registry_complete(r, &what, NULL, &err));
    assert_null(mct_registry_complete(r, &(struct mct_completion){ .prompt = "x" }, NULL, &err));
    assert_has(err.message, "its size is not set");
    mct_registry_close_wait(r);
}

/* ---- what servers ask ---- */

static void on_withdrawn(struct mct_question *q, void *data)
{
    (void)q;
    (void)data;
    seen.n_withdrawn++;
}

static void answer_sampling(struct mct_question *q, void *data)
{
    (void)data;
    seen.n_questions++;
    assert_non_null(mct_question_request(q));
    snprintf(seen.method, sizeof seen.method, "%s", mct_question_method(q));
    snprintf(seen.params, sizeof seen.params, "%s", mct_question_params(q));
    mct_question_answer(q, "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"Paris\"},\"model\":\"m\"}");
}

static void refuse(struct mct_question *q, void *data)
{
    (void)data;
    seen.n_questions++;
    assert_string_equal(mct_question_server(q), "asker");
    mct_question_refuse(q, -1, "not today");
}

static void keep_open(struct mct_question *q, void *data)
{
    (void)data;
    seen.n_questions++;
    mct_question_on_withdraw(q, on_withdrawn, NULL);
}

static void asked_by(const char *servers)
{
    const struct mct_registry_opts o = { .size = sizeof o, .sampling = answer_sampling, .elicit = refuse,
                                         .workspace_dir = "/tmp" };
    struct mct_registry *r = with(servers, &o);
    struct mct_error err;
    memset(&seen, 0, sizeof seen);
    start(r);
    struct mct_request *q = call(r, "test_sampling", "{\"prompt\":\"Where?\"}", NULL);
    assert_int_equal(mct_request_wait(q), 0);
    assert_has(mct_request_text(q), "Paris");
    assert_string_equal(seen.method, "sampling/createMessage");
    assert_has(seen.params, "Where?");
    mct_request_free(q);
    q = call(r, "test_elicitation", "{\"message\":\"Who?\"}", NULL);
    mct_request_wait(q);
    assert_int_equal(seen.n_questions, 2);
    mct_request_free(q);
    q = call(r, "test_input_required_result_list_roots", "{}", NULL);
    assert_int_equal(mct_request_wait(q), 0);
    assert_has(mct_request_text(q), "file:///tmp");
    mct_request_free(q);
    assert_ok(mct_registry_set_workspace(r, "/usr", &err));
    q = call(r, "test_input_required_result_list_roots", "{}", NULL);
    assert_int_equal(mct_request_wait(q), 0);
    assert_has(mct_request_text(q), "file:///usr");
    mct_request_free(q);
    mct_registry_close_wait(r);
}

static void answer_roots(struct mct_question *q, void *data)
{
    (void)data;
    seen.n_questions++;
    assert_string_equal(mct_question_method(q), "roots/list");
    mct_question_answer(q, "{\"roots\":[{\"uri\":\"file:///one\"},{\"uri\":\"file:///two\"}]}");
}

static void roots(void **state)
{
    const struct mct_registry_opts o = { .size = sizeof o, .roots = answer_roots };
    struct mct_registry *r = with(SERVERS(ASKER("asker", "2026")), &o);
    (void)state;
    start(r);
    struct mct_request *q = call(r, "test_input_required_result_list_roots", "{}", NULL);
    assert_int_equal(mct_request_wait(q), 0);
    assert_has(mct_request_text(q), "file:///two");
    assert_int_equal(seen.n_questions, 1);
    mct_request_free(q);
    mct_registry_roots_changed(r);
    mct_registry_close_wait(r);
}

/* Whether the server asks in requests, or in results. */
static void questions(void **state)
{
    (void)state;
    asked_by(SERVERS(ASKER("asker", "legacy")));
    asked_by(SERVERS(ASKER("asker", "2026")));
}

static void questions_left_open(void **state)
{
    const struct mct_registry_opts o = { .size = sizeof o, .sampling = keep_open };
    struct mct_registry *r = with(SERVERS(ASKER("asker", "legacy")), &o);
    struct mct_error err;
    (void)state;
    start(r);
    struct mct_request *q = call(r, "test_sampling", "{\"prompt\":\"Where?\"}", NULL), *other;
    until(r, &seen.n_questions, 1);
    mct_request_cancel(q, NULL);
    until(r, &seen.n_withdrawn, 1);
    other = call(r, "test_sampling", "{\"prompt\":\"Where?\"}", NULL);
    until(r, &seen.n_questions, 2);
    mct_registry_close_wait(r); /* with a question and a call open */
    assert_int_equal(seen.n_withdrawn, 2);
    assert_int_equal(mct_request_error(other)->kind, MCT_ERR_CANCELLED);
    mct_request_free(other);
    mct_request_free(q);

    r = with(SERVERS(ASKER("asker", "legacy")), NULL); /* nobody answers: the server is told so, and the call ends */
    start(r);
    q = call(r, "test_missing_capability", "{}", NULL);
    mct_request_wait(q);
    assert_true(mct_request_over(q));
    mct_request_free(q);
    assert_int_equal(mct_registry_set_workspace(r, "/usr", &err), -1);
    mct_registry_close_wait(r);
}

/* ---- policy ---- */

static void policy(void **state)
{
    struct mct_registry_opts o = { .size = sizeof o, .stranger = true };
    struct mct_error err;
    (void)state;
    struct mct_registry *r = with("{\"mcpServers\":{" SERVER("a", "\"--tools\",\"2\"") "},\"mcptools\":{\"policy\":{\"deny\":[\"a__tool1\"]}}}", &o);
    assert_ok(mct_registry_add_tool(r, &secret_def, &err));
    start(r);
    assert_true(has_tool(r, "tool0"));
    assert_false(has_tool(r, "tool1"));
    assert_false(has_tool(r, "secret"));
    assert_null(mct_registry_call(r, "tool1", NULL, NULL, &err));
    struct mct_request *q = call(r, "secret", "{}", NULL);
    mct_request_wait(q);
    assert_true(mct_request_is_error(q));
    assert_string_equal(mct_request_text(q), "Tool restricted to owner senders.");
    mct_request_free(q);
    assert_int_equal(seen.n_calls, 0);
    mct_registry_close_wait(r);

    o.stranger = false;
    o.read_only = true;
    r = with(NULL, &o);
    assert_ok(mct_registry_add_tool(r, &secret_def, &err));
    assert_ok(mct_registry_add_tool(r, &greet_def, &err)); /* says that it only reads */
    start(r);
    struct mct_tools *t = mct_registry_tools(r, &err);
    assert_true(find_tool(t, "secret")->owner_only);
    mct_tools_free(t);
    q = call(r, "secret", "{}", NULL);
    mct_request_wait(q);
    assert_true(mct_request_is_error(q));
    assert_int_equal(seen.n_calls, 0);
    mct_request_free(q);
    assert_says(r, "greet", NULL, "Hello, nobody!");
    mct_registry_close_wait(r);
}

/* ---- hooks ---- */

static char heard[512];

static void say(struct mct_hook_event *event, void *data)
{
    snprintf(heard, sizeof heard, "%s", mct_hook_event_json(event));
    mct_hook_decide(event, data);
    mct_hook_decide(event, "{\"block\":true}"); /* too late: reported, and ignored */
}

static void say_nothing(struct mct_hook_event *event, void *data)
{
    (void)event;
    (void)data;
    seen.n_questions++;
}

static void count_withdrawn(struct mct_hook_event *event, void *data)
{
    (void)event;
    (void)data;
    seen.n_withdrawn++;
}

static void add_hook(struct mct_registry *r, enum mct_hook_kind kind, mct_hook_fn run, const char *decision)
{
    static const char *const greet_only[] = { "gr*", NULL };
    const struct mct_hook_def def = { .size = sizeof def, .kind = kind, .name = "h", .tools = greet_only, .run = run,
                                      .withdrawn = count_withdrawn, .data = (void *)(uintptr_t)decision };
    struct mct_error err;
    assert_ok(mct_registry_add_hook(r, &def, &err));
}

static void approve(struct mct_question *q, void *data)
{
    (void)data;
    seen.n_questions++;
    assert_has(mct_question_params(q), "greet");
    mct_question_answer(q, "{\"action\":\"accept\",\"content\":{\"decision\":\"allow-once\"}}");
}

static void hooks(void **state)
{
    const struct mct_registry_opts o = { .size = sizeof o, .elicit = approve };
    struct mct_registry *r = with(NULL, &o);
    struct mct_error err;
    (void)state;
    assert_int_equal(mct_registry_add_hook(r, &(struct mct_hook_def){ .size = sizeof(struct mct_hook_def) }, &err), -1);
    assert_ok(mct_registry_add_tool(r, &greet_def, &err));
    assert_ok(mct_registry_add_tool(r, &slow_def, &err));
    add_hook(r, MCT_HOOK_BEFORE, say, "{\"params\":{\"name\":\"Ada\"}}");
    start(r);
    assert_says(r, "greet", "{\"name\":\"x\",\"other\":1}", "Hello, Ada!");
    assert_has(heard, "\"params\":{\"name\":\"x\",\"other\":1}");
    assert_has(heard, "\"hook\":\"before_tool_call\"");
    heard[0] = '\0';
    assert_says(r, "slow", "{\"ms\":1}", "later"); /* is none of its business */
    assert_string_equal(heard, "");

    add_hook(r, MCT_HOOK_PERSIST, say, "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"kept\"}]}}"); /* also while it runs */
    assert_says(r, "greet", NULL, "kept");
    assert_has(heard, "Hello, Ada!");
    add_hook(r, MCT_HOOK_BEFORE, say, "{\"requireApproval\":{\"title\":\"Really?\"}}");
    assert_says(r, "greet", NULL, "kept");
    assert_int_equal(seen.n_questions, 1);
    add_hook(r, MCT_HOOK_BEFORE, say, "{\"block\":true,\"blockReason\":\"no greetings\"}");
    int n_before = seen.n_calls;
    struct mct_request *q = call(r, "greet", "{}", NULL);
    assert_int_equal(mct_request_wait(q), 0);
    assert_true(mct_request_is_error(q));
    assert_string_equal(mct_request_text(q), "no greetings");
    assert_int_equal(seen.n_calls, n_before);
    mct_request_free(q);
    mct_registry_close_wait(r);

    r = with(NULL, NULL); /* one that never decides: the call can be given up, and the registry closed */
    assert_ok(mct_registry_add_tool(r, &greet_def, &err));
    add_hook(r, MCT_HOOK_BEFORE, say_nothing, NULL);
    start(r);
    seen.n_questions = seen.n_withdrawn = 0;
    q = call(r, "greet", "{}", NULL);
    until(r, &seen.n_questions, 1);
    mct_request_cancel(q, NULL);
    assert_int_equal(mct_request_wait(q), -1);
    assert_int_equal(seen.n_withdrawn, 1);
    mct_request_free(q);
    q = call(r, "greet", "{}", NULL);
    until(r, &seen.n_questions, 2);
    mct_registry_close_wait(r);
    assert_int_equal(seen.n_withdrawn, 2);
    mct_request_free(q);
}

/* Three tools in place of all others, which they find and call; and the resource tools of a dialect. */
static void modes(void **state)
{
    struct mct_registry_opts o = { .size = sizeof o, .mode = "search" };
    struct mct_error err;
    (void)state;
    struct mct_registry *r = with(SERVERS(SERVER("a", "\"--tools\",\"9\"") "," SERVER("b", "\"--tools\",\"9\"")), &o);
    assert_ok(mct_registry_add_tool(r, &greet_def, &err));
    start(r);
    struct mct_tools *t = mct_registry_tools(r, &err);
    assert_int_equal(t->n, 3);
    assert_non_null(find_tool(t, "tool_search"));
    mct_tools_free(t);
    struct mct_request *q = call(r, "tool_search", "{\"query\":\"greets somebody\"}", NULL);
    mct_request_wait(q);
    assert_has(mct_request_text(q), "greet");
    mct_request_free(q);
    assert_says(r, "tool_call", "{\"name\":\"greet\",\"arguments\":{\"name\":\"you\"}}", "Hello, you!");
    assert_null(mct_registry_call(r, "tool_call", "{\"name\":\"nothing\"}", NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    mct_registry_close_wait(r);

    o = (struct mct_registry_opts){ .size = sizeof o, .mode = "router", .dialects = "nexo" };
    r = with(SERVERS(SERVER("a", "\"--tools\",\"9\",\"--resources\",\"2\"")), &o);
    start(r);
    assert_true(has_tool(r, "ListMcpResources"));
    assert_false(has_tool(r, "tool0"));
    q = call(r, "ListMcpResources", "{}", NULL);
    mct_request_wait(q);
    assert_has(mct_request_text(q), "test://resource/1");
    mct_request_free(q);
    mct_registry_close_wait(r);
}

/* ---- around it ---- */

static void two_instances(void **state)
{
    struct mct_registry *a = with(SERVERS(SERVER("s", "\"--tools\",\"1\"")), NULL);
    struct mct_registry *b = with(SERVERS(SERVER("s", "\"--tools\",\"2\"")), NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_registry_add_tool(b, &greet_def, &err));
    start(a);
    start(b);
    assert_false(has_tool(a, "greet"));
    assert_true(has_tool(b, "tool1"));
    mct_registry_close_wait(a);
    assert_says(b, "greet", NULL, "Hello, nobody!");
    mct_registry_close_wait(b);
}

static void set_flag(void *data)
{
    *(int *)data = 1;
}

/* Closing does not wait either: the program drives it to the end. */
static void closes_while_driven(void **state)
{
    struct mct_registry *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    int closed = 0, n = 0;
    (void)state;
    start(r);
    struct mct_request *q = call(r, "tool0", "{\"delay_ms\":1000000}", NULL);
    mct_registry_close(r, set_flag, &closed);
    assert_int_equal(closed, 0);
    while (!closed) {
        struct pollfd p = { .fd = mct_registry_fd(r), .events = POLLIN };
        int timeout = mct_registry_timeout(r);
        poll(&p, 1, timeout < 0 ? PATIENCE_MS : timeout);
        mct_registry_dispatch(r);
        n++;
    }
    assert_true(n < 10000); /* it does not spin */
    assert_int_equal(mct_request_error(q)->kind, MCT_ERR_CANCELLED);
    mct_request_free(q);
    mct_registry_close_wait(NULL);
}

/* In front of a server that never says anything, and one that never goes by itself: each function returns before anything
 * has happened, which it could not if it waited for it. */
static void nothing_blocks(void **state)
{
    struct mct_registry *r = with(SERVERS(SERVER("mute", "\"--silent\",\"--ignore-eof\",\"--ignore-term\"") ","
                                          SERVER("slow", "\"--tools\",\"1\",\"--resources\",\"1\"")), NULL);
    struct mct_error err;
    int closed = 0;
    (void)state;
    assert_ok(mct_registry_add_tool(r, &slow_def, &err));
    assert_ok(mct_registry_start(r, &err));
    assert_string_equal(mct_registry_state(r, "mute", NULL), "connecting");
    assert_int_equal(mct_registry_ready(r), 0);
    while (strcmp(mct_registry_state(r, "slow", NULL), "connected")) {
        struct pollfd p = { .fd = mct_registry_fd(r), .events = POLLIN };
        poll(&p, 1, mct_registry_timeout(r));
        mct_registry_dispatch(r);
    }
    struct mct_request *q[4] = {
        call(r, "slow__tool0", "{\"delay_ms\":100000}", NULL),
        call(r, "slow", "{\"ms\":100000}", NULL),
        mct_registry_read(r, "mute", "test://x", NULL, &err),
        mct_registry_refresh(r, NULL, NULL, &err), /* of one that is still connecting, too */
    };
    for (int i = 0; i < 4; i++) {
        assert_non_null(q[i]);
        assert_false(mct_request_over(q[i]));
    }
    assert_null(mct_registry_call(r, "mute__x", NULL, NULL, &err));
    assert_has(err.message, "still connecting");
    mct_registry_dispatch(r);
    mct_registry_close(r, set_flag, &closed);
    assert_int_equal(closed, 0);
    while (!closed) {
        struct pollfd p = { .fd = mct_registry_fd(r), .events = POLLIN };
        poll(&p, 1, mct_registry_timeout(r));
        mct_registry_dispatch(r);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(mct_request_error(q[i])->kind, MCT_ERR_CANCELLED);
        mct_request_free(q[i]);
    }
}

static int n_nested;

static void wait_inside(struct mct_request *q, void *data)
{
    struct mct_registry *r = data;
    struct mct_error err;
    (void)q;
    n_nested++;
    assert_int_equal(mct_registry_wait_ready(r, 1, &err), -1);
    assert_has(err.message, "callback");
    mct_registry_dispatch(r); /* nothing */
}

static void nothing_waits_inside(void **state)
{
    struct mct_registry *r = with(NULL, NULL);
    struct mct_error err;
    const struct mct_call_opts o = { .size = sizeof o, .done = wait_inside, .data = r };
    (void)state;
    n_nested = 0;
    assert_ok(mct_registry_add_tool(r, &greet_def, &err));
    start(r);
    struct mct_request *q = call(r, "greet", NULL, &o);
    until(r, &n_nested, 1);
    mct_request_free(q);
    mct_registry_close_wait(r);
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
    struct mct_registry *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    start(r);
    struct mct_request *q = call(r, "tool0", "{\"crash\":true}", NULL), *more[50];
    for (int i = 0; i < 50; i++)
        more[i] = call(r, "tool0", "{}", NULL);
    for (int i = 0; i < 50; i++)
        mct_request_wait(more[i]);
    assert_int_equal(mct_request_wait(q), -1);
    assert_int_equal(mct_request_error(q)->kind, MCT_ERR_CONNECT);
    for (int i = 0; i < 50; i++)
        mct_request_free(more[i]);
    mct_request_free(q);
    mct_registry_close_wait(r);
    sigaction(SIGPIPE, NULL, &after);
    assert_ptr_equal(before.sa_handler, after.sa_handler);
    assert_int_equal(n_open(), files);
}

/* A program built with an older header has smaller structs. */
static void older_programs(void **state)
{
    struct { size_t size; const char *name, *label, *description, *parameters, *output, *annotations; bool owner; mct_tool_fn execute; } old =
        { sizeof old, "old", NULL, NULL, NULL, NULL, NULL, false, greet };
    struct mct_registry *r = with(NULL, NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_registry_add_tool(r, (const struct mct_tool_def *)(const void *)&old, &err));
    start(r);
    assert_says(r, "old", NULL, "Hello, nobody!");
    mct_registry_close_wait(r);
    assert_string_equal(mct_version(), VERSION);
}

static void for_models(void **state)
{
    struct mct_error err;
    (void)state;
    char *s = mct_schema_for("openai-strict", "{\"type\":\"object\",\"properties\":{}}", &err);
    assert_has(s, "\"additionalProperties\":false");
    mct_free(s);
    assert_null(mct_schema_for("x", "{}", &err));
    assert_has(err.message, "'x'");
    assert_null(mct_schema_for("gemini", "[", &err));
    s = mct_arguments_from("gemini", "{\"type\":\"object\",\"properties\":{\"n\":{\"enum\":[1,2]}}}", "{\"n\":\"2\"}", &err);
    assert_string_equal(s, "{\"n\":2}");
    mct_free(s);
    s = mct_degraded_text("{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"AAAA\"}]}", &err);
    assert_string_equal(s, "[Audio result: audio/wav, 3B]");
    mct_free(s);
    s = mct_degraded_content("{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAAA\"}]}", &err);
    assert_string_equal(s, "[{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"image/png\"}]");
    mct_free(s);
    assert_null(mct_degraded_text("17", &err));
}

/* What an agent does between a model and tools: the array, a call as the model writes it, and the answer. */
static void a_model_calls(void **state)
{
    struct mct_registry *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    struct mct_error err;
    (void)state;
    assert_ok(mct_registry_add_tool(r, &greet_def, &err));
    assert_null(mct_registry_tools_for(r, "anthropic", &err));
    start(r);
    char *tools = mct_registry_tools_for(r, "anthropic", &err);
    assert_has(tools, "\"name\":\"greet\"");
    assert_has(tools, "\"input_schema\":{\"type\":\"object\"");
    mct_free(tools);
    assert_null(mct_registry_tools_for(r, "nobody", &err));
    assert_has(err.message, "'nobody'");

    struct mct_request *q = mct_registry_call_from(r, "anthropic", "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"greet\",\"input\":{\"name\":\"x\"}}", NULL, &err);
    assert_non_null(q);
    assert_null(mct_request_answer(q));
    assert_int_equal(mct_request_wait(q), 0);
    assert_has(mct_request_answer(q), "\"tool_use_id\":\"t1\"");
    assert_has(mct_request_answer(q), "Hello, x!");
    mct_request_free(q);
    q = mct_registry_call_from(r, "openai", "{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"tool0\",\"arguments\":\"{\\\"delay_ms\\\":100000}\"}}", NULL, &err);
    assert_non_null(q);
    mct_request_cancel(q, "enough");
    assert_has(mct_request_answer(q), "enough"); /* the model hears of that, too */
    assert_has(mct_request_answer(q), "\"tool_call_id\":\"c\"");
    mct_request_free(q);
    assert_null(mct_registry_call_from(r, "openai", "{\"id\":\"c\"}", NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    q = mct_registry_call_from(r, "anthropic", "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"nothing\",\"input\":{}}", NULL, &err);
    assert_int_equal(mct_request_wait(q), -1);
    assert_has(mct_request_answer(q), "unknown tool: nothing");
    mct_request_free(q);
    mct_registry_close_wait(r);
}

int main(int argc, char **argv)
{
#define T(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        T(own_tools), T(bad_definitions), T(one_array), T(failing_servers), T(a_server_named_local), T(callbacks), T(ends_early), T(tokens),
        T(told_of_changes), T(further_calls), T(questions), T(roots), T(questions_left_open), T(policy), T(hooks), T(modes), T(two_instances),
        T(closes_while_driven), T(nothing_blocks), T(nothing_waits_inside), T(leaves_the_program_alone), T(older_programs), T(for_models),
        T(a_model_calls),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
