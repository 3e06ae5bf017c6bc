#include "cli/command.h"

#include <stdlib.h>

typedef int (*take_fn)(struct mcti_app *app, const char *value, struct mct_error *err);

static int bad_value(struct mct_error *err, const char *option, const char *value, const char *wanted)
{
    return mcti_fail(err, MCT_ERR_USAGE, "%s '%s': %s", option, value, wanted);
}

static int take_config(struct mcti_app *app, const char *v, struct mct_error *err)
{
    (void)err;
    return mcti_strings_add(&app->opt.config_files, mcti_str_of(v));
}

static int take_server(struct mcti_app *app, const char *v, struct mct_error *err)
{
    (void)err;
    return mcti_strings_add(&app->opt.servers, mcti_str_of(v));
}

static int take_root(struct mcti_app *app, const char *v, struct mct_error *err)
{
    (void)err;
    return mcti_strings_add(&app->opt.roots, mcti_str_of(v));
}

static int take_subscribe(struct mcti_app *app, const char *v, struct mct_error *err)
{
    (void)err;
    return mcti_strings_add(&app->opt.subscribe, mcti_str_of(v));
}

static int take_url(struct mcti_app *app, const char *v, struct mct_error *err)
{
    if (!mcti_is_url(v))
        return bad_value(err, "--url", v, "must begin with http:// or https://");
    app->opt.url = v;
    return 0;
}

static int take_output(struct mcti_app *app, const char *v, struct mct_error *err)
{
    static const char *const words[] = { "auto", "text", "json", "raw" };
    for (int i = 0; i < 4; i++) {
        if (!strcmp(v, words[i])) {
            app->opt.output = (enum mcti_output)i;
            return 0;
        }
    }
    return bad_value(err, "--output", v, "must be auto, text, json or raw");
}

static int take_timeout(struct mcti_app *app, const char *v, struct mct_error *err)
{
    char *end;
    double s = strtod(v, &end);
    if (*end || end == v || !(s > 0 && s <= 86400))
        return bad_value(err, "--timeout", v, "must be a number of seconds up to 86400");
    app->opt.timeout_ms = (unsigned)(s * 1000);
    if (!app->opt.timeout_ms)
        app->opt.timeout_ms = 1;
    return 0;
}

static int take_log_level(struct mcti_app *app, const char *v, struct mct_error *err)
{
    if (mcti_log_level_find(mcti_str_of(v), &app->opt.log_level) < 0)
        return bad_value(err, "--log-level", v, "must be error, warn, info or debug");
    return 0;
}

static int take_prefix(struct mcti_app *app, const char *v, struct mct_error *err)
{
    if (mcti_prefix_find(mcti_str_of(v), &app->opt.prefix) < 0)
        return bad_value(err, "--prefix", v, "must be always, conflict or never");
    return 0;
}

static int options_take_format(struct mcti_app *app, const char *v, struct mct_error *err)
{
    if (strcmp(v, "detail") && strcmp(v, "summary") && strcmp(v, "raw"))
        return bad_value(err, "--format", v, "must be detail, summary or raw");
    app->opt.format = v;
    return 0;
}

static int options_take_mode(struct mcti_app *app, const char *v, struct mct_error *err)
{
    if (!mcti_prefs_mode(mcti_str_of(v), &app->opt.prefs.mode))
        return bad_value(err, "--mode", v, "must be " MCT_MODE_WORDS);
    return 0;
}

static int take_dialect(struct mcti_app *app, const char *v, struct mct_error *err)
{
    unsigned bits;
    if (mcti_dialects_read(mcti_str_of(v), &bits, err) < 0)
        return mcti_error_wrap(err, "--dialect");
    app->opt.prefs.dialects |= bits;
    app->opt.prefs.has_dialects = true;
    return 0;
}

static int take_events(struct mcti_app *app, const char *v, struct mct_error *err)
{
    return mcti_events_option(app, v, err);
}

#define TEXT(name, member)                                                                                             \
    static int take_##name(struct mcti_app *app, const char *v, struct mct_error *err)                                 \
    {                                                                                                                  \
        (void)err;                                                                                                     \
        app->opt.member = v;                                                                                           \
        return 0;                                                                                                      \
    }
#define FLAG(name, member)                                                                                             \
    static int take_##name(struct mcti_app *app, const char *v, struct mct_error *err)                                 \
    {                                                                                                                  \
        (void)v;                                                                                                       \
        (void)err;                                                                                                     \
        app->opt.member = true;                                                                                        \
        return 0;                                                                                                      \
    }
