/*
 * Resources, resource templates and prompts of the program. Each is a definition and a function that is run for each
 * call, as for tools: the function answers once, at once or later, with the functions of <mcptools/tool.h>.
 *
 *     static void read_note(struct mct_tool_call *call, void *data)
 *     {
 *         const char *text = find_note(mct_tool_call_text_argument(call, "name"));
 *         if (text)
 *             mct_tool_call_text(call, text);
 *         else
 *             mct_tool_call_not_found(call);
 *     }
 *
 *     const struct mct_resource_def notes = {
 *         .size = sizeof notes, .uri_template = "note://{name}", .name = "note", .read = read_note };
 *
 * Definitions are added and removed before the start and at run time. Clients are told that a list has changed, once
 * for a burst of changes. A capability is declared to clients if the program has, or had, something of its kind when
 * they connect; see also struct mct_identity.
 */
#ifndef MCPTOOLS_PROVIDE_H
#define MCPTOOLS_PROVIDE_H

#include <mcptools/instance.h>

MCT_BEGIN_DECLS

/* ---- resources ---- */

/* Either `uri` or `uri_template` is set. Every other text may be NULL, except for `name`. */
struct mct_resource_def {
    size_t size;
    const char *uri;          /* of one resource */
    const char *uri_template; /* of many (RFC 6570): "note://{name}"; the variables are the arguments of the call */
    const char *name, *title, *description;
    const char *mime_type;   /* also of the text and the bytes that `read` answers with */
    const char *annotations; /* Annotations object */
    const char *icons;       /* JSON array of Icon objects */
    const char *meta;        /* `_meta` object */
    mct_tool_fn read;        /* answers resources/read */
    mct_tool_fn complete;    /* answers completion/complete for variables of the template; NULL: no completion */
    bool updates;            /* clients may subscribe: the program calls mct_instance_resource_updated() */
    /* The first client has subscribed to a resource (`on`), or the last one has unsubscribed. Called from the loop,
     * once for a burst of changes. May be NULL. */
    void (*subscribed)(const char *uri, bool on, void *data);
    void *data; /* passed to the functions */
    /* Called once when the resource is removed, and its last call and its subscriptions are over. May be NULL. */
    void (*free_data)(void *data);
};

#define MCT_RESOURCE_DEF_INIT MCT_SIZED(struct mct_resource_def)

/*
 * Adds a resource or a resource template of the program, also after the start. A URI that matches several definitions
 * is read from the resource with that URI, or else from the template that was added first.
 *
 *   def  the definition, copied with its texts, except for `data`
 *
 * Returns 0, or -1 with *err, without a call of `free_data`:
 *
 *   MCT_ERR_USAGE        invalid definition, the URI is taken, or the instance is being closed
 *   MCT_ERR_UNSUPPORTED  `def` has members that are newer than the library
 *   MCT_ERR_LIMIT        the definition is too long
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_add_resource(struct mct_instance *instance, const struct mct_resource_def *def,
                                      struct mct_error *err);

/*
 * Removes a resource or a resource template of the program. Calls under way continue.
 *
 *   uri  the URI or the URI template
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_NOT_FOUND  the program has no such resource
 */
MCT_API int mct_instance_remove_resource(struct mct_instance *instance, const char *uri, struct mct_error *err);

/*
 * Notifies the subscribers of a resource that its content has changed.
 *
 *   uri  the URI of the resource, or of a part of it
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_NOT_FOUND    the program has no such resource
 *   MCT_ERR_UNSUPPORTED  its definition does not say `updates`
 */
MCT_API int mct_instance_resource_updated(struct mct_instance *instance, const char *uri, struct mct_error *err);

/* ---- prompts ---- */

/* Every text may be NULL, except for `name`. */
struct mct_prompt_def {
    size_t size;
    const char *name; /* as names of tools */
    const char *title, *description;
    const char *arguments;         /* JSON array of PromptArgument objects: [{"name":"text","required":true}] */
    const char *icons;             /* JSON array of Icon objects */
    const char *meta;              /* `_meta` object */
    mct_tool_fn get;               /* answers prompts/get */
    mct_tool_fn complete;          /* answers completion/complete for arguments of the prompt; NULL: no completion */
    bool unchecked;                /* calls without required arguments reach `get` */
    void *data;                    /* passed to the functions */
    void (*free_data)(void *data); /* called once when the prompt is removed and its last call is over; may be NULL */
};

#define MCT_PROMPT_DEF_INIT MCT_SIZED(struct mct_prompt_def)

/*
 * Adds a prompt of the program, also after the start.
 *
 *   def  the definition, copied with its texts, except for `data`
 *
 * Returns 0, or -1 with *err, without a call of `free_data`:
 *
 *   MCT_ERR_USAGE        invalid definition, a prompt of the same name exists, or the instance is being closed
 *   MCT_ERR_UNSUPPORTED  `def` has members that are newer than the library
 *   MCT_ERR_LIMIT        the definition is too long
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_add_prompt(struct mct_instance *instance, const struct mct_prompt_def *def,
                                    struct mct_error *err);

/*
 * Removes a prompt of the program. Calls under way continue.
 *
 *   name  the name in the definition
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_NOT_FOUND  the program has no such prompt
 */
MCT_API int mct_instance_remove_prompt(struct mct_instance *instance, const char *name, struct mct_error *err);

/* ---- calls: texts are valid as long as the call ---- */

/*
 * Returns the URI that is read, or the URI template whose variable is completed; NULL for other calls.
 */
MCT_API const char *mct_tool_call_uri(struct mct_tool_call *call);

/*
 * Return the name of the argument that is completed, and what the user has typed of it so far; NULL for calls that are
 * not completions. mct_tool_call_text_argument() returns the other arguments.
 */
MCT_API const char *mct_tool_call_completed(struct mct_tool_call *call);
MCT_API const char *mct_tool_call_typed(struct mct_tool_call *call);

/*
 * Answers a completion with those candidates that begin with what the user has typed, in any case of letters; at most
 * 100 are sent. mct_tool_call_result() sends others.
 *
 *   candidates  texts, NULL at the end, copied
 */
MCT_API void mct_tool_call_complete(struct mct_tool_call *call, const char *const *candidates);

/*
 * Answers a read with the error that there is no such resource, in the form of the client's protocol revision.
 */
MCT_API void mct_tool_call_not_found(struct mct_tool_call *call);

MCT_END_DECLS

#endif
