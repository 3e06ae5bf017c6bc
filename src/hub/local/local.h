/*
 * A provider in this process: tools, resources, templates and prompts that are registered from C and whose calls run C
 * functions. With it a program serves its own tools as MCP, alone or beside configured servers.
 *
 * Handlers are written once, in the manner of 2026-07-28: one that needs something from the client answers with
 * questions (mcti_local_ask()) and is run again with the answers. Handshake clients are asked by whoever makes the
 * interactive call (hub/call/rounds.c); a handler does not see the difference.
 *
 * Everything happens on the thread of the scheduler. Handlers run from its loop and must not block it; those that need
 * time say when they want to be run again (mcti_local_later()) or keep the request until something else has happened.
 */
#ifndef MCT_HUB_LOCAL_LOCAL_H
#define MCT_HUB_LOCAL_LOCAL_H

#include "hub/core/provider.h"

/* JSON in C source as it is: MCT_JSON({ "name": "echo" }) is the text of that object. */
#define MCT_JSON(...) #__VA_ARGS__

/* One call of one item. Valid until it is answered, once, by one of the functions below that say so, or until it is
 * cancelled; it must not be touched after that. */
struct mcti_local_request;

typedef void (*mcti_local_fn)(struct mcti_local_request *r, void *data);

/* NULL when out of memory. */
struct mcti_provider *mcti_provider_local_new(const char *name, struct mcti_sched *sched, const struct mcti_log *log);

/* What it says of itself: an Implementation object (the default is made of its name) and, for models, what it is good
 * for (may be NULL). -1 when out of memory. */
int mcti_local_set_info(struct mcti_provider *p, const char *server_info, const char *instructions);

/*
 * Adds an item; `json` is the object as tools/list and its like show it (a tool without inputSchema gets one that
 * admits any object). `fn` answers tools/call, prompts/get or resources/read; that of a template is run for URIs which
 * no resource has and the template matches. -1 with *err when the object is no such item, or its name or URI is taken.
 *
 * Clients that are connected are told of additions and removals. Handlers may add and remove, also themselves.
 */
int mcti_local_add(struct mcti_provider *p, enum mcti_kind kind, const char *json, mcti_local_fn fn, void *data,
                   struct mct_error *err);

/* The same with data that is the item's: it is freed when the item has been removed and no request that it answers is
 * under way. On failure it stays the caller's. */
int mcti_local_add_owned(struct mcti_provider *p, enum mcti_kind kind, const char *json, mcti_local_fn fn,
                         void *take_data, void (*free_data)(void *data), struct mct_error *err);

/* -1 when there is none with that name, URI or URI template. Calls that are under way go on. */
int mcti_local_remove(struct mcti_provider *p, enum mcti_kind kind, const char *id);

/* Something that must be done before it is ready, and after all it has had is gone (a plugin). */
struct mcti_local_life {
    void (*start)(void *data); /* mcti_local_ready() follows, or mcti_provider_set_state() with MCT_FAILED */
    void (*stop)(void *data);  /* neither follows any more */
    void (*gone)(void *data);  /* requests and items are; the provider goes next */
};

void mcti_local_set_life(struct mcti_provider *p, const struct mcti_local_life *life, void *data);
void mcti_local_ready(struct mcti_provider *p);

/* For calls that name no time of their own; 0, as at first: none. */
void mcti_local_set_timeout(struct mcti_provider *p, unsigned timeout_ms);

/* Answers completion/complete. */
void mcti_local_set_complete(struct mcti_provider *p, mcti_local_fn fn, void *data);

/* A resource has changed; told to those who have subscribed to it. */
void mcti_local_updated(struct mcti_provider *p, const char *uri);

/* ---- what was asked ---- */

struct mcti_str mcti_local_params(const struct mcti_local_request *r);                     /* an object, or absent */
struct mcti_str mcti_local_argument(const struct mcti_local_request *r, const char *name); /* raw JSON, or absent */
struct mcti_str mcti_local_uri(const struct mcti_local_request *r); /* text; resources/read only */

