/*
 * The local provider: tools, resources, templates and prompts that are registered from C and whose calls run C
 * functions in this process. With it a program serves its own tools as MCP, alone or together with configured servers.
 *
 * Handlers are written for 2026-07-28 only: a handler that needs something from the client answers with questions
 * (mcti_local_ask()) and runs again with the answers. For handshake clients the interactive call (hub/call/rounds.c)
 * asks these questions; a handler does not see the difference.
 *
 * Handlers run on the thread of the scheduler and must not block it. A handler that needs time plans another run
 * (mcti_local_later()), or keeps the request and answers it from another callback.
 */
#ifndef MCT_HUB_LOCAL_LOCAL_H
#define MCT_HUB_LOCAL_LOCAL_H

#include "hub/core/provider.h"

#include <mcptools/json.h>

/* One call of one item. Valid until one of the answer functions below has been called, once, or until it is cancelled;
 * must not be used after that. */
struct mcti_local_request;

typedef void (*mcti_local_fn)(struct mcti_local_request *r, void *data);

/* Creates the provider. Returns NULL when out of memory. */
struct mcti_provider *mcti_provider_local_new(const char *name, struct mcti_sched *sched, const struct mcti_log *log);

/* Sets the server's Implementation object (default: made from the name) and its instructions for models (may be NULL).
 * Returns -1 when out of memory. */
int mcti_local_set_info(struct mcti_provider *p, const char *server_info, const char *instructions);

/*
 * Adds an item. `json` is the object as in tools/list or the corresponding list; a tool without inputSchema gets one
 * that admits any object. `fn` answers tools/call, prompts/get or resources/read; that of a template also runs for URIs
 * that match the template and belong to no resource. If the object is invalid, or its name or URI is taken, returns -1
 * and sets *err.
 *
 * Connected clients are notified of additions and removals. Handlers may add and remove items, including their own.
 */
int mcti_local_add(struct mcti_provider *p, enum mcti_kind kind, const char *json, mcti_local_fn fn, void *data,
                   struct mct_error *err);

/* Adds an item that owns its data: the data is freed once the item has been removed and its last request has ended. On
 * failure the data stays with the caller. */
int mcti_local_add_owned(struct mcti_provider *p, enum mcti_kind kind, const char *json, mcti_local_fn fn,
                         void *take_data, void (*free_data)(void *data), struct mct_error *err);

/* Removes the item with that name, URI or URI template. Its calls in flight continue. Returns -1 if there is none. */
int mcti_local_remove(struct mcti_provider *p, enum mcti_kind kind, const char *id);

/* Callbacks at the start and end of a provider, for example of a plugin. */
struct mcti_local_life {
    void (*start)(void *data); /* later calls mcti_local_ready(), or mcti_provider_set_state() with MCT_FAILED */
    void (*stop)(void *data);  /* cancels the start */
    void (*gone)(void *data);  /* all requests and items are freed; the provider is freed next */
};

void mcti_local_set_life(struct mcti_provider *p, const struct mcti_local_life *life, void *data);

/* Sets the state to connected. */
void mcti_local_ready(struct mcti_provider *p);

/* Sets the timeout of calls that have none of their own. 0, the default: none. */
void mcti_local_set_timeout(struct mcti_provider *p, unsigned timeout_ms);

/* Sets the handler of completion/complete. */
void mcti_local_set_complete(struct mcti_provider *p, mcti_local_fn fn, void *data);

/* An extension with methods of its own. */
struct mcti_local_extension {
    const char *id, *settings; /* settings: raw JSON object */
    const struct mcti_local_method {
        const char *name;
        mcti_local_fn fn;
    } * methods;
    size_t n_methods;
};

/* Declares the extension, which outlives the provider; its methods are answered by their functions. */
void mcti_local_set_extension(struct mcti_provider *p, const struct mcti_local_extension *x, void *data);

/* Notifies the subscribers of the resource that it has changed. */
void mcti_local_updated(struct mcti_provider *p, const char *uri);

/* ---- the request ---- */

struct mcti_str mcti_local_params(const struct mcti_local_request *r);                     /* an object, or absent */
struct mcti_str mcti_local_argument(const struct mcti_local_request *r, const char *name); /* raw JSON, or absent */
struct mcti_str mcti_local_uri(const struct mcti_local_request *r); /* text; resources/read only */

