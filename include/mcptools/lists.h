/*
 * Snapshots of tools, resources, resource templates and prompts. A snapshot does not change when servers
 * change; the callback `tools_changed` of struct mct_instance_opts says when to take a new one.
 */
#ifndef MCPTOOLS_LISTS_H
#define MCPTOOLS_LISTS_H

#include <mcptools/instance.h>

MCT_BEGIN_DECLS

/* One tool. A text is NULL where the server gave none. */
struct mct_tool {
    const char *name;          /* name for calls; only [A-Za-z0-9_-], as model providers demand */
    const char *label;         /* title for people; the server's own name of the tool if there is no title */
    const char *description;   /* for the model; "" if there is none */
    const char *parameters;    /* JSON Schema of the arguments, as the server wrote it */
    const char *annotations;   /* ToolAnnotations object */
    const char *output_schema; /* JSON Schema of the structured content */
    const char *server;        /* NULL: a tool of the program, or of the library itself (resource tools, search) */
    const char *raw_name;      /* the server's own name of the tool */
    const char *plugin;        /* id of the plugin that the tool belongs to */
    const char *definition;    /* the Tool object as the server wrote it */
    bool owner_only;           /* hidden from callers that are not the owner, and refused to them */
};

/* Tools of the program come first, then those of the servers in the order of the configuration. */
struct mct_tools {
    size_t n;
    const struct mct_tool *const *v;
};

/*
 * Takes a snapshot of all tools. Servers that are still connecting have no tools in it yet.
 *
 * Returns the snapshot, to be freed with mct_tools_free(), or NULL with *err:
 *
 *   MCT_ERR_USAGE      the instance is not started, or is being closed
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_tools *mct_instance_tools(struct mct_instance *instance, struct mct_error *err);

/*
 * Frees a snapshot and everything that it points to.
 *
 *   tools  the snapshot; NULL is allowed
 *
 * Threads: any. The instance may be freed already.
 */
MCT_API void mct_tools_free(struct mct_tools *tools);

/* One resource, resource template or prompt. A text is NULL where the server gave none. */
struct mct_entry {
    const char *id; /* the URI, the URI template, or the name of the prompt for mct_instance_get_prompt() */
    const char *name, *title, *description, *mime_type;
    const char *server;     /* name of the server that has it; NULL: the program itself */
    const char *definition; /* the whole object as the server wrote it */
};

struct mct_entries {
    size_t n;
    const struct mct_entry *const *v;
};

/*
 * Take a snapshot of all resources, resource templates or prompts.
 *
 * Return the snapshot, to be freed with mct_entries_free(), or NULL with *err:
 *
 *   MCT_ERR_USAGE      the instance is not started, or is being closed
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_entries *mct_instance_resources(struct mct_instance *instance, struct mct_error *err);
MCT_API struct mct_entries *mct_instance_templates(struct mct_instance *instance, struct mct_error *err);
MCT_API struct mct_entries *mct_instance_prompts(struct mct_instance *instance, struct mct_error *err);

/*
 * Frees a snapshot and everything that it points to.
 *
 *   entries  the snapshot; NULL is allowed
 *
 * Threads: any. The instance may be freed already.
 */
MCT_API void mct_entries_free(struct mct_entries *entries);

MCT_END_DECLS

#endif
