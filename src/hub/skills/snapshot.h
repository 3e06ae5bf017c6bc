/* The files of a folder with skills, and the entries made of them. For hub/skills only. */
#ifndef MCT_HUB_SKILLS_SNAPSHOT_H
#define MCT_HUB_SKILLS_SNAPSHOT_H

#include "base/buf.h"
#include "base/log/log.h"
#include "skills/skill.h"

struct mcti_skills_file {
    char *path; /* below the folder, with slashes */
    char *uri;  /* "skill://" and the path, percent-encoded */
    char *bytes;
    size_t len;
    char digest[MCT_SKILL_DIGEST_LEN + 1];
    bool is_served; /* it is one of a skill that is served */
};

struct mcti_skills_snapshot {
    struct mcti_skills_file *files; /* in the order of their paths */
    size_t n_files, room;
    uint64_t n_bytes;
    struct mcti_skill *entries; /* in the order of their URIs */
    size_t n_entries;
    uint64_t signature; /* of names, sizes and times of the files */
};

/* Reads the folder, and logs which skills are left out and why. Returns -1 and sets *err if the folder cannot be read.
 */
int mcti_skills_snapshot_read(struct mcti_skills_snapshot *s, const char *path, const struct mcti_log *log,
                              struct mct_error *err);
void mcti_skills_snapshot_done(struct mcti_skills_snapshot *s);

const struct mcti_skills_file *mcti_skills_snapshot_file(const struct mcti_skills_snapshot *s, struct mcti_str uri);
const struct mcti_skill *mcti_skills_snapshot_entry(const struct mcti_skills_snapshot *s, struct mcti_str uri);

/* ---- folder.c ---- */

/* Returns the signature of the folder without reading its files; 0: it cannot be read. */
uint64_t mcti_skills_folder_signature(const char *path);

/* Reads all regular files below the folder into s->files, and sets the signature. Links are not followed, names that
 * begin with a dot are left out. Returns -1 and sets *err if that fails or a limit is reached. */
int mcti_skills_folder_take(struct mcti_skills_snapshot *s, const char *path, struct mct_error *err);

/* Appends the type of a file by its ending. */
const char *mcti_skills_mime_type(const char *path);

#endif
