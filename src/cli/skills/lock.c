/* The lock: a file beside the copies that says of which skills they are, and with which digests. */
#include "cli/skills/skills.h"

#include "base/limits.h"
#include "skills/label.h"
#include "skills/uri.h"

#include <stdlib.h>

enum { LOCK_BYTES = 64 << 20 };

void mcti_skills_lock_init(struct mcti_skills_lock *l)
{
    *l = (struct mcti_skills_lock){ .n = 0 };
    mcti_map_init(&l->by_path);
}

static void row_free(struct mcti_skills_row *row)
{
    free(row->server);
    free(row->uri);
    free(row->path);
    free(row);
}

void mcti_skills_lock_done(struct mcti_skills_lock *l)
{
    mcti_map_done(&l->by_path);
    for (size_t i = 0; i < l->n; i++)
        row_free(l->rows[i]);
    free(l->rows);
    *l = (struct mcti_skills_lock){ .n = 0 };
}

struct mcti_skills_row *mcti_skills_lock_find(const struct mcti_skills_lock *l, const char *path)
{
    struct mcti_map_node *node = mcti_map_get(&l->by_path, mcti_str_of(path));
    return node ? MCT_CONTAINER(node, struct mcti_skills_row, node) : NULL;
}

static int lock_reserve(struct mcti_skills_lock *l)
{
    size_t room = l->room ? 2 * l->room : 64;
    if (l->n < l->room)
        return 0;
    struct mcti_skills_row **rows = realloc(l->rows, room * sizeof(struct mcti_skills_row *));
    if (!rows)
        return -1;
    l->rows = rows;
    l->room = room;
    return 0;
}

static struct mcti_skills_row *row_copy(const struct mcti_skills_row *row)
{
    struct mcti_skills_row *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    copy->server = strdup(row->server);
    copy->uri = strdup(row->uri);
    copy->path = strdup(row->path);
    memcpy(copy->digest, row->digest, sizeof copy->digest);
    copy->size = row->size;
    if (copy->server && copy->uri && copy->path)
        return copy;
    row_free(copy);
    return NULL;
}

struct mcti_skills_row *mcti_skills_lock_add(struct mcti_skills_lock *l, const struct mcti_skills_row *row,
                                             struct mct_error *err)
{
    struct mcti_skills_row *old = mcti_skills_lock_find(l, row->path), *copy;
    if (old && !strcmp(old->uri, row->uri) && !strcmp(old->digest, row->digest))
        return old; /* a file of a skill in a skill is one of both */
    if (old) {
        mcti_fail(err, MCT_ERR_PROTOCOL, "two files would have the path %s", row->path);
        return NULL;
    }
    copy = lock_reserve(l) == 0 ? row_copy(row) : NULL;
    if (copy && mcti_map_put(&l->by_path, &copy->node, mcti_str_of(copy->path)) == 0)
        return l->rows[l->n++] = copy;
    if (copy)
        row_free(copy);
    mcti_no_memory(err);
    return NULL;
}

/* ---- the file ---- */

static int lock_read_row(struct mcti_skills_lock *l, struct mcti_str item, struct mct_error *err)
{
    struct mcti_skills_row row = { .server = mcti_json_dup(mcti_json_get(item, "server")),
                                   .uri = mcti_json_dup(mcti_json_get(item, "uri")),
                                   .path = mcti_json_dup(mcti_json_get(item, "path")) };
    struct mcti_str digest;
    bool good = row.server && row.uri && row.path && mcti_json_uint(mcti_json_get(item, "size"), &row.size) &&
                mcti_json_plain(mcti_json_get(item, "digest"), &digest) && digest.len == MCT_SKILL_DIGEST_LEN;
    if (good)
        memcpy(row.digest, digest.p, digest.len);
    int r = !good ? mcti_fail(err, MCT_ERR_CONFIG, MCT_SKILLS_LOCK ": a file has no server, uri, path, digest or size")
            : mcti_skills_lock_add(l, &row, err) ? 0
                                                 : -1;
    free(row.server);
    free(row.uri);
    free(row.path);
    return r;
}

static int lock_parse(struct mcti_skills_lock *l, struct mcti_str text, struct mct_error *err)
{
    struct mcti_str item;
    uint64_t version = 0;
    if (!mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, NULL) ||
        !mcti_json_uint(mcti_json_get(text, "version"), &version) || version != 1)
        return mcti_fail(err, MCT_ERR_CONFIG, MCT_SKILLS_LOCK ": not a list of skills of this version of mcptools");
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(text, "files")); mcti_json_next_item(&it, &item);)
        if (lock_read_row(l, item, err) < 0)
            return -1;
    return 0;
}

int mcti_skills_lock_read(struct mcti_skills_lock *l, int folder, struct mct_error *err)
{
    struct mcti_buf text;
    mcti_buf_init(&text, LOCK_BYTES);
    int r = mcti_skills_folder_read(folder, MCT_SKILLS_LOCK, &text, err);
    r = r < 0 ? -1 : r > 0 ? 0 : lock_parse(l, mcti_buf_str(&text), err);
    mcti_buf_done(&text);
    return r;
}

static int row_compare(const void *a, const void *b)
{
    struct mcti_skills_row *const *x = a, *const *y = b;
    return strcmp((*x)->path, (*y)->path);
}

int mcti_skills_lock_write(const struct mcti_skills_lock *l, int folder, struct mct_error *err)
{
    struct mcti_buf b;
    mcti_buf_init(&b, LOCK_BYTES);
    mcti_buf_addz(&b, "{\"version\":1,\"files\":[");
    if (l->n)
        qsort(l->rows, l->n, sizeof(struct mcti_skills_row *), row_compare);
    for (size_t i = 0; i < l->n; i++) {
        const struct mcti_skills_row *row = l->rows[i];
        mcti_buf_addz(&b, i ? ",\n{" : "\n{");
        mcti_json_put_member(&b, "path", mcti_str_of(row->path));
        mcti_json_put_member(&b, "server", mcti_str_of(row->server));
        mcti_json_put_member(&b, "uri", mcti_str_of(row->uri));
        mcti_json_put_member(&b, "digest", mcti_str_of(row->digest));
        mcti_json_put_key(&b, "size");
        mcti_buf_addu(&b, row->size);
        mcti_buf_addc(&b, '}');
    }
    mcti_buf_addz(&b, "\n]}\n");
    int r = mcti_buf_ok(&b) ? mcti_skills_folder_write(folder, MCT_SKILLS_LOCK, mcti_buf_str(&b), err)
                            : mcti_no_memory(err);
    mcti_buf_done(&b);
    return r;
}

int mcti_skills_path(struct mcti_buf *to, const struct mcti_provider *p, struct mcti_str uri, struct mct_error *err)
{
    struct mcti_buf labelled;
    mcti_buf_init(&labelled, uri.len + 3 * strlen(p->name) + 64);
    mcti_skill_put_labelled(&labelled, mcti_str_of(p->name), uri);
    int r = mcti_buf_ok(&labelled) ? mcti_skill_put_path(to, mcti_buf_str(&labelled)) : -1;
    mcti_buf_addc(to, '\0');
    mcti_buf_done(&labelled);
    if (r == 0 && mcti_buf_ok(to))
        return 0;
    return mcti_fail(err, MCT_ERR_PROTOCOL, "server '%s': %.*s cannot be the path of a file", p->name,
                     MCT_STR_ARG(uri));
}