/* Returns true if the client has declared support for such questions (elicitation: in form mode). */
bool mcti_local_can(const struct mcti_local_request *r, enum mcti_ask_kind kind);

/* Returns the client's answer (an object) to the question with that key; absent if the client has not answered it with
 * an object. Clients may send answers to questions that were not asked. */
struct mcti_str mcti_local_input(const struct mcti_local_request *r, const char *key);

/* Returns the state that the round before passed to mcti_local_ask(); absent in the first round. */
struct mcti_str mcti_local_state(const struct mcti_local_request *r);

/* Returns the call, on whose behalf requests to other providers can be made, see resources/reach.h. */
struct mcti_call *mcti_local_call(const struct mcti_local_request *r);

/* ---- during the request ---- */

/* Returns memory that lasts as long as the request: zeroed at the first call, the same block at each later call.
 * Returns NULL when out of memory. */
void *mcti_local_memory(struct mcti_local_request *r, size_t size);

/* Attaches an object to the request: `end` is called when the request ends, for whatever reason. */
void mcti_local_set_side(struct mcti_local_request *r, void *side, void (*end)(void *side));
void *mcti_local_side(const struct mcti_local_request *r); /* NULL: none is attached */

/* Runs `fn` once after `in_ms`, unless the request has ended by then. Calling it again replaces the pending run. */
void mcti_local_later(struct mcti_local_request *r, unsigned in_ms, mcti_local_fn fn, void *data);

/* Sets a callback for a request that ends without an answer of its handler: it was cancelled, it timed out, or the
 * provider is freed. */
void mcti_local_on_cancel(struct mcti_local_request *r, mcti_local_fn fn, void *data);

/* Sends notifications/progress. Values that are not finite or do not grow are dropped. `total` 0: unknown; `message`
 * may be NULL. */
void mcti_local_progress(struct mcti_local_request *r, double progress, double total, const char *message);

/* Sends a log message of this call. `logger` may be NULL; `data` is raw JSON. */
void mcti_local_log(struct mcti_local_request *r, const char *level, const char *logger, struct mcti_str data);

/* Closes the client's connection until the next message, if the client can resume it. */
void mcti_local_hang_up(struct mcti_local_request *r);

/* ---- answers: each ends the request ---- */

/* Answers with a result object of the method. Adds missing members that 2026-07-28 requires, such as resultType. */
void mcti_local_result(struct mcti_local_request *r, struct mcti_str result);

/* Answer with the result of a tool: one text. The second one sets isError, for models. */
void mcti_local_text(struct mcti_local_request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mcti_local_text_error(struct mcti_local_request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Answers with the result of a tool: one text, which may contain U+0000. */
void mcti_local_text_str(struct mcti_local_request *r, struct mcti_str text, bool is_error);

/* Answer with the contents of a resource under the requested URI: text, or bytes in base64. */
void mcti_local_contents(struct mcti_local_request *r, const char *mime_type, struct mcti_str text);
void mcti_local_blob(struct mcti_local_request *r, const char *mime_type, struct mcti_str base64);

/* Answer with a prompt of one text, in the role of the user. */
void mcti_local_prompt(struct mcti_local_request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void mcti_local_prompt_str(struct mcti_local_request *r, struct mcti_str text);

/* Answers with a completion: the candidates (the last one is NULL) that begin with the typed text. */
void mcti_local_complete(struct mcti_local_request *r, const char *const *candidates);

/* Answers with a JSON-RPC error; `data` is raw JSON or absent. */
void mcti_local_fail(struct mcti_local_request *r, int code, const char *message, struct mcti_str data);

/*
 * Answers with input_required (2026-07-28). `questions` is an inputRequests object, {"key":{"method":…,"params":…},…};
 * the handler runs again with the answers, in a new request. `state` is text for that run; may be absent. The client
 * keeps the state and can read it, but a request with a changed state, or with the state of another item, is refused.
 * If the client has not declared support for all of the questions, the answer is the error -32021. Not for completions.
 */
void mcti_local_ask(struct mcti_local_request *r, struct mcti_str questions, struct mcti_str state);

#endif