TEXT(http, http)
TEXT(args, args_json)
TEXT(profile, profile)
TEXT(explain, explain)
TEXT(as, as)
TEXT(stdio, stdio)
TEXT(elicit, elicit)
TEXT(sampling_command, sampling_command)
FLAG(no_color, no_color)
FLAG(help, help)
FLAG(brief, brief)
FLAG(schema, schema)
FLAG(insecure, insecure)
FLAG(legacy_sse, legacy_sse)
FLAG(read_only, read_only)
FLAG(prompt, prompt)
FLAG(cost, cost)

#define CALLERS "serve call read prompt agent" /* commands that make calls */

static const struct option {
    const char *name, *alias; /* "--output", "-o" */
    const char *value;        /* NULL: a flag */
    const char *only;         /* commands it belongs to, NULL: all */
    take_fn take;
    const char *summary;
} options[] = {
    { "--config", NULL, "FILE", NULL, take_config, "read this configuration (repeatable)" },
    { "--output", "-o", "auto|text|json|raw", NULL, take_output, "how results are printed" },
    { "--timeout", NULL, "SECONDS", NULL, take_timeout, "for starting a server and for a call" },
    { "--log-level", NULL, "error|warn|info|debug", NULL, take_log_level, "what is told on stderr" },
    { "--no-color", NULL, NULL, NULL, take_no_color, "no colours" },
    { "--stdio", NULL, "'COMMAND ARGS...'", NULL, take_stdio,
      "an ad-hoc server, instead of the "
      "configured ones (serve: serve on stdin and stdout)" },
    { "--url", NULL, "URL", NULL, take_url, "an ad-hoc server, instead of the configured ones" },
    { "--root", NULL, "FOLDER", NULL, take_root,
      "a folder servers are told of as a root (repeatable; "
      "default: each the cwd it is configured with)" },
    { "--elicit", NULL, "accept-defaults|decline|JSON", NULL, take_elicit,
      "answers what servers ask for, "
      "instead of asking on the terminal" },
    { "--sampling-command", NULL, "'COMMAND ARGS...'", NULL, take_sampling_command,
      "answers sampling requests: "
      "params on its stdin, result or text on its stdout" },
    { "--read-only", NULL, NULL, CALLERS, take_read_only, "refuse tools that may change something" },
    { "--events", NULL, "FILE|FD", CALLERS, take_events,
      "tell of each call as lines of JSON, with its arguments and "
      "result, to a file or an open descriptor" },
    { "--help", "-h", NULL, NULL, take_help, "this text" },
    { "--http", NULL, "HOST:PORT", "serve", take_http, "listen here (default 127.0.0.1:8931)" },
    { "--server", NULL, "NAME", "serve tools call", take_server, "only this server (repeatable)" },
    { "--prefix", NULL, "always|conflict|never", "serve tools call", take_prefix, "when names carry their server" },
    { "--mode", NULL, "full|router|search", "serve tools call", options_take_mode,
      "every tool, resource tools only, or three that find and call the others" },
    { "--dialect", NULL, "NAME[,NAME]", "serve call tools", take_dialect, "with the resource tools of these dialects" },
    { "--insecure", NULL, NULL, "serve", take_insecure,
      "allow an address other than loopback "
      "without tokens" },
    { "--legacy-sse", NULL, NULL, "serve", take_legacy_sse, "serve HTTP+SSE (2024-11-05) too, at /sse" },
    { "--subscribe", NULL, "URI", "watch", take_subscribe, "tell when this resource changes (repeatable)" },
    { "--format", NULL, "detail|summary|raw", "agent", options_take_format, "how much of the block is printed" },
    { "--schema", NULL, NULL, "list", take_schema, "with the schemas of the tools" },
    { "--brief", NULL, NULL, "list", take_brief, "names only" },
    { "--prompt", NULL, NULL, "tools", take_prompt, "the block for a system prompt instead" },
    { "--cost", NULL, NULL, "tools", take_cost, "what resource tools cost in each dialect, as a table" },
    { "--explain", NULL, "NAME", "tools", take_explain, "what lets this tool through, or takes it away" },
    { "--as", NULL, "TOKEN-NAME", "tools", take_as, "for the client with the token of this name, not for the owner" },
    { "--for", NULL, "PROVIDER", "schema tools call", take_profile,
      "in the form of openai, openai-strict, openai-responses (tools, call), "
      "anthropic, gemini, xai, deepseek, llamacpp, openclaw (schema), none or mcp (tools, call)" },
    { "--args", NULL, "JSON|-", "call", take_args, "the arguments as one JSON object, '-': from stdin" },
};
enum { N_OPTIONS = sizeof options / sizeof *options };

const struct mcti_command *mcti_command_find(const char *name)
{
    for (const struct mcti_command *c = mcti_commands; c->name; c++)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}

static bool options_belongs(const struct option *o, const char *command)
{
    struct mcti_str words = mcti_str_of(o->only), word;
    while (mcti_str_split(&words, ' ', &word))
        if (mcti_str_is(word, command))
            return true;
    return false;
}

