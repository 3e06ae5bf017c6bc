/*
 * <mcptools/skill.h>: skills.
 *
 * A server may provide skills: folders of instructions and files for certain tasks (the extension
 * io.modelcontextprotocol/skills, SEP-2640). The entry of a skill has the digest of each of its files, so a host knows
 * whether what it reads is what was listed, and can show it to the user before the model follows it. The functions here
 * read files only if they are what the entry says:
 *
 *     struct mct_request *q = mct_instance_read_skill(instance, "docs", "skill://git-workflow/SKILL.md", NULL, &err);
 *     if (q && mct_request_wait(q, &err) == 0)
 *         use(mct_request_result(q));
 *     mct_request_free(q);
 *
 * Nothing is fetched in advance. Instructions of a skill are those of its server, not of the user, and `allowed-tools`
 * in its frontmatter permits nothing: what to do with both is up to the program.
 */
#ifndef MCPTOOLS_SKILL_H
#define MCPTOOLS_SKILL_H

#include <mcptools/request.h>

MCT_BEGIN_DECLS

/*
 * Lists the skills of a server, or of all servers. The result is an object {"skills":[…],"errors":[…]}: the entries as
 * the servers wrote them, each with the name of its server as "server", and {"server","kind","message"} for each server
 * that could not be asked. Servers without skills are no errors.
 *
 *   server  name of the server; NULL: all
 *   opts    options, copied; NULL: none
 *
 * Returns the request, or NULL with *err. A server that is named and cannot be asked is an error of the request:
 *
 *   MCT_ERR_USAGE        the instance is not started or being closed, or the size of `opts` is not set
 *   MCT_ERR_NOT_FOUND    no such server
 *   MCT_ERR_CANCELLED    `opts->cancel` has been fired
 *   MCT_ERR_UNSUPPORTED  `opts` has members that are newer than the library
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_skills(struct mct_instance *instance, const char *server,
                                                const struct mct_call_opts *opts, struct mct_error *err);

/*
 * Finds the skill of a URI. The result is its entry, with the name of its server as "server".
 *
 *   server  name of the server; NULL: the only one that has the URI
 *   uri     URI of a SKILL.md, or of another file that an entry lists
 *   opts    options, copied; NULL: none
 *
 * Returns the request, or NULL with *err. The request fails with MCT_ERR_NOT_FOUND if no server has the skill, or if
 * several have it:
 *
 *   MCT_ERR_USAGE        the instance is not started or being closed, or the size of `opts` is not set
 *   MCT_ERR_NOT_FOUND    no such server
 *   MCT_ERR_CANCELLED    `opts->cancel` has been fired
 *   MCT_ERR_UNSUPPORTED  `opts` has members that are newer than the library
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_skill(struct mct_instance *instance, const char *server, const char *uri,
                                               const struct mct_call_opts *opts, struct mct_error *err);

/*
 * Reads a file of a skill and verifies it. The result is an object {"server","skill","uri","text"}, or "blob" in base64
 * instead of "text" if the file is not UTF-8; "skill" is the URI of the skill. If the file differs from its entry, the
 * entry is asked for again, once.
 *
 *   server  name of the server; NULL: the only one that has the URI
 *   uri     URI of a SKILL.md, or of another file that an entry lists
 *   opts    options, copied; NULL: none
 *
 * Returns the request, or NULL with *err. The request fails with MCT_ERR_INTEGRITY if the file is not what the entry
 * says, and with MCT_ERR_NOT_FOUND as that of mct_instance_skill():
 *
 *   MCT_ERR_USAGE        the instance is not started or being closed, or the size of `opts` is not set
 *   MCT_ERR_NOT_FOUND    no such server
 *   MCT_ERR_CANCELLED    `opts->cancel` has been fired
 *   MCT_ERR_UNSUPPORTED  `opts` has members that are newer than the library
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_read_skill(struct mct_instance *instance, const char *server, const char *uri,
                                                    const struct mct_call_opts *opts, struct mct_error *err);

/*
 * Checks bytes that the program has from elsewhere, such as a copy on disk, against an entry: size, digest, and the
 * frontmatter of SKILL.md.
 *
 *   entry  the entry, JSON
 *   uri    URI of the file
 *   bytes  its bytes; may be NULL if `len` is 0
 *   len    their number
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE        `entry` is not JSON
 *   MCT_ERR_PROTOCOL     it is not the entry of a skill
 *   MCT_ERR_INTEGRITY    the bytes are not those of the file, or the entry does not list it
 *   MCT_ERR_UNSUPPORTED  the library was built without YAML and cannot check a SKILL.md
 *   MCT_ERR_NO_MEMORY
 *
 * Threads: any.
 */
MCT_API int mct_skill_verify(const char *entry, const char *uri, const void *bytes, size_t len, struct mct_error *err);

MCT_END_DECLS

#endif
