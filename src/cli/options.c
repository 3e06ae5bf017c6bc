#include "base/log/near.h"
#include "cli/command.h"
#include "cli/option.h"

#include <stdlib.h>

/* Stores the value of an option in `slot`, its member of struct mcti_options. Returns -1 with *err. */
typedef int (*take_fn)(struct mcti_app *app, const struct mcti_option *o, void *slot, const char *value,
                       struct mct_error *err);

static int bad_value(struct mct_error *err, const struct mcti_option *o, const char *value, const char *wanted)
{
    return mcti_fail(err, MCT_ERR_USAGE, "%s '%s': must %s", o->name, value, wanted);
}

static int option_take_flag(struct mcti_app *app, const struct mcti_option *o, void *slot, const char *v,
                            struct mct_error *err)
{
    (void)app, (void)o, (void)v, (void)err;
    *(bool *)slot = true;
    return 0;
}

static int option_take_text(struct mcti_app *app, const struct mcti_option *o, void *slot, const char *v,
                            struct mct_error *err)
{
    (void)app, (void)o, (void)err;
    *(const char **)slot = v;
    return 0;
}

static int option_take_url(struct mcti_app *app, const struct mcti_option *o, void *slot, const char *v,
                           struct mct_error *err)
{
    return mcti_is_url(v) ? option_take_text(app, o, slot, v, err)
                          : bad_value(err, o, v, "begin with http:// or https://");
}

/* Stores the value of a word of the option's table (OPTION_ENUM) or the word itself (OPTION_WORD). */
static int option_take_word(struct mcti_app *app, const struct mcti_option *o, void *slot, const char *v,
                            struct mct_error *err)
{
    char words[64], wanted[80 + MCT_NEAR_HINT_BYTES], hint[MCT_NEAR_HINT_BYTES];
    const struct mcti_word *found = mcti_word_find(o->words, mcti_str_of(v));
    struct mcti_near near = { .word = mcti_str_of(v) };
    (void)app;
    for (const struct mcti_word *w = o->words; w->word; w++)
        mcti_near_try(&near, mcti_str_of(w->word));
    if (found && o->type == OPTION_ENUM)
        *(unsigned *)slot = found->value;
    else if (found)
        *(const char **)slot = found->word;
    snprintf(wanted, sizeof wanted, "be %s%s", mcti_words_text(o->words, words, sizeof words),
             mcti_near_hint(&near, hint));
    return found ? 0 : bad_value(err, o, v, wanted);
}

static int option_take_list(struct mcti_app *app, const struct mcti_option *o, void *slot, const char *v,
                            struct mct_error *err)
{
    (void)app, (void)o;
    return mcti_strings_add(slot, mcti_str_of(v)) < 0 ? mcti_no_memory(err) : 0;
}

static int option_take_seconds(struct mcti_app *app, const struct mcti_option *o, void *slot, const char *v,
                               struct mct_error *err)
{
    char *end;
    double s = strtod(v, &end);
    (void)app;
    if (*end || end == v || !(s > 0 && s <= 86400))
        return bad_value(err, o, v, "be a number of seconds up to 86400");
    unsigned ms = (unsigned)(s * 1000);
    *(unsigned *)slot = ms ? ms : 1;
    return 0;
}

static int option_take_dialects(struct mcti_app *app, const struct mcti_option *o, void *slot, const char *v,
                                struct mct_error *err)
{
    struct mcti_client_prefs *prefs = slot;
    unsigned bits;
    (void)app;
    if (mcti_dialects_read(mcti_str_of(v), &bits, err) < 0)
        return mcti_error_wrap(err, "%s", o->name);
    prefs->dialects |= bits;
    prefs->has_dialects = true;
    return 0;
}

static int option_take_events(struct mcti_app *app, const struct mcti_option *o, void *slot, const char *v,
                              struct mct_error *err)
{
    (void)o, (void)slot;
    return mcti_events_option(app, v, err);
}

static const take_fn takers[] = {
    [OPTION_FLAG] = option_take_flag,       [OPTION_TEXT] = option_take_text,
    [OPTION_URL] = option_take_url,         [OPTION_WORD] = option_take_word,
    [OPTION_ENUM] = option_take_word,       [OPTION_LIST] = option_take_list,
    [OPTION_SECONDS] = option_take_seconds, [OPTION_DIALECTS] = option_take_dialects,
    [OPTION_EVENTS] = option_take_events,
};

const struct mcti_command *mcti_command_find(const char *name)
{
    for (const struct mcti_command *c = mcti_commands; c->name; c++)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}

bool mcti_option_belongs(const struct mcti_option *o, const char *command)
{
    struct mcti_str words = mcti_str_of(o->only), word;
    while (mcti_str_split(&words, ' ', &word))
        if (mcti_str_is(word, command))
            return true;
    return false;
}

const struct mcti_option *mcti_option_find(struct mcti_str name, const struct mcti_command *command)
{
    const struct mcti_option *found = NULL;
    for (const struct mcti_option *o = mcti_options; o->name; o++) {
        if (!mcti_str_is(name, o->name) && !(name.len == 2 && o->letter && name.p[1] == o->letter))
            continue;
        if (o->only && command && mcti_option_belongs(o, command->name))
            return o;
        if (!found || !o->only)
            found = o;
    }
    return found;
}

static int refuse_misplaced(const struct mcti_option *o, struct mct_error *err)
{
    char commands[64];
    size_t n = 0;
    for (const char *p = o->only; *p && n < sizeof commands - 2; p++) {
        if (*p == ' ')
            commands[n++] = ',';
        commands[n++] = *p;
    }
    return mcti_fail(err, MCT_ERR_USAGE, "%s is valid only with these commands: %.*s", o->name, (int)n, commands);
}

