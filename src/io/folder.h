/* Folders and files of the program's own. */
#ifndef MCT_IO_FOLDER_H
#define MCT_IO_FOLDER_H

#include "base/str.h"

/* Creates the folder and those above it that are missing, with mode 0700. Returns -1 and sets errno on failure; an
 * existing folder is none. */
int mcti_folder_make(const char *path);

/* Writes all bytes to a file. Returns -1 and sets errno on failure. */
int mcti_write_all(int fd, struct mcti_str bytes);

#endif
