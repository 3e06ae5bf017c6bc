/* The texts of --help, from the tables of commands and options. */
#include "cli/command.h"
#include "cli/option.h"
#include "cli/terminal/wrap.h"

#include <ctype.h>
#include <unistd.h>

enum { HELP_BYTES = 1 << 16, HELP_COLUMNS = 80, HELP_MOST_COLUMNS = 100, LEFT_COLUMNS = 28, NARROW_COLUMNS = 60 };

struct help {
    struct mcti_buf text;
    unsigned columns;
};

static void help_init(struct help *h, FILE *to)
{
    unsigned columns = isatty(fileno(to)) ? mcti_terminal_columns(fileno(to)) : HELP_COLUMNS;
    mcti_buf_init(&h->text, HELP_BYTES);
    h->columns = columns > HELP_MOST_COLUMNS ? HELP_MOST_COLUMNS : columns;
}

static void help_print(struct help *h, FILE *to)
{
    for (size_t i = 0; i < h->text.len; i++) /* code */
        h->text.p[i] = h->text.p[i] == '`' ? '\'' : h->text.p[i];
    fwrite(h->text.p, 1, h->text.len, to);
    mcti_buf_done(&h->text);
}

static void put_paragraph(struct help *h, const char *text)
{
    const struct mcti_wrap wrap = { .columns = h->columns };
    mcti_wrap_put(&h->text, mcti_str_of(text), &wrap);
    mcti_buf_addc(&h->text, '\n');
}

/* Appends what a command does: its summary as a sentence, and `more`. */
static void help_put_description(struct help *h, const struct mcti_command *c)
{
    char text[2048];
    snprintf(text, sizeof text, "%c%s.%s%s", toupper((unsigned char)*c->summary), c->summary + 1, c->more ? " " : "",
             c->more ? c->more : "");
    put_paragraph(h, text);
}

/* Appends a row of two columns. `left` stands on a line of its own if it is too long, or the terminal narrow. */
static void put_row(struct help *h, const char *left, unsigned left_columns, const char *right)
{
    bool narrow = h->columns < NARROW_COLUMNS;
    unsigned indent = narrow ? 6 : left_columns + 4;
    const struct mcti_wrap wrap = { .at = indent, .indent = indent, .columns = h->columns };
    if (narrow || strlen(left) > left_columns)
        mcti_buf_printf(&h->text, "  %s\n%*s", left, (int)indent, "");
    else
        mcti_buf_printf(&h->text, "  %-*s  ", (int)left_columns, left);
    mcti_wrap_put(&h->text, mcti_str_of(right), &wrap);
    mcti_buf_addc(&h->text, '\n');
}

/* ---- options ---- */

static const char *option_left(const struct mcti_option *o, char left[static 80])
{
    char letter[8] = "";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, 80, "%s%s%s%s", letter, o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    return left;
}

static bool is_shown(const struct mcti_option *o, const struct mcti_command *only)
{
    return only ? o->only && mcti_option_belongs(o, only->name) : !o->only;
}

/* Appends the options of one command, or with `only` NULL those of all commands. */
static void put_options(struct help *h, const struct mcti_command *only)
{
    char left[80];
    unsigned columns = 0;
    for (const struct mcti_option *o = mcti_options; o->name; o++) {
        unsigned n = is_shown(o, only) ? (unsigned)strlen(option_left(o, left)) : 0;
        columns = n > columns && n <= LEFT_COLUMNS ? n : columns;
    }
    for (const struct mcti_option *o = mcti_options; o->name; o++)
        if (is_shown(o, only))
            put_row(h, option_left(o, left), columns, o->help);
}

static bool has_options(const struct mcti_command *c)
{
    const struct mcti_option *o = mcti_options;
    while (o->name && !is_shown(o, c))
        o++;
    return o->name;
}

/* ---- one command ---- */

