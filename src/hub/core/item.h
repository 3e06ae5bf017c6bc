/* An item that a server publishes, kept as the server wrote it, and lists of items. */
#ifndef MCT_HUB_CORE_ITEM_H
#define MCT_HUB_CORE_ITEM_H

#include "base/table/index.h"
#include "mcp/method.h"

/* One tool, resource, template or prompt. One allocation, as small as it can be, because there may be 100,000; never
 * changed but for its place. */
struct mcti_item {
    unsigned id_len, json_len;
    unsigned place; /* in the server's list; set once the list is complete */
    enum mcti_kind kind : 8;
    unsigned char ui; /* tool: bits of enum mcti_ui_use */
    bool needs_task;  /* tool that 2025-11-25 servers run as a task only (taskSupport "required") */
    bool takes_task;  /* tool that they may run as a task ("optional" or "required") */
    bool annotated;   /* tool with x-mcp-header arguments, which 2026-07-28 repeats in headers */
    char bytes[];     /* a gateway may have 100,000 items: no pointers */
};

/* Returns the raw name, URI or URI template, unescaped; NUL-terminated. */
static inline struct mcti_str mcti_item_id(const struct mcti_item *item)
{
    return (struct mcti_str){ item->bytes, item->id_len };
}

/* Returns the object as its server wrote it. */
static inline struct mcti_str mcti_item_json(const struct mcti_item *item)
{
    return (struct mcti_str){ item->bytes + item->id_len + 1, item->json_len };
}

/* Creates an item. Returns NULL if the object has no usable name or URI (no string, U+0000, unpaired surrogate, longer
 * than mcti_kind_info() allows) or when out of memory. */
struct mcti_item *mcti_item_new(enum mcti_kind kind, struct mcti_str json);

struct mcti_items {
    struct mcti_item **v; /* owned */
    size_t n, cap;
};

int mcti_items_add(struct mcti_items *list, struct mcti_item *take_item);

/* Returns true if `ids`, an index of the ids of the list, has `id`. */
bool mcti_items_have(const struct mcti_items *list, const struct mcti_index *ids, struct mcti_str id);
void mcti_items_clear(struct mcti_items *list);
bool mcti_items_same(const struct mcti_items *a, const struct mcti_items *b);
const struct mcti_item *mcti_items_find(const struct mcti_items *list, struct mcti_str id);

#endif
