#include "hub/core/hosted.h"

#include "json/write.h"

#include <stdlib.h>

enum { MAX_SENTENCE = 64 << 10 };

bool mcti_hosted_take(struct mcti_provider *p, struct mcti_str meta)
{
    struct mcti_str report = mcti_json_get(meta, "openclaw/plugins");
    char *copy = p->hosts_plugins && mcti_json_type(report) == '[' ? mcti_str_dup(report) : NULL;
    if (!copy)
        return false;
    free(p->info.plugins);
    p->info.plugins = copy;
    return true;
}

static struct mcti_json_iter hosted_open(const struct mcti_provider *p)
{
    bool is_known = p->hosts_plugins && p->info.plugins && p->state == MCT_CONNECTED;
    return mcti_json_open(is_known ? mcti_str_of(p->info.plugins) : MCT_STR("[]"));
}

static bool hosted_is(struct mcti_str plugin, const char *state)
{
    struct mcti_str is = MCT_STR_NONE;
    mcti_json_plain(mcti_json_get(plugin, "state"), &is);
    return mcti_str_is(is, state);
}

static bool hosted_failed(struct mcti_str plugin)
{
    return !hosted_is(plugin, "loaded") && !mcti_json_true(mcti_json_get(plugin, "disabled"));
}

bool mcti_hosted_whole(const struct mcti_provider *p)
{
    struct mcti_str one;
    for (struct mcti_json_iter it = hosted_open(p); mcti_json_next_item(&it, &one);)
        if (hosted_failed(one))
            return false;
    return true;
}

bool mcti_hosted_blocks(const struct mcti_provider *p)
{
    struct mcti_str one;
    for (struct mcti_json_iter it = hosted_open(p); mcti_json_next_item(&it, &one);)
        if (hosted_is(one, "down") && mcti_json_double(mcti_json_get(one, "hooks")) > 0)
            return !p->hooks_pass;
    return false;
}

static void hosted_put_text(struct mcti_buf *to, struct mcti_str text)
{
    mcti_json_unescape_any(text, to);
}

/* Writes the texts of a list, separated by commas. Returns whether there was one. */
static bool hosted_put_texts(struct mcti_buf *to, struct mcti_str list)
{
    struct mcti_str one;
    bool any = false;
    if (mcti_json_type(list) != '[')
        return false;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &one); any = true) {
        mcti_buf_addz(to, any ? ", " : "");
        hosted_put_text(to, one);
    }
    return any;
}

/* Each of these writes a sentence about a plugin and returns whether there is something to say. */

static bool hosted_put_fault(struct mcti_buf *to, struct mcti_str plugin)
{
    if (!hosted_failed(plugin)) {
        mcti_buf_addz(to, "needs functions that only OpenClaw has: ");
        return hosted_put_texts(to, mcti_json_get(plugin, "needs"));
    }
    mcti_buf_addz(to, hosted_is(plugin, "down") ? "is down: " : "is left out: ");
    hosted_put_text(to, mcti_json_get(plugin, "reason"));
    return true;
}

static bool put_off(struct mcti_buf *to, struct mcti_str plugin)
{
    mcti_buf_addz(to, "has optional tools that are off: ");
    if (!hosted_put_texts(to, mcti_json_get(plugin, "off")))
        return false;
    mcti_buf_addz(to, "; to turn them on, put their names or ");
    hosted_put_text(to, mcti_json_get(plugin, "id"));
    mcti_buf_addz(to, " into config.tools.allow of the server's entry");
    return true;
}

static bool put_ignored(struct mcti_buf *to, struct mcti_str plugin)
{
    mcti_buf_addz(to, "uses functions that have no effect here: ");
    return hosted_put_texts(to, mcti_json_get(plugin, "ignored"));
}

void mcti_hosted_tell(const struct mcti_provider *p, enum mcti_hosted_topic topic,
                      void (*tell)(void *data, const char *text), void *data)
{
    static bool (*const topics[])(struct mcti_buf *, struct mcti_str) = {
        [MCT_HOSTED_FAULTS] = hosted_put_fault, [MCT_HOSTED_OFF] = put_off, [MCT_HOSTED_IGNORED] = put_ignored
    };
    struct mcti_str one;
    for (struct mcti_json_iter it = hosted_open(p); mcti_json_next_item(&it, &one);) {
        struct mcti_buf b;
        mcti_buf_init(&b, MAX_SENTENCE);
        mcti_buf_addz(&b, "plugin '");
        hosted_put_text(&b, mcti_json_get(one, "id"));
        mcti_buf_addz(&b, "' ");
        bool any = topics[topic](&b, one);
        char *text = any ? mcti_buf_take(&b) : NULL;
        if (text)
            tell(data, text);
        free(text);
        mcti_buf_done(&b);
    }
}
