/*
 * Server cards (SEP-2127, experimental): documents that say who a server is and how to connect to it, for clients that
 * have not connected yet. /mcp and /mcp/NAME each have one, and /.well-known/ai-catalog.json lists them.
 */
#include "front/page/impl.h"

#include "json/strings.h"
#include "json/write.h"

#include <ctype.h>

enum { CARD_TEXT_CHARS = 100, CARD_TEXT_BYTES = 65536 };

static const char card_suffix[] = "/server-card";
static const char card_type[] = "application/mcp-server-card+json";

/* Appends a domain in the order of reverse DNS: com.example for example.com. */
static void card_put_reversed(struct mcti_buf *to, struct mcti_str domain)
{
    for (const char *dot; (dot = memrchr(domain.p, '.', domain.len)); domain = mcti_str_range(domain.p, dot)) {
        mcti_buf_add(to, mcti_str_range(dot + 1, domain.p + domain.len));
        mcti_buf_addc(to, '.');
    }
    mcti_buf_add(to, domain);
}

static const char *card_name(const struct mcti_http_endpoint *e)
{
    return e->name ? e->name : "mcptools";
}

/* Appends a name with the characters that names of cards may have: others become -XX. */
static void card_put_name(struct mcti_buf *to, const char *name)
{
    for (; *name; name++)
        if (isalnum((unsigned char)*name) || strchr("._-", *name))
            mcti_buf_addc(to, *name);
        else
            mcti_buf_printf(to, "-%02X", (unsigned char)*name);
}

/* Appends a member with the beginning of a text, a JSON string that a server has written. Returns false if there is no
 * text. */
static bool card_put_text(struct mcti_buf *to, const char *key, struct mcti_str value)
{
    struct mcti_buf text;
    size_t n;
    mcti_buf_init(&text, CARD_TEXT_BYTES);
    bool has_text = mcti_json_type(value) == '"' && mcti_json_unescape_any(value, &text) == 0 && text.len;
    if (has_text)
        mcti_json_put_member(to, key, mcti_utf8_head(mcti_buf_str(&text), CARD_TEXT_CHARS, &n));
    mcti_buf_done(&text);
    return has_text;
}

/* Appends the URL of something below the endpoint. */
static void card_put_url(struct mcti_buf *to, const struct mcti_http_visit *v, const struct mcti_http_endpoint *e,
                         const char *below)
{
    struct mcti_buf url;
    mcti_buf_init(&url, CARD_TEXT_BYTES);
    mcti_page_put_url(&url, v, e->path);
    mcti_buf_addz(&url, below);
    mcti_json_put_member(to, "url", mcti_buf_str(&url));
    mcti_buf_done(&url);
}

/* Appends how to connect to the endpoint. */
static void card_put_remotes(struct mcti_buf *to, const struct mcti_http_visit *v, const struct mcti_http_endpoint *e)
{
    mcti_buf_addz(to, ",\"remotes\":[{\"type\":\"streamable-http\"");
    card_put_url(to, v, e, "");
    mcti_buf_addz(to, ",\"supportedProtocolVersions\":[");
    for (int rev = MCT_REV_LATEST; rev >= MCT_REV_2025_03_26; rev--) /* the first one over Streamable HTTP */
        mcti_buf_printf(to, "\"%s\"%s", mcti_rev_text((enum mcti_rev)rev), rev > MCT_REV_2025_03_26 ? "," : "]");
    if (v->front->guard.n_tokens)
        mcti_buf_addz(to, ",\"headers\":[{\"name\":\"Authorization\",\"value\":\"Bearer {token}\",\"isRequired\":true,"
                          "\"isSecret\":true,\"variables\":{\"token\":{\"description\":\"A token of this gateway.\","
                          "\"isRequired\":true,\"isSecret\":true}}}]");
    mcti_buf_addz(to, "}]");
}

