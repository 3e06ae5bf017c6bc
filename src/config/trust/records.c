/* The file with the records: a line of JSON for each. It is replaced as a whole, under a lock, so lines are never torn
 * by mcptools; what cannot be read is skipped, and so trusts nothing. */
#include "config/trust/trust.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log/utf8.h"
#include "base/rand.h"
#include "config/edit/edit.h"
#include "json/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORDS_BYTES = 8 << 20, RECORD_DEPTH = 4 };

char *mcti_trust_file(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int n = -1;
    if (state && *state == '/')
        n = asprintf(&path, "%s/mcptools/trust.jsonl", state);
    else if (home && *home == '/')
        n = asprintf(&path, "%s/.local/state/mcptools/trust.jsonl", home);
    return n < 0 ? NULL : path;
}

void mcti_trust_digest(struct mcti_str text, char ret[MCT_TRUST_DIGEST_CHARS + 1])
{
    unsigned char digest[32];
    *ret = '\0';
    if (mcti_sha256(text, digest) == 0)
        mcti_hex(digest, sizeof digest, ret);
}

/* ---- who may have written it ---- */

/* Fails if others could have written the records. */
static int records_check_owner(const char *path, const struct stat *st, struct mct_error *err)
{
    if (st->st_uid != geteuid())
        return mcti_fail(err, MCT_ERR_CONFIG, "%s belongs to another user (uid %u), so nothing in it is believed", path,
                         (unsigned)st->st_uid);
    if (st->st_mode & 022)
        return mcti_fail(err, MCT_ERR_CONFIG, "others may change %s, so nothing in it is believed; run: chmod go-w %s",
                         path, path);
    return 0;
}

/* The same for the folder, where another file could be put into its place. */
static int records_check_folder(const char *path, struct mct_error *err)
{
    struct stat st;
    char *folder = mcti_str_dup(mcti_str_range(path, strrchr(path, '/')));
    int r = !folder ? mcti_no_memory(err) : 0;
    if (r == 0 && stat(folder, &st) == 0)
        r = records_check_owner(folder, &st, err);
    free(folder);
    return r;
}

/* ---- reading ---- */

static int records_read(int fd, const char *path, struct mcti_buf *to, struct mct_error *err)
{
    for (;;) {
        char *at = mcti_buf_reserve(to, 65536);
        ssize_t n = at ? read(fd, at, 65536) : -2;
        if (n == 0)
            return 0;
        if (n == -2 && to->len + 65536 <= to->max)
            return mcti_no_memory(err);
        if (n < 0 && errno != EINTR)
            return mcti_fail(err, MCT_ERR_CONFIG, "%s cannot be read, or is too large", path);
        to->len += n > 0 ? (size_t)n : 0;
    }
}

/* Reads the file, which may be missing. */
static int records_load(const char *path, struct mcti_buf *to, struct mct_error *err)
{
    struct stat st;
    if (records_check_folder(path, err) < 0)
        return -1;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : mcti_fail(err, MCT_ERR_CONFIG, "%s: %s", path, strerror(errno));
    int r = fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)
                ? mcti_fail(err, MCT_ERR_CONFIG, "%s is not a regular file", path)
                : records_check_owner(path, &st, err);
    if (r == 0)
        r = records_read(fd, path, to, err);
    close(fd);
    return r;
}

static char *record_text(struct mcti_str line, const char *key)
{
    return mcti_json_dup(mcti_json_get(line, key));
}

static void record_done(struct mcti_trust_record *r)
{
    char *const texts[] = { r->path, r->target, r->digest, r->time };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
}

/* Reads one line. Returns false if it is no record, or memory is exhausted; *ret is then empty. */
static bool trust_record_read(struct mcti_str line, struct mcti_trust_record *ret)
{
    struct mcti_json_top top;
    *ret = (struct mcti_trust_record){ .path = NULL };
    if (!mcti_json_valid(line, RECORD_DEPTH, &top, NULL) || mcti_json_type(top.value) != '{')
        return false;
    *ret = (struct mcti_trust_record){ .path = record_text(line, "path"),
                                       .target = record_text(line, "target"),
                                       .digest = record_text(line, "sha256"),
                                       .time = record_text(line, "time"),
                                       .has_settings = mcti_json_true(mcti_json_get(line, "settings")) };
    bool is_whole = ret->path && ret->digest && ret->time && *ret->path == '/' &&
                    strlen(ret->digest) == MCT_TRUST_DIGEST_CHARS && (ret->target || !mcti_json_get(line, "target").p);
    if (!is_whole) {
        record_done(ret);
        *ret = (struct mcti_trust_record){ .path = NULL };
    }
    return is_whole;
}

int mcti_trust_each(void (*each)(void *data, const struct mcti_trust_record *r), void *data, struct mct_error *err)
{
    char *path = mcti_trust_file();
    struct mcti_buf text;
    struct mcti_str line;
    mcti_buf_init(&text, RECORDS_BYTES);
    int r =
        path ? records_load(path, &text, err)
             : mcti_fail(err, MCT_ERR_CONFIG, "there is no folder for records of trust: set HOME to an absolute path");
    for (struct mcti_str rest = mcti_buf_str(&text); r == 0 && rest.p && mcti_str_split(&rest, '\n', &line);) {
        struct mcti_trust_record record;
        if (trust_record_read(line, &record))
            each(data, &record);
        record_done(&record);
    }
    mcti_buf_done(&text);
    free(path);
    return r;
}

/* ---- writing ---- */

