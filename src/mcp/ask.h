/*
 * What a server may ask its client for: the roots, an elicitation, a sampling. Handshake servers send such
 * questions as requests, 2026-07-28 servers put them into an input_required result; whoever answers does
 * not see the difference.
 */
#ifndef MCT_MCP_ASK_H
#define MCT_MCP_ASK_H

#include "base/list.h"
#include "json/write.h"
#include "mcp/message.h"

enum mcti_ask_kind { MCT_ASK_ROOTS, MCT_ASK_ELICITATION, MCT_ASK_SAMPLING, MCT_ASK_N };

/* One question. Embedded by whoever received it. */
struct mcti_ask {
    enum mcti_ask_kind kind;
    struct mcti_str params; /* as the server wrote them; good until it is answered or withdrawn */
    const char *server;     /* its configured name; NULL: this program asks, because of a hook */
    void *about;            /* the call it came up in (struct mcti_call of the hub); NULL: in none */
    /* Exactly one of result (a raw object) and err is given, borrowed for the call. */
    void (*answered)(struct mcti_ask *a, struct mcti_str result, const struct mct_error *err);
    /* Params of a notifications/progress of whoever works on the answer; NULL: not wanted. */
    void (*progress)(struct mcti_ask *a, struct mcti_str params);
    const struct mcti_answerer *answerer; /* NULL once answered or withdrawn */
    void *scratch;                        /* the answerer's */
};

/* Whoever answers: callbacks and what they can do. Outlives the questions. */
struct mcti_answerer {
    bool form, url;                                  /* elicitations of these modes */
    bool sampling, sampling_tools, sampling_context; /* the latter two only with the first */
    bool ask_roots;                                  /* roots are asked for, too */
    bool roots_change;                               /* and the server hears when they are others */
    const char *roots; /* JSON array of Root objects, answered without asking; NULL: none are known */
    /* A question. Answer with mcti_ask_answer() or mcti_ask_fail(), at once or later. */
    void (*ask)(void *data, struct mcti_ask *a);
    /* A question that cannot be asked; answer it as above. NULL: the server is told just that. */
    void (*lacks)(void *data, struct mcti_ask *a, const struct mct_error *err);
    /* Nobody waits for the answer any more: forget it. */
    void (*withdraw)(void *data, struct mcti_ask *a);
    void *data;
    const char *instead; /* what who calls can do where an approval cannot be asked for; NULL: nothing */
};

/* The method that asks for this, and the other way round (MCT_ASK_N: none). */
const char *mcti_ask_method(enum mcti_ask_kind kind);
enum mcti_ask_kind mcti_ask_find(struct mcti_str method);

/* The ClientCapabilities object that tells a server what may be asked; `a` may be NULL. */
void mcti_capabilities_put(struct mcti_buf *to, const struct mcti_answerer *a);

/* The other way round: what a client says it can be asked. Sets the flags of *ret, and nothing else. An
 * elicitation without modes means forms (2025-11-25, "Capabilities"). */
void mcti_capabilities_read(struct mcti_str capabilities, struct mcti_answerer *ret);

/* Whether this can be asked; `by` may be NULL. */
bool mcti_answerer_can(const struct mcti_answerer *by, enum mcti_ask_kind kind, struct mcti_str params);

/* Puts the question. kind, params, server and answered are set. `answerer` may be NULL. What cannot be
 * asked fails at once; answered() may be called before this returns. */
void mcti_ask_start(struct mcti_ask *a, const struct mcti_answerer *answerer);
void mcti_ask_withdraw(struct mcti_ask *a); /* safe when it is over */

void mcti_ask_answer(struct mcti_ask *a, struct mcti_str result);
void mcti_ask_fail(struct mcti_ask *a, const struct mct_error *err);

#endif