static int unknown_option(struct mcti_str word, struct mct_error *err)
{
    struct mcti_near near = { .word = word };
    char hint[MCT_NEAR_HINT_BYTES];
    for (const struct mcti_option *o = mcti_options; o->name; o++)
        mcti_near_try(&near, mcti_str_of(o->name));
    return mcti_fail(err, MCT_ERR_USAGE, "unknown option %.*s%s", MCT_STR_ARG(word), mcti_near_hint(&near, hint));
}

/* Parses the option in argv[i]. Returns the number of words used, 1 or 2; -1 with *err. */
static int take_option(struct mcti_app *app, int argc, char **argv, int i, struct mct_error *err)
{
    const char *eq = strchr(argv[i], '=');
    struct mcti_str name = eq ? mcti_str_range(argv[i], eq) : mcti_str_of(argv[i]);
    const struct mcti_option *o = mcti_option_find(name, app->command);
    if (!o)
        return unknown_option(name, err);
    if (o->only && (!app->command || !mcti_option_belongs(o, app->command->name)))
        return refuse_misplaced(o, err);
    bool is_flag = !o->argument;
    const char *value = is_flag ? "" : eq ? eq + 1 : argv[i + 1];
    if (is_flag && eq)
        return mcti_fail(err, MCT_ERR_USAGE, "%s takes no value", o->name);
    if (!is_flag && !eq && i + 1 >= argc)
        return mcti_fail(err, MCT_ERR_USAGE, "%s needs a value: %s", o->name, o->argument);
    if (takers[o->type](app, o, (char *)&app->opt + o->offset, value, err) < 0)
        return -1;
    return is_flag || eq ? 1 : 2;
}

/* Words in place of a command that stand for an option: `help` and `help COMMAND`, `version`. */
static bool take_option_word(struct mcti_app *app, const char *word)
{
    bool help = !strcmp(word, "help"), version = !strcmp(word, "version");
    app->opt.help |= help;
    app->opt.version |= version;
    return help || version;
}

static int take_command(struct mcti_app *app, const char *word, struct mct_error *err)
{
    struct mcti_near near = { .word = mcti_str_of(word) };
    char hint[MCT_NEAR_HINT_BYTES];
    app->command = mcti_command_find(word);
    if (app->command || take_option_word(app, word))
        return 0;
    for (const struct mcti_command *c = mcti_commands; c->name; c++)
        mcti_near_try(&near, mcti_str_of(c->name));
    return mcti_fail(err, MCT_ERR_USAGE, "unknown command '%s'%s", word, mcti_near_hint(&near, hint));
}

int mcti_command_usage(const struct mcti_command *c, struct mct_error *err)
{
    struct mcti_str forms = mcti_str_of(c->args), form;
    struct mcti_buf text;
    mcti_buf_init(&text, sizeof err->message);
    for (const char *before = ""; mcti_str_split(&forms, '\n', &form); before = " | ")
        mcti_buf_printf(&text, "%s%.*s", before, MCT_STR_ARG(form));
    mcti_fail(err, MCT_ERR_USAGE, "usage: mcptools %s %.*s", c->name, MCT_STR_ARG(mcti_buf_str(&text)));
    mcti_buf_done(&text);
    return -1;
}

static int check_count(const struct mcti_app *app, struct mct_error *err)
{
    const struct mcti_command *c = app->command;
    if (app->opt.help || (app->argc >= c->min_args && (c->max_args < 0 || app->argc <= c->max_args)))
        return 0;
    return mcti_command_usage(c, err);
}

static int print_version(struct mcti_app *app)
{
    printf("mcptools " MCT_VERSION "\n");
    app->command = NULL;
    return 0;
}

/* Looks behind a word that cannot be parsed for the command and for -o json, so that the error has the form of its
 * answers. */
static void find_form_behind(struct mcti_app *app, int argc, char **argv, int i, bool has_command)
{
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *format = i + 1 < argc ? argv[i + 1] : "";
        bool is_output = !strcmp(argv[i], "-o") || !strcmp(argv[i], "--output");
        if ((is_output && !strcmp(format, "json")) || !strcmp(argv[i], "--output=json"))
            app->opt.output = MCT_OUT_JSON;
        else if (!has_command && !app->command)
            app->command = mcti_command_find(argv[i]);
    }
}

int mcti_options_parse(struct mcti_app *app, int argc, char **argv, struct mct_error *err)
{
    int n = 0;
    bool literal = false;
    app->literal_at = -1;
    app->argv = (const char *const *)argv;
    for (int i = 1; i < argc;) {
        if (!literal && !strcmp(argv[i], "--")) {
            literal = true;
            app->literal_at = n;
            i++;
        } else if (!literal && argv[i][0] == '-' && argv[i][1]) {
            int took = take_option(app, argc, argv, i, err);
            if (took < 0) {
                find_form_behind(app, argc, argv, i + 1, false);
                return -1;
            }
            i += took;
            if (app->opt.version)
                return print_version(app);
        } else if (!app->command) {
            if (take_command(app, argv[i++], err) < 0) {
                find_form_behind(app, argc, argv, i, true);
                return -1;
            }
            if (app->opt.version)
                return print_version(app);
        } else {
            argv[n++] = argv[i++];
            app->argc = n;
        }
    }
    if (app->command)
        return check_count(app, err);
    if (!app->opt.help)
        return mcti_fail(err, MCT_ERR_USAGE, "missing command, for example 'mcptools list'");
    mcti_help_print(stdout, NULL);
    return 0;
}
