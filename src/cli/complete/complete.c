#include "cli/complete/impl.h"

#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- options ---- */

static void add_options(struct mcti_complete *c)
{
    for (const struct mcti_option *o = mcti_options; o->name; o++) {
        bool fits = !o->only || (c->command && mcti_option_belongs(o, c->command->name));
        if (fits && mcti_option_find(mcti_str_of(o->name), c->command) == o)
            mcti_complete_add(c, mcti_str_of(o->name), mcti_str_of(o->help));
    }
}

/* Returns true if another usage line began with the same word. */
static bool has_line(struct mcti_str lines, struct mcti_str word)
{
    struct mcti_str line;
    while (mcti_str_split(&lines, '\n', &line))
        if (mcti_str_eq(line, word))
            return true;
    return false;
}

static void add_thing(struct mcti_complete *c, struct mcti_str thing, bool is_literal)
{
    if (!is_literal)
        mcti_complete_thing(c, thing);
    else if (!mcti_str_is(thing, "-") && !has_line(mcti_buf_str(&c->out), thing))
        mcti_complete_add(c, thing, MCT_STR_NONE);
}

/* Adds the values of an option. Its argument is written like a word of a usage line. */
static void add_values_of(struct mcti_complete *c, const struct mcti_option *o)
{
    if (o->words)
        for (const struct mcti_word *w = o->words; w->word; w++)
            mcti_complete_add(c, mcti_str_of(w->word), MCT_STR_NONE);
    else
        mcti_complete_alternatives(c, mcti_str_of(o->argument), add_thing);
}

/* Completes the value in "--name=VALUE". */
static void complete_value_in_option(struct mcti_complete *c, const char *eq)
{
    const struct mcti_option *o = mcti_option_find(mcti_str_range(c->typed, eq), c->command);
    c->before = mcti_str_range(c->typed, eq + 1);
    c->current = mcti_str_of(eq + 1);
    if (o && o->argument)
        add_values_of(c, o);
}

/* ---- words ---- */

static void add_commands(struct mcti_complete *c)
{
    for (const struct mcti_command *command = mcti_commands; command->name; command++)
        mcti_complete_add(c, mcti_str_of(command->name), mcti_str_of(command->summary));
    if (c->wants_help)
        return;
    mcti_complete_add(c, MCT_STR("help"), MCT_STR("describe a command"));
    mcti_complete_add(c, MCT_STR("version"), MCT_STR("print the version"));
}

static void complete_word(struct mcti_complete *c, const struct mcti_option *pending)
{
    const char *eq = strchr(c->typed, '=');
    bool is_option = *c->typed == '-' && !(c->flags & COMPLETE_NO_OPTIONS);
    c->flags = COMPLETE_NO_FILES;
    if (pending)
        add_values_of(c, pending);
    else if (is_option && eq)
        complete_value_in_option(c, eq);
    else if (is_option)
        add_options(c);
    else if (!c->command)
        add_commands(c);
    else
        mcti_complete_usage(c, c->command->args, add_thing);
}

/* ---- the answer ---- */

static void complete_done(struct mcti_complete *c)
{
    mcti_strings_clear(&c->words);
    mcti_strings_clear(&c->files);
    mcti_strings_clear(&c->servers);
    if (c->is_configured)
        mcti_config_done(&c->config);
    mcti_buf_done(&c->out);
    free(c->typed);
}

/* Completes the last of the words. `last`: the part of it that the shell replaces; NULL: all of it. */
static void complete_words(struct mcti_complete *c, int n, char *const *words, const char *last)
{
    const struct mcti_option *pending = mcti_complete_read(c, n, words);
    c->typed = strdup(n ? words[n - 1] : "");
    if (!c->typed)
        return;
    c->current = mcti_str_of(c->typed);
    c->before = (struct mcti_str){ c->typed, 0 };
    if (last && strlen(last) <= c->current.len)
        c->cut = c->current.len - strlen(last);
    complete_word(c, pending);
}

static void complete_on_time(int signum)
{
    (void)signum;
    _exit(0); /* without an answer: the shell waits for it */
}

/* Limits the time of the answer. Tests of busy machines set the variable. */
static void limit_time(struct mcti_complete *c)
{
    enum { MS = 400 };
    const char *text = getenv("MCPTOOLS_COMPLETE_MS");
    unsigned ms = text ? (unsigned)strtoul(text, NULL, 10) : 0;
    c->limit_ms = ms ? ms : MS;
    const struct itimerval limit = { .it_value = { c->limit_ms / 1000, c->limit_ms % 1000 * 1000 } };
    signal(SIGALRM, complete_on_time);
    setitimer(ITIMER_REAL, &limit, NULL);
}

/* Removes the quotes of bash. */
static void unquote_words(int n, char **words)
{
    for (int i = 0; i < n; i++) {
        char *plain = mcti_complete_unquote(words[i]);
        if (plain)
            words[i] = plain; /* freed with the process */
    }
}

int mcti_complete_main(int argc, char **argv)
{
    struct mcti_complete c = { 0 };
    char *last = NULL;
    bool is_bash = false;
    int i = 0;
    limit_time(&c);
    mcti_buf_init(&c.out, 1u << 20);
    for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
        is_bash |= !strcmp(argv[i], "--shell") && !strcmp(argv[i + 1], "bash");
        if (!strcmp(argv[i], "--last"))
            last = argv[i + 1];
    }
    i += i < argc && !strcmp(argv[i], "--");
    if (is_bash)
        unquote_words(argc - i, argv + i);
    char *plain = is_bash && last ? mcti_complete_unquote(last) : NULL;
    complete_words(&c, argc - i, argv + i, plain ? plain : last);
    fwrite(c.out.p, 1, c.out.len, stdout);
    printf(":%u\n", c.flags & (COMPLETE_NO_SPACE | COMPLETE_NO_FILES | COMPLETE_FOLDERS));
    complete_done(&c);
    free(plain);
    return fflush(stdout) != 0;
}

int mcti_cmd_completion(struct mcti_app *app)
{
    struct mct_error err;
    for (const struct mcti_complete_script *s = mcti_complete_scripts; s->shell; s++) {
        if (strcmp(app->argv[0], s->shell) != 0)
            continue;
        fputs(s->text, stdout);
        return 0;
    }
    mcti_command_usage(app->command, &err);
    return mcti_out_fail(app, &err, NULL);
}
