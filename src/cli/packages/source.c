/* Where a plan comes from. */
#include "cli/packages/bundle.h"

#include "cli/input.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- one of several ways ---- */

static bool source_is_installed(const char *program)
{
    struct mcti_str rest = mcti_str_of(getenv("PATH")), folder;
    bool found = false;
    while (program && !found && mcti_str_split(&rest, ':', &folder)) {
        char *path = NULL;
        if (asprintf(&path, "%.*s/%s", MCT_STR_ARG(folder), program) < 0)
            path = NULL;
        found = path && access(path, X_OK) == 0;
        free(path);
    }
    return found;
}

static bool source_is_ready(const struct mcti_package_way *w)
{
    return !*w->why_not && (!w->program || source_is_installed(w->program));
}

/* Returns the way that --via names, or the first one whose program is installed, or the first usable one. */
static const struct mcti_package_way *source_preferred(const struct mcti_adding *a,
                                                       const struct mcti_package_ways *ways)
{
    const char *via = a->app->opt.via;
    const struct mcti_package_way *usable = NULL;
    for (size_t i = 0; i < ways->n; i++) {
        const struct mcti_package_way *w = &ways->v[i];
        if (via && strcmp(via, w->word) != 0)
            continue;
        if (source_is_ready(w) || (via && !*w->why_not))
            return w;
        usable = usable || *w->why_not ? usable : w;
    }
    return usable;
}

static int source_no_way(const struct mcti_adding *a, const struct mcti_package_ways *ways, struct mct_error *err)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 400);
    for (size_t i = 0; i < ways->n; i++)
        mcti_buf_printf(&b, "%s%s: %s%s%s", i ? "; " : "", ways->v[i].word, ways->v[i].label,
                        *ways->v[i].why_not ? " cannot be used, " : "", ways->v[i].why_not);
    if (a->app->opt.via)
        mcti_fail(err, MCT_ERR_USAGE, "--via %s: the server cannot be run in this way; it has %.*s", a->app->opt.via,
                  (int)b.len, b.len ? b.p : "no other");
    else
        mcti_fail(err, MCT_ERR_NOT_FOUND, "the server cannot be run: %.*s", b.len ? (int)b.len : 34,
                  b.len ? b.p : "it has neither packages nor a URL.");
    mcti_buf_done(&b);
    return -1;
}

static void source_show_way(const struct mcti_package_way *w, size_t number)
{
    mcti_say("  %zu) %s  %s%s%s%s%s%s", number, w->word, w->label, *w->why_not ? "  (cannot be used: " : "", w->why_not,
             *w->why_not ? ")" : "",
             w->program && !*w->why_not && !source_is_installed(w->program) ? "  (not installed: " : "",
             w->program && !*w->why_not && !source_is_installed(w->program) ? w->program : "");
}

/* Lets the person choose. Returns NULL with *err. */
static const struct mcti_package_way *source_ask_way(struct mcti_adding *a, const struct mcti_package_ways *ways,
                                                     const struct mcti_package_way *preset, struct mct_error *err)
{
    mcti_err("It can be run in %zu ways:\n", ways->n);
    for (size_t i = 0; i < ways->n; i++)
        source_show_way(&ways->v[i], i + 1);
    size_t n = mcti_prompt_number(&a->prompt, ways->n, (size_t)(preset - ways->v) + 1);
    if (!n)
        mcti_fail(err, MCT_ERR_CANCELLED, "interrupted");
    return n ? &ways->v[n - 1] : NULL;
}

void mcti_adding_check_program(struct mcti_adding *a)
{
    const char *program = a->plan.command;
    if (!program || strchr(program, '/') || strchr(program, '\x1f') || source_is_installed(program))
        return;
    if (!strcmp(program, "python") && source_is_installed("python3")) {
        free(a->plan.command);
        a->plan.command = strdup("python3");
        return;
    }
    mcti_plan_note(&a->plan, false, "%s is not installed on this machine", program);
}

/* The registry requires a hash of each bundle. */
static int source_fetch_bundle(struct mcti_adding *a, struct mct_error *err)
{
    if (!a->plan.sha256)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "server.json: the bundle %s has no fileSha256", a->plan.fetch);
    return mcti_adding_read_bundle(a, a->plan.fetch, a->plan.sha256, err);
}

static int source_read_server(struct mcti_adding *a, struct mcti_str server, struct mct_error *err)
{
    struct mcti_package_ways ways;
    mcti_package_ways(server, &ways);
    const struct mcti_package_way *way = source_preferred(a, &ways);
    if (!way)
        return source_no_way(a, &ways, err);
    if (ways.n > 1 && !a->app->opt.via && a->prompt.is_open)
        way = source_ask_way(a, &ways, way, err);
    if (!way || mcti_plan_read_server(&a->plan, server, way, err) < 0)
        return -1;
    mcti_adding_check_program(a);
    for (size_t i = 0; i < ways.n && !a->prompt.is_open; i++)
        if (&ways.v[i] != way && !*ways.v[i].why_not && !a->app->opt.via)
            mcti_plan_note(&a->plan, false, "it can also be run with --via %s: %s", ways.v[i].word, ways.v[i].label);
    a->is_foreign = true;
    if (mcti_adding_set_name(a, mcti_package_entry_name(mcti_str_of(a->plan.name)), err) < 0)
        return -1;
    return a->plan.fetch ? source_fetch_bundle(a, err) : 0;
}

