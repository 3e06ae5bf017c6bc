/* Folders of the program's own files. */
#ifndef MCT_IO_FOLDER_H
#define MCT_IO_FOLDER_H

/* Creates the folder and those above it that are missing, with mode 0700. Returns -1 and sets errno on failure; an
 * existing folder is none. */
int mcti_folder_make(const char *path);

#endif
