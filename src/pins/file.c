/* Reads and writes files of pins. */
#include "pins/pins.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_FORMAT = 1 };

static const char *const file_sections[MCT_PIN_N] = {
    [MCT_SUBJECT_TOOL] = "tools",
    [MCT_SUBJECT_RESOURCE] = "resources",
    [MCT_SUBJECT_TEMPLATE] = "resourceTemplates",
    [MCT_SUBJECT_PROMPT] = "prompts",
    [MCT_SUBJECT_INSTRUCTIONS] = "instructions",
    [MCT_SUBJECT_SERVER_INFO] = "serverInfo",
    [MCT_PIN_ABOUT] = "server",
};

static bool file_has_ids(unsigned subject)
{
    return subject < MCT_SUBJECT_INSTRUCTIONS;
}

/* ---- reading ---- */

/* Returns true if the hash belongs to the value, if that is there. */
static bool file_part_is_sound(struct mcti_str part)
{
    struct mcti_str hash, value = mcti_json_get(part, "value");
    struct mcti_buf canonical;
    char own[MCT_PINS_HASH_CHARS + 1] = "";
    if (!mcti_json_plain(mcti_json_get(part, "sha256"), &hash) || hash.len != MCT_PINS_HASH_CHARS)
        return false;
    if (!value.p)
        return true;
    mcti_buf_init(&canonical, 2 * value.len + 64);
    bool sound = mcti_pins_canon(&canonical, value) == 0 && mcti_pins_hash(mcti_buf_str(&canonical), own) == 0 &&
                 mcti_str_is(hash, own);
    mcti_buf_done(&canonical);
    return sound;
}

static int file_take_pin(struct mcti_pins *to, struct mcti_str server, unsigned subject, struct mcti_str id,
                         struct mcti_str parts, struct mct_error *err)
{
    struct mcti_json_iter it = mcti_json_open(parts);
    struct mcti_json_member m;
    struct mcti_buf sorted;
    if (mcti_json_type(parts) != '{' || mcti_json_unique(parts) != 1)
        return mcti_fail(err, MCT_ERR_CONFIG, "%.*s: %s %.*s: the pin is no object of parts", MCT_STR_ARG(server),
                         file_sections[subject], MCT_STR_ARG(id));
    while (mcti_json_next_member(&it, &m))
        if (!file_part_is_sound(m.value))
            return mcti_fail(err, MCT_ERR_CONFIG, "%.*s: %s %.*s: the hash of \"%.*s\" does not fit its value",
                             MCT_STR_ARG(server), file_sections[subject], MCT_STR_ARG(id), MCT_STR_ARG(m.key));
    if (mcti_pins_find(to, server, subject, id))
        return mcti_fail(err, MCT_ERR_CONFIG, "%.*s: %s %.*s is there twice", MCT_STR_ARG(server),
                         file_sections[subject], MCT_STR_ARG(id));
    mcti_buf_init(&sorted, 2 * parts.len + 64);
    int r = mcti_pins_canon(&sorted, parts);
    if (r == 0)
        r = mcti_pins_put(to, server, subject, id, mcti_buf_str(&sorted));
    mcti_buf_done(&sorted);
    return r < 0 ? mcti_no_memory(err) : 0;
}

static int file_take_items(struct mcti_pins *to, struct mcti_str server, unsigned subject, struct mcti_str object,
                           struct mct_error *err)
{
    struct mcti_json_iter it = mcti_json_open(object);
    struct mcti_json_member m;
    int r = 0;
    if (!file_has_ids(subject))
        return file_take_pin(to, server, subject, MCT_STR(""), object, err);
    if (mcti_json_type(object) != '{')
        return mcti_fail(err, MCT_ERR_CONFIG, "%.*s: \"%s\" is no object", MCT_STR_ARG(server), file_sections[subject]);
    while (r == 0 && mcti_json_next_member(&it, &m)) {
        char *id = mcti_json_dup(mcti_json_key_value(m.key));
        r = id ? file_take_pin(to, server, subject, mcti_str_of(id), m.value, err)
               : mcti_fail(err, MCT_ERR_CONFIG, "%.*s: a name in \"%s\" is unusable", MCT_STR_ARG(server),
                           file_sections[subject]);
        free(id);
    }
    return r;
}

