/* mcptools skills: lists skills of servers, loads files that are verified, and keeps copies of them in a folder. */
#ifndef MCT_CLI_SKILLS_SKILLS_H
#define MCT_CLI_SKILLS_SKILLS_H

#include "cli/command.h"
#include "resources/skills/skills.h"

/* ---- actions; each returns the exit status. `only`: the server that was named; NULL: all ---- */

int mcti_skills_do_list(struct mcti_app *app, struct mcti_provider *only);
int mcti_skills_do_show(struct mcti_app *app, struct mcti_provider *only, const char *uri);
int mcti_skills_do_load(struct mcti_app *app, struct mcti_provider *only, const char *uri);
int mcti_skills_do_read(struct mcti_app *app, struct mcti_provider *only, const char *uri);
int mcti_skills_do_verify(struct mcti_app *app, struct mcti_provider *only);
int mcti_skills_do_sync(struct mcti_app *app, struct mcti_provider *only, const char *folder);
int mcti_skills_do_diff(struct mcti_app *app, struct mcti_provider *only, const char *folder);

/* Appends the block of `tools --prompt` that lists the skills of all servers; nothing if there are none. Returns 0, or
 * the exit status after it has printed why. */
int mcti_skills_put_prompt(struct mcti_app *app, struct mcti_buf *to);

/* ---- ask.c ---- */

/* The lists of all servers that have skills. */
struct mcti_skills_lists {
    struct mcti_listing listing;
    bool done;
    int status; /* exit status for servers that could not be asked; 0: all were */
};

/* Lists skills. Returns 0, or the exit status after it has printed why. Servers that fail while others do not are
 * printed, and set ret->status. The caller ends *ret with mcti_skills_lists_done() in any case. */
int mcti_skills_ask_lists(struct mcti_app *app, struct mcti_provider *only, struct mcti_skills_lists *ret);
void mcti_skills_lists_done(struct mcti_skills_lists *l);

/* Calls `fn` for each valid skill; an invalid one is printed as a warning. Returns how many of them there were. */
size_t mcti_skills_each(struct mcti_app *app, const struct mcti_skills_lists *l,
                        void (*fn)(void *data, struct mcti_provider *p, const struct mcti_skill *skill), void *data);

/* Finds the skill of a URI. Returns 0, or the exit status after it has printed why. The caller ends *ret with
 * mcti_skill_search_done() in any case. */
int mcti_skills_ask_search(struct mcti_app *app, struct mcti_provider *only, const char *uri,
                           struct mcti_skill_search *ret);

/* A file to load. */
struct mcti_skills_wish {
    struct mcti_app *app;
    struct mcti_provider *provider;
    const struct mcti_skill *skill;
    struct mcti_str uri;
};

/* Appends the bytes of a file to `to`, verified. Returns 0, or the exit status and sets *err. */
int mcti_skills_ask_file(const struct mcti_skills_wish *w, struct mcti_buf *to, struct mct_error *err);

/* ---- folder.c: files below a folder, without following links in it ---- */

/* Opens the folder, which is created if `create` is set. Returns a descriptor, or -1 and sets *err. */
int mcti_skills_folder_open(const char *path, bool create, struct mct_error *err);

/* Appends the bytes of a file. Returns 0; 1 if there is none; -1 and sets *err. */
int mcti_skills_folder_read(int folder, const char *path, struct mcti_buf *to, struct mct_error *err);

/* Writes a file beside its place and moves it there; folders on the way are created. Returns -1 and sets *err. */
int mcti_skills_folder_write(int folder, const char *path, struct mcti_str bytes, struct mct_error *err);

/* Removes a file, and the folders on its way that are empty then. */
void mcti_skills_folder_remove(int folder, const char *path);

/* ---- lock.c: which files of which skills a folder has ---- */

#define MCT_SKILLS_LOCK "mcptools.skills.json"

struct mcti_skills_row {
    struct mcti_map_node node; /* by path */
    char *server, *uri;        /* uri: of the file */
    char *path;                /* below the folder: SERVER/git-workflow/SKILL.md */
    char digest[MCT_SKILL_DIGEST_LEN + 1];
    uint64_t size;
    bool found; /* for the user of the lock */
};

struct mcti_skills_lock {
    struct mcti_skills_row **rows; /* owned */
    size_t n, room;
    struct mcti_map by_path;
};

void mcti_skills_lock_init(struct mcti_skills_lock *l);
void mcti_skills_lock_done(struct mcti_skills_lock *l);

/* Reads the lock of a folder; a folder without one has an empty lock. Returns -1 and sets *err. */
int mcti_skills_lock_read(struct mcti_skills_lock *l, int folder, struct mct_error *err);
int mcti_skills_lock_write(const struct mcti_skills_lock *l, int folder, struct mct_error *err);

/* Returns the row of a path; NULL: none. */
struct mcti_skills_row *mcti_skills_lock_find(const struct mcti_skills_lock *l, const char *path);

/* Adds a row with copies of all texts. Returns NULL and sets *err when out of memory, or if another file has the path.
 */
struct mcti_skills_row *mcti_skills_lock_add(struct mcti_skills_lock *l, const struct mcti_skills_row *row,
                                             struct mct_error *err);

/* Appends the path of a file below the folder, with a NUL behind it. Returns -1 and sets *err if it has none that is
 * safe. */
int mcti_skills_path(struct mcti_buf *to, const struct mcti_provider *p, struct mcti_str uri, struct mct_error *err);

#endif
