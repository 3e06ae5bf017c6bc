/*
 * Reads a ZIP archive that a stranger has made, from memory. An archive is refused as a whole if anything in it is
 * unusual: names that lead out of the folder or are equal but for case, links and other special files, encryption,
 * entries that overlap, sizes beyond the limits, a second archive in front or behind.
 */
#ifndef MCT_PACKAGES_ZIP_H
#define MCT_PACKAGES_ZIP_H

#include "base/error.h"

#include <stdint.h>

enum {
    MCT_ZIP_ENTRIES = 50000,
    MCT_ZIP_NAME_BYTES = 1024,
    MCT_ZIP_DEPTH = 64,      /* folders inside each other */
    MCT_ZIP_TOTAL = 1 << 30, /* bytes of all files, unpacked */
    MCT_ZIP_RATIO = 200,     /* unpacked bytes for each byte of the archive, above MCT_ZIP_SMALL */
    MCT_ZIP_SMALL = 64 << 20
};

struct mcti_zip_entry {
    char *name;                 /* owned; without the slash of a folder */
    bool is_folder, is_program; /* is_program: it may be executed */
    bool is_deflated;
    uint32_t crc, packed, size;
    uint32_t header;      /* offset of the local header */
    struct mcti_str data; /* the packed bytes */
};

struct mcti_zip {
    struct mcti_str archive; /* borrowed */
    struct mcti_zip_entry *v;
    size_t n;
    uint64_t total; /* bytes of all files, unpacked */
};

/* Reads the directory of an archive, and checks everything but the contents of the files. Returns -1 with *err. The
 * caller ends *z with mcti_zip_done() in any case. */
int mcti_zip_open(struct mcti_zip *z, struct mcti_str archive, struct mct_error *err);
void mcti_zip_done(struct mcti_zip *z);

const struct mcti_zip_entry *mcti_zip_find(const struct mcti_zip *z, const char *name);

/* Unpacks a file: calls `take` with parts of it. Returns -1 with *err if it is damaged, or if `take` returns -1, which
 * sets *err. */
typedef int (*mcti_zip_take_fn)(void *data, struct mcti_str part, struct mct_error *err);
int mcti_zip_read(const struct mcti_zip_entry *e, mcti_zip_take_fn take, void *data, struct mct_error *err);

/* ---- unpack.c ---- */

/* Unpacks the archive into a new folder `path`, whose parent is created if it is missing: into a folder beside it,
 * which then takes its place, or the place of what was there. Returns -1 with *err; then nothing has changed. */
int mcti_zip_unpack(const struct mcti_zip *z, const char *path, struct mct_error *err);

/* Removes an unpacked folder; links in it are removed, not followed. */
void mcti_zip_remove(const char *folder);

#endif
