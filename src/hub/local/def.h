/*
 * Definitions of tools, resources and prompts as <mcptools/tool.h> and <mcptools/provide.h> define them, and their
 * calls: structs shared by the files of this folder only.
 */
#ifndef MCT_HUB_LOCAL_DEF_H
#define MCT_HUB_LOCAL_DEF_H

#include "base/arena.h"
#include "hub/local/impl.h"

#include <mcptools/client.h>
#include <mcptools/provide.h>

/* A definition. Referenced by its item and by its calls. */
struct mcti_local_def {
    enum mcti_kind kind;
    mct_tool_fn run, complete; /* complete: NULL: no completion */
    void (*subscribed)(const char *uri, bool on, void *data);
    void *data;
    void (*free_data)(void *data);
    struct mcti_provider *provider;
    size_t n_users; /* references */
    bool updates;
    char *name;           /* name, URI or URI template */
    char *mime_type;      /* of a resource; NULL: unknown */
    char *input, *output; /* schemas of a tool; `input` of a prompt: its arguments. NULL: not checked */
    bool told_unusable;   /* the log says that a schema cannot be applied */
};

/* A question of a call to its client. */
struct mcti_local_question;

/* The call that the functions of a definition receive. Lives until the request has ended, all its callbacks have
 * returned and the cancellation, if any, is reported. That happens from the loop, because the code that cancels may not
 * expect a callback. */
struct mct_tool_call {
    struct mcti_local_request *request; /* NULL: the request has ended */
    struct mcti_local_def *def;
    enum mcti_verb verb;
    struct mcti_str arguments; /* an object; absent: none. Valid as long as `request` */
    struct mcti_arena texts;
    void *memory;   /* in `texts`; NULL: not allocated */
    unsigned depth; /* running callbacks */
    mct_tool_fn turn, cancelled;
    void *turn_data, *cancelled_data;
    bool answered;
    struct mcti_list node; /* in mcti_local.cancelled until the cancellation is reported */
    struct mcti_task report;
    struct mcti_list questions; /* struct mcti_local_question */
    unsigned n_open;            /* questions without an answer */
    struct mct_caller *caller;  /* in `texts`; NULL: not made yet */
};

/* ---- def.c ---- */

/* Creates a definition without texts; the caller adds it with mcti_local_def_add(). Returns NULL when out of memory. */
struct mcti_local_def *mcti_local_def_new(struct mcti_provider *p, enum mcti_kind kind, const char *name);

/* Releases a reference; the last one frees the definition and its data. */
void mcti_local_def_unuse(void *def);

/* Adds the item with the JSON in *b (ended by this function) to the provider. On failure returns -1 with *err and frees
 * the definition, but not its data. `r` < 0: fails at once, *err is set. */
int mcti_local_def_add(struct mcti_local_def *take_def, struct mcti_buf *b, int r, struct mct_error *err);

/* Appends the member `key` with `text`, which must be JSON of the type `type` ('{' or '['); NULL appends nothing. */
int mcti_local_def_put(struct mcti_buf *to, const char *key, const char *text, char type, struct mct_error *err);

/* Returns the definition of an item; NULL if it is an item of another kind. */
struct mcti_local_def *mcti_local_def_of(const struct mcti_local_item *x);

/* ---- call.c ---- */

/* Handlers of items and of completions. `data`: the definition; NULL in a completion: the item has none. */
void mcti_local_def_run(struct mcti_local_request *r, void *data);
void mcti_local_def_complete(struct mcti_local_request *r, void *data);

/* Runs a function of the program, which may end the call. */
void mcti_local_call_begin(struct mct_tool_call *c);
void mcti_local_call_end(struct mct_tool_call *c);

/* ---- checks.c ---- */

/* Checks the arguments of a call. Returns false if it has answered the call with an error. */
bool mcti_local_check_arguments(struct mct_tool_call *c);

/* Checks the result of a tool. Returns false if it has answered the call with an error. */
bool mcti_local_check_result(struct mct_tool_call *c, struct mcti_str result);

/* ---- ask.c ---- */

/* Ends all questions of a call whose request has ended. */
void mcti_local_questions_end(struct mct_tool_call *c);

#endif
