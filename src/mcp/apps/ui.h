/*
 * The extension of Apps (io.modelcontextprotocol/ui): what tools and resources say of user interfaces. A tool names the
 * page that shows its results in `_meta.ui.resourceUri`; older servers write `_meta["ui/resourceUri"]`, the SDK both.
 * `_meta.ui.visibility` says whether the model or the app, or both (the default), may call it.
 */
#ifndef MCT_MCP_APPS_UI_H
#define MCT_MCP_APPS_UI_H

#include "json/scan.h"

#define MCT_UI_ID "io.modelcontextprotocol/ui"
#define MCT_UI_SCHEME "ui://"
#define MCT_UI_MIME "text/html;profile=mcp-app"

/* ClientCapabilities object of a program that passes pages on. */
#define MCT_UI_CAPABILITIES "{\"extensions\":{\"" MCT_UI_ID "\":{\"mimeTypes\":[\"" MCT_UI_MIME "\"]}}}"

/* What a tool is for apps, as bits. */
enum mcti_ui_use {
    MCT_UI_LINKED = 1,   /* it names a page with the scheme ui: */
    MCT_UI_APP_ONLY = 2, /* the model may not call it */
};

/* Returns the bits of a tool. */
unsigned char mcti_ui_use(struct mcti_str tool);

/* Returns the URI of the page that the tool names, a JSON string; absent: none. */
struct mcti_str mcti_ui_page_of(struct mcti_str tool);

/* Returns true if a resource, as listed, is a page of an app. */
bool mcti_ui_is_page(struct mcti_str resource);

/* Returns true if a capabilities object, of either side, declares the extension. */
bool mcti_ui_declared(struct mcti_str capabilities);

static inline bool mcti_ui_is_uri(struct mcti_str uri)
{
    return mcti_str_starts(uri, MCT_STR(MCT_UI_SCHEME));
}

#endif
