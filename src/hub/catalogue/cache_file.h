/*
 * Files below $XDG_CACHE_HOME/mcptools, or ~/.cache/mcptools: what is worth remembering and can be found out again.
 * They are replaced atomically, with mode 0600, because other programs may be reading or writing them. A file that is
 * missing or unusable is as good as none.
 */
#ifndef MCT_HUB_CATALOGUE_CACHE_FILE_H
#define MCT_HUB_CATALOGUE_CACHE_FILE_H

#include "base/buf.h"

/* Returns the path of `name` there, to free(); NULL if there is no such folder or when out of memory. */
char *mcti_cache_path(const char *name);

/* Appends the contents of the file. Returns false, with `to` unchanged, if it cannot be read, is no regular file or
 * does not fit. */
bool mcti_cache_read(const char *path, struct mcti_buf *to);

/* Replaces the file, and creates its folders. Failures are ignored. */
void mcti_cache_write(const char *path, struct mcti_str text);

/* Notes that the file is in use. */
void mcti_cache_touch(const char *path);

/* Removes the files of the folder that were neither written nor in use for so many days. */
void mcti_cache_prune(const char *folder, unsigned days);

#endif
