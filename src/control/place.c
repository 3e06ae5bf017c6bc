#include "control/place.h"

#include "base/rand.h"
#include "config/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES = 16 << 20, NAME_CHARS = 16 };

/* ---- the identity ---- */

static int place_read(struct mcti_buf *to, const char *path)
{
    FILE *f = fopen(path, "re");
    size_t n = 0;
    do {
        char *at = f ? mcti_buf_reserve(to, 65536) : NULL;
        n = at ? fread(at, 1, 65536, f) : 0;
        to->len += n;
    } while (n);
    bool failed = !f || ferror(f);
    if (f)
        fclose(f);
    return failed || !mcti_buf_ok(to) ? -1 : 0;
}

/* Appends the path of a file and the digest of its content. */
static int place_add_file(struct mcti_buf *to, const char *path)
{
    char full[PATH_MAX], hex[2 * 32 + 1];
    unsigned char digest[32];
    struct mcti_buf content;
    mcti_buf_init_secret(&content, FILE_BYTES);
    int r = realpath(path, full) && place_read(&content, full) == 0
                ? mcti_sha256_pair(MCT_STR("file"), mcti_buf_str(&content), digest)
                : -1;
    mcti_buf_done(&content);
    if (r < 0)
        return -1;
    mcti_hex(digest, sizeof digest, hex);
    mcti_buf_printf(to, "%s\n%s\n", full, hex);
    return 0;
}

static int place_identify(const struct mcti_config *c, char ret[MCT_IDENTITY_CHARS + 1], struct mct_error *err)
{
    unsigned char digest[32];
    struct mcti_buf text;
    int r = 0;
    mcti_buf_init(&text, 1u << 20);
    for (size_t i = 0; i < c->files.n && r == 0; i++)
        if ((r = place_add_file(&text, c->files.v[i])) < 0)
            mcti_fail(err, MCT_ERR_CONFIG, "%s: cannot be read again: %s", c->files.v[i], strerror(errno));
        else if (mcti_config_distrust_of(c, c->files.v[i]))
            mcti_buf_addz(&text, "not trusted\n");
    if (r == 0 && mcti_sha256_pair(MCT_STR(MCT_VERSION), mcti_buf_str(&text), digest) < 0)
        r = mcti_no_memory(err);
    mcti_buf_done(&text);
    if (r == 0)
        mcti_hex(digest, sizeof digest, ret);
    return r;
}

/* ---- the folder ---- */

static bool place_is_ours(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

static int place_find_folder(char *to, size_t size)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int n = runtime && runtime[0] == '/' && place_is_ours(runtime) ? snprintf(to, size, "%s/mcptools", runtime) : -1;
    size_t room = size - NAME_CHARS - sizeof "/.sock";
    if (n < 0 || (size_t)n >= room)
        n = snprintf(to, size, "/tmp/mcptools-%u", (unsigned)geteuid());
    return (size_t)n < room ? 0 : -1;
}

/* Checks that nobody else can put a socket into the folder. */
static int place_check_folder(const char *path, bool make, struct mct_error *err)
{
    struct stat st;
    if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
        return mcti_fail(err, MCT_ERR_INTERNAL, "%s: %s", path, strerror(errno));
    if (lstat(path, &st) < 0)
        return mcti_fail(err, MCT_ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: must be a folder of this user with mode 0700: remove it", path);
    return 0;
}

int mcti_control_place(const struct mcti_config *c, bool make, struct mcti_control_place *ret, struct mct_error *err)
{
    if (place_find_folder(ret->folder, sizeof ret->folder) < 0)
        return mcti_fail(err, MCT_ERR_INTERNAL, "no folder for sockets");
    if (place_check_folder(ret->folder, make, err) < 0 || place_identify(c, ret->identity, err) < 0)
        return -1;
    int n = (int)strnlen(ret->folder, sizeof ret->folder - NAME_CHARS - sizeof "/.sock");
    snprintf(ret->socket, sizeof ret->socket, "%.*s/%.16s.sock", n, ret->folder, ret->identity);
    snprintf(ret->lock, sizeof ret->lock, "%.*s/%.16s.lock", n, ret->folder, ret->identity);
    return 0;
}

bool mcti_control_peer_is_ours(int fd)
{
    struct ucred peer;
    socklen_t len = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && len == sizeof peer &&
           (peer.uid == geteuid() || peer.uid == 0);
}