/* Appends a line for each form of the command. */
static void put_usage(struct help *h, const struct mcti_command *c)
{
    const char *options = has_options(c) ? " [OPTIONS]" : "", *label = "usage:";
    struct mcti_str forms = mcti_str_of(c->args), form;
    for (; mcti_str_split(&forms, '\n', &form); label = "      ") {
        const char *dashes = memmem(form.p, form.len, "-- ", 3); /* behind them is no option */
        struct mcti_str head = dashes ? mcti_str_range(form.p, dashes) : form;
        head.len -= dashes && head.len ? 1 : 0;
        struct mcti_str tail = { head.p + head.len, form.len - head.len };
        mcti_buf_printf(&h->text, "%s mcptools %s%s%.*s%s%s%.*s\n", label, c->name, head.len ? " " : "",
                        MCT_STR_ARG(head), options, tail.len && *tail.p != ' ' ? " " : "", MCT_STR_ARG(tail));
    }
}

static void put_examples(struct help *h, const struct mcti_command *c)
{
    const size_t n = sizeof c->examples / sizeof *c->examples;
    for (size_t i = 0; i < n && c->examples[i].line; i++) {
        const struct mcti_wrap wrap = { .at = 6, .indent = 6, .columns = h->columns };
        mcti_buf_printf(&h->text, "%s  mcptools %s\n      ", i ? "" : "\nExamples:\n", c->examples[i].line);
        mcti_wrap_put(&h->text, mcti_str_of(c->examples[i].what), &wrap);
        mcti_buf_addc(&h->text, '\n');
    }
}

static void help_put_command(struct help *h, const struct mcti_command *c)
{
    put_usage(h, c);
    mcti_buf_addc(&h->text, '\n');
    help_put_description(h, c);
    if (has_options(c))
        mcti_buf_addz(&h->text, "\nOptions:\n");
    put_options(h, c);
    put_examples(h, c);
    mcti_buf_addz(&h->text, "\nGlobal options: see 'mcptools --help'.\n");
}

/* ---- all commands ---- */

static const char *const groups[] = {
    [MCT_GROUP_START] = "Start here",          [MCT_GROUP_USE] = "Use servers",
    [MCT_GROUP_MANAGE] = "Manage servers",     [MCT_GROUP_DIAGNOSE] = "Find out what is wrong",
    [MCT_GROUP_MODEL] = "For model providers", [MCT_GROUP_SHELL] = "Help",
};

enum { N_GROUPS = sizeof groups / sizeof *groups };

static void put_commands(struct help *h)
{
    unsigned columns = 0;
    for (const struct mcti_command *c = mcti_commands; c->name; c++)
        columns = strlen(c->name) > columns ? (unsigned)strlen(c->name) : columns;
    for (unsigned group = 0; group < N_GROUPS; group++) {
        mcti_buf_printf(&h->text, "\n%s:\n", groups[group]);
        for (const struct mcti_command *c = mcti_commands; c->name; c++)
            if (c->group == group)
                put_row(h, c->name, columns, c->summary);
    }
    put_row(h, "help", columns, "print this text; 'help COMMAND' describes a command");
    put_row(h, "version", columns, "print the version");
}

void mcti_help_print(FILE *to, const struct mcti_command *only)
{
    struct help h;
    help_init(&h, to);
    if (only) {
        help_put_command(&h, only);
    } else {
        mcti_buf_addz(&h.text, "usage: mcptools COMMAND [ARGUMENTS] [OPTIONS]\n\n");
        put_paragraph(&h, "One MCP endpoint and one command line in front of all your MCP servers.");
        put_commands(&h);
        mcti_buf_addz(&h.text, "\nGlobal options:\n");
        put_options(&h, NULL);
        mcti_buf_addc(&h.text, '\n');
        put_paragraph(&h, "'mcptools COMMAND --help' describes a command.");
    }
    help_print(&h, to);
}

void mcti_help_print_commands(FILE *to)
{
    struct help h;
    help_init(&h, to);
    mcti_buf_addz(&h.text, "usage: mcptools COMMAND [ARGUMENTS] [OPTIONS]\n");
    put_commands(&h);
    mcti_buf_addc(&h.text, '\n');
    put_paragraph(&h, "'mcptools COMMAND --help' describes a command, 'mcptools --help' has the global options.");
    help_print(&h, to);
}
