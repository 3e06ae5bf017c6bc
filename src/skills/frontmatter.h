/* The frontmatter of a SKILL.md: YAML between two lines "---" at its beginning, with the values of the core schema of
 * YAML 1.2 and without duplicate keys. */
#ifndef MCT_SKILLS_FRONTMATTER_H
#define MCT_SKILLS_FRONTMATTER_H

#include "base/buf.h"
#include "base/error.h"

/* Finds the frontmatter and the text behind it. Returns -1 and sets *err (MCT_ERR_INTEGRITY) if there is none. */
int mcti_frontmatter_split(struct mcti_str text, struct mcti_str *ret_yaml, struct mcti_str *ret_body,
                           struct mct_error *err);

/* Appends the frontmatter as a JSON object. Returns -1 and sets *err if it is not valid (MCT_ERR_INTEGRITY), or if the
 * program cannot read YAML (MCT_ERR_UNSUPPORTED). */
int mcti_frontmatter_read(struct mcti_buf *to, struct mcti_str yaml, struct mct_error *err);

/* Compares the frontmatter of SKILL.md with that of the entry, a JSON object, member by member. Returns -1 and sets
 * *err as above on a difference. */
int mcti_frontmatter_check(struct mcti_str text, struct mcti_str entry, struct mct_error *err);

#endif
