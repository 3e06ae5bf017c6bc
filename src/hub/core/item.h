/* What a server publishes, kept as it was written, and lists of it. */
#ifndef MCT_HUB_CORE_ITEM_H
#define MCT_HUB_CORE_ITEM_H

#include "base/map.h"
#include "mcp/method.h"

/* One tool, resource, template or prompt. One allocation; never changed. */
struct mct_item {
    enum mct_kind kind;
    struct mct_map_node by_id; /* while its list is being fetched */
    struct mct_str id;   /* raw name, URI or URI template, unescaped; NUL-terminated behind its end */
    struct mct_str json; /* the object as its server wrote it */
    bool annotated;      /* a tool some of whose arguments 2026-07-28 repeats in headers */
};

/* NULL when the object has no usable identity (no string, U+0000, unpaired surrogate) or memory is
 * short. */
struct mct_item *mct_item_new(enum mct_kind kind, struct mct_str json);

struct mct_items {
    struct mct_item **v; /* owned */
    size_t n, cap;
};

int mct_items_add(struct mct_items *list, struct mct_item *take_item);
void mct_items_clear(struct mct_items *list);
bool mct_items_same(const struct mct_items *a, const struct mct_items *b);
const struct mct_item *mct_items_find(const struct mct_items *list, struct mct_str id);

#endif
