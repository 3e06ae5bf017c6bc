/* Reads a configuration file: finds the entries of servers and the settings in it. */
#include "config/import/impl.h"
#include "config/import/import.h"

#include "base/limits.h"
#include "config/notation/jsonc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the format ---- */

static bool is_file_of(const char *globs, const char *file)
{
    struct mcti_str rest = mcti_str_of(globs), glob;
    while (mcti_str_split(&rest, ' ', &glob))
        if (mcti_str_glob(glob, mcti_str_of(file)))
            return true;
    return false;
}

static bool is_format(const struct mcti_config_format *f, const struct mcti_config_place *at, struct mcti_str root,
                      struct mcti_str entries)
{
    if (at->config->format_name)
        return !strcmp(f->name, at->config->format_name);
    if (f->notations && !(f->notations >> at->notation & 1))
        return false;
    return (!f->files && !f->fits) || (f->files && is_file_of(f->files, at->file)) ||
           (f->fits && f->fits(root, entries));
}

static const struct mcti_config_format *find_format(const struct mcti_config_place *at, const char *container,
                                                    struct mcti_str root, struct mcti_str entries)
{
    for (const struct mcti_config_format *const *f = mcti_config_formats; *f; f++)
        if (!strcmp((*f)->container, container) && is_format(*f, at, root, entries))
            return *f;
    return NULL;
}

bool mcti_config_has_format(const char *name)
{
    for (const struct mcti_config_format *const *f = mcti_config_formats; *f; f++)
        if (!strcmp((*f)->name, name))
            return true;
    return false;
}

/* ---- entries ---- */

static void read_misplaced(struct mcti_config_place *at, struct mcti_json_member m, bool fatal, const char *what)
{
    at->path = "";
    mcti_config_mistake(at, m, fatal, what);
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat left, right;
    return !strcmp(a, b) ||
           (stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev && left.st_ino == right.st_ino);
}

/* What an entry that starts this program again reads. */
enum itself { ITSELF_NOT, ITSELF_FOUND, ITSELF_NAMED }; /* FOUND: what is found without --config; NAMED: this file */

static enum itself itself_of(const struct mcti_config_server *s, const char *file)
{
    const char *slash = s->command ? strrchr(s->command, '/') : NULL;
    const char *program = slash ? slash + 1 : s->command;
    bool serves = false;
    enum itself reads = ITSELF_FOUND;
    if (!program || strcmp(program, "mcptools") || s->cwd) /* in another folder another file may be found */
        return ITSELF_NOT;
    for (size_t i = 0; i < s->args.n; i++) {
        const char *arg = s->args.v[i],
                   *named = !strcmp(arg, "--config") && i + 1 < s->args.n ? s->args.v[i + 1] : NULL;
        serves |= !strcmp(arg, "serve");
        if (!strncmp(arg, "--config=", 9))
            named = arg + 9;
        if (named)
            reads = is_same_file(named, file) ? ITSELF_NAMED : ITSELF_NOT;
    }
    return serves ? reads : ITSELF_NOT;
}

bool mcti_config_starts_mcptools(const struct mcti_config_server *s)
{
    const char *slash = s->command ? strrchr(s->command, '/') : NULL;
    const char *program = slash ? slash + 1 : s->command;
    return program && !strcmp(program, "mcptools") && mcti_strings_has(&s->args, MCT_STR("serve"));
}

bool mcti_config_serves(const struct mcti_config_server *s, const char *file)
{
    return itself_of(s, file) == ITSELF_NAMED;
}

static void import_settle(struct mcti_config_place *at, struct mcti_json_member entry)
{
    struct mcti_config_server *s = at->server;
    mcti_config_rewrite(at, entry);
    if (at->format->is_sse && s->url && s->type == MCT_SERVER_UNSET)
        s->type = MCT_SERVER_SSE;
    if (at->format->settle)
        at->format->settle(at, entry);
    enum itself itself = itself_of(s, at->file);
    s->is_mcptools = itself != ITSELF_NOT;
    if (itself == ITSELF_NAMED || (itself == ITSELF_FOUND && mcti_config_is_found(at->file)))
        s->enabled = false; /* it would start itself for ever; clients' files have this entry, so nothing is said */
}

