#include "hub/core/item.h"

#include "json/scan.h"
#include "mcp/http/headers.h"

#include <stdlib.h>

struct mct_item *mct_item_new(enum mct_kind kind, struct mct_str json)
{
    char *id = mct_json_dup(mct_json_get(json, mct_kind_info(kind)->id_key));
    size_t id_len = id ? strlen(id) : 0;
    struct mct_item *item = id && id_len ? malloc(sizeof *item + id_len + 1 + json.len) : NULL;
    if (item) {
        char *bytes = (char *)(item + 1);
        memcpy(bytes, id, id_len + 1);
        memcpy(bytes + id_len + 1, json.p, json.len);
        *item = (struct mct_item){ .kind = kind, .id = { bytes, id_len },
                                   .json = { bytes + id_len + 1, json.len },
                                   .annotated = kind == MCT_TOOL && mct_tool_is_annotated(json) };
    }
    free(id);
    return item;
}

int mct_items_add(struct mct_items *list, struct mct_item *item)
{
    if (list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 16;
        struct mct_item **v = realloc(list->v, cap * sizeof(struct mct_item *));
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

void mct_items_clear(struct mct_items *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i]);
    free(list->v);
    *list = (struct mct_items){ 0 };
}

bool mct_items_same(const struct mct_items *a, const struct mct_items *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!mct_str_eq(a->v[i]->json, b->v[i]->json))
            return false;
    return true;
}

const struct mct_item *mct_items_find(const struct mct_items *list, struct mct_str id)
{
    for (size_t i = 0; i < list->n; i++)
        if (mct_str_eq(list->v[i]->id, id))
            return list->v[i];
    return NULL;
}
