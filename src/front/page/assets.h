/* The files of src/web/, which src/web/embed.py turns into C when the program is built. */
#ifndef MCT_FRONT_PAGE_ASSETS_H
#define MCT_FRONT_PAGE_ASSETS_H

#include <stddef.h>

struct mcti_asset {
    const char *name; /* of the file */
    const char *type; /* media type */
    const char *etag; /* hash of the contents, with quotes */
    const char *text;
    size_t len;
};

extern const struct mcti_asset mcti_assets[]; /* up to one without a name */

#endif
