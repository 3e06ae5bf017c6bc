/* A provider of local tools, and calls of it, on a clock of its own. */
#ifndef MCT_TESTS_WORLD_H
#define MCT_TESTS_WORLD_H

#include "unit.h"

#include "hub/call/start.h"
#include "hub/local/local.h"

struct world {
    struct mcti_sched sched;
    struct mcti_provider *p;
    uint64_t now_ms;
    unsigned changed, n_changed, n_stopped, n_ran, n_cancelled;
    char message[256], updated[256];
};

static struct world w;

static inline void on_changed(void *data, struct mcti_provider *p, unsigned kinds)
{
    (void)data;
    (void)p;
    w.changed |= kinds;
    w.n_changed += kinds != 0; /* 0: nobody need be told */
}

static inline void keep(char *to, struct mcti_str s)
{
    assert_true(s.len < 256);
    memcpy(to, s.p, s.len);
    to[s.len] = '\0';
}

static inline void on_message(void *data, struct mcti_provider *p, struct mcti_str params)
{
    (void)data;
    (void)p;
    keep(w.message, params);
}

static inline void on_updated(void *data, struct mcti_provider *p, struct mcti_str params)
{
    (void)data;
    (void)p;
    keep(w.updated, params);
}

static inline void on_stopped(void *data, struct mcti_provider *p)
{
    (void)data;
    (void)p;
    w.n_stopped++;
}

static inline void advance(unsigned ms)
{
    for (; ms; ms--)
        mcti_sched_run(&w.sched, ++w.now_ms);
}

static inline int set_up(void **state)
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

static inline int tear_down(void **state)
{
    (void)state;
    if (w.p)
        w.p->ops->free(w.p);
    return 0;
}

static inline void begin(void)
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

static inline void on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct wish *x = MCT_CONTAINER(call, struct wish, call);
    x->n_done++;
    x->result = o->result.p ? mcti_str_dup(o->result) : NULL;
    x->error = o->error.p ? mcti_str_dup(o->error) : NULL;
    if (o->failed)
        x->failed = *o->failed;
    assert_int_equal(!!x->result + !!x->error + !!o->failed, 1);
}

static inline void on_progress(struct mcti_call *call, struct mcti_str params)
{
    struct wish *x = MCT_CONTAINER(call, struct wish, call);
    x->n_progress++;
    keep(x->progress, params);
}

static inline void wish_clear(struct wish *x)
{
    free(x->result);
    free(x->error);
    *x = (struct wish){ 0 };
}

/* The client declares everything. */
static inline void start(struct wish *x, enum mcti_verb verb, const char *params)
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

static inline void run(struct wish *x, enum mcti_verb verb, const char *params)
{
    start(x, verb, params);
    advance(1);
    assert_int_equal(x->n_done, 1);
}

static inline struct mcti_str member(const char *object, const char *key)
{
    return object ? mcti_json_get(mcti_str_of(object), key) : MCT_STR_NONE;
}

static inline int64_t code_of(const struct wish *x)
{
    int64_t code = 0;
    mcti_json_int(member(x->error, "code"), &code);
    return code;
}

static inline void add(enum mcti_kind kind, const char *json, mcti_local_fn fn, void *data)
{
    struct mct_error err;
    assert_int_equal(mcti_local_add(w.p, kind, json, fn, data, &err), 0);
}

#define TOOL(name) "{\"name\":\"" name "\"}"
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
