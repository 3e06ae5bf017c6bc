/*
 * Writes items and results of a server with the URIs of its pages as clients see them (uris.h). Only these strings
 * change, and only where the protocol and the extension have URIs: never in contents or in structured content. The
 * text of a page changes only if a script is put into it.
 */
#ifndef MCT_HUB_APPS_REWRITE_H
#define MCT_HUB_APPS_REWRITE_H

#include "hub/apps/uris.h"

/* URIs of one server. `asked`, `asked_own`: the URI that a client reads, as the client and as the server writes it;
 * absent: none. */
struct mcti_app_rewrite {
    const struct mcti_app_uris *uris;
    const struct mcti_provider *provider;
    struct mcti_str asked, asked_own;
    struct mcti_str script; /* put into pages, see inject.h; absent: none */
};

/* Writes a list item. */
void mcti_app_put_item(struct mcti_buf *to, const struct mcti_app_rewrite *w, enum mcti_kind kind,
                       struct mcti_str item);

/* Writes the result of a call, of resources/read or of prompts/get. Returns false, with nothing written, if nothing
 * changes. */
bool mcti_app_put_result(struct mcti_buf *to, const struct mcti_app_rewrite *w, enum mcti_verb verb,
                         struct mcti_str result);

#endif
