/* A server that holds its call, hooks that follow a script, a caller and an answerer that note. */
#ifndef MCT_TESTS_HOOKED_CALL_H
#define MCT_TESTS_HOOKED_CALL_H

#include "unit.h"

#include "hub/call/start.h"
#include "hub/hooks/hooks_impl.h"
#include "hub/core/provider.h"

struct held {
    struct mcti_provider base;
    struct mcti_call *call; /* that it has */
    int result;             /* of call() */
    char params[1024];
};

/* What a hook of the test does; static, where the hook is there until the end of the test. */
struct script {
    const char *name;
    const char *decision; /* NULL: later; "!": it fails; "twice": decides twice */
    bool freed, silent;   /* silent: is not noted */
    struct mct_hook_event *event;
    char json[1024];
};

/* The functions of a hook whose data is a script; add() makes such a hook. */
void run_script(struct mct_hook_event *e, void *data);
void withdraw_script(struct mct_hook_event *e, void *data);
void free_script(void *data);

extern struct mcti_hooks hooks;
extern struct held server;
extern struct mcti_buf told; /* everything that happened, one word or line behind the other */

extern struct mcti_call call; /* the caller's */
extern char got[4096];        /* its result, error or failure; empty: none yet */
extern bool blocked;

extern struct mcti_ask *asked; /* the answerer's open question */
extern char form[8192];        /* the params of its last */

#define PARAMS "{\"name\":\"t\",\"arguments\":{\"a\":1,\"b\":[1.0]},\"x\":1}"
#define OK "{\"content\":[]}"

int set_up(void **state);
int tear_down(void **state);
void add(struct script *s, enum mct_hook_kind kind, int priority);

/* Everything that is due; and what is due when some time has passed. */
void settle(void);
void pass(unsigned ms);

/* What is borrowed is gone when this returns. begin(): a call of PARAMS that starts. */
int begin_with(const char *params, uint64_t session, const char *who, struct mct_error *err);
void begin(void);
void on_done(struct mcti_call *c, const struct mcti_outcome *o);
void server_says(const char *result);

void assert_told(const char *text);
void assert_blocked(const char *reason);

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
