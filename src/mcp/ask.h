/*
 * Questions of a server to its client: roots, elicitation, sampling. Handshake servers send them as requests,
 * 2026-07-28 servers put them into an input_required result; an answerer sees no difference.
 */
#ifndef MCT_MCP_ASK_H
#define MCT_MCP_ASK_H

#include "base/list.h"
#include "json/write.h"
#include "mcp/extension.h"
#include "mcp/message.h"

enum mcti_ask_kind { MCT_ASK_ROOTS, MCT_ASK_ELICITATION, MCT_ASK_SAMPLING, MCT_ASK_N };

/* One question. Embedded in the struct of its receiver. */
struct mcti_ask {
    enum mcti_ask_kind kind;
    struct mcti_str params; /* as the server wrote them; valid until the question is answered or withdrawn */
    /* configured name of the server; NULL: the question comes from this program, because of a hook */
    const char *server;
    void *about; /* the call during which the question came (struct mcti_call of the hub); NULL: none */
    /* Receives the answer: either `result` (a raw object) or `err` is set; both are valid during the call. */
    void (*answered)(struct mcti_ask *a, struct mcti_str result, const struct mct_error *err);
    /* Receives the params of a notifications/progress from the answerer; may be NULL. */
    void (*progress)(struct mcti_ask *a, struct mcti_str params);
    const struct mcti_answerer *answerer; /* NULL once answered or withdrawn */
    void *scratch;                        /* belongs to the answerer */
};

/* Answers questions: callbacks and the capabilities they implement. Must outlive its questions. */
struct mcti_answerer {
    bool form, url;                                  /* supported modes of elicitation */
    bool sampling, sampling_tools, sampling_context; /* the latter two require the first */
    bool ask_roots;                                  /* roots are requested with ask(), see `roots` */
    bool roots_change;                               /* servers are notified when the roots change */
    /* The extensions and experimental capabilities of a client, as members of a ClientCapabilities object; declared to
     * servers as far as `which` says. Absent: none. */
    struct mcti_str open;
    enum mcti_extensions which;
    const char *const *own; /* ids of extensions that this program declares itself; ends in NULL. NULL: none */
    const char *roots; /* JSON array of Root objects, used as the answer to every question for roots; NULL: unknown */
    /* Handles a question. Answers it with mcti_ask_answer() or mcti_ask_fail(), at once or later. */
    void (*ask)(void *data, struct mcti_ask *a);
    /* Handles a question the answerer does not support; `err` tells why. Must answer it as above. NULL: the question
     * fails with `err`. */
    void (*lacks)(void *data, struct mcti_ask *a, const struct mct_error *err);
    /* The answer is not needed any more: drop the question. */
    void (*withdraw)(void *data, struct mcti_ask *a);
    void *data;
    const char *instead; /* advice for the caller when an approval cannot be requested; NULL: none */
};

/* Return the method of a kind of question, and the kind of a method (MCT_ASK_N if it is not a question). */
const char *mcti_ask_method(enum mcti_ask_kind kind);
enum mcti_ask_kind mcti_ask_find(struct mcti_str method);

/* Writes the ClientCapabilities object for `a`, which may be NULL. */
void mcti_capabilities_put(struct mcti_buf *to, const struct mcti_answerer *a);

/* Reads a ClientCapabilities object into the flags of *ret; no other member is set. An elicitation capability without
 * modes means forms (2025-11-25, "Capabilities"). */
void mcti_capabilities_read(struct mcti_str capabilities, struct mcti_answerer *ret);

/* Returns true if the answerer supports this question; `by` may be NULL. */
bool mcti_answerer_can(const struct mcti_answerer *by, enum mcti_ask_kind kind, struct mcti_str params);

/* Passes a question to `answerer`, which may be NULL. The members kind, params, server and answered must be set. An
 * unsupported question fails at once; answered() may be called before this function returns. */
void mcti_ask_start(struct mcti_ask *a, const struct mcti_answerer *answerer);
void mcti_ask_withdraw(struct mcti_ask *a); /* does nothing if the question is over */

void mcti_ask_answer(struct mcti_ask *a, struct mcti_str result);
void mcti_ask_fail(struct mcti_ask *a, const struct mct_error *err);

#endif
