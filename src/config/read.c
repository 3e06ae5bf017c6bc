/* Reads a configuration file: finds the entries of servers and the settings in it. */
#include "config/read_impl.h"

#include "base/limits.h"
#include "config/jsonc.h"

#include <stdio.h>
#include <stdlib.h>

unsigned config_line_at(const struct place *at, const char *p)
{
    struct line_mark *m = at->mark;
    if (p >= m->at)
        m->line += mct_line_of(m->at, (size_t)(p - m->at)) - 1;
    else
        m->line -= mct_line_of(p, (size_t)(m->at - p)) - 1;
    m->at = p;
    return m->line;
}

void config_mistake(struct place *at, struct mct_json_member m, bool fatal, const char *what)
{
    char text[512];
    snprintf(text, sizeof text, "%s:%u: %s%s%.*s: %s", at->file, config_line_at(at, m.key.p), at->path,
             *at->path && m.key.len ? "." : "", MCT_STR_ARG(m.key), what);
    mct_config_problem(at->config, fatal, "%s", text);
    if (fatal && !at->server)
        mct_config_break(at->config);
    else if (fatal && !at->server->error.kind)
        mct_fail(&at->server->error, MCT_ERR_CONFIG, "%s", text);
}

static void read_misplaced(struct place *at, struct mct_json_member m, bool fatal, const char *what)
{
    at->path = "";
    config_mistake(at, m, fatal, what);
}

static void read_root(struct place *at, struct mct_str root)
{
    struct mct_json_member m;
    for (struct mct_json_iter it = mct_json_open(root); mct_json_next_member(&it, &m);) {
        const char *map = mct_json_key_is(m.key, "mcpServers") ? "mcpServers"
                          : mct_json_key_is(m.key, "servers") ? "servers" : NULL;
        struct mct_str nested = mct_json_key_is(m.key, "mcp") ? mct_json_get(m.value, "servers") : MCT_STR_NONE;
        at->path = map ? map : nested.p ? "mcp.servers" : "mcptools";
        if ((map || nested.p) && mct_json_type(map ? m.value : nested) != '{')
            read_misplaced(at, m, true, "must be an object: {\"NAME\": {\"command\": …}}");
        else if (map || nested.p)
            config_read_servers(at, map ? m.value : nested);
        else if (mct_json_key_is(m.key, "mcptools"))
            config_read_settings(at, m);
        else if (mct_str_eq_nocase(m.key, MCT_STR("mcpServers")) || mct_str_eq_nocase(m.key, MCT_STR("mcptools")))
            read_misplaced(at, m, false, "ignored, because keys are case-sensitive; write \"mcpServers\" or \"mcptools\"");
    } /* other members belong to the program whose file this is */
}

void mct_config_read(struct mct_config *c, const char *file, const char *text, size_t len)
{
    struct mct_json_fault fault;
    struct mct_json_top top;
    char *plain = mct_str_dup((struct mct_str){ text, len });
    if (!plain)
        return;
    mct_strings_add(&c->files, mct_str_of(file));
    mct_jsonc_blank(plain, len);
    struct line_mark mark = { plain, 1 };
    struct place at = { .config = c, .file = file, .mark = &mark, .path = "" };
    bool valid = mct_json_valid((struct mct_str){ plain, len }, MCT_LIMIT_JSON_DEPTH, &top, &fault);
    if (!valid)
        mct_config_problem(c, true, "%s:%u:%u: not valid JSON: %s", file, mct_line_of(plain, fault.offset),
                           mct_column_of(plain, fault.offset), fault.why);
    else if (mct_json_type(top.value) != '{')
        mct_config_problem(c, true, "%s:1: the file must contain an object: {\"mcpServers\": {…}}", file);
    else
        read_root(&at, top.value);
    if (!valid || mct_json_type(top.value) != '{')
        mct_config_break(c);
    free(plain);
}
