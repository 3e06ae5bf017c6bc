/* The bundle that is being added: a file that is here, or is fetched. */
#ifndef MCT_CLI_PACKAGES_BUNDLE_H
#define MCT_CLI_PACKAGES_BUNDLE_H

#include "cli/packages/adding.h"
#include "packages/bundle.h"

/* ---- download.c ---- */

/* Fetches a file over https; redirects to other https URLs are followed. Returns -1 with *err. */
int mcti_packages_download(struct mcti_app *app, const char *url, struct mcti_buf *to, struct mct_error *err);

/* ---- bundle.c ---- */

/* Makes the plan of a bundle: a path, or a URL. `sha256` must be that of the file, unless it is NULL. */
int mcti_adding_read_bundle(struct mcti_adding *a, const char *path, const char *sha256, struct mct_error *err);

/* Unpacks the bundle, if there is one; mcti_adding_undo_bundle() removes a folder that was not there before. */
int mcti_adding_unpack(struct mcti_adding *a, struct mct_error *err);
void mcti_adding_undo_bundle(struct mcti_adding *a);
void mcti_adding_close_bundle(struct mcti_adding *a);

#endif
