/* Files and network ports, and signals to other processes: Landlock, by system call. */
#include "io/sandbox/impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's interface, written out: the headers of the build machine may be older than its kernel. */
struct landlock_ruleset {
    uint64_t fs, net, scoped;
};

struct landlock_beneath {
    uint64_t access;
    int32_t fd;
} __attribute__((packed));

struct landlock_port {
    uint64_t access, port;
};

enum { LANDLOCK_VERSION = 1, LANDLOCK_BENEATH = 1, LANDLOCK_PORT = 2 };
enum { NET_BIND = 1, NET_CONNECT = 2, SCOPE_ABSTRACT = 1, SCOPE_SIGNAL = 2 };

#define FS(n) ((uint64_t)1 << (n))
#define FS_EXECUTE FS(0)
#define FS_WRITE_FILE FS(1)
#define FS_READ_FILE FS(2)
#define FS_READ_DIR FS(3)
#define FS_MAKE_CHAR FS(6)
#define FS_MAKE_BLOCK FS(11)
#define FS_REFER FS(13)
#define FS_TRUNCATE FS(14)
#define FS_IOCTL_DEV FS(15)

#define ACCESS_READ (FS_EXECUTE | FS_READ_FILE | FS_READ_DIR)
#define ACCESS_FILE (FS_EXECUTE | FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV) /* what a file can have */

enum { ABI_FILES = 3, ABI_NET = 4, ABI_DEVICES = 5, ABI_SCOPES = 6 };
enum { MAX_RULES = 16384, MAX_DEPTH = 32 };

int mcti_landlock_abi(void)
{
    long r = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
    return r > 0 ? (int)r : 0;
}

static uint64_t handled_files(int abi)
{
    uint64_t all = FS_REFER - 1; /* of ABI 1 */
    all |= abi >= 2 ? FS_REFER : 0;
    all |= abi >= ABI_FILES ? FS_TRUNCATE : 0;
    return all | (abi >= ABI_DEVICES ? FS_IOCTL_DEV : 0);
}

/* ---- rules ---- */

/* The state of one preparation. */
struct landlock_work {
    struct mcti_sandbox *s;
    const struct mcti_sandbox_wish *w;
    struct mcti_strings hidden, sealed; /* resolved */
    unsigned n_rules;
    bool failed; /* out of memory */
    struct mcti_buf text;
};

/* Returns true if `path` is `folder` or in it. */
static bool is_beneath(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    if (n == 1)
        return true; /* "/" */
    return !strncmp(path, folder, n) && (!path[n] || path[n] == '/');
}

static bool is_beneath_any(const char *path, const struct mcti_strings *folders)
{
    for (size_t i = 0; i < folders->n; i++)
        if (is_beneath(path, folders->v[i]))
            return true;
    return false;
}

static bool any_is_beneath(const struct mcti_strings *paths, const char *folder)
{
    for (size_t i = 0; i < paths->n; i++)
        if (is_beneath(paths->v[i], folder))
            return true;
    return false;
}

static void landlock_add_rule(struct landlock_work *k, const char *path, uint64_t access)
{
    struct stat st;
    struct landlock_beneath rule = { .access = access & handled_files(k->s->landlock) };
    rule.fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.fd < 0)
        return;
    if (fstat(rule.fd, &st) == 0 && !S_ISDIR(st.st_mode))
        rule.access &= ACCESS_FILE;
    if (k->n_rules++ < MAX_RULES && rule.access)
        syscall(SYS_landlock_add_rule, k->s->ruleset_fd, LANDLOCK_BENEATH, &rule, 0);
    close(rule.fd);
}

static uint64_t access_of(bool write)
{
    /* everything but devices: ioctl of a terminal can type into it */
    return write ? handled_files(ABI_DEVICES) & ~(FS_MAKE_CHAR | FS_MAKE_BLOCK | FS_IOCTL_DEV) : ACCESS_READ;
}

static void landlock_grant(struct landlock_work *k, const char *path, bool write, int depth);

/* Grants the entries of a folder one by one, because some of them must not be available. The folder itself may be
 * listed; new entries cannot be made in it. */
