#include "resources/prompt_block.h"

#include "hub/core/untrusted.h"
#include "json/scan.h"
#include "mcp/apps/ui.h"

enum { TEXT_MAX = 2048, BLOCK_MAX = 16384 };

static const char head[] = "\nResource Access Guidelines:\n"
                           "1. Use the \"%s_read_resource\" tool to fetch resource content.\n"
                           "2. Use the \"%s_list_resources\" tool to see all available resources.\n"
                           "3. Provide either \"uri\" or \"resourceName\" parameter.\n"
                           "\n\nAvailable resources:\n";

/* Appends `before`, the value as text and `after`; appends nothing if the value is empty. */
static void prompt_block_put_line(struct mcti_buf *to, const char *before, struct mcti_str value, const char *after)
{
    size_t from = to->len;
    mcti_buf_addz(to, before);
    size_t text = to->len;
    mcti_untrusted_put_json(to, value, TEXT_MAX);
    if (to->len == text)
        to->len = from;
    else
        mcti_buf_addz(to, after);
}

/* Appends one resource; returns false if its URI is too long. */
static bool prompt_block_put_resource(struct mcti_buf *to, size_t number, struct mcti_str item)
{
    struct mcti_buf uri;
    struct mcti_str name = mcti_json_get(item, "name");
    mcti_buf_init(&uri, TEXT_MAX + 1);
    bool whole = mcti_untrusted_put_json(&uri, mcti_json_get(item, "uri"), TEXT_MAX);
    if (whole) {
        mcti_buf_printf(to, "%zu. ", number);
        mcti_untrusted_put_json(to, name.p ? name : mcti_json_get(item, "uri"), TEXT_MAX);
        prompt_block_put_line(to, " - ", mcti_json_get(item, "description"), "");
        mcti_buf_printf(to, "\n   URI: %.*s\n", MCT_STR_ARG(mcti_buf_str(&uri)));
        prompt_block_put_line(to, "   Type: ", mcti_json_get(item, "mimeType"), "\n");
        mcti_buf_addc(to, '\n');
    }
    mcti_buf_done(&uri);
    return whole;
}

static size_t prompt_block_count(const struct mcti_view *v)
{
    size_t n = 0;
    for (size_t i = 0; i < mcti_view_n_providers(v); i++)
        for (size_t k = 0; k < mcti_view_provider(v, i)->items[MCT_RESOURCE].n; k++)
            n += !mcti_ui_is_page(mcti_item_json(mcti_view_provider(v, i)->items[MCT_RESOURCE].v[k]));
    return n;
}

/* Appends the resources of one server while there is room; returns how many were appended. */
static size_t prompt_block_put_server(struct mcti_buf *to, const struct mcti_provider *p, size_t number, bool *full)
{
    size_t n_put = 0;
    for (size_t i = 0; i < p->items[MCT_RESOURCE].n && !*full; i++) {
        if (mcti_ui_is_page(mcti_item_json(p->items[MCT_RESOURCE].v[i])))
            continue;
        size_t before = to->len;
        bool ok = prompt_block_put_resource(to, number + n_put, mcti_item_json(p->items[MCT_RESOURCE].v[i]));
        *full = to->len > BLOCK_MAX || !mcti_buf_ok(to);
        if (!ok || *full)
            to->len = before;
        else
            n_put++;
    }
    return n_put;
}

void mcti_prompt_block(struct mcti_buf *to, const struct mcti_view *v, const char *prefix)
{
    size_t n = prompt_block_count(v), n_put = 0;
    struct mcti_buf block;
    bool full = false;
    if (!n)
        return;
    mcti_buf_init(&block, 2 * BLOCK_MAX);
    mcti_buf_printf(&block, head, prefix, prefix);
    for (size_t i = 0; i < mcti_view_n_providers(v) && !full; i++)
        n_put += prompt_block_put_server(&block, mcti_view_provider(v, i), n_put + 1, &full);
    block.failed = false; /* the part that did not fit has been cut off */
    if (n_put < n)
        mcti_buf_printf(&block, "... (+%zu more)\n", n - n_put);
    mcti_buf_add(to, mcti_buf_str(&block));
    mcti_buf_done(&block);
}
