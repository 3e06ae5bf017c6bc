/* C plugins as servers of a registry: the real shared objects, the real trial process, a real loop. */
#include "unit.h"

#include "hub/call/start.h"
#include "hub/plugin/provider.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

struct world {
    struct mcti_loop loop;
    struct mcti_registry registry;
    bool stopped;
};

static char marks[64], config[128]; /* of the plugin "tools" */

/* ---- a registry of plugins ---- */

static void no_data(void *data)
{
    (void)data;
}

static void open_world(struct world *w)
{
    *w = (struct world){ 0 };
    assert_int_equal(mcti_loop_init(&w->loop, NULL, NULL), 0);
    mcti_registry_init(&w->registry, &w->loop.sched);
}

static struct mcti_provider *add(struct world *w, const char *name, const char *path,
                                 struct mcti_provider_plugin_opts opts)
{
    opts.plugin.path = path;
    if (!opts.plugin.config)
        opts.plugin.config = "{}";
    opts.plugin.place = "f.json:3: server 'x'";
    opts.plugin.registry = &w->registry;
    opts.loop = &w->loop;
    opts.start_timeout_ms = opts.start_timeout_ms ? opts.start_timeout_ms : 30000;
    opts.free_data = no_data;
    struct mcti_provider *p = mcti_provider_plugin_new(name, &opts);
    assert_int_equal(mcti_registry_add(&w->registry, p), 0);
    return p;
}

static void start(struct world *w)
{
    mcti_registry_start_all(&w->registry);
    while (!mcti_registry_settled(&w->registry))
        uv_run(&w->loop.uv, UV_RUN_ONCE);
}

static void on_stopped(void *data)
{
    *(bool *)data = true;
}

static void close_world(struct world *w)
{
    mcti_registry_stop(&w->registry, on_stopped, &w->stopped);
    while (!w->stopped)
        uv_run(&w->loop.uv, UV_RUN_ONCE);
    mcti_registry_done(&w->registry);
    mcti_loop_done(&w->loop);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* neither a child nor a zombie */
    assert_int_equal(errno, ECHILD);
}

/* What the plugin has noted, and forgets it. */
static const char *noted(void)
{
    static char text[256];
    FILE *f = fopen(marks, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f)
        fclose(f);
    remove(marks);
    return text;
}

static int set_up(void **state)
{
    (void)state;
    snprintf(marks, sizeof marks, "/tmp/mcptools-marks-%d", (int)getpid());
    snprintf(config, sizeof config, "{\"marks\":\"%s\"}", marks);
    remove(marks);
    return 0;
}

static const struct mcti_provider_plugin_opts tried = { .trial = true };

/* ---- calls ---- */

struct wish {
    struct mcti_call call;
    bool done;
    char text[1024];
};

static void on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct wish *x = MCT_CONTAINER(call, struct wish, call);
    snprintf(x->text, sizeof x->text, "%.*s", MCT_STR_ARG(o->result.p ? o->result : o->error));
    if (o->failed)
        snprintf(x->text, sizeof x->text, "%s", o->failed->message);
    x->done = true;
}

static void begin_call(struct mcti_provider *p, struct wish *x, const char *params)
{
    *x = (struct wish){ .call = { .verb = MCT_VERB_TOOLS_CALL,
                                  .params = mcti_str_of(params),
                                  .done = on_done,
                                  .caller = { .rev = MCT_REV_LATEST } } };
    assert_int_equal(mcti_provider_call(p, &x->call, NULL), 0);
}

static const char *call(struct world *w, struct mcti_provider *p, const char *params)
{
    static struct wish x;
    begin_call(p, &x, params);
    while (!x.done)
        uv_run(&w->loop.uv, UV_RUN_ONCE);
    return x.text;
}

/* ---- tests ---- */

static void lives_once_in_a_trial_and_once_here(void **state)
{
    struct world w;
    struct wish open;
    struct mcti_provider_plugin_opts opts = tried;
    (void)state;
    open_world(&w);
    opts.plugin.config = config;
    struct mcti_provider *p = add(&w, "x", PLUGINS "/tools.so", opts);
    start(&w);
    assert_int_equal(p->state, MCT_CONNECTED);
    assert_string_equal(p->plugin, "tools");
    assert_string_equal(p->info.server_info, "{\"name\":\"Tools for tests\",\"version\":\"1.2.3\"}");
    assert_int_equal(p->items[MCT_TOOL].n, 9);
    assert_string_equal(noted(), "trial\ntrial is over\nsetup\n");
    assert_non_null(strstr(call(&w, p, "{\"name\":\"greet\"}"), "hello, world"));
    begin_call(p, &open, "{\"name\":\"never\"}");
    while (strcmp(noted(), "never\n"))
        uv_run(&w.loop.uv, UV_RUN_NOWAIT);
    close_world(&w);
    assert_true(open.done);
    assert_string_equal(noted(), "cancelled\nteardown\n");
}

static void without_a_trial(void **state)
{
    struct world w;
    (void)state;
    open_world(&w);
    struct mcti_provider *p =
        add(&w, "x", PLUGINS "/tools.so", (struct mcti_provider_plugin_opts){ .plugin.config = config });
    start(&w);
    assert_int_equal(p->state, MCT_CONNECTED);
    close_world(&w);
    assert_string_equal(noted(), "setup\nteardown\n");
}