static void landlock_grant_entries(struct landlock_work *k, const char *folder, bool write, int depth)
{
    DIR *d = opendir(folder);
    char path[PATH_MAX];
    landlock_add_rule(k, folder, FS_READ_DIR);
    for (struct dirent *e; d && depth < MAX_DEPTH && k->n_rules < MAX_RULES && (e = readdir(d));) {
        int n = snprintf(path, sizeof path, "%s/%s", folder[1] ? folder : "", e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && e->d_type != DT_LNK && n < PATH_MAX)
            landlock_grant(k, path, write, depth + 1);
    }
    if (d)
        closedir(d);
}

/* Grants a resolved path, but for the parts of it that are hidden. */
static void landlock_grant(struct landlock_work *k, const char *path, bool write, int depth)
{
    if (is_beneath_any(path, &k->sealed) || (depth && is_beneath_any(path, &k->hidden)))
        return;
    if (any_is_beneath(&k->sealed, path) || (any_is_beneath(&k->hidden, path) && !is_beneath_any(path, &k->hidden)))
        landlock_grant_entries(k, path, write, depth);
    else
        landlock_add_rule(k, path, access_of(write));
}

/* ---- links ---- */

/* Returns true if `path`, a resolved folder, is in a folder that the child may change. */
static bool is_writable(const struct landlock_work *k, const char *path)
{
    char full[PATH_MAX];
    for (size_t i = 0; i < k->w->paths.n; i++)
        if (k->w->paths.v[i].write && realpath(k->w->paths.v[i].path, full) && is_beneath(path, full))
            return true;
    return false;
}

/* Returns true if the path leads over a link that the child may have put there, in this run or an earlier one. */
static bool is_bent(const struct landlock_work *k, const char *path)
{
    char part[PATH_MAX], folder[PATH_MAX];
    struct stat st;
    if (strlen(path) >= sizeof part)
        return true;
    strcpy(part, path);
    for (char *slash = part + strlen(part); slash && slash > part; slash = strrchr(part, '/')) {
        *slash = '\0';
        char *name = strrchr(part, '/');
        if (!name || name == part || lstat(part, &st) < 0 || !S_ISLNK(st.st_mode))
            continue;
        *name = '\0';
        bool bent = realpath(part, folder) && is_writable(k, folder);
        *name = '/';
        if (bent)
            return true;
    }
    return false;
}

static void landlock_grant_wish(struct landlock_work *k, const struct mcti_sandbox_path *p)
{
    char full[PATH_MAX];
    struct mcti_str path = mcti_str_of(p->path);
    struct mcti_sandbox_paths_report *told = &k->s->paths;
    if (!realpath(p->path, full)) {
        if (!p->optional)
            mcti_sandbox_put_item(&told->absent, path);
        return;
    }
    if (strcmp(full, p->path) != 0 && is_bent(k, p->path)) {
        mcti_buf_clear(&k->text);
        mcti_buf_printf(&k->text, "%s is not available: it leads over a link that the server can change", p->path);
        mcti_sandbox_put_item(&k->s->faults, mcti_buf_str(&k->text));
        return;
    }
    landlock_grant(k, full, p->write, 0);
    mcti_sandbox_put_item(p->write ? &told->write : &told->read, path);
}

/* Devices that hold nothing. */
static void landlock_grant_devices(struct landlock_work *k)
{
    static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom" };
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        landlock_add_rule(k, devices[i], FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV);
    landlock_add_rule(k, "/dev/fd", FS_READ_DIR);
}

/* ---- protected paths ---- */

/* Resolves the links of a path as far as it exists. Returns an owned string, or NULL when out of memory. */
static char *landlock_resolve(const char *path)
{
    char full[PATH_MAX];
    char *copy = strdup(path), *joined = NULL;
    if (!copy || realpath(path, full)) {
        free(copy);
        return copy ? strdup(full) : NULL;
    }
    char *slash = strrchr(copy, '/');
    if (!slash || slash == copy)
        return copy;
    *slash = '\0';
    char *parent = landlock_resolve(copy);
    if (!parent || asprintf(&joined, "%s/%s", parent[1] ? parent : "", slash + 1) < 0)
        joined = NULL;
    free(parent);
    free(copy);
    return joined;
}