/* Whether the client has declared that it can be asked this (elicitation: in form mode). */
bool mcti_local_can(const struct mcti_local_request *r, enum mcti_ask_kind kind);

/* The client's answer (an object) to a question that was asked under `key`; absent when it has not answered it, or with
 * something else than an object. Clients may send answers nobody has asked for. */
struct mcti_str mcti_local_input(const struct mcti_local_request *r, const char *key);

/* The text that was given to mcti_local_ask() in the round before; absent in the first. */
struct mcti_str mcti_local_state(const struct mcti_local_request *r);

/* The call that it is: requests to others can be made on its behalf, see resources/reach.h. */
struct mcti_call *mcti_local_call(const struct mcti_local_request *r);

/* ---- while it lasts ---- */

/* Memory that lasts as long as the request: zero when it is first asked for, the same in every later turn. NULL when
 * out of memory. */
void *mcti_local_memory(struct mcti_local_request *r, size_t size);

/* Something that goes with the request: `end` is called when that is over, however it ends. */
void mcti_local_set_side(struct mcti_local_request *r, void *side, void (*end)(void *side));

/* Runs fn once after a while, unless the request is over by then. A second wish replaces the first. */
void mcti_local_later(struct mcti_local_request *r, unsigned in_ms, mcti_local_fn fn, void *data);

/* fn is called if the request ends without an answer of its handler: cancelled, timed out, or the provider goes. */
void mcti_local_on_cancel(struct mcti_local_request *r, mcti_local_fn fn, void *data);

/* notifications/progress; must grow, what does not is dropped. `total` 0: unknown; `message` may be NULL. */
void mcti_local_progress(struct mcti_local_request *r, double progress, double total, const char *message);

/* A log message of this call. `logger` may be NULL; `data` is raw JSON. Who hears it is not the handler's concern. */
void mcti_local_log(struct mcti_local_request *r, const char *level, const char *logger, struct mcti_str data);

/* Lets the client go until there is more to say, where it can come back for it: its connection is not kept busy. */
void mcti_local_hang_up(struct mcti_local_request *r);

/* ---- answers: each ends the request ---- */

/* A result object as the method has it; resultType and what else 2026-07-28 demands is added where it lacks. */
void mcti_local_result(struct mcti_local_request *r, struct mcti_str result);

/* A tool's result of one text; the second says that the tool has failed (isError), which models read. */
void mcti_local_text(struct mcti_local_request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mcti_local_text_error(struct mcti_local_request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a text that may hold U+0000. */
void mcti_local_text_str(struct mcti_local_request *r, struct mcti_str text, bool is_error);

/* A resource's contents under the URI that was asked for: text, or base64 of bytes. */
void mcti_local_contents(struct mcti_local_request *r, const char *mime_type, struct mcti_str text);
void mcti_local_blob(struct mcti_local_request *r, const char *mime_type, struct mcti_str base64);

/* A prompt of one text, said by the user. */
void mcti_local_prompt(struct mcti_local_request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A completion: those of the candidates (NULL ends them) that begin with what has been typed. */
void mcti_local_complete(struct mcti_local_request *r, const char *const *candidates);

/* A JSON-RPC error; `data` is raw JSON or absent. */
void mcti_local_fail(struct mcti_local_request *r, int code, const char *message, struct mcti_str data);

/*
 * input_required (2026-07-28): `questions` is an inputRequests object, {"key":{"method":…,"params":…},…}; the handler
 * is run again with the answers, in a request of its own. `state` is text for that run, absent: none is needed. The
 * client keeps it meanwhile: it can read it, but what comes back is what was written for this item, or is refused
 * before the handler sees it. When the client has not declared that it can be asked all of this the answer is the error
 * -32021 instead. Not for completions.
 */
void mcti_local_ask(struct mcti_local_request *r, struct mcti_str questions, struct mcti_str state);

#endif
