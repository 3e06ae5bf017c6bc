#include "hub/skills/provider.h"

#include "base/base64.h"
#include "base/limits.h"
#include "base/log/utf8.h"
#include "hub/local/local.h"
#include "hub/skills/snapshot.h"

#include <stdlib.h>

/* The skills of one provider. */
struct folder_skills {
    struct mcti_provider *provider;
    char *path;
    struct mct_error mistake; /* of the entry in the configuration; kind NONE: none */
    struct mcti_skills_snapshot now;
};

#define HINTS ",\"ttlMs\":0,\"cacheScope\":\"private\"}"

static const char template_json[] =
    MCT_JSON({ "uriTemplate": "skill://{+path}", "name": "skill-file", "description": "A file of a skill." });

/* ---- resources ---- */

static void skills_refuse(struct mcti_local_request *r, struct mcti_str uri)
{
    char why[512];
    snprintf(why, sizeof why, "there is no skill, file or folder %.*s", MCT_STR_ARG(uri));
    mcti_local_fail(r, MCT_RPC_INVALID_PARAMS, why, MCT_STR_NONE);
}

static void skills_on_read(struct mcti_local_request *r, void *data)
{
    const struct folder_skills *f = data;
    const struct mcti_skills_file *file = mcti_skills_snapshot_file(&f->now, mcti_local_uri(r));
    struct mcti_buf base64;
    if (!file) {
        skills_refuse(r, mcti_local_uri(r));
        return;
    }
    const char *type = mcti_skills_mime_type(file->path);
    struct mcti_str bytes = { file->bytes, file->len };
    mcti_buf_init(&base64, 2 * file->len + 64);
    if (mcti_utf8_valid(bytes)) {
        mcti_local_contents(r, !strcmp(type, "application/octet-stream") ? "text/plain" : type, bytes);
    } else {
        mcti_base64_put(&base64, bytes);
        mcti_local_blob(r, type, mcti_buf_str(&base64));
    }
    mcti_buf_done(&base64);
}

/* Lists the SKILL.md of each skill as a resource; other files are read by the template. */
static void skills_add_resource(struct folder_skills *f, const struct mcti_skill *skill)
{
    struct mct_error err;
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "uri", skill->uri);
    mcti_json_put_member(&b, "name", skill->name);
    mcti_json_put_member(&b, "description", skill->description);
    mcti_json_put_member(&b, "mimeType", MCT_STR("text/markdown"));
    mcti_buf_addc(&b, '}');
    char *json = mcti_buf_take(&b);
    if (!json || mcti_local_add(f->provider, MCT_RESOURCE, json, skills_on_read, f, &err) < 0)
        mcti_log(f->provider->log, MCT_LOG_WARN, "server '%s': %.*s is not listed as a resource", f->provider->name,
                 MCT_STR_ARG(skill->uri));
    free(json);
}

/* Reads the folder, and lists what is there now. Returns -1 and sets *err; what was there before then stays. */
static int skills_load(struct folder_skills *f, struct mct_error *err)
{
    struct mcti_skills_snapshot fresh;
    if (mcti_skills_snapshot_read(&fresh, f->path, f->provider->log, err) < 0)
        return -1;
    for (const struct mcti_items *items = &f->provider->items[MCT_RESOURCE]; items->n;)
        mcti_local_remove(f->provider, MCT_RESOURCE, mcti_item_id(items->v[0]).p);
    mcti_skills_snapshot_done(&f->now);
    f->now = fresh;
    for (size_t i = 0; i < f->now.n_entries; i++)
        skills_add_resource(f, &f->now.entries[i]);
    return 0;
}

/* Reads the folder again if it has changed. */
static void skills_refresh(struct folder_skills *f)
{
    struct mct_error err;
    uint64_t signature = mcti_skills_folder_signature(f->path);
    if (signature != f->now.signature && skills_load(f, &err) < 0)
        mcti_log(f->provider->log, MCT_LOG_WARN, "server '%s': %s; its skills are those of before", f->provider->name,
                 err.message);
}

/* ---- methods ---- */

static void skills_on_list(struct mcti_local_request *r, void *data)
{
    struct folder_skills *f = data;
    struct mcti_buf b;
    skills_refresh(f);
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&b, "{\"skills\":[");
    for (size_t i = 0; i < f->now.n_entries; i++) {
        mcti_buf_addz(&b, i ? "," : "");
        mcti_buf_add(&b, f->now.entries[i].json);
    }
    mcti_buf_addz(&b, "]" HINTS);
    if (mcti_buf_ok(&b))
        mcti_local_result(r, mcti_buf_str(&b));
    else
        mcti_local_fail(r, MCT_RPC_INTERNAL, "the list is too large", MCT_STR_NONE);
    mcti_buf_done(&b);
}

/* Appends the parameter "uri". Returns false after refusing a request without one. */
static bool skills_take_uri(struct mcti_local_request *r, struct mcti_buf *to)
{
    mcti_buf_init(to, MCT_LIMIT_URI_BYTES);
    if (mcti_json_unescape(mcti_json_get(mcti_local_params(r), "uri"), to) == 0 && mcti_buf_ok(to))
        return true;
    mcti_local_fail(r, MCT_RPC_INVALID_PARAMS, "the parameter \"uri\" (string) is required", MCT_STR_NONE);
    return false;
}

