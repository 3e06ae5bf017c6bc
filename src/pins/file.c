/* Reads and writes files of pins. */
#include "pins/pins.h"

#include "base/limits.h"
#include "config/edit/edit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_FORMAT = 1, FILE_DEPTH = 8 }; /* depth: of the place of a value in the file */

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

static int file_check_parts(struct mcti_str server, unsigned subject, struct mcti_str id, struct mcti_str parts,
                            struct mct_error *err)
{
    struct mcti_json_iter it = mcti_json_open(parts);
    struct mcti_json_member m;
    if (mcti_json_type(parts) != '{' || mcti_pins_has_doubles(parts))
        return mcti_fail(err, MCT_ERR_CONFIG, "%.*s: %s %.*s: the pin is no object of parts", MCT_STR_ARG(server),
                         file_sections[subject], MCT_STR_ARG(id));
    while (mcti_json_next_member(&it, &m))
        if (!file_part_is_sound(m.value))
            return mcti_fail(err, MCT_ERR_CONFIG, "%.*s: %s %.*s: the hash of \"%.*s\" does not fit its value",
                             MCT_STR_ARG(server), file_sections[subject], MCT_STR_ARG(id), MCT_STR_ARG(m.key));
    return 0;
}

static int file_take_pin(struct mcti_pins *to, struct mcti_str server, unsigned subject, struct mcti_str id,
                         struct mcti_str parts, struct mct_error *err)
{
    struct mcti_buf sorted;
    if (mcti_pins_find(to, server, subject, id))
        return mcti_fail(err, MCT_ERR_CONFIG, "%.*s: %s %.*s has two pins", MCT_STR_ARG(server), file_sections[subject],
                         MCT_STR_ARG(id));
    mcti_buf_init(&sorted, 2 * parts.len + 64);
    int r = mcti_pins_canon(&sorted, parts) < 0 ? mcti_no_memory(err)
                                                : file_check_parts(server, subject, id, mcti_buf_str(&sorted), err);
    if (r == 0 && mcti_pins_put(to, server, subject, id, mcti_buf_str(&sorted)) < 0)
        r = mcti_no_memory(err);
    mcti_buf_done(&sorted);
    return r;
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
        r = mcti_fail(err, MCT_ERR_CONFIG, "the server '%s' has two entries", name);
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
    if (!mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH + FILE_DEPTH, &top, NULL) || mcti_json_type(top.value) != '{')
        return mcti_fail(err, MCT_ERR_CONFIG, "it is not a whole JSON object");
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
    ssize_t n = 0;
    while (mcti_buf_ok(to) && ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR)))
        mcti_buf_add(to, (struct mcti_str){ chunk, n > 0 ? (size_t)n : 0 });
    if (n < 0)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s", strerror(errno));
    return mcti_buf_ok(to) ? 0 : mcti_fail(err, MCT_ERR_CONFIG, "it is too large");
}

/* Parses the text of a file, and says what a person can do if it is damaged. */
static int pins_file_parse(struct mcti_str text, struct mcti_pins *ret, struct mct_error *err)
{
    int r = mcti_pins_parse(text, ret, err);
    if (r == 0)
        return 0;
    mcti_pins_done(ret);
    const struct mct_error why = *err;
    return why.kind == MCT_ERR_CONFIG
               ? mcti_fail(err, MCT_ERR_CONFIG, "%s; get the file from version control, or run 'mcptools pin --force'",
                           why.message)
               : -1;
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
        r = pins_file_parse(mcti_buf_str(&text), ret, err);
    if (fd >= 0)
        close(fd);
    mcti_buf_done(&text);
    if (r < 0)
        mcti_error_wrap(err, "%s", path);
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
        if (i && new_section && file_has_ids(v[i - 1]->subject))
            mcti_buf_addc(to, '}');
        if (new_server) {
            mcti_buf_addz(to, i ? "}" : "");
            file_put_key(to, v[i]->server);
            mcti_buf_addc(to, '{');
        }
        if (new_section) {
            file_put_key(to, file_sections[v[i]->subject]);
            mcti_buf_addz(to, file_has_ids(v[i]->subject) ? "{" : "");
        }
        if (file_has_ids(v[i]->subject))
            file_put_key(to, v[i]->id);
        mcti_buf_addz(to, v[i]->parts);
    }
    if (n)
        mcti_buf_addz(to, file_has_ids(v[n - 1]->subject) ? "}}" : "}");
}

void mcti_pins_put_file(struct mcti_buf *to, const struct mcti_pins *p)
{
    struct mcti_buf text;
    mcti_buf_init(&text, MCT_LIMIT_PINS_BYTES);
    if (p->n)
        qsort(p->v, p->n, sizeof(struct mcti_pin *), file_by_name);
    for (size_t i = 0; i < p->n; i++)
        p->v[i]->place = i;
    mcti_buf_printf(&text, "{\"format\":%d,\"servers\":{", FILE_FORMAT);
    file_put_pins(&text, p->v, p->n);
    mcti_buf_addz(&text, "}}");
    to->failed |= !mcti_buf_ok(&text);
    if (mcti_buf_ok(&text))
        mcti_json_put_pretty(to, mcti_buf_str(&text));
    mcti_buf_addc(to, '\n');
    mcti_buf_done(&text);
}

/* A change of a file that is under way. */
struct file_change {
    bool afresh;
    int (*change)(void *data, struct mcti_pins *p, struct mct_error *err);
    void *data;
};

static int file_edit(void *data, struct mcti_edit *e, struct mct_error *err)
{
    const struct file_change *c = data;
    struct mcti_pins pins;
    mcti_pins_init(&pins);
    int r = e->text.len ? pins_file_parse(mcti_buf_str(&e->text), &pins, err) : 0;
    if (r < 0 && c->afresh && err->kind == MCT_ERR_CONFIG)
        r = 0;
    if (r == 0)
        r = c->change(c->data, &pins, err);
    if (r == 0) {
        struct mcti_buf text;
        mcti_buf_init(&text, MCT_LIMIT_PINS_BYTES);
        mcti_pins_put_file(&text, &pins);
        if (!mcti_buf_ok(&text))
            r = mcti_fail(err, MCT_ERR_LIMIT, "%s: there is no memory, or the pins are larger than 16 MiB", e->file);
        mcti_buf_clear(&e->text);
        mcti_buf_add(&e->text, mcti_buf_str(&text));
        mcti_buf_done(&text);
    }
    mcti_pins_done(&pins);
    return r == 0 && !mcti_buf_ok(&e->text) ? mcti_no_memory(err) : r;
}

int mcti_pins_update(const char *path, bool afresh,
                     int (*change)(void *data, struct mcti_pins *p, struct mct_error *err), void *data,
                     struct mct_error *err)
{
    struct file_change c = { afresh, change, data };
    const struct mcti_edit_job job = { .path = path, .strict = true, .edit = file_edit, .data = &c };
    struct mcti_edit_outcome outcome;
    int fd = pins_file_open(path, err);
    if (fd == -1)
        return mcti_error_wrap(err, "%s", path);
    if (fd >= 0)
        close(fd);
    int r = mcti_edit_file(&job, &outcome, err);
    mcti_edit_outcome_done(&outcome);
    return r;
}
