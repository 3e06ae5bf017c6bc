/* What the running gateway knows: the lists of its servers, and values that a server proposes. */
#include "cli/complete/impl.h"

#include "control/client.h"
#include "json/write.h"
#include "mcp/method.h"

#include <stdlib.h>

/* Parts of the time limit, so that others can answer after a gateway that does not. */
static unsigned list_ms(const struct mcti_complete *c)
{
    return c->limit_ms / 5;
}

static unsigned propose_ms(const struct mcti_complete *c)
{
    return c->limit_ms / 2;
}

/* Connects to a server of the running gateway as a client. The caller closes *client in any case. */
static int live_attach(struct mcti_complete *c, const char *server, struct mcti_control_client *client)
{
    static const char hello[] = "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                                "\"clientInfo\":{\"name\":\"mcptools-completion\",\"version\":\"" MCT_VERSION "\"}}";
    struct mct_error err;
    struct mcti_str result;
    if (mcti_control_client_attach(client, mcti_complete_config(c), server, list_ms(c), &err) < 0)
        return -1;
    return mcti_control_request(client, "initialize", mcti_str_of(hello), list_ms(c), &result, &err);
}

bool mcti_complete_live_items(struct mcti_complete *c, const struct mcti_complete_items *items)
{
    const struct mcti_kind_info *kind = mcti_kind_info(items->kind);
    struct mcti_control_client client;
    struct mct_error err;
    struct mcti_str result, item;
    bool known = live_attach(c, items->server, &client) == 0 &&
                 mcti_control_request(&client, mcti_method(kind->list_verb)->name, MCT_STR("{}"), list_ms(c), &result,
                                      &err) == 0;
    if (known)
        for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, kind->list_key));
             mcti_json_next_item(&it, &item);)
            items->each(c, items, item);
    mcti_control_client_close(&client);
    return known;
}

/* ---- values ---- */

/* Appends the arguments that have been typed, as an object. */
static void live_put_given(struct mcti_buf *to, const struct mcti_complete *c)
{
    bool any = false;
    mcti_buf_addc(to, '{');
    for (size_t i = 1; i < c->words.n; i++) {
        const char *word = c->words.v[i], *eq = strchr(word, '=');
        if (!eq)
            continue;
        mcti_buf_addz(to, any ? "," : "");
        mcti_json_put_string(to, mcti_str_range(word, eq));
        mcti_buf_addc(to, ':');
        mcti_json_put_string(to, mcti_str_of(eq + 1));
        any = true;
    }
    mcti_buf_addc(to, '}');
}

/* Asks the server for values. `ref`: the object that says of what, as JSON. */
static void live_propose(struct mcti_complete *c, const char *server, struct mcti_str ref, struct mcti_str argument)
{
    struct mcti_control_client client = { .fd = -1 };
    struct mct_error err;
    struct mcti_str result, item;
    struct mcti_buf b, value;
    mcti_buf_init(&b, 1u << 20);
    mcti_buf_init(&value, 1u << 16);
    mcti_buf_addz(&b, "{\"ref\":");
    mcti_buf_add(&b, ref);
    mcti_buf_addz(&b, ",\"argument\":{");
    mcti_json_put_member(&b, "name", argument);
    mcti_json_put_member(&b, "value", c->current);
    mcti_buf_addz(&b, "},\"context\":{\"arguments\":");
    live_put_given(&b, c);
    mcti_buf_addz(&b, "}}");
    if (mcti_buf_ok(&b) && live_attach(c, server, &client) == 0 &&
        mcti_control_request(&client, "completion/complete", mcti_buf_str(&b), propose_ms(c), &result, &err) == 0)
        for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(mcti_json_get(result, "completion"), "values"));
             mcti_json_next_item(&it, &item);) {
            mcti_buf_clear(&value);
            if (mcti_json_unescape(item, &value) == 0)
                mcti_complete_add(c, mcti_buf_str(&value), MCT_STR_NONE);
        }
    mcti_control_client_close(&client);
    mcti_buf_done(&b);
    mcti_buf_done(&value);
}

void mcti_complete_prompt_values(struct mcti_complete *c, const char *server, struct mcti_str prompt,
                                 struct mcti_str key)
{
    struct mcti_buf ref;
    mcti_buf_init(&ref, 1u << 16);
    mcti_buf_addz(&ref, "{\"type\":\"ref/prompt\",\"name\":");
    mcti_buf_add(&ref, mcti_json_get(prompt, "name"));
    mcti_buf_addc(&ref, '}');
    if (mcti_buf_ok(&ref))
        live_propose(c, server, mcti_buf_str(&ref), key);
    mcti_buf_done(&ref);
}

void mcti_complete_template_values(struct mcti_complete *c, const char *server, struct mcti_str template)
{
    struct mcti_buf text, ref;
    mcti_buf_init(&text, 1u << 16);
    mcti_buf_init(&ref, 1u << 16);
    struct mcti_str uri = mcti_complete_text(template, "uriTemplate", &text);
    const char *open = memchr(uri.p, '{', uri.len),
               *end = open ? memchr(open, '}', uri.len - (size_t)(open - uri.p)) : NULL;
    struct mcti_str head = { uri.p, open ? (size_t)(open - uri.p) : 0 };
    if (end && mcti_str_starts(c->current, head)) {
        mcti_buf_addz(&ref, "{\"type\":\"ref/resource\",\"uri\":");
        mcti_buf_add(&ref, mcti_json_get(template, "uriTemplate"));
        mcti_buf_addc(&ref, '}');
        const struct mcti_str current = c->current, before = c->before;
        c->before = mcti_str_range(c->typed, current.p + head.len);
        c->current = (struct mcti_str){ current.p + head.len, current.len - head.len };
        live_propose(c, server, mcti_buf_str(&ref), mcti_str_range(open + 1, end));
        c->before = before;
        c->current = current;
    }
    mcti_buf_done(&text);
    mcti_buf_done(&ref);
}
