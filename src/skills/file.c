/* Files of skills, and whether they are what the entry says. */
#include "skills/skill.h"

#include "base/base64.h"
#include "base/rand.h"
#include "json/scan.h"
#include "skills/frontmatter.h"

#include <stdio.h>

int mcti_skill_digest(struct mcti_str bytes, char ret[MCT_SKILL_DIGEST_LEN + 1])
{
    unsigned char digest[32];
    if (mcti_sha256(bytes, digest) < 0)
        return -1;
    memcpy(ret, "sha256:", 7);
    mcti_hex(digest, sizeof digest, ret + 7);
    return 0;
}

static int file_check_bytes(const struct mcti_skill_file *f, struct mcti_str bytes, struct mct_error *err)
{
    char digest[MCT_SKILL_DIGEST_LEN + 1];
    if (bytes.len != f->size)
        return mcti_fail(err, MCT_ERR_INTEGRITY, "%.*s has %zu bytes, and %llu in the entry of the skill",
                         MCT_STR_ARG(f->uri), bytes.len, (unsigned long long)f->size);
    if (mcti_skill_digest(bytes, digest) < 0)
        return mcti_fail(err, MCT_ERR_INTERNAL, "SHA-256 cannot be computed");
    if (!mcti_str_is(f->digest, digest))
        return mcti_fail(err, MCT_ERR_INTEGRITY, "%.*s does not have the digest in the entry of the skill",
                         MCT_STR_ARG(f->uri));
    return 0;
}

int mcti_skill_check(const struct mcti_skill *s, struct mcti_str uri, struct mcti_str bytes, struct mct_error *err)
{
    const struct mcti_skill_file *f = mcti_skill_find(s, uri);
    bool is_main = mcti_str_eq(uri, s->uri);
    if (!f && !(s->is_dynamic && is_main))
        return mcti_fail(err, MCT_ERR_INTEGRITY, "%.*s is not a file that the entry of the skill lists",
                         MCT_STR_ARG(uri));
    if (f && file_check_bytes(f, bytes, err) < 0)
        return -1;
    return is_main ? mcti_frontmatter_check(bytes, s->frontmatter, err) : 0;
}

/* ---- contents ---- */

/* Returns the content with that URI, or the only one; absent: none. */
static struct mcti_str file_content(struct mcti_str result, struct mcti_str uri)
{
    struct mcti_str contents = mcti_json_get(result, "contents"), item, first = MCT_STR_NONE, found = MCT_STR_NONE;
    struct mcti_buf text;
    size_t n = 0;
    mcti_buf_init(&text, uri.len + 1);
    for (struct mcti_json_iter it = mcti_json_open(contents); !found.p && mcti_json_next_item(&it, &item);) {
        first = n++ ? first : item;
        mcti_buf_clear(&text);
        if (mcti_json_unescape(mcti_json_get(item, "uri"), &text) == 0 && mcti_str_eq(mcti_buf_str(&text), uri))
            found = item;
    }
    mcti_buf_done(&text);
    return found.p ? found : n == 1 ? first : MCT_STR_NONE;
}

int mcti_skill_put_bytes(struct mcti_buf *to, struct mcti_str result, struct mcti_str uri, struct mct_error *err)
{
    struct mcti_str content = file_content(result, uri), blob;
    struct mcti_str text = mcti_json_get(content, "text");
    int r = -1;
    if (mcti_json_type(text) == '"')
        r = mcti_json_unescape(text, to);
    else if (mcti_json_plain(mcti_json_get(content, "blob"), &blob))
        r = mcti_base64_get(to, blob);
    if (r == 0 && !mcti_buf_ok(to))
        return mcti_fail(err, MCT_ERR_LIMIT, "%.*s is too large", MCT_STR_ARG(uri));
    return r == 0 ? 0
                  : mcti_fail(err, MCT_ERR_PROTOCOL, "the answer of resources/read has no contents of %.*s",
                              MCT_STR_ARG(uri));
}
