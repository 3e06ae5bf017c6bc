#include "resources/prompt_block.h"

#include "hub/core/untrusted.h"
#include "json/scan.h"

enum { TEXT_MAX = 2048, BLOCK_MAX = 16384 };

static const char head[] = "\nResource Access Guidelines:\n"
                           "1. Use the \"mcp_read_resource\" tool to fetch resource content.\n"
                           "2. Use the \"mcp_list_resources\" tool to see all available resources.\n"
                           "3. Provide either \"uri\" or \"resourceName\" parameter.\n"
                           "\n\nAvailable resources:\n";

/* What stands before the text, and after it; nothing when there is no text. */
static void put_line(struct mct_buf *to, const char *before, struct mct_str value, const char *after)
{
    size_t from = to->len;
    mct_buf_addz(to, before);
    size_t text = to->len;
    mct_untrusted_put_json(to, value, TEXT_MAX);
    if (to->len == text)
        to->len = from;
    else
        mct_buf_addz(to, after);
}

/* False when its URI is too long to be told. */
static bool put_resource(struct mct_buf *to, size_t number, struct mct_str item)
{
    struct mct_buf uri;
    struct mct_str name = mct_json_get(item, "name");
    mct_buf_init(&uri, TEXT_MAX + 1);
    bool whole = mct_untrusted_put_json(&uri, mct_json_get(item, "uri"), TEXT_MAX);
    if (whole) {
        mct_buf_printf(to, "%zu. ", number);
        mct_untrusted_put_json(to, name.p ? name : mct_json_get(item, "uri"), TEXT_MAX);
        put_line(to, " - ", mct_json_get(item, "description"), "");
        mct_buf_printf(to, "\n   URI: %.*s\n", MCT_STR_ARG(mct_buf_str(&uri)));
        put_line(to, "   Type: ", mct_json_get(item, "mimeType"), "\n");
        mct_buf_addc(to, '\n');
    }
    mct_buf_done(&uri);
    return whole;
}

static size_t count(const struct mct_view *v)
{
    size_t n = 0;
    for (size_t i = 0; i < mct_view_n_providers(v); i++)
        n += mct_view_provider(v, i)->items[MCT_RESOURCE].n;
    return n;
}

/* The resources of one server as long as there is room; returns how many were told. */
static size_t put_server(struct mct_buf *to, const struct mct_provider *p, size_t number, bool *full)
{
    size_t told = 0;
    for (size_t i = 0; i < p->items[MCT_RESOURCE].n && !*full; i++) {
        size_t before = to->len;
        bool ok = put_resource(to, number + told, p->items[MCT_RESOURCE].v[i]->json);
        *full = to->len > BLOCK_MAX || !mct_buf_ok(to);
        if (!ok || *full)
            to->len = before;
        else
            told++;
    }
    return told;
}

void mct_prompt_block(struct mct_buf *to, const struct mct_view *v)
{
    size_t n = count(v), told = 0;
    struct mct_buf block;
    bool full = false;
    if (!n)
        return;
    mct_buf_init(&block, 2 * BLOCK_MAX);
    mct_buf_addz(&block, head);
    for (size_t i = 0; i < mct_view_n_providers(v) && !full; i++)
        told += put_server(&block, mct_view_provider(v, i), told + 1, &full);
    block.failed = false; /* what did not fit has been cut off */
    if (told < n)
        mct_buf_printf(&block, "... (+%zu more)\n", n - told);
    mct_buf_add(to, mct_buf_str(&block));
    mct_buf_done(&block);
}
