/*
 * What a registry of packages answers: URLs of its API (version v0.1 of the MCP registry), pages of a search, and one
 * version of a server. Pure text; the command line sends the requests.
 */
#ifndef MCT_PACKAGES_FOUND_H
#define MCT_PACKAGES_FOUND_H

#include "base/error.h"
#include "base/strings.h"
#include "json/scan.h"

#define MCT_PACKAGES_URL "https://registry.modelcontextprotocol.io" /* the official registry */

enum { MCT_PACKAGES_PAGE = 60, MCT_PACKAGES_PAGES = 4, MCT_PACKAGES_FOUND = 1000 };

/* Appends the URL of a page of servers whose name has `word` in it. `cursor`: absent for the first page. */
void mcti_found_put_search_url(struct mcti_buf *to, const char *base, struct mcti_str word, struct mcti_str cursor);

/* Appends the URL of one version of a server; absent: the newest one. */
void mcti_found_put_version_url(struct mcti_buf *to, const char *base, struct mcti_str name, struct mcti_str version);

/* Checks an answer and returns its object; absent with *err if it is none. */
struct mcti_str mcti_found_root(struct mcti_str body, struct mct_error *err);

/* One answer for one version. */
struct mcti_found_entry {
    struct mcti_str server;                      /* server.json */
    struct mcti_str message;                     /* why it is deprecated; a JSON string, or absent */
    bool deprecated, deleted, is_latest, is_old; /* is_old: the registry says that it is not the latest */
};

/* Reads an item of "servers", or the answer for one version. */
void mcti_found_read_entry(struct mcti_str json, struct mcti_found_entry *ret);

/* A server that a search has found; texts are owned, and safe to show. */
struct mcti_found_server {
    char *name, *version, *title, *description, *runs; /* runs: "npm, remote" */
    bool deprecated;
    unsigned rank; /* 0: the best */
};

struct mcti_found {
    struct mcti_found_server *v;
    size_t n;
};

void mcti_found_done(struct mcti_found *l);

/* Adds the servers of a page that match all the words, the newest version of each. Returns -1 with *err if the answer
 * is not a page. *ret_cursor: of the next page, a span of `body`; absent: this is the last one. */
int mcti_found_add_page(struct mcti_found *l, struct mcti_str body, const struct mcti_strings *words,
                        struct mcti_str *ret_cursor, struct mct_error *err);

/* Puts the best matches first; otherwise keeps the order. */
void mcti_found_sort(struct mcti_found *l);

/* Compares versions by their numbers, like strcmp(). */
int mcti_found_compare_versions(const char *a, const char *b);

#endif
