/* The files of a folder. */
#include "hub/skills/snapshot.h"

#include "base/hash.h"
#include "base/limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_DEPTH = 16, FOLDER_FILES = 8192, FOLDER_BYTES = 64 << 20 };

/* A walk through a folder. */
struct folder_walk {
    struct mcti_skills_snapshot *to; /* NULL: only the signature is wanted */
    struct mcti_buf path;            /* of the file or folder at hand, below the folder */
    uint64_t signature;
    size_t n_files;
    struct mct_error *err;
};

static int walk_fail(struct folder_walk *w)
{
    int why = errno;
    return mcti_fail(w->err, why == ENOMEM ? MCT_ERR_NO_MEMORY : MCT_ERR_CONNECT, "%.*s: %s",
                     MCT_STR_ARG(mcti_buf_str(&w->path)), strerror(why));
}

/* Reads all of a file. Returns -1 and sets errno. */
static int walk_read(int fd, struct mcti_skills_file *f)
{
    for (size_t n = 0; n < f->len;) {
        ssize_t got = read(fd, f->bytes + n, f->len - n);
        if (got <= 0) { /* it became shorter while it was read */
            errno = got < 0 ? errno : EAGAIN;
            return -1;
        }
        n += (size_t)got;
    }
    return 0;
}

static void walk_put_uri(struct mcti_buf *to, struct mcti_str path)
{
    mcti_buf_addz(to, "skill://");
    for (size_t i = 0; i < path.len; i++) {
        char c = path.p[i];
        bool is_plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~/", c));
        if (is_plain)
            mcti_buf_addc(to, c);
        else
            mcti_buf_printf(to, "%%%02X", (unsigned char)c);
    }
}

static struct mcti_skills_file *walk_room(struct mcti_skills_snapshot *s)
{
    size_t room = s->room ? 2 * s->room : 64;
    if (s->n_files < s->room)
        return &s->files[s->n_files];
    struct mcti_skills_file *files = realloc(s->files, room * sizeof *files);
    if (!files)
        return NULL;
    s->files = files;
    s->room = room;
    return &files[s->n_files];
}

static int walk_take_file(struct folder_walk *w, int fd, size_t len)
{
    struct mcti_skills_snapshot *s = w->to;
    struct mcti_skills_file *f = walk_room(s);
    struct mcti_str path = mcti_buf_str(&w->path);
    struct mcti_buf uri;
    if (!f)
        return mcti_no_memory(w->err);
    if (len > FOLDER_BYTES - s->n_bytes)
        return mcti_fail(w->err, MCT_ERR_LIMIT, "its files have more than %d MiB", FOLDER_BYTES >> 20);
    mcti_buf_init(&uri, 3 * path.len + 64);
    walk_put_uri(&uri, path);
    *f = (struct mcti_skills_file){ .path = mcti_str_dup(path), .uri = mcti_buf_take(&uri), .len = len };
    f->bytes = malloc(len ? len : 1);
    s->n_files++; /* its owner from now on */
    if (!f->path || !f->uri || !f->bytes)
        return mcti_no_memory(w->err);
    s->n_bytes += len;
    if (walk_read(fd, f) < 0)
        return walk_fail(w);
    return mcti_skill_digest((struct mcti_str){ f->bytes, len }, f->digest) < 0
               ? mcti_fail(w->err, MCT_ERR_INTERNAL, "SHA-256 cannot be computed")
               : 0;
}

static int walk_file(struct folder_walk *w, int fd, const struct stat *st)
{
    const uint64_t facts[] = { (uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec, (uint64_t)st->st_mtim.tv_nsec };
    if (++w->n_files > FOLDER_FILES)
        return mcti_fail(w->err, MCT_ERR_LIMIT, "it has more than %d files", FOLDER_FILES);
    w->signature = mcti_hash(w->signature, mcti_buf_str(&w->path));
    w->signature = mcti_hash(w->signature, (struct mcti_str){ (const char *)facts, sizeof facts });
    return w->to ? walk_take_file(w, fd, (size_t)st->st_size) : 0;
}

static int walk_folder(struct folder_walk *w, int fd, int depth);

/* Visits what is open as `fd`, which is closed. */
static int walk_visit(struct folder_walk *w, int fd, int depth)
{
    struct stat st;
    int r = 0;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
        return walk_folder(w, fd, depth + 1);
    if (S_ISREG(st.st_mode))
        r = walk_file(w, fd, &st);
    close(fd);
    return r;
}

/* Visits what is in the folder `fd`, which is closed, in the order of the names. */
static int walk_folder(struct folder_walk *w, int fd, int depth)
{
    struct dirent **names = NULL;
    int n = depth > FOLDER_DEPTH ? 0 : scandirat(fd, ".", &names, NULL, alphasort), r = n < 0 ? walk_fail(w) : 0;
    for (int i = 0; i < n; i++) {
        size_t len = w->path.len;
        const char *name = names[i]->d_name;
        int in = r < 0 || *name == '.' ? -1 : openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        mcti_buf_printf(&w->path, "%s%s", len ? "/" : "", name);
        if (in >= 0)
            r = walk_visit(w, in, depth);
        w->path.len = len;
        free(names[i]);
    }
    free(names);
    close(fd);
    return r;
}

static int folder_go(struct folder_walk *w, const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mcti_buf_init(&w->path, 1u << 16);
    w->signature = 1;
    int r = fd < 0 ? mcti_fail(w->err, MCT_ERR_CONNECT, "%s", strerror(errno)) : walk_folder(w, fd, 0);
    mcti_buf_done(&w->path);
    return r < 0 ? mcti_error_wrap(w->err, "%s", path) : 0;
}

uint64_t mcti_skills_folder_signature(const char *path)
{
    struct mct_error err;
    struct folder_walk w = { .err = &err };
    return folder_go(&w, path) < 0 ? 0 : w.signature;
}

int mcti_skills_folder_take(struct mcti_skills_snapshot *s, const char *path, struct mct_error *err)
{
    struct folder_walk w = { .to = s, .err = err };
    int r = folder_go(&w, path);
    s->signature = w.signature;
    return r;
}

const char *mcti_skills_mime_type(const char *path)
{
    static const char *const rows[][2] = { { ".md", "text/markdown" },      { ".txt", "text/plain" },
                                           { ".json", "application/json" }, { ".py", "text/x-python" },
                                           { ".sh", "text/x-shellscript" }, { ".yaml", "application/yaml" },
                                           { ".yml", "application/yaml" },  { ".html", "text/html" },
                                           { ".csv", "text/csv" },          { ".png", "image/png" },
                                           { ".svg", "image/svg+xml" },     { ".pdf", "application/pdf" } };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(dot, rows[i][0]))
            return rows[i][1];
    return "application/octet-stream";
}
