/* The data of the status page that is not sent by itself, and its only command: to start a server again. */
#include "front/page/impl.h"

#include "base/limits.h"
#include "front/http/face.h"
#include "json/write.h"

#include <ctype.h>

enum { FOUND_MAX = 100, SEARCHED_BYTES = 1024, WORDS_BYTES = 256 };

void mcti_page_overview(const struct mcti_http_visit *v)
{
    struct mcti_buf b;
    if (!mcti_page_admit(v, "GET", MCT_VIEWER_MEMBER))
        return;
    bool owner = mcti_page_viewer_of(v->front, v->principal) == MCT_VIEWER_OWNER;
    struct mcti_overview_opts o = { .quiet = !owner };
    o.principal = owner ? MCT_STR_NONE : v->front->visitors[v->principal]->principal->name;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_overview_put(&b, v->front->gateway, &o);
    mcti_page_reply_json(v, &b);
}

/* Returns the server that the request names; answers and returns NULL if there is none. */
static struct mcti_provider *named_server(const struct mcti_http_visit *v)
{
    struct mcti_buf name;
    struct mcti_provider *p = NULL;
    mcti_buf_init(&name, MCT_LIMIT_NAME_BYTES);
    if (mcti_page_param(v, "server", &name)) {
        p = mcti_registry_find(v->front->gateway->registry, mcti_buf_str(&name));
        if (!p)
            mcti_page_reply_unknown(v);
    }
    mcti_buf_done(&name);
    return p;
}

void mcti_page_calls(const struct mcti_http_visit *v)
{
    struct mcti_buf b;
    struct mcti_provider *p = mcti_page_admit(v, "GET", MCT_VIEWER_OWNER) ? named_server(v) : NULL;
    if (!p)
        return;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&b, "{\"tools\":");
    mcti_overview_put_tools(&b, v->front->gateway, mcti_str_of(p->name));
    mcti_buf_addc(&b, '}');
    mcti_page_reply_json(v, &b);
}

void mcti_page_restart(const struct mcti_http_visit *v)
{
    struct mcti_provider *p = mcti_page_admit(v, "POST", MCT_VIEWER_OWNER) ? named_server(v) : NULL;
    if (!p)
        return;
    if (!p->ops->restart) {
        mcti_http_reply_plain(v->x, 409, MCT_STR_NONE, "usage",
                              "this server is part of the program: it has no connection");
        return;
    }
    mcti_registry_restart(v->front->gateway->registry, p);
    mcti_http_reply(v->x, 204, NULL, MCT_STR("Cache-Control: no-store\r\n"), MCT_STR_NONE);
}

/* ---- search ---- */

/* A search for items whose names or texts have all the words. */
struct page_search {
    struct mcti_buf *to;
    struct mcti_str words; /* in lower case */
    struct mcti_buf text;  /* of one item */
    size_t n;
};

/* Returns whether the text has the word, which is in lower case. */
static bool text_has(struct mcti_str text, struct mcti_str word)
{
    for (size_t i = 0; i + word.len <= text.len; i++) {
        size_t k = 0;
        while (k < word.len && (char)tolower((unsigned char)text.p[i + k]) == word.p[k])
            k++;
        if (k == word.len)
            return true;
    }
    return false;
}

/* Appends the beginning of the text of a JSON string, and a line break. */
static void search_add(struct mcti_buf *to, struct mcti_str value)
{
    struct mcti_str plain = value;
    bool escaped = value.p && !mcti_json_plain(value, &plain);
    if (escaped && value.len <= SEARCHED_BYTES && mcti_json_type(value) == '"')
        mcti_json_unescape(value, to);
    else
        mcti_buf_add(to, (struct mcti_str){ plain.p, plain.len < SEARCHED_BYTES ? plain.len : SEARCHED_BYTES });
    mcti_buf_addc(to, '\n');
}

static bool search_matches(struct page_search *s, const struct mcti_item *item)
{
    struct mcti_str rest = s->words, word;
    mcti_buf_clear(&s->text);
    mcti_buf_add(&s->text, mcti_item_id(item));
    mcti_buf_addc(&s->text, '\n');
    search_add(&s->text, mcti_json_get(mcti_item_json(item), "title"));
    search_add(&s->text, mcti_json_get(mcti_item_json(item), "name"));
    search_add(&s->text, mcti_json_get(mcti_item_json(item), "description"));
    while (mcti_str_split(&rest, ' ', &word))
        if (!text_has(mcti_buf_str(&s->text), word))
            return false;
    return true;
}

static void search_kind(struct page_search *s, struct mcti_view *view, enum mcti_kind kind)
{
    static const char *const words[MCT_KIND_N] = {
        [MCT_TOOL] = "tool", [MCT_RESOURCE] = "resource", [MCT_TEMPLATE] = "template", [MCT_PROMPT] = "prompt"
    };
    const struct mcti_exposures *all = mcti_view_items(view, kind);
    for (size_t i = 0; i < all->n_apps && s->n < FOUND_MAX; i++) {
        const struct mcti_exposure *x = &all->v[i];
        if (mcti_view_is_own(view, x) || !search_matches(s, x->item))
            continue;
        mcti_buf_addz(s->to, s->n++ ? ",{" : "{");
        mcti_json_put_member(s->to, "kind", mcti_str_of(words[kind]));
        mcti_json_put_member(s->to, "server", mcti_str_of(x->provider->name));
        mcti_json_put_member(s->to, "id", mcti_item_id(x->item));
        mcti_buf_addc(s->to, '}');
    }
}

static void search_all(const struct mcti_http_visit *v, struct mcti_buf *words)
{
    struct mcti_buf b;
    struct mcti_http_visit own = *v;
    own.endpoint = v->front->endpoints[0];
    own.face = mcti_http_visit_read_prefs(&own) ? mcti_face_for_visit(&own, MCT_STR_NONE) : NULL;
    if (!own.face)
        return;
    for (size_t i = 0; i < words->len; i++)
        words->p[i] = (char)tolower((unsigned char)words->p[i]);
    mcti_buf_init(&b, 1u << 20);
    struct page_search s = { .to = &b, .words = mcti_buf_str(words) };
    mcti_buf_init(&s.text, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&b, "{\"items\":[");
    for (int k = 0; k < MCT_KIND_N; k++)
        search_kind(&s, &own.face->view, (enum mcti_kind)k);
    mcti_buf_done(&s.text);
    mcti_buf_printf(&b, "],\"more\":%s}", s.n == FOUND_MAX ? "true" : "false");
    mcti_page_reply_json(v, &b);
}

void mcti_page_find(const struct mcti_http_visit *v)
{
    struct mcti_buf words;
    if (!mcti_page_admit(v, "GET", MCT_VIEWER_MEMBER))
        return;
    mcti_buf_init(&words, WORDS_BYTES);
    if (mcti_page_param(v, "words", &words))
        search_all(v, &words);
    mcti_buf_done(&words);
}
