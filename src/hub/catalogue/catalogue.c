#include "hub/catalogue/catalogue.h"

#include "base/limits.h"
#include "hub/catalogue/cache_file.h"
#include "hub/vet/vetted.h"
#include "json/write.h"
#include "skills/skill.h"

#include <stdio.h>
#include <stdlib.h>

enum { FORMAT = 1, KEPT_DAYS = 90 };

void mcti_stored_clear(struct mcti_stored *s)
{
    mcti_server_info_clear(&s->info);
    for (int k = 0; k < MCT_KIND_N; k++)
        mcti_items_clear(&s->items[k]);
}

/* ---- reading ---- */

/* Takes one item. Returns -1 if it is none, or a name occurs twice. */
static int stored_take_item(enum mcti_kind kind, struct mcti_str json, struct mcti_items *to, struct mcti_index *ids)
{
    struct mcti_item *item = mcti_item_new(kind, json);
    if (!item || mcti_items_have(to, ids, mcti_item_id(item))) {
        free(item);
        return -1;
    }
    if (mcti_items_add(to, item) < 0)
        return -1;
    return mcti_index_put(ids, mcti_item_id(item), to->n - 1);
}

static int stored_take_list(enum mcti_kind kind, struct mcti_str list, struct mcti_items *to)
{
    struct mcti_index ids = { 0 };
    struct mcti_str json;
    int r = mcti_json_type(list) == '[' ? 0 : -1;
    for (struct mcti_json_iter it = mcti_json_open(list); r == 0 && mcti_json_next_item(&it, &json);)
        r = mcti_json_type(json) == '{' ? stored_take_item(kind, json, to, &ids) : -1;
    mcti_index_done(&ids);
    return r;
}

/* Copies the member if it is an object. Returns -1 if it is something else. */
static int stored_take_object(struct mcti_str object, const char *key, char **ret)
{
    struct mcti_str value = mcti_json_get(object, key);
    if (!value.p)
        return 0;
    *ret = mcti_json_type(value) == '{' ? mcti_str_dup(value) : NULL;
    return *ret ? 0 : -1;
}

static int stored_take_info(struct mcti_str object, struct mcti_server_info *to)
{
    struct mcti_str revision;
    if (!mcti_json_plain(mcti_json_get(object, "protocolVersion"), &revision))
        return -1;
    to->rev = mcti_rev_find(revision);
    struct mcti_str capabilities = mcti_json_get(object, "capabilities");
    to->tasks = mcti_rev_is_stateless(to->rev) && mcti_tasks_declared(capabilities);
    to->tasks_2025 = to->rev == MCT_REV_2025_11_25 && mcti_tasks_offered_2025(capabilities);
    to->skills = mcti_skills_declared(capabilities);
    to->instructions = mcti_json_dup(mcti_json_get(object, "instructions"));
    return to->rev != MCT_REV_NONE && stored_take_object(object, "capabilities", &to->capabilities) == 0 &&
                   to->capabilities && stored_take_object(object, "serverInfo", &to->server_info) == 0
               ? 0
               : -1;
}

int mcti_stored_parse(struct mcti_str text, struct mcti_stored *ret, struct mct_error *err)
{
    struct mcti_json_top top;
    uint64_t format = 0;
    *ret = (struct mcti_stored){ 0 };
    if (!mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, NULL) || mcti_json_type(top.value) != '{')
        return mcti_fail(err, MCT_ERR_PROTOCOL, "not a JSON object");
    if (!mcti_json_uint(mcti_json_get(top.value, "format"), &format) || format != FORMAT)
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "of another version of mcptools");
    int r = stored_take_info(top.value, &ret->info);
    for (int k = 0; r == 0 && k < MCT_KIND_N; k++)
        r = stored_take_list((enum mcti_kind)k, mcti_json_get(top.value, mcti_kind_info((enum mcti_kind)k)->list_key),
                             &ret->items[k]);
    if (r == 0)
        return 0;
    mcti_stored_clear(ret);
    return mcti_fail(err, MCT_ERR_PROTOCOL, "a member is missing or unusable");
}

