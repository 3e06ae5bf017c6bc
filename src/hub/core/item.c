#include "hub/core/item.h"

#include "json/scan.h"
#include "mcp/apps/ui.h"
#include "mcp/http/headers.h"

#include <stdlib.h>

/* Returns what the tool says of tasks; absent: nothing. */
static struct mcti_str item_task_support(struct mcti_str tool)
{
    static const char key[] = "taskSupport";
    return memmem(tool.p, tool.len, key, sizeof key - 1) ? mcti_json_get(mcti_json_get(tool, "execution"), key)
                                                         : MCT_STR_NONE;
}

struct mcti_item *mcti_item_new(enum mcti_kind kind, struct mcti_str json)
{
    const struct mcti_kind_info *info = mcti_kind_info(kind);
    char *id = mcti_json_dup(mcti_json_get(json, info->id_key));
    size_t id_len = id ? strlen(id) : 0;
    bool usable = id_len && id_len <= info->id_bytes && json.len <= UINT32_MAX;
    struct mcti_item *item = usable ? malloc(sizeof *item + id_len + 1 + json.len) : NULL;
    if (item) {
        struct mcti_str support = kind == MCT_TOOL ? item_task_support(json) : MCT_STR_NONE;
        bool needs = mcti_json_is(support, "required");
        *item = (struct mcti_item){ .kind = kind,
                                    .id_len = (unsigned)id_len,
                                    .json_len = (unsigned)json.len,
                                    .ui = kind == MCT_TOOL ? mcti_ui_use(json) : 0,
                                    .needs_task = needs,
                                    .takes_task = needs || mcti_json_is(support, "optional"),
                                    .annotated = kind == MCT_TOOL && mcti_tool_is_annotated(json) };
        memcpy(item->bytes, id, id_len + 1);
        memcpy(item->bytes + id_len + 1, json.p, json.len);
    }
    free(id);
    return item;
}

int mcti_items_add(struct mcti_items *list, struct mcti_item *item)
{
    if (list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 16;
        struct mcti_item **v = realloc(list->v, cap * sizeof(struct mcti_item *));
        if (!v) {
            free(item);
            return -1;
        }
        list->v = v;
        list->cap = cap;
    }
    list->v[list->n++] = item;
    return 0;
}

bool mcti_items_have(const struct mcti_items *list, const struct mcti_index *ids, struct mcti_str id)
{
    uint32_t at = mcti_index_first(ids, id);
    while (at != MCT_INDEX_END && !mcti_str_eq(mcti_item_id(list->v[at]), id))
        at = mcti_index_next(ids, at);
    return at != MCT_INDEX_END;
}

void mcti_items_clear(struct mcti_items *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i]);
    free(list->v);
    *list = (struct mcti_items){ 0 };
}

bool mcti_items_same(const struct mcti_items *a, const struct mcti_items *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!mcti_str_eq(mcti_item_json(a->v[i]), mcti_item_json(b->v[i])))
            return false;
    return true;
}

const struct mcti_item *mcti_items_find(const struct mcti_items *list, struct mcti_str id)
{
    for (size_t i = 0; i < list->n; i++)
        if (mcti_str_eq(mcti_item_id(list->v[i]), id))
            return list->v[i];
    return NULL;
}