/* Says that `value`, which is the member or inside it ("mcp.servers"), has no entries of servers. */
static void refuse_container(struct mcti_config_place *at, struct mcti_json_member m, struct mcti_str value)
{
    struct mcti_json_member inner;
    at->path = "";
    for (struct mcti_json_iter it = mcti_json_open(m.value);
         m.value.p != value.p && mcti_json_next_member(&it, &inner);)
        if (inner.value.p == value.p) {
            at->path = "mcp";
            m = inner;
        }
    mcti_config_mistake(at, m, true,
                        mcti_json_type(value) == '[' ? "must be an object, not a list: {\"NAME\": {\"command\": …}}"
                                                     : "must be an object: {\"NAME\": {\"command\": …}}");
}

/* Reads the value of a member that has entries of servers; `value` is inside it for "mcp.servers". */
static const struct mcti_config_format *read_container(struct mcti_config_place *at, struct mcti_json_member m,
                                                       const char *path, struct mcti_str value, struct mcti_str root)
{
    const struct mcti_config_format *format = find_format(at, path, root, value);
    if (!format)
        return NULL;
    at->path = path;
    at->format = format;
    if (mcti_json_type(value) == 'n' && at->notation == MCT_NOTATION_YAML)
        return format; /* "servers:" and nothing else */
    if (mcti_json_type(value) != (format->is_list ? '[' : '{'))
        refuse_container(at, m, value);
    else
        mcti_config_read_servers(at, value);
    return format;
}

/* opencode has its servers in "mcp", OpenClaw and others in "mcp.servers"; Gemini CLI has settings there. */
static const struct mcti_config_format *read_mcp(struct mcti_config_place *at, struct mcti_json_member m,
                                                 struct mcti_str root)
{
    struct mcti_json_member first;
    struct mcti_str servers = mcti_json_get(m.value, "servers");
    struct mcti_json_iter it = mcti_json_open(m.value);
    bool has_entries = mcti_json_type(m.value) == '{' && mcti_json_next_member(&it, &first);
    has_entries = has_entries && mcti_json_type(first.value) == '{';
    const struct mcti_config_format *read = NULL;
    if (servers.p)
        read = read_container(at, m, "mcp.servers", servers, root);
    else if (has_entries && at->notation != MCT_NOTATION_YAML)
        read = read_container(at, m, "mcp", m.value, root);
    else if (at->notation == MCT_NOTATION_YAML && mcti_json_type(m.value) == '{')
        return find_format(at, "mcp.servers", root, MCT_STR_NONE);
    if (at->config->is_scan)
        return read;
    if (!read && mcti_json_type(m.value) != '{')
        read_misplaced(at, m, false, "ignored: it must be an object that has \"servers\"");
    else if (!read && !mcti_json_get(root, "mcpServers").p)
        read_misplaced(
            at, m, false,
            "ignored: it has no servers; write them into \"mcp\": {\"servers\": {…}} or \"mcpServers\": {…}");
    return read;
}

/* Returns whether the key is `word` (in lower case) but for its case, "-" and "_". */
static bool is_nearly(struct mcti_str key, const char *word)
{
    for (size_t i = 0; i < key.len; i++)
        if (key.p[i] != '-' && key.p[i] != '_' && tolower((unsigned char)key.p[i]) != *word++)
            return false;
    return !*word;
}

/* ---- Claude Code's projects ---- */

/* Returns the entry of the working directory in "projects", whose keys are absolute paths. */
static struct mcti_json_member project_here(struct mcti_str projects)
{
    struct mcti_json_member m = { 0 };
    char *here = getcwd(NULL, 0);
    for (struct mcti_json_iter it = mcti_json_open(projects); here && mcti_json_next_member(&it, &m);)
        if (mcti_json_key_is(m.key, here))
            break;
    bool is_here = here && m.key.p && mcti_json_key_is(m.key, here);
    free(here);
    return is_here ? m : (struct mcti_json_member){ 0 };
}

struct mcti_str mcti_config_project_here(struct mcti_str root)
{
    return project_here(mcti_json_get(root, "projects")).value;
}