/* A change of the records. */
struct rewriting {
    const struct mcti_trust_record *fresh; /* the record to append; NULL: none */
    const char *gone;                      /* records of this file or folder are removed; NULL: none */
    struct mcti_strings *removed;
    bool failed;
};

static bool is_gone(const char *path, const char *gone)
{
    size_t n = strlen(gone);
    while (n && gone[n - 1] == '/')
        n--;
    return !strncmp(path, gone, n) && (!path[n] || path[n] == '/');
}

static void trust_record_put(struct mcti_buf *to, const struct mcti_trust_record *r)
{
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "path", mcti_str_of(r->path));
    if (r->target)
        mcti_json_put_member(to, "target", mcti_str_of(r->target));
    mcti_json_put_member(to, "sha256", mcti_str_of(r->digest));
    if (r->has_settings)
        mcti_json_put_raw(to, "settings", MCT_STR("true"));
    if (r->time)
        mcti_json_put_member(to, "time", mcti_str_of(r->time));
    else
        mcti_json_put_time(to, "time", mcti_clock_wall_ms() / 1000);
    mcti_buf_addz(to, "}\n");
}

/* Returns how many records of this path stand in the text. */
static size_t count_path(struct mcti_str text, const char *path, size_t *ret_all)
{
    struct mcti_str line;
    size_t n = 0;
    for (struct mcti_str rest = text; rest.p && mcti_str_split(&rest, '\n', &line);) {
        *ret_all += line.len > 0;
        if (line.len && mcti_json_valid(line, RECORD_DEPTH, NULL, NULL))
            n += mcti_json_is(mcti_json_get(line, "path"), path);
    }
    return n;
}

/* Returns true if the record stays; `n_path` and `n_all` count those that are left. */
static bool record_stays(struct rewriting *w, const struct mcti_trust_record *r, size_t *n_path, size_t *n_all)
{
    if (w->gone && is_gone(r->path, w->gone)) {
        w->failed |= !mcti_strings_has(w->removed, mcti_str_of(r->path)) &&
                     mcti_strings_add(w->removed, mcti_str_of(r->path)) < 0;
        return false;
    }
    bool is_path = w->fresh && !strcmp(r->path, w->fresh->path);
    if (is_path && !strcmp(r->digest, w->fresh->digest))
        return false;
    bool is_old = (is_path && *n_path >= MCT_LIMIT_TRUST_CONTENTS) || *n_all >= MCT_LIMIT_TRUST_RECORDS;
    *n_path -= is_path && *n_path;
    *n_all -= *n_all > 0;
    return !is_old;
}

static int records_edit(void *data, struct mcti_edit *e, struct mct_error *err)
{
    struct rewriting *w = data;
    struct mcti_buf fresh;
    struct mcti_str line;
    unsigned long failures = mcti_memory_failures(); /* a record that was not read must not be lost */
    size_t n_all = 0, n_path = w->fresh ? count_path(mcti_buf_str(&e->text), w->fresh->path, &n_all) : 0;
    mcti_buf_init(&fresh, RECORDS_BYTES);
    for (struct mcti_str rest = mcti_buf_str(&e->text); rest.p && mcti_str_split(&rest, '\n', &line);) {
        struct mcti_trust_record r;
        if (trust_record_read(line, &r) && record_stays(w, &r, &n_path, &n_all))
            trust_record_put(&fresh, &r);
        record_done(&r);
    }
    if (w->fresh)
        trust_record_put(&fresh, w->fresh);
    bool ok = mcti_buf_ok(&fresh) && !w->failed && mcti_memory_failures() == failures;
    mcti_buf_clear(&e->text);
    mcti_buf_add(&e->text, mcti_buf_str(&fresh));
    mcti_buf_done(&fresh);
    return ok && mcti_buf_ok(&e->text) ? 0 : mcti_no_memory(err);
}

static int records_rewrite(struct rewriting *w, struct mct_error *err)
{
    char *path = mcti_trust_file();
    struct mcti_buf now;
    struct mcti_edit_outcome outcome;
    const struct mcti_edit_job job = { .path = path, .edit = records_edit, .data = w };
    if (!path)
        return mcti_fail(err, MCT_ERR_CONFIG, "there is no folder for records of trust: set HOME to an absolute path");
    mcti_buf_init(&now, RECORDS_BYTES);
    int r = records_load(path, &now, err); /* what may not be believed may not be written again as believed */
    if (r == 0) {
        r = mcti_edit_file(&job, &outcome, err);
        mcti_edit_outcome_done(&outcome);
    }
    mcti_buf_done(&now);
    free(path);
    return r;
}

int mcti_trust_add(const struct mcti_trust_location *l, struct mcti_str text, bool has_settings, struct mct_error *err)
{
    char digest[MCT_TRUST_DIGEST_CHARS + 1];
    struct mcti_trust_record fresh = {
        .path = l->path, .target = l->target, .digest = digest, .has_settings = has_settings
    };
    struct rewriting w = { .fresh = &fresh };
    mcti_trust_digest(text, digest);
    if (!*digest)
        return mcti_fail(err, MCT_ERR_INTERNAL, "%s: no digest could be made", l->path);
    if (!mcti_utf8_valid(mcti_str_of(l->path)) || (l->target && !mcti_utf8_valid(mcti_str_of(l->target))))
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "%s: its path is not UTF-8, so it cannot be recorded; use --config",
                         l->path);
    return records_rewrite(&w, err);
}

int mcti_trust_revoke(const char *path, struct mcti_strings *ret_paths, struct mct_error *err)
{
    struct rewriting w = { .gone = path, .removed = ret_paths };
    return records_rewrite(&w, err);
}
