/* The program of the tests of the library: its tools, what it is told, and how it drives an instance. */
#ifndef MCT_TESTS_PROGRAM_H
#define MCT_TESTS_PROGRAM_H

#include "api.h"

struct counters {
    int n_calls, n_cancelled, n_freed, n_changed, n_states, n_questions, n_withdrawn;
    char changed[64], method[64], params[2048];
    struct mct_instance *instance;
};

enum { LOG_BYTES = 65536 };

extern struct counters seen; /* of the test that runs */
extern char logged[LOG_BYTES];

/* Tools: their results are in program.c. */
extern const struct mct_tool_def greet_def, slow_def, fails_def, no_result_def, secret_def;

void greet(struct mct_tool_call *call, void *data);

/* Callbacks that count. */
void on_changed(struct mct_instance *r, const char *server, void *data);
void on_state(struct mct_instance *r, const char *server, void *data);

int set_up(void **state);

/* One that logs to `logged`; NULL: no servers, options of none. */
struct mct_instance *with(const char *servers, const struct mct_instance_opts *opts);
void start(struct mct_instance *r);

/* Turns the loop as a program of its own does, until `*n` is at least `want`. */
void until(struct mct_instance *r, const int *n, int want);

/* One of an array (NULL: it is not there), and whether an instance has it. */
const struct mct_tool *find_tool(const struct mct_tools *t, const char *name);
bool has_tool(struct mct_instance *r, const char *name);

/* A call that can be made, and the text of the result of one that works. */
struct mct_request *call(struct mct_instance *r, const char *tool, const char *args, const struct mct_call_opts *o);
void assert_says(struct mct_instance *r, const char *tool, const char *args, const char *text);

#endif