static void skills_on_get(struct mcti_local_request *r, void *data)
{
    struct folder_skills *f = data;
    const struct mcti_skill *skill;
    struct mcti_buf uri, b;
    if (!skills_take_uri(r, &uri)) {
        mcti_buf_done(&uri);
        return;
    }
    skills_refresh(f);
    skill = mcti_skills_snapshot_entry(&f->now, mcti_buf_str(&uri));
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    if (skill) {
        mcti_buf_addz(&b, "{\"skill\":");
        mcti_buf_add(&b, skill->json);
        mcti_buf_addz(&b, HINTS);
        mcti_local_result(r, mcti_buf_str(&b));
    } else {
        skills_refuse(r, mcti_buf_str(&uri));
    }
    mcti_buf_done(&b);
    mcti_buf_done(&uri);
}

/* Appends a child of a folder: `below` is what follows the folder in the URI of a file. */
static void skills_put_child(struct mcti_buf *to, struct mcti_str folder, struct mcti_str below, const char *path)
{
    const char *slash = memchr(below.p, '/', below.len);
    struct mcti_str name = mcti_str_range(below.p, slash ? slash : below.p + below.len);
    struct mcti_buf uri;
    mcti_buf_init(&uri, folder.len + name.len + 1);
    mcti_buf_add(&uri, folder);
    mcti_buf_add(&uri, name);
    mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
    mcti_json_put_member(to, "uri", mcti_buf_str(&uri));
    mcti_json_put_member(to, "name", name);
    mcti_json_put_member(to, "mimeType", slash ? MCT_STR("inode/directory") : mcti_str_of(mcti_skills_mime_type(path)));
    mcti_buf_addc(to, '}');
    mcti_buf_done(&uri);
}

/* Appends the children of a folder; `folder` ends with a slash. Files are in order, so that those of a folder in it
 * follow each other. Returns how many there are. */
static size_t skills_put_children(struct mcti_buf *to, const struct mcti_skills_snapshot *s, struct mcti_str folder)
{
    struct mcti_str last = MCT_STR_NONE;
    size_t n = 0;
    for (size_t i = 0; i < s->n_files; i++) {
        struct mcti_str uri = mcti_str_of(s->files[i].uri);
        if (!s->files[i].is_served || !mcti_str_starts(uri, folder))
            continue;
        struct mcti_str below = mcti_str_range(uri.p + folder.len, uri.p + uri.len);
        const char *slash = memchr(below.p, '/', below.len);
        struct mcti_str name = mcti_str_range(below.p, slash ? slash + 1 : below.p + below.len);
        if (mcti_str_eq(name, last))
            continue;
        last = name;
        skills_put_child(to, folder, below, s->files[i].path);
        n++;
    }
    return n;
}

static void skills_on_directory(struct mcti_local_request *r, void *data)
{
    const struct folder_skills *f = data;
    struct mcti_buf uri, b;
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    if (skills_take_uri(r, &uri)) {
        size_t len = uri.len;
        mcti_buf_addc(&uri, '/');
        mcti_buf_addz(&b, "{\"resources\":[");
        if (skills_put_children(&b, &f->now, mcti_buf_str(&uri))) {
            mcti_buf_addz(&b, "]}");
            mcti_local_result(r, mcti_buf_str(&b));
        } else {
            skills_refuse(r, (struct mcti_str){ uri.p, len });
        }
    }
    mcti_buf_done(&b);
    mcti_buf_done(&uri);
}

static const struct mcti_local_method methods[] = {
    { "skills/list", skills_on_list },
    { "skills/get", skills_on_get },
    { "resources/directory/read", skills_on_directory },
};
static const struct mcti_local_extension extension = { MCT_SKILLS_ID, "{\"directoryRead\":true}", methods, 3 };

/* ---- life ---- */

static void skills_on_start(void *data)
{
    struct folder_skills *f = data;
    struct mct_error err = f->mistake;
    if (err.kind || skills_load(f, &err) < 0)
        mcti_provider_set_state(f->provider, MCT_FAILED, &err);
    else
        mcti_local_ready(f->provider);
}

static void skills_on_stop(void *data)
{
    (void)data;
}

static void skills_on_gone(void *data)
{
    struct folder_skills *f = data;
    mcti_skills_snapshot_done(&f->now);
    free(f->path);
    free(f);
}

static const struct mcti_local_life life = { skills_on_start, skills_on_stop, skills_on_gone };

struct mcti_provider *mcti_provider_skills_new(const char *name, struct mcti_sched *sched, const struct mcti_log *log,
                                               const char *path, const struct mct_error *why)
{
    struct mct_error err;
    struct folder_skills *f = calloc(1, sizeof *f);
    if (f)
        *f = (struct folder_skills){ .path = strdup(path ? path : ""), .mistake = *why };
    if (f && f->path)
        f->provider = mcti_provider_local_new(name, sched, log);
    if (!f || !f->provider) {
        free(f ? f->path : NULL);
        free(f);
        return NULL;
    }
    mcti_local_set_life(f->provider, &life, f);
    mcti_local_set_extension(f->provider, &extension, f);
    if (mcti_local_add(f->provider, MCT_TEMPLATE, template_json, skills_on_read, f, &err) == 0)
        return f->provider;
    f->provider->ops->free(f->provider);
    return NULL;
}
