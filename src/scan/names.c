/* The names of tools, with the servers that have them, and what the names look like. */
#include "scan/impl.h"

#include "base/table/map.h"

#include <stdlib.h>

struct scan_name {
    struct mcti_map_node node; /* key: name of the tool */
    struct mcti_map_node look; /* key: its skeleton */
    struct scan_name *next;    /* for the end */
    struct mcti_str server;
    char bytes[];
};

struct mcti_scan_names {
    struct mcti_map map, looks;
    struct scan_name *first;
};

struct mcti_scan_names *mcti_scan_names_new(void)
{
    struct mcti_scan_names *names = calloc(1, sizeof *names);
    if (!names)
        return NULL;
    mcti_map_init(&names->map);
    mcti_map_init(&names->looks);
    return names;
}

void mcti_scan_names_free(struct mcti_scan_names *names)
{
    if (!names)
        return;
    for (struct scan_name *n = names->first, *next; n; n = next) {
        next = n->next;
        free(n);
    }
    mcti_map_done(&names->map);
    mcti_map_done(&names->looks);
    free(names);
}

static int names_put(struct mcti_scan_names *names, struct mcti_str server, struct mcti_str tool, struct mcti_str look)
{
    struct scan_name *n = malloc(sizeof *n + server.len + tool.len + look.len);
    if (!n)
        return -1;
    char *at = n->bytes;
    n->server = mcti_str_keep(&at, server.p ? server : MCT_STR(""));
    struct mcti_str key = mcti_str_keep(&at, tool);
    if (mcti_map_put(&names->map, &n->node, key) < 0) {
        free(n);
        return -1;
    }
    n->next = names->first;
    names->first = n;
    return mcti_map_put(&names->looks, &n->look, mcti_str_keep(&at, look));
}

int mcti_scan_names_add(struct mcti_scan_names *names, struct mcti_str server, struct mcti_str tool)
{
    struct mcti_buf look;
    mcti_buf_init(&look, 2 * SCAN_SKELETON_BYTES);
    mcti_scan_skeleton_put(&look, tool, false);
    int r = mcti_buf_ok(&look) ? names_put(names, server, tool, mcti_buf_str(&look)) : -1;
    mcti_buf_done(&look);
    return r;
}

struct mcti_str mcti_scan_names_twin(const struct mcti_scan_names *names, struct mcti_str name)
{
    struct mcti_str twin = MCT_STR_NONE;
    struct mcti_buf look;
    unsigned n = 0;
    mcti_buf_init(&look, 2 * SCAN_SKELETON_BYTES);
    mcti_scan_skeleton_put(&look, name, false);
    const struct mcti_map_node *node = mcti_buf_ok(&look) ? mcti_map_get(&names->looks, mcti_buf_str(&look)) : NULL;
    for (; node && !twin.p && n < 64; node = node->next, n++) {
        const struct scan_name *found = MCT_CONTAINER((struct mcti_map_node *)node, struct scan_name, look);
        if (mcti_str_eq(node->key, mcti_buf_str(&look)) && !mcti_str_eq_nocase(found->node.key, name))
            twin = found->node.key;
    }
    mcti_buf_done(&look);
    return twin;
}

bool mcti_scan_names_foreign(const struct mcti_scan_names *names, struct mcti_str server, struct mcti_str name,
                             bool *ret_own)
{
    bool foreign = false;
    unsigned n = 0;
    for (const struct mcti_map_node *node = mcti_map_get(&names->map, name); node && n < 64; node = node->next, n++) {
        if (!mcti_str_eq(node->key, name))
            continue;
        const struct scan_name *found = MCT_CONTAINER(node, struct scan_name, node);
        bool same = mcti_str_eq(found->server, server.p ? server : MCT_STR(""));
        *ret_own |= same;
        foreign |= !same;
    }
    return foreign;
}