static void landlock_resolve_all(struct landlock_work *k, const struct mcti_strings *from, struct mcti_strings *to)
{
    for (size_t i = 0; i < from->n; i++) {
        char *path = landlock_resolve(from->v[i]);
        if (!path || mcti_strings_add(to, mcti_str_of(path)) < 0)
            k->failed = true;
        free(path);
    }
}

/* ---- the ruleset ---- */

static int landlock_open(struct mcti_sandbox *s)
{
    struct landlock_ruleset all = { .fs = handled_files(s->landlock) };
    size_t size = s->landlock >= ABI_SCOPES ? sizeof all : s->landlock >= ABI_NET ? 16 : 8;
    if (s->network != MCT_SANDBOX_NET_ON && s->net_ns < 0)
        all.net = NET_CONNECT | NET_BIND;
    if (s->landlock >= ABI_SCOPES)
        all.scoped = SCOPE_SIGNAL | SCOPE_ABSTRACT;
    all.net = s->landlock >= ABI_NET ? all.net : 0;
    s->ruleset_fd = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
    if (s->ruleset_fd >= 0)
        fcntl(s->ruleset_fd, F_SETFD, FD_CLOEXEC);
    return s->ruleset_fd;
}

static int landlock_fill(struct mcti_sandbox *s, const struct mcti_sandbox_wish *w, struct mct_error *err)
{
    struct landlock_work k = { .s = s, .w = w };
    const struct landlock_port gate = { .access = NET_CONNECT, .port = s->gate.port };
    mcti_buf_init(&k.text, 2 * PATH_MAX);
    landlock_resolve_all(&k, &w->hidden, &k.hidden);
    landlock_resolve_all(&k, &w->sealed, &k.sealed);
    for (size_t i = 0; i < w->paths.n && !k.failed; i++)
        landlock_grant_wish(&k, &w->paths.v[i]);
    landlock_grant_devices(&k);
    if (s->folder)
        landlock_add_rule(&k, s->folder, access_of(true));
    if (s->gate.fd >= 0 && s->net_ns < 0 && s->landlock >= ABI_NET)
        syscall(SYS_landlock_add_rule, s->ruleset_fd, LANDLOCK_PORT, &gate, 0);
    mcti_strings_clear(&k.hidden);
    mcti_strings_clear(&k.sealed);
    mcti_buf_done(&k.text);
    if (k.failed)
        return mcti_no_memory(err);
    return k.n_rules < MAX_RULES ? 0
                                 : mcti_sandbox_lacks(s, err,
                                                      "more than %d files and folders have to be named for "
                                                      "Landlock; the rest is not available",
                                                      MAX_RULES);
}

int mcti_landlock_prepare(struct mcti_sandbox *s, const struct mcti_sandbox_wish *w, struct mct_error *err)
{
    s->landlock = mcti_landlock_abi();
    if (s->landlock && landlock_open(s) < 0)
        s->landlock = 0;
    if (!s->landlock)
        return mcti_sandbox_lacks(s, err,
                                  "files are not protected: the kernel has no Landlock, or it is turned off "
                                  "(boot parameter lsm=)");
    if (landlock_fill(s, w, err) < 0)
        return -1;
    if (s->landlock < ABI_FILES && mcti_sandbox_lacks(s, err,
                                                      "files that may only be read can be truncated: Landlock "
                                                      "of this kernel has ABI %d, 3 (Linux 6.2) is needed",
                                                      s->landlock) < 0)
        return -1;
    if (s->landlock < ABI_SCOPES)
        return mcti_sandbox_lacks(
            s, err,
            "processes of the user other than the gateway can be signalled: Landlock of this kernel has "
            "ABI %d, 6 (Linux 6.12) is needed",
            s->landlock);
    return 0;
}

int mcti_landlock_enter(const struct mcti_sandbox *s)
{
    if (s->ruleset_fd < 0)
        return 0;
    return (int)syscall(SYS_landlock_restrict_self, s->ruleset_fd, 0);
}