static int file_take_server(struct mcti_pins *to, struct mcti_json_member server, struct mct_error *err)
{
    char *name = mcti_json_dup(mcti_json_key_value(server.key));
    struct mcti_json_iter it = mcti_json_open(server.value);
    struct mcti_json_member m;
    int r = name && mcti_json_type(server.value) == '{' ? 0 : mcti_fail(err, MCT_ERR_CONFIG, "an entry is no object");
    if (r == 0 && mcti_pins_have(to, name))
        r = mcti_fail(err, MCT_ERR_CONFIG, "the server '%s' is there twice", name);
    while (r == 0 && mcti_json_next_member(&it, &m)) {
        unsigned subject = 0;
        while (subject < MCT_PIN_N && !mcti_json_key_is(m.key, file_sections[subject]))
            subject++;
        r = subject < MCT_PIN_N ? file_take_items(to, mcti_str_of(name), subject, m.value, err)
                                : mcti_fail(err, MCT_ERR_CONFIG, "%s: unknown key \"%.*s\"", name, MCT_STR_ARG(m.key));
    }
    if (r == 0 && !mcti_pins_have(to, name))
        r = mcti_fail(err, MCT_ERR_CONFIG, "%s: \"server\" is missing", name);
    free(name);
    return r;
}

int mcti_pins_parse(struct mcti_str text, struct mcti_pins *ret, struct mct_error *err)
{
    struct mcti_json_top top;
    struct mcti_json_member m;
    uint64_t format = 0;
    int r = 0;
    if (!mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, NULL) || mcti_json_type(top.value) != '{')
        return mcti_fail(err, MCT_ERR_CONFIG,
                         "it is not a whole JSON object; get it from version control, or run "
                         "'mcptools pin --force'");
    if (!mcti_json_uint(mcti_json_get(top.value, "format"), &format) || format != FILE_FORMAT)
        return mcti_fail(err, MCT_ERR_CONFIG, "it is of another version of mcptools");
    struct mcti_str servers = mcti_json_get(top.value, "servers");
    if (mcti_json_type(servers) != '{')
        return mcti_fail(err, MCT_ERR_CONFIG, "\"servers\" is missing");
    struct mcti_json_iter it = mcti_json_open(servers);
    while (r == 0 && mcti_json_next_member(&it, &m))
        r = file_take_server(ret, m, err);
    return r;
}

/* Opens a file that others cannot write to. Returns -1 with *err; -2: it does not exist. */
static int pins_file_open(const char *path, struct mct_error *err)
{
    struct stat st, link;
    int fd = lstat(path, &link) < 0 ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 && errno == ENOENT && lstat(path, &link) < 0)
        return -2;
    if (fd < 0)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s", strerror(errno));
    uid_t me = geteuid();
    bool mine = fstat(fd, &st) == 0 && (st.st_uid == me || st.st_uid == 0) && (link.st_uid == me || link.st_uid == 0);
    const char *why = !mine                               ? "it belongs to another user"
                      : !S_ISREG(st.st_mode)              ? "it is not a regular file"
                      : st.st_mode & S_IWOTH              ? "everybody may write to it; run 'chmod o-w' on it"
                      : st.st_size > MCT_LIMIT_PINS_BYTES ? "it is too large"
                                                          : NULL;
    if (!why)
        return fd;
    close(fd);
    return mcti_fail(err, MCT_ERR_CONFIG, "%s", why);
}

static int pins_file_read(int fd, struct mcti_buf *to, struct mct_error *err)
{
    char chunk[16384];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))
        mcti_buf_add(to, (struct mcti_str){ chunk, n > 0 ? (size_t)n : 0 });
    if (n < 0)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s", strerror(errno));
    return mcti_buf_ok(to) ? 0 : mcti_fail(err, MCT_ERR_CONFIG, "it is too large");
}

int mcti_pins_load(const char *path, struct mcti_pins *ret, struct mct_error *err)
{
    struct mcti_buf text;
    int fd = pins_file_open(path, err), r;
    if (fd == -2)
        return 0;
    mcti_buf_init(&text, MCT_LIMIT_PINS_BYTES);
    r = fd < 0 ? -1 : pins_file_read(fd, &text, err);
    if (r == 0)
        r = mcti_pins_parse(mcti_buf_str(&text), ret, err);
    if (fd >= 0)
        close(fd);
    mcti_buf_done(&text);
    if (r < 0) {
        mcti_pins_done(ret);
        mcti_pins_init(ret);
        mcti_error_wrap(err, "%s", path);
    }
    return r;
}

/* ---- writing ---- */

static int file_by_name(const void *a, const void *b)
{
    const struct mcti_pin *x = *(struct mcti_pin *const *)a, *y = *(struct mcti_pin *const *)b;
    int order = strcmp(x->server, y->server);
    unsigned s = (x->subject + 1u) % MCT_PIN_N, t = (y->subject + 1u) % MCT_PIN_N; /* the server itself comes first */
    return order ? order : s != t ? (s > t) - (s < t) : strcmp(x->id, y->id);
}

