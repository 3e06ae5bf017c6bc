/*
 * server.json of the MCP registry (schemas 2025-09-16 to 2025-12-11): the ways in which a server can be run, and the
 * plan for one of them. Everything in the document was written by a stranger.
 */
#ifndef MCT_PACKAGES_SERVER_JSON_H
#define MCT_PACKAGES_SERVER_JSON_H

#include "packages/plan.h"

enum { MCT_PACKAGE_WAYS = 16 };

/* One package or remote of a server. */
struct mcti_package_way {
    const char *word;     /* "npm", "pypi", "oci", "nuget", "mcpb" or "remote"; "?": another one */
    const char *program;  /* that must be installed; NULL: none */
    char label[300];      /* "npm package @a/b@1.2.3", "https://example.com/mcp" */
    char why_not[200];    /* why it cannot be used; "": it can */
    struct mcti_str json; /* borrowed from the document */
};

struct mcti_package_ways {
    struct mcti_package_way v[MCT_PACKAGE_WAYS];
    size_t n;
};

/* Lists the ways of a document, packages first. */
void mcti_package_ways(struct mcti_str server, struct mcti_package_ways *ret);

/* Fills an initialised plan for one of the ways. Returns -1 with *err. */
int mcti_plan_read_server(struct mcti_plan *p, struct mcti_str server, const struct mcti_package_way *way,
                          struct mct_error *err);

/* Returns true if the text is a name of the registry: NAMESPACE/NAME. */
bool mcti_package_name_is_valid(struct mcti_str name);

/* Splits "NAME@VERSION"; the version is absent if there is none. */
struct mcti_str mcti_package_name(struct mcti_str word, struct mcti_str *ret_version);

/* Writes the name of the entry: the last part of the name, with other characters than letters, digits, "-" and "_"
 * replaced. Returns it, owned. */
char *mcti_package_entry_name(struct mcti_str name);

#endif
