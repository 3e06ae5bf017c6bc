#include "hub/apps/rewrite.h"

#include "base/limits.h"
#include "hub/apps/inject.h"
#include "json/edit.h"
#include "mcp/apps/ui.h"

/* A text while it is written. */
struct rewrite {
    struct mcti_json_edit edit;
    const struct mcti_app_rewrite *how;
    struct mcti_buf uri, scratch, string;
};

static void rewrite_open(struct rewrite *w, const struct mcti_app_rewrite *how, struct mcti_buf *to,
                         struct mcti_str text)
{
    *w = (struct rewrite){ .edit = mcti_json_edit_open(to, text), .how = how };
    mcti_buf_init(&w->uri, MCT_LIMIT_URI_BYTES);
    mcti_buf_init(&w->scratch, MCT_LIMIT_URI_BYTES);
    mcti_buf_init(&w->string, 6 * MCT_LIMIT_URI_BYTES + 2);
}

/* Ends the text. Returns false, with nothing written, if nothing has changed. */
static bool rewrite_close(struct rewrite *w, struct mcti_str text)
{
    bool changed = w->edit.at != text.p;
    if (changed)
        mcti_json_edit_close(&w->edit, text);
    mcti_buf_done(&w->uri);
    mcti_buf_done(&w->scratch);
    mcti_buf_done(&w->string);
    return changed;
}

/* Returns the URI as clients see it; `own`: as the server writes it. */
static struct mcti_str rewrite_shown(struct rewrite *w, struct mcti_str own)
{
    if (w->how->asked.p && mcti_str_eq(own, w->how->asked_own))
        return w->how->asked;
    return mcti_app_uri_show(w->how->uris, w->how->provider, own, &w->scratch);
}

/* Replaces a string that is the URI of a page; any other value is kept. */
static void rewrite_uri(struct rewrite *w, struct mcti_str value)
{
    static const struct mcti_str begin = MCT_STR("\"ui:");
    mcti_buf_clear(&w->uri);
    if (!mcti_str_starts(value, begin) || mcti_json_unescape(value, &w->uri) < 0 || !mcti_buf_ok(&w->uri))
        return;
    struct mcti_str own = mcti_buf_str(&w->uri), shown = rewrite_shown(w, own);
    if (mcti_str_eq(own, shown))
        return;
    mcti_buf_clear(&w->string);
    mcti_json_put_string(&w->string, shown);
    mcti_json_edit_replace(&w->edit, value, mcti_buf_str(&w->string));
}

static void rewrite_member(struct rewrite *w, struct mcti_str object, const char *key)
{
    struct mcti_json_member m;
    if (mcti_json_type(object) == '{')
        for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);)
            if (mcti_json_key_is(m.key, key))
                rewrite_uri(w, m.value);
}

/* The standard member, its flat twin, and those of vendors such as "openai/outputTemplate". */
static void rewrite_meta(struct rewrite *w, struct mcti_str meta)
{
    struct mcti_json_member m;
    if (mcti_json_type(meta) != '{')
        return;
    for (struct mcti_json_iter it = mcti_json_open(meta); mcti_json_next_member(&it, &m);)
        if (mcti_json_key_is(m.key, "ui"))
            rewrite_member(w, m.value, "resourceUri");
        else
            rewrite_uri(w, m.value);
}

void mcti_app_put_item(struct mcti_buf *to, const struct mcti_app_rewrite *how, enum mcti_kind kind,
                       struct mcti_str item)
{
    const char *key = kind == MCT_RESOURCE || kind == MCT_TEMPLATE ? mcti_kind_info(kind)->id_key : NULL;
    struct rewrite w;
    struct mcti_json_member m;
    rewrite_open(&w, how, to, item);
    for (struct mcti_json_iter it = mcti_json_open(item); mcti_json_next_member(&it, &m);)
        if (mcti_json_key_is(m.key, "_meta"))
            rewrite_meta(&w, m.value);
        else if (key && mcti_json_key_is(m.key, key))
            rewrite_uri(&w, m.value);
    if (!rewrite_close(&w, item))
        mcti_buf_add(to, item);
}

/* ---- results ---- */

/* Puts the script into the text of a page, a JSON string. */
static void rewrite_page(struct rewrite *w, struct mcti_str text)
{
    struct mcti_buf script;
    if (mcti_json_type(text) != '"')
        return;
    mcti_buf_init(&script, 6 * w->how->script.len + 2);
    mcti_json_put_string(&script, w->how->script);
    struct mcti_str quoted = mcti_buf_str(&script);
    mcti_json_edit_upto(&w->edit, mcti_app_script_place(text));
    mcti_buf_mind(w->edit.to, quoted);
    if (quoted.len)
        mcti_buf_add(w->edit.to, (struct mcti_str){ quoted.p + 1, quoted.len - 2 });
    mcti_buf_done(&script);
}

/* A block: a link and the contents of a resource have a URI, an embedded resource has it inside. */
static void rewrite_block(struct rewrite *w, struct mcti_str block)
{
    struct mcti_json_member m;
    if (mcti_json_type(block) != '{')
        return;
    bool is_page = w->how->script.p && mcti_ui_is_page(block);
    for (struct mcti_json_iter it = mcti_json_open(block); mcti_json_next_member(&it, &m);)
        if (mcti_json_key_is(m.key, "uri"))
            rewrite_uri(w, m.value);
        else if (mcti_json_key_is(m.key, "resource"))
            rewrite_member(w, m.value, "uri");
        else if (is_page && mcti_json_key_is(m.key, "text"))
            rewrite_page(w, m.value);
}

static void rewrite_blocks(struct rewrite *w, struct mcti_str list)
{
    struct mcti_str one;
    if (mcti_json_type(list) != '[')
        rewrite_block(w, list);
    else
        for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &one);)
            rewrite_block(w, one);
}

static void rewrite_messages(struct rewrite *w, struct mcti_str list)
{
    struct mcti_str one;
    struct mcti_json_member m;
    if (mcti_json_type(list) != '[')
        return;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &one);)
        if (mcti_json_type(one) == '{')
            for (struct mcti_json_iter in = mcti_json_open(one); mcti_json_next_member(&in, &m);)
                if (mcti_json_key_is(m.key, "content"))
                    rewrite_blocks(w, m.value);
}

/* Returns the member of a result that has content blocks, or the contents of resources. */
static const char *rewrite_list_of(enum mcti_verb verb)
{
    switch (verb) {
    case MCT_VERB_TOOLS_CALL:
    case MCT_VERB_TASKS_GET:
        return "content";
    case MCT_VERB_RESOURCES_READ:
        return "contents";
    case MCT_VERB_PROMPTS_GET:
        return "messages";
    default:
        return NULL;
    }
}

bool mcti_app_put_result(struct mcti_buf *to, const struct mcti_app_rewrite *how, enum mcti_verb verb,
                         struct mcti_str result)
{
    const char *list = rewrite_list_of(verb);
    struct rewrite w;
    struct mcti_json_member m;
    if (!list || mcti_json_type(result) != '{')
        return false;
    rewrite_open(&w, how, to, result);
    for (struct mcti_json_iter it = mcti_json_open(result); mcti_json_next_member(&it, &m);) {
        if (mcti_json_key_is(m.key, "_meta"))
            rewrite_meta(&w, m.value);
        else if (!mcti_json_key_is(m.key, list))
            continue;
        else if (verb == MCT_VERB_PROMPTS_GET)
            rewrite_messages(&w, m.value);
        else
            rewrite_blocks(&w, m.value);
    }
    return rewrite_close(&w, result);
}