/* ---- writing ---- */

static void catalogue_put_item(void *to, const struct mcti_item *item, bool is_barred)
{
    (void)is_barred; /* whoever reads the file judges again */
    mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "\n" : ",\n");
    mcti_buf_add(to, mcti_item_json(item));
}

static void catalogue_put_list(struct mcti_buf *to, const struct mcti_provider *p, enum mcti_kind kind)
{
    mcti_buf_addc(to, '[');
    mcti_vetted_each(p, kind, catalogue_put_item, to);
    mcti_buf_addc(to, ']');
}

void mcti_stored_put(struct mcti_buf *to, const struct mcti_provider *p)
{
    mcti_buf_printf(to, "{\"format\":%d", FORMAT);
    mcti_json_put_member(to, "protocolVersion", mcti_str_of(mcti_rev_text(p->info.rev)));
    mcti_json_put_raw(to, "capabilities", p->info.capabilities ? mcti_str_of(p->info.capabilities) : MCT_STR("{}"));
    if (p->info.server_info)
        mcti_json_put_raw(to, "serverInfo", mcti_str_of(p->info.server_info));
    if (p->info.instructions)
        mcti_json_put_member(to, "instructions", mcti_str_of(p->info.instructions));
    for (int k = 0; k < MCT_KIND_N; k++) {
        mcti_json_put_key(to, mcti_kind_info((enum mcti_kind)k)->list_key);
        catalogue_put_list(to, p, (enum mcti_kind)k);
    }
    mcti_buf_addz(to, "}\n");
}

/* ---- files ---- */

void mcti_catalogue_init(struct mcti_catalogue *c)
{
    *c = (struct mcti_catalogue){ .folder = mcti_cache_path("catalogue") };
}

void mcti_catalogue_done(struct mcti_catalogue *c)
{
    free(c->folder);
    *c = (struct mcti_catalogue){ 0 };
}

static char *catalogue_path(const struct mcti_catalogue *c, const char *key)
{
    char *path;
    return !c->folder || asprintf(&path, "%s/%s.json", c->folder, key) < 0 ? NULL : path;
}

bool mcti_catalogue_get(const struct mcti_catalogue *c, const char *key, const struct mcti_log *log,
                        struct mcti_stored *ret)
{
    char *path = catalogue_path(c, key);
    struct mcti_buf text;
    struct mct_error err = { 0 };
    *ret = (struct mcti_stored){ 0 };
    mcti_buf_init(&text, MCT_LIMIT_CATALOGUE_BYTES);
    bool ok = mcti_cache_read(path, &text) && mcti_stored_parse(mcti_buf_str(&text), ret, &err) == 0;
    if (err.kind)
        mcti_log(log, MCT_LOG_DEBUG, "ignoring %s: %s", path, err.message);
    mcti_buf_done(&text);
    free(path);
    return ok;
}

void mcti_catalogue_put(const struct mcti_catalogue *c, const char *key, const struct mcti_provider *p)
{
    char *path = catalogue_path(c, key);
    struct mcti_buf old, text;
    mcti_buf_init(&old, MCT_LIMIT_CATALOGUE_BYTES);
    mcti_buf_init(&text, MCT_LIMIT_CATALOGUE_BYTES);
    mcti_stored_put(&text, p);
    bool known = mcti_cache_read(path, &old) && mcti_str_eq(mcti_buf_str(&old), mcti_buf_str(&text));
    if (known) {
        mcti_cache_touch(path);
    } else if (path && mcti_buf_ok(&text)) {
        mcti_cache_write(path, mcti_buf_str(&text));
        mcti_cache_prune(c->folder, KEPT_DAYS);
    }
    mcti_buf_done(&old);
    mcti_buf_done(&text);
    free(path);
}