/* Reads the servers that the user has in this project only. They come before those of all projects. */
static const struct mcti_config_format *read_local(struct mcti_config_place *at, struct mcti_str root)
{
    struct mcti_json_member project = project_here(mcti_json_get(root, "projects"));
    struct mcti_str servers = mcti_json_get(project.value, "mcpServers");
    char path[1024];
    if (!servers.p || at->config->part == MCT_CONFIG_NOT_LOCAL)
        return NULL;
    const struct mcti_config_format *format = find_format(at, "mcpServers", root, servers);
    snprintf(path, sizeof path, "projects.%.*s.mcpServers", MCT_STR_ARG(project.key));
    at->path = path;
    at->format = format;
    if (format && mcti_json_type(servers) == '{')
        mcti_config_read_servers(at, servers);
    return format;
}

/* Tells that the servers of other projects are not read. */
static void read_projects(struct mcti_config_place *at, struct mcti_str projects)
{
    struct mcti_json_member project, first;
    const char *here = project_here(projects).key.p;
    for (struct mcti_json_iter it = mcti_json_open(projects); mcti_json_next_member(&it, &project);) {
        struct mcti_json_iter servers = mcti_json_open(mcti_json_get(project.value, "mcpServers"));
        if (project.key.p == here || !mcti_json_next_member(&servers, &first))
            continue;
        at->path = "projects";
        mcti_config_mistake(at, project, false,
                            "its servers are not read, because they are for one project; run mcptools in its folder, "
                            "or write them into \"mcpServers\" of a file there");
    }
}

/* Other members belong to the program whose file this is, unless they are mistakes. */
static void read_other(struct mcti_config_place *at, struct mcti_json_member m)
{
    static const char *const nearly[] = { "mcpservers", "mcpserver", "contextservers", "mcptools", NULL };
    bool is_server = mcti_json_get(m.value, "command").p && mcti_json_get(m.value, "args").p;
    at->path = "";
    if (at->config->is_scan)
        return;
    if (mcti_json_key_is(m.key, "projects"))
        return read_projects(at, m.value);
    for (size_t i = 0; nearly[i]; i++)
        if (is_nearly(m.key, nearly[i]))
            return read_misplaced(at, m, false,
                                  at->notation == MCT_NOTATION_TOML
                                      ? "ignored, because no program has this key; write [mcp_servers.NAME]"
                                      : "ignored, because no program has this key; write \"mcpServers\" or "
                                        "\"mcptools\"");
    if (is_server)
        read_misplaced(at, m, false, "ignored: servers belong into \"mcpServers\": {…}");
}

/* Other programs have other things in "extensions". */
static bool is_goose(const struct mcti_config_place *at)
{
    return at->notation == MCT_NOTATION_YAML;
}

static const struct mcti_config_format *read_member(struct mcti_config_place *at, struct mcti_json_member m,
                                                    struct mcti_str root)
{
    static const char *const containers[] = { "mcpServers",     "servers",    "mcp_servers", "context_servers",
                                              "amp.mcpServers", "extensions", NULL };
    for (size_t i = 0; containers[i]; i++)
        if (mcti_json_key_is(m.key, containers[i]) && (strcmp(containers[i], "extensions") || is_goose(at)))
            return read_container(at, m, containers[i], m.value, root);
    if (mcti_json_key_is(m.key, "mcp"))
        return read_mcp(at, m, root);
    at->path = "mcptools";
    if (mcti_json_key_is(m.key, "mcptools"))
        mcti_config_read_settings(at, m);
    else
        read_other(at, m);
    return NULL;
}

/* Files of VS Code that have its settings inside: workspaces, and descriptions of containers. */
static struct mcti_str settings_inside(const struct mcti_config_place *at, struct mcti_str root)
{
    struct mcti_str vscode = mcti_json_get(mcti_json_get(root, "customizations"), "vscode");
    if (is_file_of("*.code-workspace", at->file))
        return mcti_json_get(root, "settings");
    return is_file_of("*devcontainer.json", at->file) ? vscode : MCT_STR_NONE;
}

static const struct mcti_config_format *read_inside(struct mcti_config_place *at, struct mcti_str settings)
{
    struct mcti_json_member m;
    const struct mcti_config_format *format = NULL;
    for (struct mcti_json_iter it = mcti_json_open(settings); mcti_json_next_member(&it, &m);)
        if (mcti_json_key_is(m.key, "mcp"))
            format = read_mcp(at, m, settings);
    return format;
}

/* Reads entries that stand in the file itself, without a key around them. */
static const struct mcti_config_format *read_flat(struct mcti_config_place *at, struct mcti_str root)
{
    const struct mcti_config_format *format = find_format(at, "", root, root);
    at->path = "";
    at->format = format;
    if (format)
        mcti_config_read_servers(at, root);
    return format;
}

