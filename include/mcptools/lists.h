/* What there is: snapshots of tools, resources, templates and prompts. They stay as they are while servers change. */
#ifndef MCPTOOLS_LISTS_H
#define MCPTOOLS_LISTS_H

#include <mcptools/instance.h>

MCT_BEGIN_DECLS

/* One tool. Texts are UTF-8, NULL where there is nothing. */
struct mct_tool {
    const char *name;        /* what it is called by; [A-Za-z0-9_-], as model providers want it */
    const char *label;       /* its title, else the server's own name for it */
    const char *description; /* "" where there is none */
    const char *parameters;  /* JSON Schema of the arguments, as the server wrote it */
    const char *annotations; /* ToolAnnotations object */
    const char *output_schema;
    const char *server;     /* NULL: it is this program's own, or the registry's (resource tools, search) */
    const char *raw_name;   /* its server's name for it */
    const char *plugin;     /* id of the plugin it is part of */
    const char *definition; /* the whole Tool object as the server wrote it, under its own name */
    bool owner_only;
};

struct mct_tools {
    size_t n;
    const struct mct_tool *const *v; /* in the order of the configuration, then of the servers */
};

/* To be freed with mct_tools_free(). NULL with *err. */
MCT_API struct mct_tools *mct_instance_tools(struct mct_instance *r, struct mct_error *err);
MCT_API void mct_tools_free(struct mct_tools *t);

/* One resource, template or prompt. */
struct mct_entry {
    const char *id; /* the URI, the URI template, or what the prompt is called by */
    const char *name, *title, *description, *mime_type;
    const char *server;
    const char *definition;
};

struct mct_entries {
    size_t n;
    const struct mct_entry *const *v;
};

MCT_API struct mct_entries *mct_instance_resources(struct mct_instance *r, struct mct_error *err);
MCT_API struct mct_entries *mct_instance_templates(struct mct_instance *r, struct mct_error *err);
MCT_API struct mct_entries *mct_instance_prompts(struct mct_instance *r, struct mct_error *err);
MCT_API void mct_entries_free(struct mct_entries *e);

MCT_END_DECLS

#endif