static void print_options(FILE *to, const char *only)
{
    for (int i = 0; i < N_OPTIONS; i++) {
        const struct option *o = &options[i];
        char left[80];
        if (only ? !o->only || !options_belongs(o, only) : o->only != NULL)
            continue;
        snprintf(left, sizeof left, "%s%s%s%s%s", o->alias ? o->alias : "", o->alias ? ", " : "", o->name,
                 o->value ? " " : "", o->value ? o->value : "");
        fprintf(to, "  %-34s %s\n", left, o->summary);
    }
}

void mcti_options_usage(FILE *to, const struct mcti_command *only)
{
    if (only) {
        fprintf(to, "usage: mcptools %s %s\n\n%s.\n\n", only->name, only->args, only->summary);
        print_options(to, only->name);
    } else {
        fprintf(to, "usage: mcptools COMMAND [ARGUMENTS] [OPTIONS]\n\nOne MCP endpoint and one command "
                    "line in front of all your MCP servers.\n\n");
        for (const struct mcti_command *c = mcti_commands; c->name; c++)
            fprintf(to, "  %-10s %s\n", c->name, c->summary);
        fprintf(to, "\n'mcptools COMMAND --help' tells more.\n\n");
    }
    print_options(to, NULL);
    fprintf(to, "  %-34s %s\n", "--version", "the version");
}

static const struct option *find_option(const char *name, size_t len)
{
    for (int i = 0; i < N_OPTIONS; i++) {
        const struct option *o = &options[i];
        if ((strlen(o->name) == len && !strncmp(name, o->name, len)) ||
            (o->alias && strlen(o->alias) == len && !strncmp(name, o->alias, len)))
            return o;
    }
    return NULL;
}

/* Takes argv[i] and maybe the next; returns how many it took, -1 with *err. */
static int take_option(struct mcti_app *app, int argc, char **argv, int i, struct mct_error *err)
{
    const char *eq = strchr(argv[i], '=');
    size_t len = eq ? (size_t)(eq - argv[i]) : strlen(argv[i]);
    const struct option *o = find_option(argv[i], len);
    if (!o)
        return mcti_fail(err, MCT_ERR_USAGE, "unknown option %s", argv[i]);
    if (o->only && (!app->command || !options_belongs(o, app->command->name)))
        return mcti_fail(err, MCT_ERR_USAGE, "%s belongs to 'mcptools %s'", o->name, o->only);
    bool flag = !o->value || (o->take == take_stdio && app->command && app->command->serves);
    if (flag)
        return eq ? mcti_fail(err, MCT_ERR_USAGE, "%s takes no value", o->name) : o->take(app, "", err) < 0 ? -1 : 1;
    if (eq)
        return o->take(app, eq + 1, err) < 0 ? -1 : 1;
    if (i + 1 >= argc)
        return mcti_fail(err, MCT_ERR_USAGE, "%s needs a value: %s", o->name, o->value);
    return o->take(app, argv[i + 1], err) < 0 ? -1 : 2;
}

static int take_command(struct mcti_app *app, const char *word, struct mct_error *err)
{
    app->command = mcti_command_find(word);
    return app->command ? 0 : mcti_fail(err, MCT_ERR_USAGE, "unknown command '%s'", word);
}

static int check_count(const struct mcti_app *app, struct mct_error *err)
{
    const struct mcti_command *c = app->command;
    if (app->opt.help || (app->argc >= c->min_args && (c->max_args < 0 || app->argc <= c->max_args)))
        return 0;
    return mcti_fail(err, MCT_ERR_USAGE, "usage: mcptools %s %s", c->name, c->args);
}

int mcti_options_parse(struct mcti_app *app, int argc, char **argv, struct mct_error *err)
{
    int n = 0;
    bool literal = false;
    app->argv = (const char *const *)argv;
    for (int i = 1; i < argc;) {
        if (!literal && !strcmp(argv[i], "--")) {
            literal = true;
            i++;
        } else if (!literal && !strcmp(argv[i], "--version")) {
            printf("mcptools " MCT_VERSION "\n");
            app->command = NULL;
            return 0;
        } else if (!literal && argv[i][0] == '-' && argv[i][1]) {
            int took = take_option(app, argc, argv, i, err);
            if (took < 0)
                return -1;
            i += took;
        } else if (!app->command) {
            if (take_command(app, argv[i++], err) < 0)
                return -1;
        } else {
            argv[n++] = argv[i++];
        }
    }
    app->argc = n;
    if (app->command)
        return check_count(app, err);
    if (!app->opt.help)
        return mcti_fail(err, MCT_ERR_USAGE, "a command is needed, for example 'mcptools list'");
    mcti_options_usage(stdout, NULL);
    return 0;
}
