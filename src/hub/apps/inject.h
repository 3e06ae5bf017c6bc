/*
 * The script that is put in front of the pages of apps with `serve.apps.names: inject`: it replaces the server's own
 * names of tools in the calls that the page sends to its host by the names at the endpoint, so that they mean the
 * server of the page. Changes the bytes of pages, which hosts may have pinned; therefore it is opt-in.
 */
#ifndef MCT_HUB_APPS_INJECT_H
#define MCT_HUB_APPS_INJECT_H

#include "json/write.h"

/* Longest list of names; a server with more gets no script. */
enum { MCT_APP_SCRIPT_BYTES = 1 << 16 };

/* Begins the script, adds a name with its replacement, and ends it; n counts the names. */
void mcti_app_script_begin(struct mcti_buf *to);
void mcti_app_script_add(struct mcti_buf *to, struct mcti_str own, struct mcti_str shown, size_t *n);
void mcti_app_script_end(struct mcti_buf *to);

/* Returns the place for the script in the text of a page, a JSON string: behind the tag <head>, else behind the
 * doctype, else at the beginning. */
const char *mcti_app_script_place(struct mcti_str text);

#endif
