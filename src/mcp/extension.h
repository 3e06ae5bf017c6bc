/*
 * Extensions (2026-07-28, "Extensions") and experimental capabilities: what of them crosses the gateway. The gateway
 * never declares to one side what it would then refuse to the other.
 *
 * The extension of tasks does not cross by itself: the gateway takes part in it (mcp/task.h, gateway/tasks.h), and
 * declares it where it does. Tasks as an experimental feature of 2025-11-25 cross nowhere. This is the only place that
 * knows the names involved. Extensions that consist of members of known objects cross everywhere. Those that say how a
 * client authenticates end here. All others have methods of their own, which can be passed on only where one server is
 * meant (gateway/foreign.h).
 */
#ifndef MCT_MCP_EXTENSION_H
#define MCT_MCP_EXTENSION_H

#include "base/buf.h"

/* The parameter that requests a task. A receiver that has not declared tasks ignores it (2025-11-25, "Tasks"), as does
 * every receiver of 2026-07-28. */
#define MCT_TASK_PARAM "task"

/* Key of `_meta` that names the task that a message of 2025-11-25 belongs to. */
#define MCT_META_RELATED_TASK "io.modelcontextprotocol/related-task"

/* Where extensions cross. */
enum mcti_extensions {
    MCT_EXTENSIONS_SINGLE,   /* to and from one server: all but tasks, and the experimental capabilities */
    MCT_EXTENSIONS_DECLARED, /* to one of several servers: those without methods, and those that it declares */
    MCT_EXTENSIONS_MEMBERS,  /* only extensions without methods */
    MCT_EXTENSIONS_NONE,
};

/* Returns what crosses if both ends have a say. */
static inline enum mcti_extensions mcti_extensions_both(enum mcti_extensions a, enum mcti_extensions b)
{
    return a > b ? a : b;
}

/* What of the extensions of a client is declared to a server. */
struct mcti_extensions_kept {
    enum mcti_extensions which;
    bool tasks;               /* and the extension of tasks */
    struct mcti_str declared; /* ServerCapabilities object of the server, for MCT_EXTENSIONS_DECLARED */
};

/* Returns the ClientCapabilities object with only the extensions that are `kept`: `capabilities` itself if nothing has
 * to be removed, else a copy in `scratch`, which is cleared first. */
struct mcti_str mcti_extensions_undeclare(struct mcti_str capabilities, struct mcti_extensions_kept kept,
                                          struct mcti_buf *scratch);

/* Writes the members "extensions" and "experimental" of a capabilities object (of either side), as far as they cross;
 * nothing for what is absent or empty. */
void mcti_extensions_put(struct mcti_buf *to, struct mcti_str capabilities, enum mcti_extensions which);

/* The same, with extensions of this program's own: `own` has their ids, which cross nowhere, and ends in NULL. */
void mcti_extensions_put_with(struct mcti_buf *to, struct mcti_str capabilities, enum mcti_extensions which,
                              const char *const *own);

/* Returns true if a client with these capabilities may get results of kinds that this program does not know: it
 * declares an extension with methods. */
bool mcti_extensions_bring_results(struct mcti_str capabilities);

/* Writes the ids of the extensions that the error -32021 says the request lacks, separated by commas. Returns whether
 * there are any. */
bool mcti_extensions_put_lacking(struct mcti_buf *to, struct mcti_str error);

/* Returns the id of the i-th extension without methods; NULL: there are no more. */
const char *mcti_extension_of_members(size_t i);

/* ---- the extension of tasks ---- */

#define MCT_TASKS_ID "io.modelcontextprotocol/tasks"

/* Returns true if a capabilities object, of either side, declares the extension. */
bool mcti_tasks_declared(struct mcti_str capabilities);

/* Returns true if ServerCapabilities of 2025-11-25 offer tasks of calls (2025-11-25 "Tasks", capabilities). */
bool mcti_tasks_offered_2025(struct mcti_str capabilities);

/* Writes the ClientCapabilities object with the extension declared; absent counts as {}. */
void mcti_tasks_declare(struct mcti_buf *to, struct mcti_str capabilities);

/* Returns true if this member of "extensions" crosses (`key` as written, without quotes), whatever the server declares.
 */
bool mcti_extension_crosses(struct mcti_str key, enum mcti_extensions which);

#endif
