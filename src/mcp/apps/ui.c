#include "mcp/apps/ui.h"

static bool ui_contains(struct mcti_str text, const char *word)
{
    return memmem(text.p, text.len, word, strlen(word)) != NULL;
}

struct mcti_str mcti_ui_page_of(struct mcti_str tool)
{
    struct mcti_str meta = mcti_json_get(tool, "_meta"), text;
    struct mcti_str uri = mcti_json_get(mcti_json_get(meta, "ui"), "resourceUri");
    if (mcti_json_type(uri) != '"')
        uri = mcti_json_get(meta, "ui/resourceUri");
    if (mcti_json_type(uri) != '"' || (mcti_json_plain(uri, &text) && !mcti_ui_is_uri(text)))
        return MCT_STR_NONE;
    return uri;
}

/* Without a visibility, or with one that is no array, both may call the tool. */
static bool ui_is_app_only(struct mcti_str tool)
{
    struct mcti_str list = mcti_json_get(mcti_json_get(mcti_json_get(tool, "_meta"), "ui"), "visibility"), one;
    bool for_model = false;
    if (mcti_json_type(list) != '[')
        return false;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &one);)
        for_model |= mcti_json_is(one, "model");
    return !for_model;
}

/* Most tools have neither word. */
unsigned char mcti_ui_use(struct mcti_str tool)
{
    unsigned use = 0;
    if (ui_contains(tool, "esourceUri") && mcti_ui_page_of(tool).p)
        use |= MCT_UI_LINKED;
    if (ui_contains(tool, "visibility") && ui_is_app_only(tool))
        use |= MCT_UI_APP_ONLY;
    return (unsigned char)use;
}

/* Compares media types as the extension writes them: one parameter, any case, optional white space. */
static bool ui_is_mime(struct mcti_str text)
{
    struct mcti_str wanted = MCT_STR(MCT_UI_MIME);
    size_t at = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];
        if (c == ' ' || c == '"')
            continue;
        if (at == wanted.len || (c | 0x20) != (wanted.p[at] | 0x20))
            return false;
        at++;
    }
    return at == wanted.len;
}

bool mcti_ui_is_page(struct mcti_str resource)
{
    struct mcti_str mime;
    return mcti_json_plain(mcti_json_get(resource, "mimeType"), &mime) && ui_is_mime(mime);
}

bool mcti_ui_declared(struct mcti_str capabilities)
{
    return mcti_json_type(mcti_json_get(mcti_json_get(capabilities, "extensions"), MCT_UI_ID)) == '{';
}
