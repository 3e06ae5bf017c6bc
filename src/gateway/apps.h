/*
 * The extension of Apps at the gateway: which tools a client gets in its lists, the URIs of pages that several servers
 * have (hub/apps/uris.h), and the names that apps call. An app is a page of one server; it calls tools of this server
 * by their own names, and the client passes the calls on without saying that they are the app's.
 */
#ifndef MCT_GATEWAY_APPS_H
#define MCT_GATEWAY_APPS_H

#include "gateway/impl.h"

/* The page that a request reads. */
struct mcti_gw_page {
    struct mcti_str asked, own; /* its URI as the client and as the server writes it */
    char text[];
};

/* Returns whether the client gets the tools of apps in its list. `capabilities`: of a 2026-07-28 request. */
bool mcti_gw_shows_apps(const struct mcti_gw_request *r, struct mcti_str capabilities);

/* Reads the URI of a request: if it is one of a page, in the form for clients or as several servers have it, sets
 * *ret_own to the server's own URI (a text of `scratch`) and returns the server; otherwise NULL. */
struct mcti_provider *mcti_gw_page_server(struct mcti_gw_request *r, struct mcti_str uri, struct mcti_buf *scratch,
                                          struct mcti_str *ret_own);

/* Sets r->page if the URI is one of a page at an endpoint of several servers. Returns its server; NULL: it is not, or
 * there is no memory (then *err is set, else its kind is NONE). */
struct mcti_provider *mcti_gw_page_begin(struct mcti_gw_request *r, struct mcti_str uri, struct mct_error *err);

/* Records that the client of the request uses an app of the server. */
void mcti_gw_note_app(struct mcti_gw_request *r, const struct mcti_provider *p);

/* Finds the tool that an app means by a name of several servers: that of the only server whose apps the client uses.
 * NULL: none, or the name means a tool for every client. */
const struct mcti_exposure *mcti_gw_app_tool(struct mcti_gw_request *r, struct mcti_str name);

/* Returns the outcome with the URIs of pages as clients see them; its result is that of `to`, initialised here, unless
 * nothing changes. */
struct mcti_outcome mcti_gw_show_pages(const struct mcti_gw_request *r, const struct mcti_outcome *o,
                                       struct mcti_buf *to);

/* Returns whether servers of the view have apps, so that the extension is advertised whatever they declare. */
bool mcti_gw_has_apps(struct mcti_view *v);

#endif