static void import_read_root(struct mcti_config_place *at, struct mcti_str root)
{
    struct mcti_json_member m;
    struct mcti_str inside = settings_inside(at, root);
    const struct mcti_config_format *format = read_local(at, root);
    if (at->config->part == MCT_CONFIG_LOCAL)
        return;
    for (struct mcti_json_iter it = mcti_json_open(root); !inside.p && mcti_json_next_member(&it, &m);) {
        const struct mcti_config_format *read = read_member(at, m, root);
        format = read && (!format || read->read_rest) ? read : format;
    }
    if (inside.p)
        format = read_inside(at, inside);
    if (!format)
        format = read_flat(at, root);
    at->format = format;
    at->path = "";
    if (format && format->read_rest)
        format->read_rest(at, root);
}

/* ---- texts ---- */

/* Reads the root of a file, or says that it is no object. */
static void import_read_value(struct mcti_config_place *at, struct mcti_str value)
{
    at->settle = import_settle;
    if (mcti_json_type(value) == '{')
        return import_read_root(at, value);
    mcti_config_problem(at->config, true, "%s:1: the file must contain an object: {\"mcpServers\": {…}}", at->file);
    mcti_config_break(at->config);
}

/* Reads JSON; changes the text. A byte order mark in front is skipped. */
static void import_read_json(struct mcti_config_place *at, char *plain, size_t len)
{
    struct mcti_json_fault fault;
    struct mcti_json_top top;
    if (len >= 3 && !memcmp(plain, "\xef\xbb\xbf", 3)) {
        plain += 3;
        len -= 3;
    }
    if (len >= 2 && (!memcmp(plain, "\xff\xfe", 2) || !memcmp(plain, "\xfe\xff", 2))) {
        mcti_config_problem(at->config, true, "%s: is UTF-16; save it as UTF-8", at->file);
        mcti_config_break(at->config);
        return;
    }
    mcti_jsonc_blank(plain, len);
    struct mcti_line_mark mark = { .text = plain, .at = plain, .begins = plain, .line = 1 };
    at->mark = &mark;
    if (mcti_json_valid((struct mcti_str){ plain, len }, MCT_LIMIT_JSON_DEPTH, &top, &fault))
        return import_read_value(at, top.value);
    mcti_config_problem(at->config, true, "%s:%u:%u: not valid JSON: %s", at->file, mcti_line_of(plain, fault.offset),
                        mcti_column_of(plain, fault.offset), fault.why);
    mcti_config_break(at->config);
}

static void read_document(struct mcti_config_place *at, struct mcti_str text)
{
    struct mcti_document d;
    struct mcti_notation_fault fault;
    char where[64] = "";
    if (mcti_document_read(at->notation, text, &d, &fault) < 0) {
        if (fault.line && fault.column)
            snprintf(where, sizeof where, ":%u:%u", fault.line, fault.column);
        else if (fault.line)
            snprintf(where, sizeof where, ":%u", fault.line);
        mcti_config_problem(at->config, true, "%s%s: %s", at->file, where, fault.why);
        mcti_config_break(at->config);
        return;
    }
    struct mcti_line_mark mark = { .document = &d };
    at->mark = &mark;
    import_read_value(at, (struct mcti_str){ d.json, d.len });
    mcti_document_done(&d);
}

/* A configuration that lacks a value because memory was exhausted is never used. */
void mcti_config_read(struct mcti_config *c, const char *file, const char *text, size_t len)
{
    unsigned long failures = mcti_memory_failures();
    struct mcti_config_place at = { .config = c, .file = file, .path = "", .notation = mcti_notation_of(file) };
    char *plain = at.notation == MCT_NOTATION_JSON ? mcti_str_dup((struct mcti_str){ text, len }) : NULL;
    mcti_strings_add(&c->files, mcti_str_of(file));
    if (plain)
        import_read_json(&at, plain, len);
    else if (at.notation != MCT_NOTATION_JSON)
        read_document(&at, (struct mcti_str){ text, len });
    free(plain);
    if (mcti_memory_failures() == failures)
        return;
    mcti_config_problem(c, true, "%s: " MCT_NO_MEMORY_TEXT, file);
    mcti_config_break(c);
}
