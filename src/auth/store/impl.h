/* Shared by the kinds that keep files: file.c, file_lock.c, file_watch.c, and secret.c, which seals the texts. */
#ifndef MCT_AUTH_STORE_IMPL_H
#define MCT_AUTH_STORE_IMPL_H

#include "auth/store/store.h"
#include "base/list.h"

/* Begins the text of a sealed file. */
#define MCT_SEALED_HEAD "{\"sealed\":\"A256GCM\""

struct mcti_file_store {
    struct mcti_auth_store base;
    char *folder;
    bool is_sealed; /* its texts are sealed ones; otherwise it refuses those */
    struct mcti_list locks;
    struct mcti_file_watch *watch; /* NULL: not watched */
};

enum { MCT_FILE_NAME_BYTES = MCT_AUTH_KEY_CHARS + 8 }; /* ".json", ".lock" */

/* ---- store.c ---- */

/* Returns true if the key is one that mcti_auth_key() wrote. */
bool mcti_auth_key_is_valid(struct mcti_str key);

/* ---- file.c ---- */

/* mcti_auth_store_file(), or the files of another kind that seals them. */
struct mcti_auth_store *mcti_auth_store_files(const char *folder, bool is_sealed, struct mct_error *err);
struct mcti_file_store *mcti_file_store_of(struct mcti_auth_store *s);

/* Returns the key of a file with a text, which begins the name; absent: the file is another one. */
struct mcti_str mcti_file_store_key(const char *name);

/* Writes the name of the file of a key with this suffix. Returns -1 and sets *err if it is not a key. */
int mcti_file_store_name(const char *key, const char *suffix, char ret[MCT_FILE_NAME_BYTES], struct mct_error *err);

/* Opens the folder and checks its owner and mode. Returns 0, and -1 as *ret_fd if it is not there and `make` is false.
 * On failure returns -1 and sets *err. */
int mcti_file_store_folder(const struct mcti_file_store *s, bool make, int *ret_fd, struct mct_error *err);

/* Sets *err to errno for a file of the folder (NULL: the folder itself), with an advice; returns -1. */
int mcti_file_store_fail(const struct mcti_file_store *s, const char *name, struct mct_error *err);

/* ---- file_lock.c ---- */

int mcti_file_store_lock(struct mcti_auth_store *s, const char *key, struct mct_error *err);
void mcti_file_store_unlock(struct mcti_auth_store *s, const char *key);
void mcti_file_store_unlock_all(struct mcti_file_store *s);

/* ---- file_watch.c ---- */

int mcti_file_store_watch(struct mcti_auth_store *s, struct mcti_loop *loop, struct mct_error *err);
void mcti_file_store_unwatch(struct mcti_file_store *s);

#endif