static void two_registries_of_one_process(void **state)
{
    struct world a, b;
    (void)state;
    open_world(&a);
    open_world(&b);
    struct mcti_provider *in_a = add(&a, "x", PLUGINS "/tools.so",
                                     (struct mcti_provider_plugin_opts){ .plugin.config = "{\"greeting\":\"a\"}" });
    struct mcti_provider *in_b = add(&b, "x", PLUGINS "/tools.so",
                                     (struct mcti_provider_plugin_opts){ .plugin.config = "{\"greeting\":\"b\"}" });
    start(&a);
    start(&b);
    assert_non_null(strstr(call(&a, in_a, "{\"name\":\"greet\"}"), "a, world"));
    close_world(&a);
    assert_non_null(strstr(call(&b, in_b, "{\"name\":\"greet\"}"), "b, world"));
    close_world(&b);
}

static void one_id_once(void **state)
{
    struct world w;
    (void)state;
    open_world(&w);
    struct mcti_provider *p[] = { add(&w, "one", PLUGINS "/tools.so", tried),
                                  add(&w, "two", PLUGINS "/tools.so", tried) };
    start(&w);
    unsigned loser = p[0]->state == MCT_CONNECTED;
    assert_int_equal(p[!loser]->state, MCT_CONNECTED);
    assert_int_equal(p[loser]->state, MCT_FAILED);
    assert_non_null(strstr(p[loser]->error->message, "duplicate plugin 'tools', already loaded as server '"));
    assert_non_null(strstr(p[loser]->error->message, p[!loser]->name));
    assert_int_equal(p[loser]->items[MCT_TOOL].n, 0);
    close_world(&w);
}

/* A call through hooks ends with this, whichever tool it is. */
static const char *guarded(struct world *w, struct mcti_provider *p, struct mcti_hooks *hooks)
{
    struct mcti_hook_target target = {
        .hooks = hooks, .names = { MCT_STR("wait") }, .unsure = true, .tool = MCT_STR("wait")
    };
    struct wish x = { .call = { .verb = MCT_VERB_TOOLS_CALL,
                                .params = MCT_STR("{\"name\":\"wait\",\"arguments\":{}}"),
                                .done = on_done,
                                .caller = { .rev = MCT_REV_LATEST } } };
    static char text[1024];
    struct mcti_call_start start = { .provider = p, .target = &target, .is_hooked = true };
    assert_int_equal(mcti_call_start(&x.call, &start, NULL), 0);
    while (!x.done)
        uv_run(&w->loop.uv, UV_RUN_ONCE);
    memcpy(text, x.text, sizeof text);
    return text;
}

static void hooks_go_where_they_should(void **state)
{
    struct world w;
    struct wish open;
    struct mcti_hooks hooks;
    struct mcti_provider_plugin_opts opts = tried;
    (void)state;
    open_world(&w);
    mcti_hooks_init(&hooks, &w.loop.sched, NULL);
    opts.plugin.hooks = &hooks;
    struct mcti_provider *p = add(&w, "x", PLUGINS "/timer.so", opts);
    start(&w);
    assert_int_equal(hooks.n, 1); /* that of the trial was elsewhere */
    assert_non_null(strstr(guarded(&w, p, &hooks), "lacks the required member"));
    begin_call(p, &open, "{\"name\":\"wait\",\"arguments\":{\"seconds\":3600,\"quiet\":true}}");
    while (!strstr(guarded(&w, p, &hooks), "a quiet timer runs"))
        ;
    mcti_call_cancel(&open.call, NULL);
    assert_non_null(strstr(guarded(&w, p, &hooks), "lacks the required member"));
    close_world(&w);
    assert_int_equal(hooks.n, 0);
    mcti_hooks_done(&hooks);
}

static void stopped_in_its_trial(void **state)
{
    struct world w;
    (void)state;
    open_world(&w);
    struct mcti_provider_plugin_opts opts = tried;
    opts.plugin.config = "{\"how\":\"hang\"}";
    struct mcti_provider *p = add(&w, "x", PLUGINS "/odd.so", opts);
    mcti_registry_start_all(&w.registry);
    while (waitpid(-1, NULL, WNOHANG) < 0) /* there is no child yet */
        uv_run(&w.loop.uv, UV_RUN_NOWAIT);
    assert_int_equal(p->state, MCT_CONNECTING);
    close_world(&w);
}

static void configuration_that_does_not_fit(void **state)
{
    static const struct {
        const char *config, *why;
    } rows[] = {
        { "{\"greeting\":1}", "f.json:3: server 'x': config/greeting: " },
        { "{\"deep\":{\"n\":\"secret\"}}", "f.json:3: server 'x': config/deep/n: " },
        { "{\"more\":1}", "f.json:3: server 'x': config" },
    };
    struct world w;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        open_world(&w);
        struct mcti_provider *p =
            add(&w, "x", PLUGINS "/tools.so",
                (struct mcti_provider_plugin_opts){ .plugin.config = rows[i].config, .trial = i % 2 });
        start(&w);
        assert_int_equal(p->state, MCT_FAILED);
        assert_int_equal(p->reason, MCT_REASON_CONFIG);
        assert_non_null(strstr(p->error->message, rows[i].why));
        assert_null(strstr(p->error->message, "secret"));
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lives_once_in_a_trial_and_once_here, set_up),
        cmocka_unit_test_setup(without_a_trial, set_up),
        cmocka_unit_test(two_registries_of_one_process),
        cmocka_unit_test(one_id_once),
        cmocka_unit_test(hooks_go_where_they_should),
        cmocka_unit_test(stopped_in_its_trial),
        cmocka_unit_test(configuration_that_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
