#include "cli/scan/scan.h"

#include "json/write.h"

static const char *const kinds[MCT_KIND_N] = {
    [MCT_TOOL] = "tool",
    [MCT_RESOURCE] = "resource",
    [MCT_TEMPLATE] = "template",
    [MCT_PROMPT] = "prompt",
};

void mcti_scan_gather_names(struct mcti_scan_document *d, const struct mcti_provider *p)
{
    for (size_t i = 0; i < p->items[MCT_TOOL].n; i++)
        if (mcti_scan_names_add(d->names, mcti_str_of(p->name), mcti_item_id(p->items[MCT_TOOL].v[i])) < 0)
            d->failed = true;
}

/* Instructions are plain text. */
static void gather_said(struct mcti_scan_document *d, const struct mcti_provider *p)
{
    struct mcti_str server = mcti_str_of(p->name), info = mcti_str_of(p->info.server_info);
    struct mcti_buf text;
    if (p->info.instructions) {
        mcti_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
        mcti_json_put_string(&text, mcti_str_of(p->info.instructions));
        if (mcti_buf_ok(&text))
            mcti_scan_document_add(d, server, "instructions", MCT_STR_NONE, mcti_buf_str(&text));
        d->failed |= !mcti_buf_ok(&text);
        mcti_buf_done(&text);
    }
    if (info.p)
        mcti_scan_document_add(d, server, "server", MCT_STR_NONE, info);
}

void mcti_scan_gather(struct mcti_scan_document *d, const struct mcti_provider *p)
{
    gather_said(d, p);
    for (int k = 0; k < MCT_KIND_N; k++)
        for (size_t i = 0; i < p->items[k].n; i++)
            mcti_scan_document_add(d, mcti_str_of(p->name), kinds[k], mcti_item_id(p->items[k].v[i]),
                                   mcti_item_json(p->items[k].v[i]));
}