/* Returns the Implementation object of the endpoint; absent: the server has not connected yet, or may not show it. */
static struct mcti_str card_info(const struct mcti_front_http *f, const struct mcti_http_endpoint *e)
{
    const struct mcti_provider *p = e->name ? mcti_registry_find(f->gateway->registry, mcti_str_of(e->name)) : NULL;
    return !e->name ? mcti_str_of(f->gateway->present.server_info) : p ? mcti_provider_server_info(p) : MCT_STR_NONE;
}

static void card_put(struct mcti_buf *to, const struct mcti_http_visit *v, const struct mcti_http_endpoint *e)
{
    struct mcti_str info = card_info(v->front, e);
    mcti_buf_addz(to, "{\"$schema\":\"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json\","
                      "\"name\":\"");
    card_put_reversed(to, mcti_guard_domain(mcti_http_get(v->x, "host")));
    mcti_buf_addc(to, '/');
    card_put_name(to, card_name(e));
    mcti_buf_addc(to, '"');
    if (!card_put_text(to, "version", mcti_json_get(info, "version")))
        mcti_json_put_member(to, "version", MCT_STR("0"));
    if (!card_put_text(to, "title", mcti_json_get(info, "title")))
        mcti_json_put_member(to, "title", mcti_str_of(card_name(e)));
    if (!card_put_text(to, "description", mcti_json_get(info, "description")))
        mcti_json_put_member(to, "description",
                             e->name ? MCT_STR("An MCP server behind a gateway")
                                     : MCT_STR("A gateway to several MCP servers"));
    card_put_remotes(to, v, e);
    mcti_buf_addz(to, "}\n");
}

static void card_reply(const struct mcti_http_visit *v, const char *type, struct mcti_buf *take_text)
{
    static const char headers[] = "Cache-Control: private, max-age=60\r\nVary: Authorization\r\n"
                                  "X-Content-Type-Options: nosniff\r\n";
    if (!mcti_str_is(mcti_http_method(v->x), "GET"))
        mcti_http_reply_plain(v->x, 405, MCT_STR("Allow: GET\r\n"), "usage", "method not allowed");
    else
        mcti_http_reply(v->x, mcti_buf_ok(take_text) ? 200 : 500, type, mcti_str_of(headers), mcti_buf_str(take_text));
    mcti_buf_done(take_text);
}

void mcti_page_card(const struct mcti_http_visit *v)
{
    struct mcti_str path = mcti_http_path(v->x);
    struct mcti_buf b;
    size_t i = 0;
    path.len -= sizeof card_suffix - 1;
    while (i < v->front->n_endpoints && !mcti_http_endpoint_is(v->front->endpoints[i], path))
        i++;
    if (i == v->front->n_endpoints) {
        mcti_page_reply_unknown(v);
        return;
    }
    mcti_buf_init(&b, 1u << 20);
    card_put(&b, v, v->front->endpoints[i]);
    card_reply(v, card_type, &b);
}

/* Lists the cards that the sender may read: without a token that it needs, the one of /mcp. */
void mcti_page_catalog(const struct mcti_http_visit *v)
{
    bool knows_all = !v->front->guard.n_tokens || v->principal;
    struct mcti_buf b;
    mcti_buf_init(&b, 8u << 20);
    mcti_buf_addz(&b, "{\"specVersion\":\"1.0\",\"entries\":[");
    for (size_t i = 0; i < (knows_all ? v->front->n_endpoints : 1); i++) {
        const struct mcti_http_endpoint *e = v->front->endpoints[i];
        if (!mcti_http_endpoint_exists(e))
            continue;
        mcti_buf_printf(&b, "%s{\"identifier\":\"urn:air:", i ? "," : "");
        mcti_buf_add(&b, mcti_guard_domain(mcti_http_get(v->x, "host")));
        mcti_buf_addz(&b, ":mcp:");
        card_put_name(&b, card_name(e));
        mcti_buf_printf(&b, "\",\"type\":\"%s\"", card_type);
        card_put_url(&b, v, e, card_suffix);
        mcti_buf_addc(&b, '}');
    }
    mcti_buf_addz(&b, "]}\n");
    card_reply(v, "application/ai-catalog+json", &b);
}