int mcti_adding_read_registry(struct mcti_adding *a, struct mcti_str name, struct mcti_str version,
                              struct mct_error *err)
{
    struct mcti_found_entry entry;
    struct mcti_buf body;
    mcti_buf_init(&body, 1u << 24);
    int r = mcti_packages_fetch(a->app, name, version, &body, &entry, err);
    if (r == 0)
        r = source_read_server(a, entry.server, err);
    char *message = r == 0 && entry.deprecated ? mcti_json_dup(entry.message) : NULL;
    if (r == 0 && entry.deprecated)
        mcti_plan_note(&a->plan, false, "its publisher has deprecated it%s%s", message ? ": " : "",
                       message ? message : "");
    free(message);
    mcti_buf_done(&body);
    return r;
}

int mcti_adding_read_file(struct mcti_adding *a, const char *path, struct mct_error *err)
{
    struct mcti_found_entry entry;
    struct mcti_json_top top;
    struct mcti_buf text;
    mcti_buf_init(&text, MCT_PLAN_DOCUMENT_BYTES);
    int r = mcti_input_read(&text, path, err);
    if (r == 0 && !(mcti_json_valid(mcti_buf_str(&text), 64, &top, NULL) && mcti_json_type(top.value) == '{'))
        r = mcti_fail(err, MCT_ERR_USAGE, "%s: not a server.json: it is not a JSON object", path);
    if (r == 0) {
        mcti_found_read_entry(top.value, &entry);
        r = source_read_server(a, entry.server, err);
        r = r < 0 && err->kind == MCT_ERR_PROTOCOL ? mcti_error_wrap(err, "%s", path) : r;
    }
    mcti_buf_done(&text);
    return r;
}

/* ---- what the user has written ---- */

/* Returns the name that a host suggests: "notion" for mcp.notion.com. */
static char *source_host_name(const char *url)
{
    static const char *const usual[] = { "mcp", "www", "api", "server" };
    const char *host = strstr(url, "://") + 3, *at = host + strcspn(host, "@/?#");
    host = *at == '@' ? at + 1 : host;
    struct mcti_str rest = { host, strcspn(host, ":/?#") }, all = rest, label, best = MCT_STR_NONE;
    size_t n_dots = 0;
    for (size_t i = 0; i < all.len; i++)
        n_dots += all.p[i] == '.';
    bool is_address = all.len && (strspn(all.p, "0123456789.") >= all.len || all.p[0] == '[');
    for (size_t i = 0; !is_address && i < n_dots && !best.p && mcti_str_split(&rest, '.', &label); i++) {
        bool skip = false;
        for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
            skip |= mcti_str_is(label, usual[k]);
        best = skip ? best : label;
    }
    return mcti_package_entry_name(is_address ? MCT_STR("local") : best.p ? best : all);
}

int mcti_adding_take_url(struct mcti_adding *a, const char *url, struct mct_error *err)
{
    a->plan.url = strdup(url);
    a->plan.type = MCT_SERVER_UNSET;
    mcti_plan_inspect(&a->plan);
    for (size_t i = 0; i < a->plan.n_notes; i++)
        a->plan.notes[i].danger = false; /* the user has chosen the URL */
    return a->plan.url ? mcti_adding_set_name(a, source_host_name(url), err) : mcti_no_memory(err);
}

/* Returns the name that a command suggests: that of the package or image, or of the program. */
static char *source_command_name(const char *const *words, size_t n)
{
    static const char *const starters[] = { "npx",  "bunx",   "uvx",     "dnx",  "uv",  "pipx", "docker", "podman",
                                            "node", "python", "python3", "deno", "env", "sh",   "bash" };
    const char *slash = strrchr(words[0], '/'), *program = slash ? slash + 1 : words[0], *best = program;
    bool is_docker = !strcmp(program, "docker") || !strcmp(program, "podman"), starts = false;
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
        starts |= !strcmp(program, starters[i]);
    for (size_t i = 1; starts && i < n; i++) {
        bool is_word = words[i][0] != '-' && strcmp(words[i], "run") != 0 && strcmp(words[i], "tool") != 0;
        if (!is_word || (is_docker && !strchr(words[i], '/')))
            continue;
        best = words[i];
        break;
    }
    const char *last = strrchr(best, '/');
    last = last && last[1] ? last + 1 : best;
    size_t len = strcspn(last, "@:");
    const char *dot = memchr(last, '.', len);
    if (dot && dot > last && (!strncmp(dot, ".js", 3) || !strncmp(dot, ".py", 3) || !strncmp(dot, ".mjs", 4)))
        len = (size_t)(dot - last);
    return mcti_package_entry_name((struct mcti_str){ last, len ? len : strlen(last) });
}

int mcti_adding_take_command(struct mcti_adding *a, const char *const *words, size_t n, struct mct_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (strchr(words[i], '\x1f'))
            return mcti_fail(err, MCT_ERR_USAGE, "the command has control characters");
    a->plan.command = strdup(words[0]);
    for (size_t i = 1; i < n; i++)
        mcti_plan_add_arg(&a->plan, NULL, strdup(words[i]), -1);
    return a->plan.command ? mcti_adding_set_name(a, source_command_name(words, n), err) : mcti_no_memory(err);
}
