/* Reads a configuration file: finds the entries of servers and the settings in it. */
#include "config/read_impl.h"

#include "base/limits.h"
#include "config/jsonc.h"

#include <stdio.h>
#include <stdlib.h>

unsigned mcti_config_line_at(const struct mcti_config_place *at, const char *p)
{
    struct mcti_line_mark *m = at->mark;
    if (p >= m->at)
        m->line += mcti_line_of(m->at, (size_t)(p - m->at)) - 1;
    else
        m->line -= mcti_line_of(p, (size_t)(m->at - p)) - 1;
    m->at = p;
    return m->line;
}

void mcti_config_mistake(struct mcti_config_place *at, struct mcti_json_member m, bool fatal, const char *what)
{
    char text[512];
    snprintf(text, sizeof text, "%s:%u: %s%s%.*s: %s", at->file, mcti_config_line_at(at, m.key.p), at->path,
             *at->path && m.key.len ? "." : "", MCT_STR_ARG(m.key), what);
    mcti_config_problem(at->config, fatal, "%s", text);
    if (fatal && !at->server)
        mcti_config_break(at->config);
    else if (fatal && !at->server->error.kind)
        mcti_fail(&at->server->error, MCT_ERR_CONFIG, "%s", text);
}

static void read_misplaced(struct mcti_config_place *at, struct mcti_json_member m, bool fatal, const char *what)
{
    at->path = "";
    mcti_config_mistake(at, m, fatal, what);
}

static void read_root(struct mcti_config_place *at, struct mcti_str root)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(root); mcti_json_next_member(&it, &m);) {
        const char *map = mcti_json_key_is(m.key, "mcpServers") ? "mcpServers"
                          : mcti_json_key_is(m.key, "servers")  ? "servers"
                                                                : NULL;
        struct mcti_str nested = mcti_json_key_is(m.key, "mcp") ? mcti_json_get(m.value, "servers") : MCT_STR_NONE;
        at->path = map ? map : nested.p ? "mcp.servers" : "mcptools";
        if ((map || nested.p) && mcti_json_type(map ? m.value : nested) != '{')
            read_misplaced(at, m, true, "must be an object: {\"NAME\": {\"command\": …}}");
        else if (map || nested.p)
            mcti_config_read_servers(at, map ? m.value : nested);
        else if (mcti_json_key_is(m.key, "mcptools"))
            mcti_config_read_settings(at, m);
        else if (mcti_str_eq_nocase(m.key, MCT_STR("mcpServers")) || mcti_str_eq_nocase(m.key, MCT_STR("mcptools")))
            read_misplaced(at, m, false,
                           "ignored, because keys are case-sensitive; write \"mcpServers\" or \"mcptools\"");
    } /* other members belong to the program whose file this is */
}

/* Reads the text, which it changes. */
static void read_plain(struct mcti_config *c, const char *file, char *plain, size_t len)
{
    struct mcti_json_fault fault;
    struct mcti_json_top top;
    mcti_strings_add(&c->files, mcti_str_of(file));
    mcti_jsonc_blank(plain, len);
    struct mcti_line_mark mark = { plain, 1 };
    struct mcti_config_place at = { .config = c, .file = file, .mark = &mark, .path = "" };
    bool valid = mcti_json_valid((struct mcti_str){ plain, len }, MCT_LIMIT_JSON_DEPTH, &top, &fault);
    if (!valid)
        mcti_config_problem(c, true, "%s:%u:%u: not valid JSON: %s", file, mcti_line_of(plain, fault.offset),
                            mcti_column_of(plain, fault.offset), fault.why);
    else if (mcti_json_type(top.value) != '{')
        mcti_config_problem(c, true, "%s:1: the file must contain an object: {\"mcpServers\": {…}}", file);
    else
        read_root(&at, top.value);
    if (!valid || mcti_json_type(top.value) != '{')
        mcti_config_break(c);
}

/* A configuration that lacks a value because memory was exhausted is never used. */
void mcti_config_read(struct mcti_config *c, const char *file, const char *text, size_t len)
{
    unsigned long failures = mcti_memory_failures();
    char *plain = mcti_str_dup((struct mcti_str){ text, len });
    if (plain)
        read_plain(c, file, plain, len);
    free(plain);
    if (mcti_memory_failures() == failures)
        return;
    mcti_config_problem(c, true, "%s: " MCT_NO_MEMORY_TEXT, file);
    mcti_config_break(c);
}
