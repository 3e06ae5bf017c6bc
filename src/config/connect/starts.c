/* How long servers may take to start. */
#include "config/connect/connect.h"

#include "base/limits.h"

/* Programs that may download packages or images before they start the server. */
static const struct {
    const char *program, *word; /* word: one of the arguments; NULL: always */
} installers[] = {
    { "npx", NULL },         { "pnpx", NULL },    { "bunx", NULL },      { "uvx", NULL },      { "pipx", NULL },
    { "dnx", NULL },         { "npm", "exec" },   { "npm", "x" },        { "pnpm", "dlx" },    { "yarn", "dlx" },
    { "bun", "x" },          { "uv", "run" },     { "uv", "tool" },      { "docker", "run" },  { "podman", "run" },
    { "docker", "compose" }, { "docker", "mcp" }, { "nerdctl", "run" },  { "deno", "run" },    { "go", "run" },
    { "cargo", "run" },      { "nix", "run" },    { "nix-shell", NULL }, { "dotnet", "tool" },
};

/* Returns true if the word completes a row. *seen: bits of the rows whose program was among the words before. */
static bool starts_is_installer(struct mcti_str word, uint32_t *seen)
{
    const char *slash = memrchr(word.p, '/', word.len);
    struct mcti_str name = slash ? mcti_str_range(slash + 1, word.p + word.len) : word;
    for (unsigned i = 0; i < sizeof installers / sizeof *installers; i++) {
        if (*seen >> i & 1 && mcti_str_is(word, installers[i].word))
            return true;
        if (!mcti_str_is(name, installers[i].program))
            continue;
        if (!installers[i].word)
            return true;
        *seen |= (uint32_t)1 << i;
    }
    return false;
}

/* Looks at all words, because env, sudo or `sh -c` may stand before the program. */
bool mcti_connect_installs(const char *command, const struct mcti_strings *args)
{
    struct mcti_str rest, word;
    uint32_t seen = 0;
    if (command && starts_is_installer(mcti_str_of(command), &seen))
        return true;
    for (size_t i = 0; i < args->n; i++) {
        rest = mcti_str_of(args->v[i]);
        while (mcti_str_split(&rest, ' ', &word))
            if (starts_is_installer(word, &seen))
                return true;
    }
    return false;
}

struct mcti_start_limits mcti_connect_start_limits(const struct mcti_config *c, const struct mcti_config_server *s,
                                                   bool restart)
{
    unsigned given = s->start_timeout_ms ? s->start_timeout_ms : c->start_timeout_ms;
    bool may_be_long = !s->url && (restart || mcti_connect_installs(s->command, &s->args));
    if (given)
        return (struct mcti_start_limits){ given, given, restart ? MCT_START_MS : 0 };
    return (struct mcti_start_limits){ may_be_long ? MCT_START_LONG_MS : MCT_START_MS, MCT_START_MS,
                                       restart ? MCT_START_MS : 0 };
}

unsigned mcti_connect_longest_start_ms(const struct mcti_config *c, bool restart)
{
    unsigned longest = MCT_START_MS;
    for (size_t i = 0; i < c->n_servers; i++) {
        unsigned ms = mcti_connect_start_limits(c, &c->servers[i], restart).start_ms;
        if (ms > longest)
            longest = ms;
    }
    return longest;
}
