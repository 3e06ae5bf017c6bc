/* What the words in capital letters on usage lines stand for. */
#include "cli/complete/impl.h"

#include "clients/places.h"
#include "config/import/impl.h"
#include "model/array.h"
#include "model/schema/profile.h"

static void sources_add(struct mcti_complete *c, const char *word)
{
    mcti_complete_add(c, mcti_str_of(word), MCT_STR_NONE);
}

static void add_nothing(struct mcti_complete *c)
{
    c->flags |= COMPLETE_NO_FILES;
}

static void add_files(struct mcti_complete *c)
{
    c->flags &= ~(unsigned)COMPLETE_NO_FILES;
}

static void sources_add_folders(struct mcti_complete *c)
{
    add_files(c);
    c->flags |= COMPLETE_FOLDERS;
}

static void add_marked_files(struct mcti_complete *c)
{
    if (c->current.len && *c->current.p == '@')
        mcti_complete_paths(c, "@");
}

static void add_servers(struct mcti_complete *c)
{
    mcti_complete_server_names(c, "");
}

static void add_tools(struct mcti_complete *c)
{
    mcti_complete_item_names(c, MCT_TOOL);
}

static void add_servers_or_tools(struct mcti_complete *c)
{
    const char *rest = NULL;
    mcti_complete_server(c, c->current.p, &rest);
    if (rest)
        add_tools(c);
    else
        add_servers(c);
}

static void add_prompts(struct mcti_complete *c)
{
    mcti_complete_item_names(c, MCT_PROMPT);
}

static void add_providers(struct mcti_complete *c)
{
    for (const struct mcti_array_format *f = mcti_array_formats; f->name; f++)
        sources_add(c, f->name);
}

static void add_profiles(struct mcti_complete *c)
{
    for (const struct mcti_schema_profile *p = mcti_schema_profiles; p->name; p++)
        mcti_complete_add(c, mcti_str_of(p->name), mcti_str_of(p->summary));
}

/* The option --for has one row for commands with different values. */
static void add_providers_or_profiles(struct mcti_complete *c)
{
    if (c->command && !strcmp(c->command->name, "schema"))
        add_profiles(c);
    else
        add_providers(c);
}

static void add_formats(struct mcti_complete *c)
{
    for (const struct mcti_config_format *const *f = mcti_config_formats; *f; f++) {
        const struct mcti_config_format *const *first = mcti_config_formats;
        while (strcmp((*first)->name, (*f)->name) != 0)
            first++;
        if (first == f)
            sources_add(c, (*f)->name);
    }
}

/* Values with commas between them. */
static void add_dialects(struct mcti_complete *c)
{
    static const struct {
        const char *name, *about;
    } rows[] = {
        { "nexo", "ListMcpResources, ReadMcpResource, McpAuth" },
        { "codex", "list_mcp_resources, read_mcp_resource, …" },
        { "bridge", "mcp_list_resources, mcp_read_resource" },
        { "claude", "ListMcpResourcesTool, ReadMcpResourceTool" },
        { "lines", "one tool, mcp, with the compact line protocol" },
        { "servers", "SERVER__list_resources, SERVER__read_resource, …" },
    };
    const char *comma = c->current.len ? memrchr(c->current.p, ',', c->current.len) : NULL;
    if (comma) {
        c->before = mcti_str_range(c->typed, comma + 1);
        c->current = mcti_str_range(comma + 1, c->current.p + c->current.len);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        mcti_complete_add(c, mcti_str_of(rows[i].name), mcti_str_of(rows[i].about));
}

static void add_tokens(struct mcti_complete *c)
{
    const struct mcti_config *config = mcti_complete_config(c);
    for (size_t i = 0; i < config->n_tokens; i++)
        sources_add(c, config->tokens[i].name);
}

static void add_clients(struct mcti_complete *c)
{
    for (const struct mcti_client *client = mcti_clients; client->id; client++)
        mcti_complete_add(c, mcti_str_of(client->id), mcti_str_of(client->title));
}

static const struct {
    const char *thing;
    void (*add)(struct mcti_complete *c);
} sources[] = {
    { "SERVER", add_servers },
    { "SERVER.TOOL", add_tools },
    { "SERVER[.TOOL]", add_servers_or_tools },
    { "SERVER.PROMPT", add_prompts },
    { "URI", mcti_complete_uris },
    { "ARGUMENT", mcti_complete_arguments },
    { "FILE", add_files },
    { "FILE.json", add_files },
    { "FILE.mcpb", add_files },
    { "KEY", mcti_complete_keys },
    { "VALUE", mcti_complete_key_values },
    { "@FILE", add_marked_files },
    { "FOLDER", sources_add_folders },
    { "PROVIDER", add_providers_or_profiles },
    { "PROFILE", add_profiles },
    { "FORMAT", add_formats },
    { "DIALECT[,DIALECT]", add_dialects },
    { "TOKEN-NAME", add_tokens },
    { "CLIENT", add_clients },
    /* nothing that could be known */
    { "URL", add_nothing },
    { "JSON", add_nothing },
    { "FD", add_nothing },
    { "SECONDS", add_nothing },
    { "HOST:PORT", add_nothing },
    { "SCOPES", add_nothing },
    { "WORD", add_nothing },
    { "NAME", add_nothing },
    { "NAME[@VERSION]", add_nothing },
    { "ARG", add_nothing },
    { "TASK", add_nothing },
    { "VERSION", add_nothing },
    { "COMMAND", add_nothing },
};

void mcti_complete_thing(struct mcti_complete *c, struct mcti_str thing)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (mcti_str_is(thing, sources[i].thing))
            sources[i].add(c);
}

bool mcti_complete_knows(struct mcti_str thing)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (mcti_str_is(thing, sources[i].thing))
            return true;
    return thing.len && *thing.p == '\''; /* a text with blanks */
}
