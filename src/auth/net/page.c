#include "auth/net/page.h"

#include "base/base64.h"

#include <openssl/evp.h>

static const char style[] =
    ":root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--line:#e1e4ea;--text:#1b1f26;--soft:#5b6470;"
    "--good:#17803d;--bad:#b42318}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#14171c;--card:#1d2127;--line:#303640;--text:#eceff3;"
    "--soft:#a3acb8;--good:#4ccb7a;--bad:#ff7b6e}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--back);"
    "color:var(--text);font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif}\n"
    "main{max-width:28rem;width:100%;padding:2.5rem 2rem;text-align:center;background:var(--card);"
    "border:1px solid var(--line);border-radius:.9rem}\n"
    "svg{width:3.25rem;height:3.25rem;fill:none;stroke:currentColor;stroke-width:2.5;stroke-linecap:round;"
    "stroke-linejoin:round}\n"
    ".good{color:var(--good)}.bad{color:var(--bad)}\n"
    "h1{margin:.9rem 0 .5rem;font-size:1.35rem;line-height:1.3}\n"
    "p{margin:.35rem 0;color:var(--soft);overflow-wrap:anywhere}\n"
    "b{color:var(--text)}\n"
    "footer{margin-top:1.75rem;font-size:.8rem;color:var(--soft)}\n";

static const char tick[] = "<path d=\"M14 24.5l7 7 13-14\"/>", cross[] = "<path d=\"M17 17l14 14M31 17l-14 14\"/>",
                  question[] = "<path d=\"M18.5 18.5a5.5 5.5 0 1 1 8 5c-1.8 1-2.5 2-2.5 4M24 33v.1\"/>";

static const struct page {
    int status;
    const char *color, *sign, *title, *before, *after; /* the name of the server is between the last two */
} pages[] = {
    [MCT_PAGE_DONE] = { 200, "good", tick, "You can close this window",
                        "mcptools has received the answer and finishes the login to ", "." },
    [MCT_PAGE_DENIED] = { 403, "bad", cross, "Not logged in", "mcptools was not allowed to use ",
                          ". The program that asked for the login shows the reason. You can close this window." },
    [MCT_PAGE_UNKNOWN] = { 400, "bad", question, "This page belongs to no login",
                           "The address does not fit the login to ",
                           " that is in progress. Use the newest link that mcptools has shown." },
};

static void page_put_escaped(struct mcti_buf *to, const char *text)
{
    static const char *const escapes[256] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"
    };
    for (; *text; text++) {
        const char *escape = escapes[(unsigned char)*text];
        if (escape)
            mcti_buf_addz(to, escape);
        else
            mcti_buf_addc(to, *text);
    }
}

int mcti_page_put(struct mcti_buf *to, enum mcti_redirect_page page, const char *server)
{
    const struct page *p = &pages[page];
    mcti_buf_printf(
        to,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<title>%s – mcptools</title>\n<style>%s</style>\n<main>\n"
        "<svg class=\"%s\" viewBox=\"0 0 48 48\" aria-hidden=\"true\"><circle cx=\"24\" cy=\"24\" r=\"21\"/>"
        "%s</svg>\n<h1>%s</h1>\n<p>%s<b><bdi>",
        p->title, style, p->color, p->sign, p->title, p->before);
    page_put_escaped(to, server);
    mcti_buf_printf(to, "</bdi></b>%s</p>\n<footer>mcptools " MCT_VERSION "</footer>\n</main>\n</html>\n", p->after);
    return p->status;
}

void mcti_page_put_headers(struct mcti_buf *to)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    mcti_buf_addz(to, "Content-Security-Policy: default-src 'none'; style-src 'sha256-");
    if (EVP_Digest(style, sizeof style - 1, digest, &n, EVP_sha256(), NULL) == 1) /* otherwise the page has no style */
        mcti_base64_put(to, (struct mcti_str){ (const char *)digest, n });
    mcti_buf_addz(to, "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
                      "Cache-Control: no-store\r\n"
                      "Referrer-Policy: no-referrer\r\n"
                      "X-Content-Type-Options: nosniff\r\n");
}
