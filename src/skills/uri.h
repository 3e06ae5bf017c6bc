/* URIs of skills (SEP-2640). A skill is a folder; its URI is that of the file SKILL.md in it. Schemes mean nothing, and
 * URIs are compared byte by byte. */
#ifndef MCT_SKILLS_URI_H
#define MCT_SKILLS_URI_H

#include "base/buf.h"

/* Returns the root of a skill, with the slash at its end; absent: the URI is none of a SKILL.md. */
struct mcti_str mcti_skill_root(struct mcti_str uri);

/* Returns the last segment of a root. */
struct mcti_str mcti_skill_last_segment(struct mcti_str root);

/* Returns whether the text is the name of a skill: 1 to 64 lower-case letters, digits and single inner hyphens. */
bool mcti_skill_is_name(struct mcti_str name);

/* Returns whether the URI is below the root, and no segment of it leads out of it. */
bool mcti_skill_is_inside(struct mcti_str root, struct mcti_str uri);

/*
 * Appends the path of a file, relative and with the percent-encoding removed: "git-workflow/SKILL.md" for
 * "skill://git-workflow/SKILL.md". A scheme other than skill becomes the first segment. Returns -1, with nothing usable
 * appended, if a segment is empty, "." or "..", or has a slash, a backslash or a control character in it.
 */
int mcti_skill_put_path(struct mcti_buf *to, struct mcti_str uri);

#endif
