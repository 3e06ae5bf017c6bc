#include "resources/blob_store.h"

#include "base/rand.h"
#include "io/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HASH_DIGITS = 32, NAME_MAX_BYTES = 64, SWEPT_FILES = 65536 };

static const char unfinished[] = ".new-";

static const struct {
    const char *mime_type, *extension;
} types[] = {
    { "application/gzip", ".gz" }, { "application/json", ".json" }, { "application/pdf", ".pdf" },
    { "application/xml", ".xml" }, { "application/zip", ".zip" },   { "audio/mpeg", ".mp3" },
    { "audio/ogg", ".ogg" },       { "audio/wav", ".wav" },         { "audio/x-wav", ".wav" },
    { "image/bmp", ".bmp" },       { "image/gif", ".gif" },         { "image/jpeg", ".jpg" },
    { "image/png", ".png" },       { "image/svg+xml", ".svg" },     { "image/tiff", ".tiff" },
    { "image/webp", ".webp" },     { "text/css", ".css" },          { "text/csv", ".csv" },
    { "text/html", ".html" },      { "text/markdown", ".md" },      { "text/plain", ".txt" },
    { "video/mp4", ".mp4" },       { "video/webm", ".webm" },
};

static int blob_store_fail(struct mct_error *err, const char *what, const char *path)
{
    return mcti_fail(err, MCT_ERR_INTERNAL, "%s %s: %s", what, path, strerror(errno));
}

/* ---- names ---- */

static const char *extension_of(struct mcti_str mime_type)
{
    struct mcti_str type = MCT_STR("");
    mcti_str_split(&mime_type, ';', &type);
    type = mcti_str_trim(type);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (mcti_str_eq_nocase(type, mcti_str_of(types[i].mime_type)))
            return types[i].extension;
    return ".bin";
}

static int name_of(struct mcti_str bytes, struct mcti_str mime_type, char to[NAME_MAX_BYTES], struct mct_error *err)
{
    unsigned char digest[32];
    char hex[65];
    if (mcti_sha256_pair(MCT_STR("blob"), bytes, digest) < 0)
        return mcti_fail(err, MCT_ERR_INTERNAL, "cannot compute SHA-256 of a blob");
    mcti_hex(digest, sizeof digest, hex);
    snprintf(to, NAME_MAX_BYTES, "%.*s%s", HASH_DIGITS, hex, extension_of(mime_type));
    return 0;
}

/* Returns true if the name is one that the store gives; other files are never touched. */
static bool is_store_file(const char *name)
{
    if (!strncmp(name, unfinished, sizeof unfinished - 1))
        return true;
    return strspn(name, "0123456789abcdef") == HASH_DIGITS && name[HASH_DIGITS] == '.' &&
           !strchr(name + HASH_DIGITS + 1, '.');
}

/* ---- the folder ---- */

char *mcti_blob_store_default(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int r = -1;
    if (cache && *cache == '/')
        r = asprintf(&path, "%s/mcptools/resources", cache);
    else if (home && *home == '/')
        r = asprintf(&path, "%s/.cache/mcptools/resources", home);
    return r < 0 ? NULL : path;
}

/* Opens the folder. A folder that other users can write to is refused: they could replace a file before its path is
 * used. */
static int open_folder(const char *path, struct mct_error *err)
{
    struct stat st;
    mcti_folder_make(path); /* a failure shows when it is opened */
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return blob_store_fail(err, "opening the folder", path);
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 022))
        return fd;
    close(fd);
    return mcti_fail(err, MCT_ERR_POLICY, "the folder %s must belong to this user and be writable by no other user",
                     path);
}

/* ---- sweeping ---- */

struct kept {
    char name[NAME_MAX_BYTES];
    uint64_t bytes;
    int64_t written_s;
};

struct sweep {
    struct kept *v;
    size_t n, cap;
    uint64_t bytes;
};

static int by_age(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    return x->written_s != y->written_s ? (x->written_s > y->written_s) - (x->written_s < y->written_s)
                                        : strcmp(x->name, y->name);
}

