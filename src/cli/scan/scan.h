/* `scan`, and what other commands say about findings of the scanner. */
#ifndef MCT_CLI_SCAN_SCAN_H
#define MCT_CLI_SCAN_SCAN_H

#include "cli/command.h"
#include "scan/document/document.h"

/* ---- gather.c ---- */

/* Adds the names of a server's tools. Names of all servers are added before anything is scanned. */
void mcti_scan_gather_names(struct mcti_scan_document *d, const struct mcti_provider *p);

/* Scans everything that the server says: its lists, instructions and serverInfo. */
void mcti_scan_gather(struct mcti_scan_document *d, const struct mcti_provider *p);

/* ---- print.c ---- */

/* Prints the findings by server and item; `indent` columns to the right. */
void mcti_scan_print(const struct mcti_app *app, const struct mcti_scan_document *d, unsigned indent);

/* Prints the document of -o json. */
void mcti_scan_print_json(const struct mcti_app *app, const struct mcti_scan_document *d, size_t n_ignored);

/* Prints the table of rules. */
void mcti_scan_print_rules(struct mcti_app *app);

/* ---- tell.c ---- */

/* Says the hard findings of a server that is being added; nothing if there are none. Returns their number. */
size_t mcti_scan_tell_new(const struct mcti_provider *p);

#endif
