#include "scan/document/document.h"

#include "base/limits.h"
#include "json/scan.h"
#include "scan/impl.h"

#include <stdlib.h>

/* The lists of a server, and what an item of each is called by. */
static const struct document_list {
    const char *key, *kind, *id;
} lists[] = {
    { "tools", "tool", "name" },
    { "prompts", "prompt", "name" },
    { "resources", "resource", "uri" },
    { "resourceTemplates", "template", "uriTemplate" },
};

int mcti_scan_document_init(struct mcti_scan_document *d, const struct mcti_scanner *scanner)
{
    *d = (struct mcti_scan_document){ .scanner = scanner, .names = mcti_scan_names_new() };
    return d->names ? 0 : -1;
}

void mcti_scan_document_done(struct mcti_scan_document *d)
{
    for (size_t i = 0; i < d->n; i++) {
        mcti_scan_report_done(&d->v[i].report);
        free(d->v[i].server);
        free(d->v[i].item);
    }
    free(d->v);
    mcti_scan_names_free(d->names);
    *d = (struct mcti_scan_document){ 0 };
}

static struct mcti_scan_group *group_add(struct mcti_scan_document *d, struct mcti_str server, const char *kind,
                                         struct mcti_str item)
{
    if (d->n == d->cap) {
        size_t cap = d->cap ? 2 * d->cap : 16;
        void *v = reallocarray(d->v, cap, sizeof *d->v);
        if (!v) {
            d->failed = true;
            return NULL;
        }
        d->v = v;
        d->cap = cap;
    }
    struct mcti_scan_group *g = &d->v[d->n];
    *g = (struct mcti_scan_group){
        mcti_str_dup(server.p ? server : MCT_STR("")), kind, mcti_str_dup(item.p ? item : MCT_STR("")), { 0 }
    };
    if (!g->server || !g->item) {
        free(g->server);
        free(g->item);
        d->failed = true;
        return NULL;
    }
    d->n++;
    return g;
}

void mcti_scan_document_names(struct mcti_scan_document *d, struct mcti_str server, struct mcti_str tools)
{
    struct mcti_str tool;
    for (struct mcti_json_iter it = mcti_json_open(tools);
         mcti_json_type(tools) == '[' && mcti_json_next_item(&it, &tool);) {
        char *name = mcti_json_dup(mcti_json_get(tool, "name"));
        if (name && mcti_scan_names_add(d->names, server, mcti_str_of(name)) < 0)
            d->failed = true;
        free(name);
    }
}

static enum mcti_scan_kind kind_of(const char *kind)
{
    static const struct {
        const char *word;
        enum mcti_scan_kind kind;
    } kinds[] = { { "text", MCT_SCAN_TEXT },
                  { "result", MCT_SCAN_RESULT },
                  { "instructions", MCT_SCAN_SAID },
                  { "server", MCT_SCAN_SAID },
                  { "value", MCT_SCAN_SAID } };
    for (size_t i = 0; i < SCAN_COUNT(kinds); i++)
        if (mcti_str_is(mcti_str_of(kind), kinds[i].word))
            return kinds[i].kind;
    return MCT_SCAN_ITEM;
}

void mcti_scan_document_add(struct mcti_scan_document *d, struct mcti_str server, const char *kind,
                            struct mcti_str item, struct mcti_str value)
{
    struct mcti_scan_what what = { kind_of(kind), server.p ? server : MCT_STR(""), d->names };
    struct mcti_scan_group *g = group_add(d, server, kind, item);
    if (!g)
        return;
    mcti_scan_value(d->scanner, &what, value, &g->report);
    d->failed |= g->report.failed;
}

void mcti_scan_document_server(struct mcti_scan_document *d, struct mcti_str server, const struct mcti_str *others,
                               size_t n)
{
    struct mcti_scan_group *g = group_add(d, server, "server", MCT_STR(""));
    if (!g)
        return;
    mcti_scan_name(server, others, n, "", &g->report);
    if (!g->report.n)
        mcti_scan_server_name(d->scanner, server, &g->report);
    d->failed |= g->report.failed;
}

/* ---- files ---- */

static bool has_list(struct mcti_str object)
{
    for (size_t i = 0; i < SCAN_COUNT(lists); i++)
        if (mcti_json_type(mcti_json_get(object, lists[i].key)) == '[')
            return true;
    return mcti_json_type(mcti_json_get(object, "instructions")) == '"' || mcti_json_get(object, "serverInfo").p;
}

static bool is_item(struct mcti_str object)
{
    return mcti_json_type(mcti_json_get(object, "name")) == '"' &&
           (mcti_json_get(object, "description").p || mcti_json_get(object, "inputSchema").p ||
            mcti_json_get(object, "uri").p || mcti_json_get(object, "arguments").p);
}

static bool is_result(struct mcti_str object)
{
    return mcti_json_get(object, "content").p || mcti_json_get(object, "contents").p ||
           mcti_json_get(object, "messages").p || mcti_json_get(object, "structuredContent").p ||
           mcti_json_get(object, "error").p;
}

