#include "hooked_call.h"

#include "hub/call/events.h"

static struct mcti_sched sched;
struct mcti_hooks hooks;
static struct mcti_events events;
static struct mcti_event_listener listener;
struct mcti_buf told;
static uint64_t now_ms;

struct held server;

static int server_call(struct mcti_provider *p, struct mcti_call *c, struct mct_error *err)
{
    (void)p;
    if (server.result < 0)
        return mcti_fail(err, MCT_ERR_CONNECT, "not there");
    server.call = c;
    snprintf(server.params, sizeof server.params, "%.*s", MCT_STR_ARG(c->params));
    return 0;
}

static void server_cancel(struct mcti_provider *p, struct mcti_call *c, const char *reason)
{
    (void)p;
    (void)c;
    (void)reason;
    mcti_buf_addz(&told, "server-cancelled;");
    server.call = NULL;
}

static const struct mcti_provider_ops server_ops = { .type = "test", .call = server_call, .cancel = server_cancel };

void run_script(struct mct_hook_event *e, void *data)
{
    struct script *s = data;
    snprintf(s->json, sizeof s->json, "%s", mct_hook_event_json(e));
    if (!s->silent)
        mcti_buf_printf(&told, "%s;", s->name);
    s->event = e;
    if (!s->decision)
        return;
    if (!strcmp(s->decision, "!")) {
        mct_hook_fail(e, "broken");
    } else if (!strcmp(s->decision, "twice")) {
        mct_hook_decide(e, "{\"block\":true,\"blockReason\":\"first\"}");
        mct_hook_decide(e, "{}");
        mct_hook_fail(e, "third");
        assert_non_null(mct_hook_event_json(e));
    } else {
        mct_hook_decide(e, s->decision);
    }
}

void withdraw_script(struct mct_hook_event *e, void *data)
{
    struct script *s = data;
    if (s->silent)
        return;
    assert_ptr_equal(e, s->event);
    mcti_buf_printf(&told, "%s-withdrawn;", s->name);
    mct_hook_decide(e, "{\"block\":true}"); /* too late, and harmless */
    s->event = NULL;
}

void free_script(void *data)
{
    ((struct script *)data)->freed = true;
}

void add(struct script *s, enum mct_hook_kind kind, int priority)
{
    const struct mct_hook_def def = { .size = sizeof def,
                                      .kind = kind,
                                      .name = s->name,
                                      .priority = priority,
                                      .run = run_script,
                                      .withdrawn = withdraw_script,
                                      .data = s,
                                      .free_data = free_script };
    assert_int_equal(mcti_hooks_add(&hooks, &def, s, NULL), 0);
}

static void on_end(struct mcti_event_listener *l, const struct mcti_event *e)
{
    (void)l;
    mcti_buf_printf(&told, "end %s %.*s;", mcti_outcome_word(e->outcome), MCT_STR_ARG(e->arguments));
}

struct mcti_call call;
char got[4096];
bool blocked;

void on_done(struct mcti_call *c, const struct mcti_outcome *o)
{
    (void)c;
    assert_true(got[0] == 0);
    blocked = o->blocked;
    snprintf(got, sizeof got, "%.*s",
             MCT_STR_ARG(o->result.p  ? o->result
                         : o->error.p ? o->error
                                      : mcti_str_of(o->failed->message)));
}

struct mcti_ask *asked;
char form[8192];

static void on_ask(void *data, struct mcti_ask *a)
{
    (void)data;
    asked = a;
    assert_null(a->server);
    assert_ptr_equal(a->about, &call);
    snprintf(form, sizeof form, "%.*s", MCT_STR_ARG(a->params));
}

static void on_ask_withdrawn(void *data, struct mcti_ask *a)
{
    (void)data;
    assert_ptr_equal(a, asked);
    asked = NULL;
    mcti_buf_addz(&told, "question-withdrawn;");
}

static const struct mcti_answerer answerer = { .form = true, .ask = on_ask, .withdraw = on_ask_withdrawn };

void settle(void)
{
    do
        mcti_sched_run(&sched, now_ms);
    while (mcti_sched_next_ms(&sched) == 0);
}

void pass(unsigned ms)
{
    now_ms += ms;
    settle();
}

int set_up(void **state)
{
    (void)state;
    now_ms = 1000;
    mcti_sched_init(&sched);
    mcti_hooks_init(&hooks, &sched, NULL);
    mcti_events_init(&events);
    listener = (struct mcti_event_listener){ .end = on_end, .keeps_arguments = true };
    mcti_events_add(&events, &listener);
    mcti_buf_init(&told, 65536);
    memset(&server, 0, sizeof server);
    assert_int_equal(mcti_provider_init(&server.base, &server_ops, "srv", &sched, NULL), 0);
    server.base.info.rev = MCT_REV_LATEST_HANDSHAKE;
    got[0] = 0;
    asked = NULL;
    settle();
    return 0;
}

int tear_down(void **state)
{
    (void)state;
    mcti_hooks_done(&hooks);
    mcti_event_listener_remove(&listener);
    mcti_events_done(&events);
    mcti_buf_done(&told);
    mcti_provider_done(&server.base);
    return 0;
}

int begin_with(const char *params, uint64_t session, const char *who, struct mct_error *err)
{
    char *text = strdup(params), *name = strdup("srv__t"), *principal = strdup(who);
    struct mcti_hook_target target = { .hooks = &hooks,
                                       .names = { mcti_str_of(name) },
                                       .tool = { name + 5, 1 },
                                       .approver = &answerer,
                                       .session = session };
    got[0] = 0;
    blocked = false;
    call = (struct mcti_call){ .verb = MCT_VERB_TOOLS_CALL,
                               .params = mcti_str_of(text),
                               .events = &events,
                               .principal = mcti_str_of(principal),
                               .client = MCT_STR("cli\"ent"),
                               .done = on_done };
    struct mcti_call_start start = { .provider = &server.base, .target = &target, .is_hooked = true };
    int r = mcti_call_start(&call, &start, err);
    memset(text, '#', strlen(text));
    memset(name, '#', strlen(name));
    memset(principal, '#', strlen(principal));
    free(text);
    free(name);
    free(principal);
    memset(&target, '#', sizeof target);
    assert_int_equal(got[0], 0); /* whatever happens, it is told later */
    settle();
    return r;
}

void begin(void)
{
    assert_int_equal(begin_with(PARAMS, 7, "me", NULL), 0);
}

void server_says(const char *result)
{
    const struct mcti_outcome o = { .result = mcti_str_of(result), .rev = MCT_REV_LATEST_HANDSHAKE };
    struct mcti_call *c = server.call;
    assert_non_null(c);
    server.call = NULL;
    mcti_call_finish(c, &o);
    settle();
}

void assert_told(const char *text)
{
    mcti_buf_addc(&told, '\0');
    assert_string_equal(told.p, text);
    mcti_buf_clear(&told);
}

void assert_blocked(const char *reason)
{
    assert_true(blocked);
    assert_null(server.call);
    assert_non_null(strstr(got, "\"isError\":true"));
    if (!strstr(got, reason))
        fail_msg("%s is not in %s", reason, got);
}
