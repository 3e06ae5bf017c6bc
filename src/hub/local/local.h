/*
 * A provider in this process: tools, resources, templates and prompts that are registered from C and whose calls run C
 * functions. With it a program serves its own tools as MCP, alone or beside configured servers.
 *
 * Handlers are written once, in the manner of 2026-07-28: one that needs something from the client answers with
 * questions (mct_local_ask()) and is run again with the answers. Handshake clients are asked by whoever makes the
 * interactive call (rounds.h); a handler does not see the difference.
 *
 * Everything happens on the thread of the scheduler. Handlers run from its loop and must not block it; those that need
 * time say when they want to be run again (mct_local_later()) or keep the request until something else has happened.
 */
#ifndef MCT_HUB_LOCAL_LOCAL_H
#define MCT_HUB_LOCAL_LOCAL_H

#include "hub/core/provider.h"

/* JSON in C source as it is: MCT_JSON({ "name": "echo" }) is the text of that object. */
#define MCT_JSON(...) #__VA_ARGS__

/* One call of one item. Valid until it is answered, once, by one of the functions below that say so, or until it is
 * cancelled; it must not be touched after that. */
struct mct_local_request;

typedef void (*mct_local_fn)(struct mct_local_request *r, void *data);

/* NULL when out of memory. */
struct mct_provider *mct_provider_local_new(const char *name, struct mct_sched *sched, const struct mct_log *log);

/* What it says of itself: an Implementation object (the default is made of its name) and, for models, what it is good
 * for (may be NULL). -1 when out of memory. */
int mct_local_set_info(struct mct_provider *p, const char *server_info, const char *instructions);

/*
 * Adds an item; `json` is the object as tools/list and its like show it (a tool without inputSchema gets one that
 * admits any object). `fn` answers tools/call, prompts/get or resources/read; that of a template is run for URIs which
 * no resource has and the template matches. -1 with *err when the object is no such item, or its name or URI is taken.
 *
 * Clients that are connected are told of additions and removals. Handlers may add and remove, also themselves.
 */
int mct_local_add(struct mct_provider *p, enum mct_kind kind, const char *json, mct_local_fn fn, void *data,
                  struct mct_error *err);

/* The same with data that is the item's: it is freed when the item has been removed and no request that it answers is
 * under way. On failure it stays the caller's. */
int mct_local_add_owned(struct mct_provider *p, enum mct_kind kind, const char *json, mct_local_fn fn, void *take_data,
                        void (*free_data)(void *data), struct mct_error *err);

/* -1 when there is none with that name, URI or URI template. Calls that are under way go on. */
int mct_local_remove(struct mct_provider *p, enum mct_kind kind, const char *id);

/* Something that must be done before it is ready, and after all it has had is gone (a plugin). */
struct mct_local_life {
    void (*start)(void *data); /* mct_local_ready() follows, or mct_provider_set_state() with MCT_FAILED */
    void (*stop)(void *data);  /* neither follows any more */
    void (*gone)(void *data);  /* requests and items are; the provider goes next */
};

void mct_local_set_life(struct mct_provider *p, const struct mct_local_life *life, void *data);
void mct_local_ready(struct mct_provider *p);

/* For calls that name no time of their own; 0, as at first: none. */
void mct_local_set_timeout(struct mct_provider *p, unsigned timeout_ms);

/* Answers completion/complete. */
void mct_local_set_complete(struct mct_provider *p, mct_local_fn fn, void *data);

/* A resource has changed; told to those who have subscribed to it. */
void mct_local_updated(struct mct_provider *p, const char *uri);

/* ---- what was asked ---- */

struct mct_str mct_local_params(const struct mct_local_request *r);                     /* an object, or absent */
struct mct_str mct_local_argument(const struct mct_local_request *r, const char *name); /* raw JSON, or absent */
struct mct_str mct_local_uri(const struct mct_local_request *r);                        /* text; resources/read only */

/* Whether the client has declared that it can be asked this (elicitation: in form mode). */
bool mct_local_can(const struct mct_local_request *r, enum mct_ask_kind kind);

/* The client's answer (an object) to a question that was asked under `key`; absent when it has not answered it, or with
 * something else than an object. Clients may send answers nobody has asked for. */
struct mct_str mct_local_input(const struct mct_local_request *r, const char *key);

/* The text that was given to mct_local_ask() in the round before; absent in the first. */
struct mct_str mct_local_state(const struct mct_local_request *r);

/* The call that it is: requests to others can be made on its behalf, see reach.h. */
struct mct_call *mct_local_call(const struct mct_local_request *r);

/* ---- while it lasts ---- */

/* Memory that lasts as long as the request: zero when it is first asked for, the same in every later turn. NULL when
 * out of memory. */
void *mct_local_memory(struct mct_local_request *r, size_t size);

/* Something that goes with the request: `end` is called when that is over, however it ends. */
void mct_local_set_side(struct mct_local_request *r, void *side, void (*end)(void *side));

/* Runs fn once after a while, unless the request is over by then. A second wish replaces the first. */
void mct_local_later(struct mct_local_request *r, unsigned in_ms, mct_local_fn fn, void *data);

/* fn is called if the request ends without an answer of its handler: cancelled, timed out, or the provider goes. */
void mct_local_on_cancel(struct mct_local_request *r, mct_local_fn fn, void *data);

/* notifications/progress; must grow, what does not is dropped. `total` 0: unknown; `message` may be NULL. */
void mct_local_progress(struct mct_local_request *r, double progress, double total, const char *message);

/* A log message of this call. `logger` may be NULL; `data` is raw JSON. Who hears it is not the handler's concern. */
void mct_local_log(struct mct_local_request *r, const char *level, const char *logger, struct mct_str data);

/* Lets the client go until there is more to say, where it can come back for it: its connection is not kept busy. */
void mct_local_hang_up(struct mct_local_request *r);

/* ---- answers: each ends the request ---- */

/* A result object as the method has it; resultType and what else 2026-07-28 demands is added where it lacks. */
void mct_local_result(struct mct_local_request *r, struct mct_str result);

/* A tool's result of one text; the second says that the tool has failed (isError), which models read. */
void mct_local_text(struct mct_local_request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mct_local_text_error(struct mct_local_request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a text that may hold U+0000. */
void mct_local_text_str(struct mct_local_request *r, struct mct_str text, bool is_error);

/* A resource's contents under the URI that was asked for: text, or base64 of bytes. */
void mct_local_contents(struct mct_local_request *r, const char *mime_type, struct mct_str text);
void mct_local_blob(struct mct_local_request *r, const char *mime_type, struct mct_str base64);

/* A prompt of one text, said by the user. */
void mct_local_prompt(struct mct_local_request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A completion: those of the candidates (NULL ends them) that begin with what has been typed. */
void mct_local_complete(struct mct_local_request *r, const char *const *candidates);

/* A JSON-RPC error; `data` is raw JSON or absent. */
void mct_local_fail(struct mct_local_request *r, int code, const char *message, struct mct_str data);

/*
 * input_required (2026-07-28): `questions` is an inputRequests object, {"key":{"method":…,"params":…},…}; the handler
 * is run again with the answers, in a request of its own. `state` is text for that run, absent: none is needed. The client
 * keeps it meanwhile: it can read it, but what comes back is what was written for this item, or is refused before the
 * handler sees it. When the client has not declared that it can be asked all of this the answer is the error -32021
 * instead. Not for completions.
 */
void mct_local_ask(struct mct_local_request *r, struct mct_str questions, struct mct_str state);

#endif
