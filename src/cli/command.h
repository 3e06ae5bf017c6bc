/*
 * The command line: a table of commands, a table of options, and what every command gets. A command
 * is one file with one function, and one row in main.c.
 */
#ifndef MCT_CLI_COMMAND_H
#define MCT_CLI_COMMAND_H

#include "instance/model.h"

#include <stdio.h>

enum mcti_output { MCT_OUT_AUTO, MCT_OUT_TEXT, MCT_OUT_JSON, MCT_OUT_RAW };

struct mcti_options {
    struct mcti_strings config_files, servers;
    enum mcti_output output;
    enum mct_log_level log_level;
    unsigned timeout_ms; /* 0: the configuration's */
    bool no_color, help, version, brief, schema, insecure, legacy_sse, read_only, prompt, cost;
    const char *stdio; /* ad-hoc server; for serve: non-NULL when --stdio was given */
    const char *url;   /* ad-hoc server */
    const char *http, *args_json, *format;
    const char *explain, *as;       /* a tool; the name of a token; NULL: none */
    const char *profile;            /* --for: of schemas, or the format of a model provider; NULL: none was named */
    struct mcti_client_prefs prefs; /* mode and dialects; otherwise: the configuration's */
    struct mcti_strings roots, subscribe;
    const char *elicit, *sampling_command;
    const char *events; /* where calls are told: a file, or a descriptor that was inherited; NULL: nowhere */
    bool events_inherited;
    enum mcti_prefix prefix;
};

struct mcti_command;

enum { MCT_N_SIGNALS = 4 };

struct mcti_app {
    const struct mcti_command *command;
    struct mcti_options opt;
    char *url_word;          /* the URL cut out of a word; owned */
    const char *const *argv; /* positional arguments behind the command */
    int argc;
    struct mcti_log log;
    struct mcti_instance inst;
    bool demo; /* nothing is configured: the built-in server stands in */
    struct mcti_event_log event_log;
    int event_fd;                   /* -1: none */
    struct mcti_answers *answers;   /* NULL: servers may ask nothing */
    struct mcti_answerer passes_on; /* what serve answers servers with */
    bool client_gone;               /* the one that serve has on stdio */
    bool with_hooks;                /* calls pass hooks: servers with plugins are started, too */
    bool as_served;                 /* the view is what clients of serve get: --mode counts */
    uv_signal_t signals[MCT_N_SIGNALS];
    int interrupted;                /* the signal, 0: none */
    bool stays_at_hangup;           /* SIGHUP is no interruption */
    bool keep;                      /* servers that end are started again */
    bool terminal, color, progress; /* stdout is a terminal; colours are wanted there; stderr is one */
    bool progress_shown;
    bool failure_said; /* the reason for the exit status has been printed */
};

struct mcti_command {
    const char *name;
    const char *args; /* for the usage line */
    const char *summary;
    int min_args, max_args;           /* positional; max -1: any number */
    bool serves;                      /* --stdio is a flag, not an ad-hoc server */
    int (*run)(struct mcti_app *app); /* returns the exit status */
};

int mcti_cmd_serve(struct mcti_app *app);
int mcti_cmd_list(struct mcti_app *app);
int mcti_cmd_call(struct mcti_app *app);
int mcti_cmd_resources(struct mcti_app *app);
int mcti_cmd_templates(struct mcti_app *app);
int mcti_cmd_agent(struct mcti_app *app);
int mcti_cmd_read(struct mcti_app *app);
int mcti_cmd_prompts(struct mcti_app *app);
int mcti_cmd_prompt(struct mcti_app *app);
int mcti_cmd_tools(struct mcti_app *app);
int mcti_cmd_schema(struct mcti_app *app);
int mcti_cmd_status(struct mcti_app *app);
int mcti_cmd_config(struct mcti_app *app);
int mcti_cmd_watch(struct mcti_app *app);

/* ---- options.c ---- */

/* Parses everything; -1 with *err. Positionals are moved to the front of argv. */
int mcti_options_parse(struct mcti_app *app, int argc, char **argv, struct mct_error *err);
void mcti_options_usage(FILE *to, const struct mcti_command *only);
const struct mcti_command *mcti_command_find(const char *name);
extern const struct mcti_command mcti_commands[]; /* ends in a row without a name */

/* ---- event_file.c ---- */

/* Sees to --events: a descriptor must have been open when the program was started. -1 with *err. */
int mcti_events_option(struct mcti_app *app, const char *value, struct mct_error *err);

int mcti_app_open_events(struct mcti_app *app, struct mct_error *err);
void mcti_app_close_events(struct mcti_app *app);

void mcti_app_reopen_events(struct mcti_app *app);

/* ---- signals.c ---- */

/* SIGINT, SIGTERM and SIGHUP interrupt the command: app->interrupted. A second one hurries the end, or ends the program
 * where there is nothing to hurry. SIGUSR1, and SIGHUP of a service, have a server's logs opened again. */
void mcti_signals_watch(struct mcti_app *app);
void mcti_signals_unwatch(struct mcti_app *app);

