#include "clients/undo.h"

#include "base/clock.h"
#include "base/rand.h"
#include "clients/places.h"
#include "config/edit/edit.h"
#include "config/import/import.h"
#include "json/write.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STATE "${XDG_STATE_HOME:-~/.local/state}/mcptools/"
#define JOURNAL STATE "installs.jsonl"

enum { KEPT_COPIES = 10, MOST_NOTES = 500, DIGEST_CHARS = 65 };

static void digest_of(struct mcti_str text, char ret[DIGEST_CHARS])
{
    unsigned char digest[32] = { 0 };
    mcti_sha256_pair(text, MCT_STR(""), digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(ret + 2 * i, 3, "%02x", digest[i]);
}

/* ---- copies ---- */

static int copy_text(void *data, struct mcti_edit *e, struct mct_error *err)
{
    const struct mcti_str *text = data;
    (void)err;
    mcti_buf_clear(&e->text);
    mcti_buf_add(&e->text, *text);
    return mcti_buf_ok(&e->text) ? 0 : mcti_no_memory(err);
}

static int write_text(const char *path, int (*edit)(void *, struct mcti_edit *, struct mct_error *), void *data,
                      struct mct_error *err)
{
    const struct mcti_edit_job job = { .path = path, .edit = edit, .data = data };
    struct mcti_edit_outcome outcome;
    int r = mcti_edit_file(&job, &outcome, err);
    mcti_edit_outcome_done(&outcome);
    return r;
}

/* Removes the oldest copies of the program's files. Their names begin with the time. */
static void drop_copies(const char *client)
{
    char *folder = mcti_client_path(STATE "backup", NULL), *pattern = NULL;
    glob_t found;
    if (folder && asprintf(&pattern, "%s/%s-[0-9]*", folder, client) >= 0) {
        if (glob(pattern, 0, NULL, &found) == 0) {
            for (size_t i = 0; i + KEPT_COPIES < found.gl_pathc; i++)
                unlink(found.gl_pathv[i]);
            globfree(&found);
        }
        free(pattern);
    }
    free(folder);
}

int mcti_undo_keep(const char *client, bool is_new, struct mcti_str before, char **ret_path, struct mct_error *err)
{
    char digest[DIGEST_CHARS], *folder = mcti_client_path(STATE "backup", NULL);
    *ret_path = NULL;
    digest_of(before, digest);
    int r = !folder ? mcti_fail(err, MCT_ERR_CONFIG, "HOME is not set, so no copy of the file can be kept") : 0;
    if (r == 0 && !is_new &&
        asprintf(ret_path, "%s/%s-%013llu-%.8s", folder, client, (unsigned long long)mcti_clock_wall_ms(), digest) <
            0) {
        *ret_path = NULL;
        r = mcti_no_memory(err);
    }
    if (r == 0 && *ret_path)
        r = write_text(*ret_path, copy_text, &before, err);
    drop_copies(client);
    free(folder);
    return r;
}

/* ---- the journal ---- */

static int journal_add(void *data, struct mcti_edit *e, struct mct_error *err)
{
    struct mcti_str all = mcti_buf_str(&e->text), line;
    size_t n = 0, n_bytes = 0;
    for (struct mcti_str rest = all; mcti_str_split(&rest, '\n', &line);)
        n++;
    for (struct mcti_str rest = all; n > MOST_NOTES && mcti_str_split(&rest, '\n', &line); n--)
        n_bytes += line.len + 1;
    mcti_buf_shift(&e->text, n_bytes);
    mcti_buf_add(&e->text, *(const struct mcti_str *)data);
    return mcti_buf_ok(&e->text) ? 0 : mcti_no_memory(err);
}

int mcti_undo_note(const struct mcti_undo_note *n, struct mcti_str before, struct mcti_str after, struct mct_error *err)
{
    char digest[DIGEST_CHARS], *path = mcti_client_path(JOURNAL, NULL);
    struct mcti_buf line;
    mcti_buf_init(&line, 1u << 16);
    mcti_buf_addc(&line, '{');
    mcti_json_put_time(&line, "time", mcti_clock_wall_ms() / 1000);
    mcti_json_put_member(&line, "action", mcti_str_of(n->is_removal ? "uninstall" : "install"));
    mcti_json_put_member(&line, "client", mcti_str_of(n->client));
    mcti_json_put_member(&line, "file", mcti_str_of(n->file));
    digest_of(before, digest);
    mcti_json_put_member(&line, "before", mcti_str_of(digest));
    digest_of(after, digest);
    mcti_json_put_member(&line, "after", mcti_str_of(digest));
    if (n->backup)
        mcti_json_put_member(&line, "backup", mcti_str_of(n->backup));
    mcti_buf_addz(&line, "}\n");
    struct mcti_str text = mcti_buf_str(&line);
    int r = path ? write_text(path, journal_add, &text, err) : mcti_no_memory(err);
    mcti_buf_done(&line);
    free(path);
    return r;
}

static bool note_is(struct mcti_str note, const char *key, const char *value)
{
    return mcti_json_is(mcti_json_get(note, key), value);
}

/* Goes back in the journal from the text that the file has now: to the note of the installation that left it, and from
 * the text before that on again. Returns the earliest note; absent if there is none. */
static struct mcti_str first_note(struct mcti_str journal, const char *file, struct mcti_str now)
{
    char digest[DIGEST_CHARS];
    struct mcti_str found = MCT_STR_NONE, line;
    digest_of(now, digest);
    for (size_t end = journal.len; end;) {
        size_t from = end - 1;
        while (from && journal.p[from - 1] != '\n')
            from--;
        line = (struct mcti_str){ journal.p + from, end - 1 - from };
        end = from;
        if (!mcti_json_valid(line, 8, NULL, NULL) || !note_is(line, "file", file))
            continue;
        if (!note_is(line, "after", digest) || note_is(line, "action", "uninstall"))
            break;
        struct mcti_str before = mcti_json_get(line, "before");
        snprintf(digest, sizeof digest, "%.*s", before.len > 2 ? (int)before.len - 2 : 0, before.p ? before.p + 1 : "");
        found = line;
    }
    return found;
}

int mcti_undo_find(const char *file, struct mcti_str now, struct mcti_buf *ret_text, bool *ret_was_new)
{
    char digest[DIGEST_CHARS], *path = mcti_client_path(JOURNAL, NULL);
    struct mcti_buf journal;
    mcti_buf_init(&journal, 16 << 20);
    int r = path && mcti_config_load(path, &journal) == 0 ? 0 : 1;
    struct mcti_str note = r == 0 ? first_note(mcti_buf_str(&journal), file, now) : MCT_STR_NONE;
    char *backup = note.p ? mcti_json_dup(mcti_json_get(note, "backup")) : NULL;
    *ret_was_new = note.p && !backup;
    if (!note.p || (backup && mcti_config_load(backup, ret_text) < 0))
        r = 1;
    digest_of(mcti_buf_str(ret_text), digest);
    if (r == 0 && backup && !note_is(note, "before", digest))
        r = 1; /* somebody has changed the copy */
    free(backup);
    mcti_buf_done(&journal);
    free(path);
    return r;
}
