/*
 * Remembers the servers whose apps one client uses. An app calls the tools of its server by their own names, and
 * nothing marks these calls, so that a name of several servers can mean any of them: it means the one whose app is in
 * use, if that is a single one. Fixed in size: it remembers the latest servers, and that it has forgotten one.
 */
#ifndef MCT_HUB_APPS_MEMORY_H
#define MCT_HUB_APPS_MEMORY_H

#include "base/hash.h"

enum { MCT_APPS_REMEMBERED = 16 };

struct mcti_app_memory {
    struct mcti_app_seen {
        uint64_t server; /* hash of its name */
        uint64_t at_ms;
    } seen[MCT_APPS_REMEMBERED];
    size_t n;
    uint64_t forgotten_ms; /* time at which the newest forgotten server was seen; valid if has_forgotten */
    bool has_forgotten;
};

/* Records that the client has read a page of the server, or called a tool that has one. */
void mcti_app_memory_note(struct mcti_app_memory *m, struct mcti_str server, uint64_t now_ms);

/* Returns whether an app of the server may be in use: it was seen within the last `within_ms` (0: at any time). */
bool mcti_app_memory_has(const struct mcti_app_memory *m, struct mcti_str server, uint64_t now_ms, uint64_t within_ms);

/* Returns whether the memory has all servers seen within that time. */
bool mcti_app_memory_is_whole(const struct mcti_app_memory *m, uint64_t now_ms, uint64_t within_ms);

#endif
