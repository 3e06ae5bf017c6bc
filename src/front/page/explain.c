/* What a person gets who opens an MCP endpoint in a browser. */
#include "front/page/impl.h"

#include "json/write.h"

/* Appends text as HTML. */
static void html_put(struct mcti_buf *to, struct mcti_str text)
{
    static const struct {
        char c;
        const char *entity;
    } rows[] = { { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" } };
    for (size_t i = 0; i < text.len; i++) {
        size_t k = 0;
        while (k < sizeof rows / sizeof *rows && rows[k].c != text.p[i])
            k++;
        if (k < sizeof rows / sizeof *rows)
            mcti_buf_addz(to, rows[k].entity);
        else
            mcti_buf_addc(to, text.p[i]);
    }
}

/* Appends the configuration of a client for the endpoint. */
static void snippet_put(struct mcti_buf *to, const struct mcti_http_visit *v, struct mcti_str url)
{
    struct mcti_buf json;
    mcti_buf_init(&json, 65536);
    mcti_buf_addz(&json, "{ \"mcpServers\": {\n    ");
    mcti_json_put_string(&json, mcti_str_of(v->endpoint && v->endpoint->name ? v->endpoint->name : "mcptools"));
    mcti_buf_addz(&json, ": { \"type\": \"http\", \"url\": ");
    mcti_json_put_string(&json, url);
    if (v->front->guard.n_tokens)
        mcti_buf_addz(&json, ",\n      \"headers\": { \"Authorization\": \"Bearer YOUR-TOKEN\" }");
    mcti_buf_addz(&json, " }\n} }");
    html_put(to, mcti_buf_str(&json));
    mcti_buf_done(&json);
}

void mcti_page_put_url(struct mcti_buf *to, const struct mcti_http_visit *v, const char *path)
{
    bool is_tls = mcti_str_is(mcti_http_get(v->x, "x-forwarded-proto"), "https");
    mcti_buf_addz(to, is_tls ? "https://" : "http://");
    mcti_buf_add(to, mcti_http_get(v->x, "host"));
    mcti_buf_addz(to, path);
}

static const char explain_head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
    "content=\"width=device-width\"><title>mcptools: an MCP endpoint</title><link rel=\"icon\" "
    "href=\"/page/icon.svg\"><link rel=\"stylesheet\" href=\"/page/style.css\"></head><body class=\"explain\"><main>\n"
    "<h1>An MCP endpoint</h1>\n<p>Programs that speak the Model Context Protocol connect to this URL; it is not for "
    "browsers. ";

void mcti_page_explain(const struct mcti_http_visit *v, int status)
{
    struct mcti_buf b, url;
    mcti_buf_init(&b, 1u << 20);
    mcti_buf_init(&url, 65536);
    mcti_page_put_url(&url, v, v->endpoint ? v->endpoint->path : "/mcp");
    mcti_buf_addz(&b, explain_head);
    if (v->endpoint && v->endpoint->name) {
        mcti_buf_addz(&b, "It offers the tools of the server <b>");
        html_put(&b, mcti_str_of(v->endpoint->name));
        mcti_buf_addz(&b, "</b>, under their own names.</p>\n");
    } else {
        mcti_buf_addz(&b, "It offers the tools of all servers that are configured here.</p>\n");
    }
    if (status == 401)
        mcti_buf_addz(&b, "<p>It needs a token, which clients send in the header <code>Authorization</code>.</p>\n");
    mcti_buf_addz(&b, "<p>Configuration of a client:</p>\n<pre>");
    snippet_put(&b, v, mcti_buf_str(&url));
    mcti_buf_addz(&b, "</pre>\n<p><a href=\"/\">Status of this gateway</a></p>\n</main></body></html>\n");
    mcti_http_reply(
        v->x, status, "text/html; charset=utf-8",
        status == 401
            ? MCT_STR("WWW-Authenticate: Bearer\r\nCache-Control: no-store\r\n" MCT_PAGE_HEADERS MCT_PAGE_POLICY)
            : MCT_STR("Vary: Accept\r\nCache-Control: no-store\r\n" MCT_PAGE_HEADERS MCT_PAGE_POLICY),
        mcti_buf_str(&b));
    mcti_buf_done(&url);
    mcti_buf_done(&b);
}
