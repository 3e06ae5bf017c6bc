/*
 * Whole documents: the lists of one or several servers, in the forms in which they are found in files. The items of a
 * document know each other's names.
 */
#ifndef MCT_SCAN_DOCUMENT_H
#define MCT_SCAN_DOCUMENT_H

#include "scan/scan.h"

/* The findings of one item. */
struct mcti_scan_group {
    char *server; /* "": unknown */
    const char
        *kind;  /* "tool", "prompt", "resource", "template", "instructions", "server", "result", "text", "value" */
    char *item; /* its name or URI; "" for things without a name */
    struct mcti_scan_report report;
};

struct mcti_scan_document {
    struct mcti_scan_group *v; /* owned; also groups without findings */
    size_t n, cap;
    struct mcti_scan_names *names;
    const struct mcti_scanner *scanner; /* borrowed */
    bool failed;                        /* out of memory */
};

/* Begins a document. Returns -1 when out of memory. */
int mcti_scan_document_init(struct mcti_scan_document *d, const struct mcti_scanner *scanner);
void mcti_scan_document_done(struct mcti_scan_document *d);

/* Adds the names of the tools in a list of tools. Servers are added completely before anything is scanned. */
void mcti_scan_document_names(struct mcti_scan_document *d, struct mcti_str server, struct mcti_str tools);

/* Scans one item or text of a server. `kind` as in the group; `item` is its name. */
void mcti_scan_document_add(struct mcti_scan_document *d, struct mcti_str server, const char *kind,
                            struct mcti_str item, struct mcti_str value);

/* Compares the name of a server with those of the `n` others and with well-known ones. */
void mcti_scan_document_server(struct mcti_scan_document *d, struct mcti_str server, const struct mcti_str *others,
                               size_t n);

/* Scans a file: a list of tools, an array of tools, one tool, a result of initialize, a call's result, servers with
 * such lists under "servers" or "mcpServers", any other JSON, or plain text. */
void mcti_scan_document_read(struct mcti_scan_document *d, struct mcti_str text);

/* Returns the number of findings of this severity. */
size_t mcti_scan_document_count(const struct mcti_scan_document *d, enum mcti_scan_severity severity);

#endif