static const char *item_kind(struct mcti_str object)
{
    if (mcti_json_get(object, "uriTemplate").p)
        return "template";
    if (mcti_json_get(object, "uri").p)
        return "resource";
    return mcti_json_get(object, "arguments").p ? "prompt" : "tool";
}

static void read_item(struct mcti_scan_document *d, struct mcti_str server, const char *kind, const char *id,
                      struct mcti_str value)
{
    char *name = mcti_json_dup(mcti_json_get(value, id));
    mcti_scan_document_add(d, server, kind, mcti_str_of(name), value);
    free(name);
}

static void read_list(struct mcti_scan_document *d, struct mcti_str server, const struct document_list *list,
                      struct mcti_str array)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(array);
         mcti_json_type(array) == '[' && mcti_json_next_item(&it, &item);)
        read_item(d, server, list->kind, list->id, item);
}

/* The lists of one server, its instructions and what it says of itself. */
static void document_read_server(struct mcti_scan_document *d, struct mcti_str server, struct mcti_str object)
{
    static const char *const said[] = { "instructions", "serverInfo", "capabilities" };
    for (size_t i = 0; i < SCAN_COUNT(said); i++) {
        struct mcti_str value = mcti_json_get(object, said[i]);
        if (value.p)
            mcti_scan_document_add(d, server, i ? "server" : "instructions", MCT_STR(""), value);
    }
    for (size_t i = 0; i < SCAN_COUNT(lists); i++)
        read_list(d, server, &lists[i], mcti_json_get(object, lists[i].key));
}

static void read_servers(struct mcti_scan_document *d, struct mcti_str servers)
{
    struct mcti_json_member member;
    struct mcti_strings names = { 0 };
    struct mcti_str *others;
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(servers); mcti_json_next_member(&it, &member);) {
        char *name = mcti_json_dup(mcti_json_key_value(member.key));
        if (!name || mcti_strings_add(&names, mcti_str_of(name)) < 0)
            d->failed = true;
        free(name);
    }
    others = calloc(names.n + 1, sizeof *others);
    d->failed |= !others;
    for (size_t i = 0; !d->failed && i < names.n; i++)
        others[i] = mcti_str_of(names.v[i]);
    for (struct mcti_json_iter it = mcti_json_open(servers); !d->failed && mcti_json_next_member(&it, &member); n++)
        mcti_scan_document_names(d, others[n], mcti_json_get(member.value, "tools"));
    n = 0;
    for (struct mcti_json_iter it = mcti_json_open(servers); !d->failed && mcti_json_next_member(&it, &member); n++) {
        mcti_scan_document_server(d, others[n], others, names.n);
        if (has_list(member.value))
            document_read_server(d, others[n], member.value);
        else
            mcti_scan_document_add(d, others[n], "value", MCT_STR(""), member.value);
    }
    free(others);
    mcti_strings_clear(&names);
}

static void read_array(struct mcti_scan_document *d, struct mcti_str array)
{
    struct mcti_str item;
    mcti_scan_document_names(d, MCT_STR(""), array);
    for (struct mcti_json_iter it = mcti_json_open(array); mcti_json_next_item(&it, &item);)
        if (is_item(item))
            read_item(d, MCT_STR(""), item_kind(item), "name", item);
        else
            mcti_scan_document_add(d, MCT_STR(""), "value", MCT_STR(""), item);
}

static void document_read_object(struct mcti_scan_document *d, struct mcti_str object)
{
    struct mcti_str servers = mcti_json_get(object, "servers"), result = mcti_json_get(object, "result");
    servers = mcti_json_type(servers) == '{' ? servers : mcti_json_get(object, "mcpServers");
    if (mcti_json_type(servers) == '{') {
        read_servers(d, servers);
    } else if (mcti_json_get(object, "jsonrpc").p && mcti_json_type(result) == '{') {
        document_read_object(d, result);
    } else if (has_list(object)) {
        mcti_scan_document_names(d, MCT_STR(""), mcti_json_get(object, "tools"));
        document_read_server(d, MCT_STR(""), object);
    } else if (is_item(object)) {
        read_item(d, MCT_STR(""), item_kind(object), "name", object);
    } else {
        mcti_scan_document_add(d, MCT_STR(""), is_result(object) ? "result" : "value", MCT_STR(""), object);
    }
}

void mcti_scan_document_read(struct mcti_scan_document *d, struct mcti_str text)
{
    struct mcti_str value = mcti_str_trim_white(text);
    if (!value.len || !strchr("{[\"", *value.p) || !mcti_json_valid(value, MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        mcti_scan_document_add(d, MCT_STR(""), "text", MCT_STR(""), text);
    else if (mcti_json_type(value) == '{')
        document_read_object(d, value);
    else if (mcti_json_type(value) == '[')
        read_array(d, value);
    else
        mcti_scan_document_add(d, MCT_STR(""), "instructions", MCT_STR(""), value);
}

size_t mcti_scan_document_count(const struct mcti_scan_document *d, enum mcti_scan_severity severity)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        n += mcti_scan_report_count(&d->v[i].report, severity);
    return n;
}
