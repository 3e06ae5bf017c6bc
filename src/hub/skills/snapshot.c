#include "hub/skills/snapshot.h"

#include "base/limits.h"
#include "json/write.h"
#include "skills/frontmatter.h"
#include "skills/uri.h"

#include <stdlib.h>

static bool file_is_main(const struct mcti_skills_file *f)
{
    return mcti_skill_root(mcti_str_of(f->uri)).p && strchr(f->path, '/');
}

/* Writes the entry of the skill with this SKILL.md. */
static int snapshot_put_entry(struct mcti_buf *to, const struct mcti_skills_snapshot *s,
                              const struct mcti_skills_file *main, struct mct_error *err)
{
    struct mcti_str yaml, body, root = mcti_skill_root(mcti_str_of(main->uri));
    if (mcti_frontmatter_split((struct mcti_str){ main->bytes, main->len }, &yaml, &body, err) < 0)
        return -1;
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "uri", mcti_str_of(main->uri));
    mcti_json_put_key(to, "frontmatter");
    if (mcti_frontmatter_read(to, yaml, err) < 0)
        return -1;
    mcti_json_put_key(to, "resources");
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < s->n_files; i++) {
        if (!mcti_str_starts(mcti_str_of(s->files[i].uri), root))
            continue;
        mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
        mcti_json_put_member(to, "uri", mcti_str_of(s->files[i].uri));
        mcti_json_put_member(to, "digest", mcti_str_of(s->files[i].digest));
        mcti_buf_printf(to, ",\"size\":%zu}", s->files[i].len);
    }
    mcti_buf_addz(to, "]}");
    return mcti_buf_ok(to) ? 0 : mcti_fail(err, MCT_ERR_LIMIT, "its entry is too large");
}

static int snapshot_take_entry(struct mcti_skills_snapshot *s, const struct mcti_skills_file *main,
                               struct mct_error *err)
{
    struct mcti_buf entry;
    mcti_buf_init(&entry, MCT_LIMIT_MESSAGE_BYTES);
    int r = snapshot_put_entry(&entry, s, main, err);
    if (r == 0)
        r = mcti_skill_open(mcti_buf_str(&entry), &s->entries[s->n_entries], err);
    for (size_t i = 0; r == 0 && i < s->n_files; i++)
        s->files[i].is_served |= mcti_str_starts(mcti_str_of(s->files[i].uri), s->entries[s->n_entries].root);
    s->n_entries += r == 0;
    mcti_buf_done(&entry);
    return r;
}

static int snapshot_take_entries(struct mcti_skills_snapshot *s, const struct mcti_log *log, struct mct_error *err)
{
    struct mct_error why;
    size_t n = 0;
    for (size_t i = 0; i < s->n_files; i++)
        n += file_is_main(&s->files[i]);
    s->entries = calloc(n + 1, sizeof *s->entries);
    if (!s->entries)
        return mcti_no_memory(err);
    for (size_t i = 0; i < s->n_files; i++)
        if (file_is_main(&s->files[i]) && snapshot_take_entry(s, &s->files[i], &why) < 0)
            mcti_log(log, MCT_LOG_WARN, "%s is left out: %s", s->files[i].path, why.message);
    return 0;
}

int mcti_skills_snapshot_read(struct mcti_skills_snapshot *s, const char *path, const struct mcti_log *log,
                              struct mct_error *err)
{
    *s = (struct mcti_skills_snapshot){ .n_files = 0 };
    if (mcti_skills_folder_take(s, path, err) == 0 && snapshot_take_entries(s, log, err) == 0)
        return 0;
    mcti_skills_snapshot_done(s);
    return -1;
}

void mcti_skills_snapshot_done(struct mcti_skills_snapshot *s)
{
    for (size_t i = 0; i < s->n_files; i++) {
        free(s->files[i].path);
        free(s->files[i].uri);
        free(s->files[i].bytes);
    }
    for (size_t i = 0; i < s->n_entries; i++)
        mcti_skill_done(&s->entries[i]);
    free(s->files);
    free(s->entries);
    *s = (struct mcti_skills_snapshot){ .n_files = 0 };
}

const struct mcti_skills_file *mcti_skills_snapshot_file(const struct mcti_skills_snapshot *s, struct mcti_str uri)
{
    for (size_t i = 0; i < s->n_files; i++)
        if (mcti_str_is(uri, s->files[i].uri))
            return s->files[i].is_served ? &s->files[i] : NULL;
    return NULL;
}

const struct mcti_skill *mcti_skills_snapshot_entry(const struct mcti_skills_snapshot *s, struct mcti_str uri)
{
    for (size_t i = 0; i < s->n_entries; i++)
        if (mcti_str_eq(uri, s->entries[i].uri))
            return &s->entries[i];
    return NULL;
}