static void file_put_key(struct mcti_buf *to, const char *key)
{
    mcti_buf_addz(to, mcti_buf_last(to) == '{' ? "" : ",");
    mcti_json_put_string(to, mcti_str_of(key));
    mcti_buf_addc(to, ':');
}

static void file_put_pins(struct mcti_buf *to, struct mcti_pin *const *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool new_server = !i || strcmp(v[i]->server, v[i - 1]->server) != 0;
        bool new_section = new_server || v[i]->subject != v[i - 1]->subject;
        if (i && new_section && file_has_ids((unsigned)v[i - 1]->subject))
            mcti_buf_addc(to, '}');
        if (new_server) {
            mcti_buf_addz(to, i ? "}" : "");
            file_put_key(to, v[i]->server);
            mcti_buf_addc(to, '{');
        }
        if (new_section) {
            file_put_key(to, file_sections[v[i]->subject]);
            mcti_buf_addz(to, file_has_ids((unsigned)v[i]->subject) ? "{" : "");
        }
        if (file_has_ids((unsigned)v[i]->subject))
            file_put_key(to, v[i]->id);
        mcti_buf_addz(to, v[i]->parts);
    }
    if (n)
        mcti_buf_addz(to, file_has_ids((unsigned)v[n - 1]->subject) ? "}}" : "}");
}

void mcti_pins_put_file(struct mcti_buf *to, const struct mcti_pins *p)
{
    struct mcti_buf text;
    mcti_buf_init(&text, MCT_LIMIT_PINS_BYTES);
    if (p->n)
        qsort(p->v, p->n, sizeof(struct mcti_pin *), file_by_name);
    mcti_buf_printf(&text, "{\"format\":%d,\"servers\":{", FILE_FORMAT);
    file_put_pins(&text, p->v, p->n);
    mcti_buf_addz(&text, "}}");
    to->failed |= !mcti_buf_ok(&text);
    if (mcti_buf_ok(&text))
        mcti_json_put_pretty(to, mcti_buf_str(&text));
    mcti_buf_addc(to, '\n');
    mcti_buf_done(&text);
}

static int pins_file_write_all(int fd, struct mcti_str text)
{
    while (text.len) {
        ssize_t n = write(fd, text.p, text.len);
        if (n < 0 && errno != EINTR)
            return -1;
        text = n < 0 ? text : (struct mcti_str){ text.p + n, text.len - (size_t)n };
    }
    return fsync(fd);
}

/* Replaces the file that the path, or the link there, leads to. */
static int pins_file_replace(const char *path, struct mcti_str text, struct mct_error *err)
{
    char target[PATH_MAX], fresh[PATH_MAX + 16];
    struct stat st;
    snprintf(target, sizeof target, "%s", path);
    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && !realpath(path, target))
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", path, strerror(errno));
    snprintf(fresh, sizeof fresh, "%s.XXXXXX", target);
    int fd = mkostemp(fresh, O_CLOEXEC);
    mode_t mode = fd >= 0 && stat(target, &st) == 0 ? st.st_mode & 0777 : 0600;
    if (fd >= 0 && fchmod(fd, mode) == 0 && pins_file_write_all(fd, text) == 0 && rename(fresh, target) == 0) {
        close(fd);
        return 0;
    }
    mcti_fail(err, MCT_ERR_CONFIG, "%s cannot be written: %s", path, strerror(errno));
    if (fd >= 0) {
        close(fd);
        unlink(fresh);
    }
    return -1;
}

/* Locks the folder of the file. */
static int pins_file_lock(const char *path, struct mct_error *err)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX) == 0)
        return fd;
    mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", folder, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

int mcti_pins_update(const char *path, bool afresh,
                     int (*change)(void *data, struct mcti_pins *p, struct mct_error *err), void *data,
                     struct mct_error *err)
{
    struct mcti_pins pins;
    struct mcti_buf text;
    int lock = pins_file_lock(path, err);
    if (lock < 0)
        return -1;
    mcti_pins_init(&pins);
    mcti_buf_init(&text, MCT_LIMIT_PINS_BYTES);
    int r = mcti_pins_load(path, &pins, err);
    if (r < 0 && afresh)
        r = 0;
    if (r == 0)
        r = change(data, &pins, err);
    if (r == 0) {
        mcti_pins_put_file(&text, &pins);
        r = mcti_buf_ok(&text) ? pins_file_replace(path, mcti_buf_str(&text), err)
                               : mcti_fail(err, MCT_ERR_LIMIT, "%s: the pins are too large", path);
    }
    mcti_buf_done(&text);
    mcti_pins_done(&pins);
    close(lock);
    return r;
}
