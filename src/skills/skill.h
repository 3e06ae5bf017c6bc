/*
 * Skills (the extension io.modelcontextprotocol/skills, SEP-2640): the entry of a skill in skills/list and skills/get,
 * and whether files are what it says. Entries and files come from peers, so everything in them is checked. This room
 * knows no servers; resources/skills asks them.
 */
#ifndef MCT_SKILLS_SKILL_H
#define MCT_SKILLS_SKILL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

#define MCT_SKILLS_ID "io.modelcontextprotocol/skills"

/* Returns whether a ServerCapabilities object declares the extension. */
bool mcti_skills_declared(struct mcti_str capabilities);

/* Returns whether it also declares resources/directory/read. */
bool mcti_skills_declare_directories(struct mcti_str capabilities);

struct mcti_skill_file {
    struct mcti_str uri;
    struct mcti_str digest; /* "sha256:" and 64 hexadecimal digits */
    uint64_t size;
};

/* An entry. Owns all of its texts. */
struct mcti_skill {
    struct mcti_str json;      /* the entry as it was written */
    struct mcti_str uri, root; /* of its SKILL.md, and of its folder with the slash at the end */
    struct mcti_str name, description;
    struct mcti_str frontmatter; /* JSON object, in `json` */
    bool is_dynamic;             /* its files are not listed, so that they cannot be verified */
    struct mcti_skill_file *files;
    size_t n_files;
    uint64_t n_bytes; /* of all files */
    struct mcti_arena texts;
};

/* Reads an entry, validated JSON. Returns -1 and sets *err (MCT_ERR_PROTOCOL) if it is not valid; *ret is then empty.
 */
int mcti_skill_open(struct mcti_str entry, struct mcti_skill *ret, struct mct_error *err);
void mcti_skill_done(struct mcti_skill *s); /* safe on a zeroed one */

/* Returns the file with that URI; NULL: the entry does not list it. */
const struct mcti_skill_file *mcti_skill_find(const struct mcti_skill *s, struct mcti_str uri);

/* ---- file.c ---- */

/*
 * Checks the bytes of a file against the entry: size, digest, and for SKILL.md the frontmatter, member by member. A
 * file that the entry does not list fails, and so does every file of a dynamic skill but SKILL.md, of which only the
 * frontmatter is checked. Returns -1 and sets *err (MCT_ERR_INTEGRITY) on a difference.
 */
int mcti_skill_check(const struct mcti_skill *s, struct mcti_str uri, struct mcti_str bytes, struct mct_error *err);

/* Appends the bytes of a file that a ReadResourceResult has. Returns -1 and sets *err (MCT_ERR_PROTOCOL) if it has no
 * content for the URI, or an invalid one. */
int mcti_skill_put_bytes(struct mcti_buf *to, struct mcti_str result, struct mcti_str uri, struct mct_error *err);

/* Writes "sha256:" and the digest in hexadecimal. Returns -1 if the library fails. */
enum { MCT_SKILL_DIGEST_LEN = 7 + 64 };
int mcti_skill_digest(struct mcti_str bytes, char ret[MCT_SKILL_DIGEST_LEN + 1]);

#endif