/* Adds a file to the list; its name is shorter than NAME_MAX_BYTES. */
static void blob_store_note(struct sweep *s, const char *name, const struct stat *st)
{
    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 64;
        struct kept *v = cap > SWEPT_FILES ? NULL : realloc(s->v, cap * sizeof *v);
        if (!v)
            return;
        s->v = v;
        s->cap = cap;
    }
    struct kept *k = &s->v[s->n++];
    memcpy(k->name, name, strlen(name) + 1);
    k->bytes = (uint64_t)st->st_size;
    k->written_s = (int64_t)st->st_mtime;
    s->bytes += k->bytes;
}

static void blob_store_scan(int folder, struct sweep *s)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;
    struct stat st;
    while (dir && (e = readdir(dir)))
        if (is_store_file(e->d_name) && strlen(e->d_name) < NAME_MAX_BYTES &&
            fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(st.st_mode))
            blob_store_note(s, e->d_name, &st);
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
}

static void blob_store_sweep(const struct mcti_blob_store *store)
{
    struct sweep s = { 0 };
    blob_store_scan(store->folder, &s);
    if (s.n)
        qsort(s.v, s.n, sizeof *s.v, by_age);
    for (size_t i = 0; i < s.n; i++) {
        bool old = s.v[i].written_s + (int64_t)store->max_age_s < (int64_t)store->now_s;
        if (!old && s.bytes <= store->max_bytes && s.n - i <= store->max_files)
            break;
        unlinkat(store->folder, s.v[i].name, 0);
        s.bytes -= s.v[i].bytes;
    }
    free(s.v);
}

/* ---- writing ---- */

static void set_time(int fd, uint64_t now_s)
{
    struct timespec times[2] = { { .tv_sec = (time_t)now_s }, { .tv_sec = (time_t)now_s } };
    futimens(fd, times);
}

/* Returns true if the file exists with that size, and renews its age. */
static bool renew_existing(const struct mcti_blob_store *store, const char *name, size_t len)
{
    struct stat st;
    int fd = openat(store->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool same = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && (uint64_t)st.st_size == len;
    if (same)
        set_time(fd, store->now_s);
    close(fd);
    return same;
}

/* Writes the file atomically. A symbolic link of that name is replaced, not followed. */
static int write_file(const struct mcti_blob_store *store, const char *name, struct mcti_str bytes,
                      struct mct_error *err)
{
    char fresh[NAME_MAX_BYTES], id[33];
    mcti_random_id(id);
    snprintf(fresh, sizeof fresh, "%s%s", unfinished, id);
    int fd = openat(store->folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return blob_store_fail(err, "writing to", store->dir);
    bool ok = mcti_write_all(fd, bytes) == 0;
    set_time(fd, store->now_s);
    ok = close(fd) == 0 && ok;
    if (ok && renameat(store->folder, fresh, store->folder, name) == 0)
        return 0;
    blob_store_fail(err, "writing to", store->dir);
    unlinkat(store->folder, fresh, 0);
    return -1;
}

int mcti_blob_store_put(const struct mcti_blob_store *store, struct mcti_str bytes, struct mcti_str mime_type,
                        char **ret_path, struct mct_error *err)
{
    char name[NAME_MAX_BYTES];
    if (bytes.len > store->max_bytes)
        return mcti_fail(err, MCT_ERR_LIMIT, "blob too large: %zu bytes; limit %llu", bytes.len,
                         (unsigned long long)store->max_bytes);
    if (name_of(bytes, mime_type, name, err) < 0)
        return -1;
    if (!renew_existing(store, name, bytes.len) && write_file(store, name, bytes, err) < 0)
        return -1;
    return asprintf(ret_path, "%s/%s", store->dir, name) < 0 ? mcti_no_memory(err) : 0;
}

/* ---- life ---- */

int mcti_blob_store_open(struct mcti_blob_store *store, struct mct_error *err)
{
    store->folder = open_folder(store->dir, err);
    return store->folder < 0 ? -1 : 0;
}

void mcti_blob_store_close(struct mcti_blob_store *store)
{
    blob_store_sweep(store);
    close(store->folder);
    store->folder = -1;
}