/* ---- app.c ---- */

/* Opens the instance and reads the configuration; prints warnings. -1 with *err when it must stop there. */
int mcti_app_configure(struct mcti_app *app, struct mct_error *err);

/* Whether the one server there is was named on this command line, not in a configuration. */
static inline bool mcti_app_is_adhoc(const struct mcti_app *app)
{
    return app->opt.url || (app->opt.stdio && !app->command->serves);
}

/* Makes the servers: all, or only the one named; and the view, unless the command serves. */
int mcti_app_open(struct mcti_app *app, const char *only, bool restart, struct mct_error *err);

/* Stops the servers and frees everything. */
void mcti_app_close(struct mcti_app *app);

/* The server a word names: the longest server name it begins with, followed by '.' or its end; *rest
 * is what follows. NULL when there is none. */
const struct mcti_config_server *mcti_app_server(const struct mcti_app *app, const char *word, const char **ret_rest);

/* ---- run.c ---- */

/* Starts the servers and waits until each is up or has failed. -1 when interrupted. */
int mcti_app_settle(struct mcti_app *app);

/* Runs the loop until *flag or an interruption; returns whether the flag was set. */
bool mcti_app_wait(struct mcti_app *app, const bool *flag);

/* Waits for the end of a request; returns 0, or the exit status with *err when it was interrupted, or memory was short.
 */
int mcti_app_await(struct mcti_app *app, const bool *done, struct mct_error *err);

/* Appends the code of a server's refusal to its message, and what to do about it. */
void mcti_app_add_code(struct mct_error *err);

/* Waits until it is known which hooks there are. */
void mcti_app_learn_hooks(struct mcti_app *app);

/* A tool or prompt to call, found in the app's view. Borrowed. */
struct mcti_wanted {
    enum mcti_verb verb;
    const struct mcti_exposure *found;
    struct mcti_str name, arguments;        /* as the user called it; a JSON object */
    const struct mcti_array_format *format; /* in which the arguments are; NULL: as the tool takes them */
};

/* What became of a call. Owned texts; NULL: there is none. */
struct mcti_called {
    char *result;
    char *server, *output_schema; /* of the tool that was called, where `found` stood for another one */
};

/* Makes one call on an open app, and waits for its end: the same way as the library. Returns the exit status, that of a
 * policy also with ret->result, which says why the call was refused; otherwise without a result *err is set. `ret` is
 * the caller's to end. */
int mcti_app_call(struct mcti_app *app, const struct mcti_wanted *w, struct mcti_called *ret, struct mct_error *err);
void mcti_called_done(struct mcti_called *c);

/* ---- print.c ---- */

/* Finds out where text goes to, and whether it may have colours there. */
void mcti_out_detect(struct mcti_app *app);

enum mcti_style { MCT_BOLD, MCT_DIM, MCT_RED };

/* Prints one line, or a part of one. On a terminal control characters of the arguments become '?'; a line end at the
 * end of `fmt` stays. */
void mcti_out(const struct mcti_app *app, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mcti_out_styled(const struct mcti_app *app, enum mcti_style style, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same on stderr, also where that is no terminal: messages get into logs. */
void mcti_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints text of several lines. On a terminal control characters other than line ends and tabs become '?'. */
void mcti_out_text(const struct mcti_app *app, struct mcti_str text);

/* Prints one JSON document: indented on a terminal, where control characters are escaped; as it is elsewhere. */
void mcti_out_json(const struct mcti_app *app, struct mcti_str value);
/* The same, not indented. */
void mcti_out_json_line(const struct mcti_app *app, struct mcti_str value);

/* ---- output.c ---- */

/* Prints the failure for a person (stderr) or as {"error":…} (stdout, -o json); returns the exit
 * status of its kind. `server` may be NULL. */
int mcti_out_fail(struct mcti_app *app, const struct mct_error *err, const char *server);

/* The same where memory was short, unless a failure has been printed: output may lack something then. `status` stays if
 * it is not 0. */
int mcti_out_no_memory(struct mcti_app *app, int status);

/* The same for what the user broke off. */
int mcti_out_interrupted(struct mcti_app *app);

/* SERVER.NAME in bold, as it is called; the plain name where the server is ad hoc. */
void mcti_out_item_name(const struct mcti_app *app, const struct mcti_provider *p, const struct mcti_item *item);

/* The state of a server, red where it is not connected. */
void mcti_out_state(const struct mcti_app *app, const struct mcti_provider *p);

/* Progress of a call on stderr, if that is a terminal. */
void mcti_out_progress(struct mcti_app *app, struct mcti_str params);
void mcti_out_progress_end(struct mcti_app *app);

/* 0, or 8 with a line per server on stderr when some did not connect, or 4 when none did. */
int mcti_out_failures(const struct mcti_app *app);
int mcti_out_failure_status(const struct mcti_app *app); /* the same, and prints nothing */

/* Appends `,"errors":[…]` for servers that did not connect; nothing when all did. */
void mcti_out_put_errors(const struct mcti_app *app, struct mcti_buf *to);

#endif
