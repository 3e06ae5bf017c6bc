/* Entries of skills. */
#include "skills/skill.h"

#include "base/limits.h"
#include "json/scan.h"
#include "skills/uri.h"

#include <stdlib.h>

enum { DIGEST_PREFIX = 7, ENTRY_BYTES = 64u << 20 };

static struct mcti_str skills_settings(struct mcti_str capabilities)
{
    struct mcti_str settings = mcti_json_get(mcti_json_get(capabilities, "extensions"), MCT_SKILLS_ID);
    return mcti_json_type(settings) == '{' ? settings : MCT_STR_NONE;
}

bool mcti_skills_declared(struct mcti_str capabilities)
{
    return skills_settings(capabilities).p;
}

bool mcti_skills_declare_directories(struct mcti_str capabilities)
{
    return mcti_json_true(mcti_json_get(skills_settings(capabilities), "directoryRead"));
}

/* ---- reading an entry ---- */

static int skill_fail(struct mct_error *err, const char *what)
{
    return mcti_fail(err, MCT_ERR_PROTOCOL, "invalid skill: %s", what);
}

/* Sets *ret to a copy of a string value. Returns -1 if it is none. */
static int skill_take_text(struct mcti_skill *s, struct mcti_str value, struct mcti_str *ret)
{
    char *text = mcti_json_dup(value);
    char *copy = text ? mcti_arena_dup(&s->texts, mcti_str_of(text)) : NULL;
    *ret = mcti_str_of(copy);
    free(text);
    return copy ? 0 : -1;
}

static bool is_digest(struct mcti_str text)
{
    if (text.len != MCT_SKILL_DIGEST_LEN || !mcti_str_starts(text, MCT_STR("sha256:")))
        return false;
    for (size_t i = DIGEST_PREFIX; i < text.len; i++)
        if (!strchr("0123456789abcdef", text.p[i]) || !text.p[i])
            return false;
    return true;
}

static int skill_take_file(struct mcti_skill *s, struct mcti_str item, struct mct_error *err)
{
    struct mcti_skill_file f = { .size = 0 };
    if (skill_take_text(s, mcti_json_get(item, "uri"), &f.uri) < 0 || !mcti_skill_is_inside(s->root, f.uri))
        return skill_fail(err, "a file has no URI inside of the skill");
    if (skill_take_text(s, mcti_json_get(item, "digest"), &f.digest) < 0 || !is_digest(f.digest))
        return skill_fail(err, "a file has no \"digest\" of the form sha256:HEX");
    if (!mcti_json_uint(mcti_json_get(item, "size"), &f.size) || f.size > MCT_LIMIT_SKILL_BYTES - s->n_bytes)
        return skill_fail(err, "a file has no \"size\", or the files are larger than 16 MiB");
    if (mcti_skill_find(s, f.uri))
        return skill_fail(err, "a file is listed twice");
    s->n_bytes += f.size;
    s->files[s->n_files++] = f;
    return 0;
}

static size_t skill_count(struct mcti_str array)
{
    struct mcti_str item;
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(array); mcti_json_next_item(&it, &item);)
        n++;
    return n;
}

static int skill_take_files(struct mcti_skill *s, struct mcti_str resources, struct mct_error *err)
{
    struct mcti_str item;
    s->is_dynamic = mcti_json_is(resources, "dynamic");
    if (s->is_dynamic)
        return 0;
    size_t n = mcti_json_type(resources) == '[' ? skill_count(resources) : 0;
    if (!n || n > MCT_LIMIT_SKILL_FILES)
        return skill_fail(err, "\"resources\" is neither \"dynamic\" nor an array of 1 to 512 files");
    s->files = mcti_arena_get(&s->texts, n * sizeof *s->files);
    if (!s->files)
        return mcti_no_memory(err);
    for (struct mcti_json_iter it = mcti_json_open(resources); mcti_json_next_item(&it, &item);)
        if (skill_take_file(s, item, err) < 0)
            return -1;
    return mcti_skill_find(s, s->uri) ? 0 : skill_fail(err, "SKILL.md is not among its files");
}

static int skill_take_frontmatter(struct mcti_skill *s, struct mct_error *err)
{
    s->frontmatter = mcti_json_get(s->json, "frontmatter");
    if (skill_take_text(s, mcti_json_get(s->frontmatter, "name"), &s->name) < 0 ||
        skill_take_text(s, mcti_json_get(s->frontmatter, "description"), &s->description) < 0)
        return skill_fail(err, "\"frontmatter\" has no name or no description");
    if (!mcti_skill_is_name(s->name) || !mcti_str_eq(s->name, mcti_skill_last_segment(s->root)))
        return skill_fail(err, "its name is not valid, or not the last segment of its URI");
    return 0;
}

static int skill_take(struct mcti_skill *s, struct mcti_str entry, struct mct_error *err)
{
    if (mcti_json_type(entry) != '{' || skill_take_text(s, mcti_json_get(entry, "uri"), &s->uri) < 0)
        return skill_fail(err, "it has no \"uri\"");
    s->root = mcti_skill_root(s->uri);
    if (!s->root.p || s->uri.len > MCT_LIMIT_URI_BYTES)
        return skill_fail(err, "its \"uri\" is not that of a SKILL.md");
    s->json = (struct mcti_str){ mcti_arena_dup(&s->texts, entry), entry.len };
    if (!s->json.p)
        return mcti_no_memory(err);
    return skill_take_frontmatter(s, err) < 0 ? -1 : skill_take_files(s, mcti_json_get(s->json, "resources"), err);
}

int mcti_skill_open(struct mcti_str entry, struct mcti_skill *ret, struct mct_error *err)
{
    *ret = (struct mcti_skill){ .n_files = 0 };
    mcti_arena_init(&ret->texts, ENTRY_BYTES);
    int r = skill_take(ret, entry, err);
    if (r < 0 && !mcti_arena_ok(&ret->texts))
        mcti_no_memory(err);
    if (r < 0)
        mcti_skill_done(ret);
    return r;
}

void mcti_skill_done(struct mcti_skill *s)
{
    mcti_arena_done(&s->texts);
    *s = (struct mcti_skill){ .n_files = 0 };
}

/* ---- files ---- */

const struct mcti_skill_file *mcti_skill_find(const struct mcti_skill *s, struct mcti_str uri)
{
    for (size_t i = 0; i < s->n_files; i++)
        if (mcti_str_eq(s->files[i].uri, uri))
            return &s->files[i];
    return NULL;
}
