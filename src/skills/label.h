/*
 * URIs of skills at an endpoint of several servers: the name of the server stands in front of the path, so that skills
 * of two servers never have the same URI, and a URI stays the same when a server is added.
 *
 *     skill://git-workflow/SKILL.md       of server S  skill://S/git-workflow/SKILL.md
 *     skill://+x/SKILL.md                              skill://S/++x/SKILL.md
 *     github://owner/repo/pdf/SKILL.md                 skill://S/+github/owner/repo/pdf/SKILL.md
 *     urn:pdf/SKILL.md                                 skill://S/+urn:pdf/SKILL.md
 *
 * The last segments stay as they are, and so do references from one file to another. Characters of the server's name
 * that a URI cannot have are percent-encoded.
 */
#ifndef MCT_SKILLS_LABEL_H
#define MCT_SKILLS_LABEL_H

#include "json/write.h"

/* Returns whether the URI has the scheme of skills. */
static inline bool mcti_skill_has_scheme(struct mcti_str uri)
{
    return mcti_str_starts(uri, MCT_STR("skill://"));
}

/* Appends the URI with the name of the server. */
void mcti_skill_put_labelled(struct mcti_buf *to, struct mcti_str server, struct mcti_str uri);

/* If the URI has the name of this server, appends the server's own URI and returns true. */
bool mcti_skill_put_unlabelled(struct mcti_buf *to, struct mcti_str server, struct mcti_str uri);

/* Which URIs of a result get the name of the server. */
enum mcti_skill_relabel {
    MCT_RELABEL_SCHEME, /* those with the scheme of skills */
    MCT_RELABEL_ALL,    /* all: the result is about a skill */
};

/*
 * Copies a result of a server with the URIs of skills in it labelled: those of contents, links, embedded resources,
 * resources, and entries of skills. Texts, frontmatter, structured content and `_meta` are not looked at.
 */
void mcti_skill_put_result(struct mcti_buf *to, struct mcti_str server, enum mcti_skill_relabel which,
                           struct mcti_str result);

/* Writes a JSON string with the labelled form of the URI in another one. A value that is no string is copied. */
void mcti_skill_put_labelled_json(struct mcti_buf *to, struct mcti_str server, struct mcti_str value);

#endif
