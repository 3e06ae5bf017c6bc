#include "program.h"

#include <poll.h>

/* ---- tools of the program ---- */

struct counters seen;

void greet(struct mct_tool_call *call, void *data)
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
    mct_tool_call_result(call,
                         "{\"content\":[{\"type\":\"text\",\"text\":\"later\"}],\"structuredContent\":{\"n\":1.0}}");
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

const struct mct_tool_def greet_def = {
    .size = sizeof greet_def,
    .name = "greet",
    .label = "Greeting",
    .description = "Greets somebody",
    .parameters = "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}",
    .annotations = "{\"readOnlyHint\":true}",
    .execute = greet,
    .free_data = count_free,
    .unchecked = true, /* greets nobody without a name */
};
const struct mct_tool_def slow_def = { .size = sizeof slow_def, .name = "slow", .execute = slow };
const struct mct_tool_def fails_def = { .size = sizeof fails_def, .name = "fails", .execute = fails };
const struct mct_tool_def no_result_def = { .size = sizeof no_result_def, .name = "no_result", .execute = no_result };
const struct mct_tool_def secret_def = {
    .size = sizeof secret_def, .name = "secret", .owner_only = true, .execute = greet
};

/* ---- an instance ---- */

char logged[LOG_BYTES];

static void keep_log(enum mct_log_level level, const char *line, void *data)
{
    size_t n = strlen(logged);
    (void)level;
    (void)data;
    snprintf(logged + n, sizeof logged - n, "%s\n", line);
}

void on_changed(struct mct_instance *r, const char *server, void *data)
{
    (void)r;
    (void)data;
    seen.n_changed++;
    snprintf(seen.changed, sizeof seen.changed, "%s", server ? server : "");
}

void on_state(struct mct_instance *r, const char *server, void *data)
{
    (void)r;
    (void)server;
    (void)data;
    seen.n_states++;
}

int set_up(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    logged[0] = '\0';
    return 0;
}

struct mct_instance *with(const char *servers, const struct mct_instance_opts *opts)
{
    struct mct_instance_opts o = { .size = sizeof o };
    struct mct_error err;
    if (opts)
        o = *opts;
    o.log = keep_log;
    o.log_level = MCT_LOG_INFO;
    struct mct_instance *r = mct_instance_new(&o, &err);
    if (!r)
        fail_msg("%s", err.message);
    if (servers)
        assert_ok(mct_instance_load_text(r, servers, &err));
    return r;
}

void start(struct mct_instance *r)
{
    struct mct_error err;
    assert_ok(mct_instance_start(r, &err));
    assert_ok(mct_instance_wait_ready(r, PATIENCE_MS, &err));
}

const struct mct_tool *find_tool(const struct mct_tools *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (!strcmp(t->v[i]->name, name))
            return t->v[i];
    return NULL;
}

bool has_tool(struct mct_instance *r, const char *name)
{
    struct mct_error err;
    struct mct_tools *t = mct_instance_tools(r, &err);
    assert_non_null(t);
    bool has = find_tool(t, name) != NULL;
    mct_tools_free(t);
    return has;
}

void until(struct mct_instance *r, const int *n, int want)
{
    while (*n < want) {
        struct pollfd p = { .fd = mct_instance_fd(r), .events = POLLIN };
        int timeout = mct_instance_timeout(r);
        assert_true(poll(&p, 1, timeout < 0 ? PATIENCE_MS : timeout) > 0 || timeout >= 0);
        mct_instance_dispatch(r);
    }
}

struct mct_request *call(struct mct_instance *r, const char *tool, const char *args, const struct mct_call_opts *o)
{
    struct mct_error err;
    struct mct_request *q = mct_instance_call(r, tool, args, o, &err);
    if (!q)
        fail_msg("%s", err.message);
    return q;
}

void assert_says(struct mct_instance *r, const char *tool, const char *args, const char *text)
{
    struct mct_request *q = call(r, tool, args, NULL);
    if (mct_request_wait(q, NULL) < 0)
        fail_msg("%s", mct_request_error(q)->message);
    assert_string_equal(mct_request_text(q, NULL), text);
    mct_request_free(q);
}
