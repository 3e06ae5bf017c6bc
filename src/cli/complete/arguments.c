/* Arguments of tools and prompts: key= and key=VALUE. */
#include "cli/complete/impl.h"
#include "cli/show/signature.h"

#include "json/scan.h"

#include <stdlib.h>

/* ---- the tool or prompt ---- */

struct search {
    const char *name;
    char *json; /* owned; NULL: not found */
};

static void search_each(struct mcti_complete *c, const struct mcti_complete_items *items, struct mcti_str item)
{
    struct search *s = items->data;
    struct mcti_buf name;
    (void)c;
    mcti_buf_init(&name, 1u << 16);
    if (!s->json && mcti_str_is(mcti_complete_text(item, "name", &name), s->name))
        s->json = mcti_str_dup(item);
    mcti_buf_done(&name);
}

/* Returns the item that the first word names, to free(). Without the name of a server, it is that of the only one. */
static char *arguments_item(struct mcti_complete *c, enum mcti_kind kind, const char **ret_server)
{
    const struct mcti_config *config = mcti_complete_config(c);
    const char *rest = NULL, *word = c->words.n ? c->words.v[0] : "", *server = mcti_complete_server(c, word, &rest);
    struct search s = { .name = rest ? rest : word };
    struct mcti_complete_items items = { .server = server, .kind = kind, .each = search_each, .data = &s };
    if (!rest)
        items.server = config->n_servers == 1 ? config->servers[0].name : config->n_servers ? NULL : "demo";
    if (items.server && !c->is_adhoc)
        mcti_complete_items(c, &items);
    *ret_server = items.server;
    return s.json;
}

/* ---- keys ---- */

static bool arguments_given(const struct mcti_complete *c, struct mcti_str key)
{
    for (size_t i = 1; i < c->words.n; i++) {
        struct mcti_str word = mcti_str_of(c->words.v[i]);
        if (mcti_str_starts(word, key) && word.len > key.len && strchr(":=", word.p[key.len]))
            return true;
    }
    return false;
}

static void arguments_add_key(struct mcti_complete *c, struct mcti_str key, const char *ending,
                              struct mcti_str description)
{
    struct mcti_buf text;
    mcti_buf_init(&text, 1u << 16);
    mcti_buf_add(&text, key);
    mcti_buf_addz(&text, ending);
    if (!arguments_given(c, key))
        mcti_complete_add(c, mcti_buf_str(&text), description);
    mcti_buf_done(&text);
}

static void property_add_key(struct mcti_complete *c, const struct mcti_signature *s)
{
    struct mcti_str type = mcti_signature_type(s->property);
    bool is_json = mcti_str_is(type, "array") || mcti_str_is(type, "object");
    struct mcti_buf about, text;
    mcti_buf_init(&about, 1u << 20);
    mcti_buf_init(&text, 1u << 20);
    mcti_buf_add(&about, s->is_required ? MCT_STR("required: ") : MCT_STR(""));
    mcti_buf_add(&about, mcti_complete_text(s->property, "description", &text));
    if (!text.len)
        mcti_buf_add(&about, type);
    arguments_add_key(c, mcti_buf_str(&s->name), is_json ? ":=" : "=", mcti_buf_str(&about));
    mcti_buf_done(&about);
    mcti_buf_done(&text);
}

/* ---- values ---- */

static void add_values(struct mcti_complete *c, struct mcti_str list)
{
    struct mcti_str item;
    struct mcti_buf text;
    mcti_buf_init(&text, 1u << 16);
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item);) {
        mcti_buf_clear(&text);
        if (mcti_json_unescape(item, &text) < 0)
            mcti_buf_add(&text, item);
        mcti_complete_add(c, mcti_buf_str(&text), MCT_STR_NONE);
    }
    mcti_buf_done(&text);
}

/* Adds the values of "oneOf" or "anyOf": constants, with their titles. */
static void add_constants(struct mcti_complete *c, struct mcti_str list)
{
    struct mcti_str item;
    struct mcti_buf text, title;
    mcti_buf_init(&text, 1u << 16);
    mcti_buf_init(&title, 1u << 16);
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item);) {
        struct mcti_str value = mcti_complete_text(item, "const", &text);
        if (value.len)
            mcti_complete_add(c, value, mcti_complete_text(item, "title", &title));
    }
    mcti_buf_done(&text);
    mcti_buf_done(&title);
}

static void property_add_values(struct mcti_complete *c, struct mcti_str property)
{
    add_values(c, mcti_json_get(property, "enum"));
    add_constants(c, mcti_json_get(property, "oneOf"));
    add_constants(c, mcti_json_get(property, "anyOf"));
    if (mcti_str_is(mcti_signature_type(property), "boolean"))
        add_values(c, MCT_STR("[true,false]"));
}

/* ---- both ---- */

/* If the word to complete is key=… or key:=…, moves c->current to the value and returns the key; otherwise absent. */
static struct mcti_str arguments_take_key(struct mcti_complete *c)
{
    const char *eq = memchr(c->current.p, '=', c->current.len);
    if (!eq || eq == c->current.p)
        return MCT_STR_NONE;
    struct mcti_str key = mcti_str_range(c->current.p, eq);
    c->before = mcti_str_range(c->typed, eq + 1);
    c->current = mcti_str_range(eq + 1, c->current.p + c->current.len);
    key.len -= eq[-1] == ':';
    return key;
}

static void complete_tool_arguments(struct mcti_complete *c, struct mcti_str tool)
{
    struct mcti_str key = arguments_take_key(c);
    struct mcti_signature s;
    for (mcti_signature_open(&s, mcti_json_get(tool, "inputSchema")); mcti_signature_next(&s);) {
        if (!key.p)
            property_add_key(c, &s);
        else if (mcti_str_eq(mcti_buf_str(&s.name), key))
            property_add_values(c, s.property);
    }
    mcti_signature_done(&s);
}

static void complete_prompt_arguments(struct mcti_complete *c, const char *server, struct mcti_str prompt)
{
    struct mcti_str item, key = arguments_take_key(c);
    struct mcti_buf name, about;
    mcti_buf_init(&name, 1u << 16);
    mcti_buf_init(&about, 1u << 20);
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(prompt, "arguments"));
         !key.p && mcti_json_next_item(&it, &item);)
        arguments_add_key(c, mcti_complete_text(item, "name", &name), "=",
                          mcti_complete_text(item, "description", &about));
    if (key.p)
        mcti_complete_prompt_values(c, server, prompt, key);
    mcti_buf_done(&name);
    mcti_buf_done(&about);
}

void mcti_complete_arguments(struct mcti_complete *c)
{
    bool is_prompt = !strcmp(c->command->name, "prompt");
    const char *server, *eq = memchr(c->current.p, '=', c->current.len);
    if (eq && eq[1] == '@' && !is_prompt) { /* the text of a file */
        arguments_take_key(c);
        mcti_complete_paths(c, "@");
        return;
    }
    char *json = arguments_item(c, is_prompt ? MCT_PROMPT : MCT_TOOL, &server);
    if (json && is_prompt)
        complete_prompt_arguments(c, server, mcti_str_of(json));
    else if (json)
        complete_tool_arguments(c, mcti_str_of(json));
    free(json);
}
