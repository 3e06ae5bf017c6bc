/*
 * The command line: the tables of commands and options, and the application that every command gets. A command is one
 * file in commands/ with one function, and one row in main.c.
 */
#ifndef MCT_CLI_COMMAND_H
#define MCT_CLI_COMMAND_H

#include "cli/terminal/pager.h"
#include "control/control.h"
#include "instance/model.h"

#include <stdio.h>

enum mcti_output { MCT_OUT_AUTO, MCT_OUT_TEXT, MCT_OUT_JSON, MCT_OUT_RAW };

struct mcti_options {
    struct mcti_strings config_files, servers;
    enum mcti_output output;
    enum mct_log_level log_level;
    unsigned timeout_ms; /* 0: as configured */
    bool with_servers;   /* doctor --servers */
    bool no_color, no_pager, help, version, brief, schema, insecure, legacy_sse, read_only, prompt, cost;
    bool socket_only;           /* serve: commands only, no HTTP */
    unsigned idle_ms;           /* serve: ends after this time without use; 0: never */
    bool follow;                /* logs: goes on with the lines that come */
    bool alone;                 /* no running gateway is used */
    const char *scope, *issuer; /* of login; NULL: not given */
    bool device, no_browser, all, yes;
    bool list, revoke; /* of trust */
    const char *stdio; /* ad-hoc server; for serve: non-NULL when --stdio was given */
    const char *url;   /* ad-hoc server */
    const char *http, *args_json, *format;
    const char *explain, *as;       /* --explain: name of a tool; --as: name of a token; NULL: not given */
    const char *profile;            /* --for: schema profile or format of a model provider; NULL: not given */
    struct mcti_client_prefs prefs; /* mode and dialects; not given: as configured */
    struct mcti_strings roots, subscribe;
    enum mcti_language language; /* unset: as configured, or by the locale */
    bool force;
    const char *elicit, *sampling_command;
    const char *name, *via;     /* of add; NULL: not given */
    struct mcti_strings values; /* --arg */
    bool no_check, no_sandbox;
    enum mcti_sandbox_mode sandbox; /* of an entry to add; UNSET: not given */
    const char *registry;           /* --registry: URL; NULL: not given */
    const char *from;               /* --from: name of a format; NULL: not given */
    bool dry_run, project;
    struct mcti_strings headers, env; /* of an entry to add */
    const char *cwd, *type;           /* the same; NULL: not given */
    const char *events;               /* destination of call events: a file or an inherited descriptor; NULL: none */
    const char *file;                 /* --file of install and scan; NULL: not given */
    bool gateway, create, take_over;  /* of install */
    bool rules, strict;               /* of scan */
    bool task;                        /* of call */
    bool events_inherited;
    enum mcti_prefix prefix;
};

struct mcti_command;

/* Notices that nobody uses the gateway, see running/serving.h. */
struct mcti_idle {
    struct mcti_timer timer;
    struct mcti_timer retry; /* another gateway has the socket: it is tried again */
    uint64_t since_ms, n_calls;
};

enum { MCT_N_SIGNALS = 4 };

struct mcti_app {
    const struct mcti_command *command;
    struct mcti_options opt;
    char *url_word;          /* URL without the item name that followed it; owned */
    const char *const *argv; /* positional arguments after the command */
    int argc;
    int literal_at; /* number of positional arguments in front of "--"; -1: there is none */
    uint64_t started_ms;
    unsigned long core_limit; /* soft limit of core dumps for servers */
    struct mcti_log log;
    struct mcti_instance inst;
    struct mcti_running *running; /* the gateway that the command uses; NULL: none */
    struct mcti_control control;  /* the socket of serve */
    struct mcti_idle idle;
    char *socket_address; /* of the socket that systemd passes; NULL: none */
    struct mcti_other_clients control_clients;
    bool configured; /* mcti_app_configure() was successful */
    bool demo;       /* nothing is configured: the built-in server is used */
    struct mcti_event_log event_log;
    int event_fd;                   /* -1: none */
    struct mcti_answers *answers;   /* NULL: servers may not ask questions */
    struct mcti_answerer forwarder; /* passes questions of servers to the clients of serve */
    bool client_gone;               /* the client of serve --stdio has disconnected */
    bool creates;                   /* the first file of --config may be missing: the command writes it */
    bool unvetted;                  /* the command sees everything that servers say */
    bool with_hooks;                /* calls pass hooks: servers with plugins are started as well */
    bool as_served;                 /* the view is that of clients of serve: --mode applies */
    uv_signal_t signals[MCT_N_SIGNALS];
    int interrupted;                /* the signal; 0: none */
    bool ignores_hangup;            /* SIGHUP does not interrupt */
    int terminal_fd;                /* stdin or stderr, if it was a terminal at the start; -1: neither was */
    bool restart;                   /* servers that end are started again */
    bool terminal, color, progress; /* terminal: stdout is one; color: stdout gets colours; progress: stderr shows it */
    unsigned columns;               /* of the terminal; 0: lines are not broken */
    bool shows_servers;             /* the command prints the error of each server on the terminal */
    struct mcti_terminal_pager pager;
    bool progress_shown;
    struct mcti_live *live;     /* the table of servers that are starting; NULL: none is shown */
    struct mcti_follow *follow; /* of serve: says what servers do */
    bool declined_login;        /* the user does not want to log in now: no further login is offered */
    bool failure_printed;       /* the reason for the exit status has been printed */
};

/* A part of the list of commands. */
enum mcti_command_group {
    MCT_GROUP_START,
    MCT_GROUP_USE,
    MCT_GROUP_MANAGE,
    MCT_GROUP_DIAGNOSE,
    MCT_GROUP_MODEL,
    MCT_GROUP_SHELL,
};

enum { MCT_N_EXAMPLES = 4 };

struct mcti_command {
    const char *name;
    /* What follows the name on the usage line; alternatives on lines of their own. Capital words stand for values. A
     * usage line names no option, except one that is required. */
    const char *args;
    const char *summary;              /* begins in lower case, without a full stop */
    int min_args, max_args;           /* number of positional arguments; max -1: any */
    bool serves;                      /* --stdio is a flag instead of an ad-hoc server */
    int (*run)(struct mcti_app *app); /* returns the exit status */
    /* Prints an error on stdout, in the form of the command's answers, in addition to stderr; NULL: it does not. Called
     * for every error, also for mistakes in options. */
    void (*put_failure)(struct mcti_app *app, const struct mct_error *err);
    enum mcti_command_group group;
    const char *more; /* sentences of --help behind the summary; NULL: none */
    /* Two or three examples: the command line behind "mcptools ", and what it does. Tests parse them. */
    struct {
        const char *line, *what;
    } examples[MCT_N_EXAMPLES];
};

int mcti_cmd_serve(struct mcti_app *app);
int mcti_cmd_list(struct mcti_app *app);
int mcti_cmd_call(struct mcti_app *app);
int mcti_cmd_resources(struct mcti_app *app);
int mcti_cmd_templates(struct mcti_app *app);
int mcti_cmd_agent(struct mcti_app *app);
void mcti_cmd_agent_put_failure(struct mcti_app *app, const struct mct_error *err);
int mcti_cmd_read(struct mcti_app *app);
int mcti_cmd_prompts(struct mcti_app *app);
int mcti_cmd_prompt(struct mcti_app *app);
int mcti_cmd_tools(struct mcti_app *app);
int mcti_cmd_schema(struct mcti_app *app);
int mcti_cmd_status(struct mcti_app *app);
int mcti_cmd_config(struct mcti_app *app);
int mcti_cmd_watch(struct mcti_app *app);
int mcti_cmd_config_import(struct mcti_app *app); /* `config import` */
int mcti_cmd_config_add(struct mcti_app *app);    /* `config add` */
int mcti_cmd_config_remove(struct mcti_app *app); /* `config remove` */
int mcti_cmd_config_enable(struct mcti_app *app); /* `config enable` and `config disable` */
int mcti_cmd_config_set(struct mcti_app *app);    /* `config set` and `config unset` */
int mcti_cmd_config_value(struct mcti_app *app);  /* `config get KEY` */
int mcti_cmd_doctor(struct mcti_app *app);
int mcti_cmd_completion(struct mcti_app *app);
int mcti_cmd_install(struct mcti_app *app);
int mcti_cmd_uninstall(struct mcti_app *app);
int mcti_cmd_inventory(struct mcti_app *app);
int mcti_cmd_login(struct mcti_app *app);
int mcti_cmd_logout(struct mcti_app *app);
int mcti_cmd_search(struct mcti_app *app);
int mcti_cmd_trust(struct mcti_app *app);
int mcti_cmd_add(struct mcti_app *app);
int mcti_cmd_daemon(struct mcti_app *app);
int mcti_cmd_pin(struct mcti_app *app);
int mcti_cmd_diff(struct mcti_app *app);
int mcti_cmd_approve(struct mcti_app *app);
int mcti_cmd_unpin(struct mcti_app *app);
int mcti_cmd_logs(struct mcti_app *app);
int mcti_cmd_restart(struct mcti_app *app);
int mcti_cmd_auth(struct mcti_app *app);
int mcti_cmd_tasks(struct mcti_app *app);
int mcti_cmd_skills(struct mcti_app *app);
int mcti_cmd_scan(struct mcti_app *app);

/* ---- options.c ---- */

/* Parses the command line into app->command, app->opt, app->argv and app->argc, and moves the positional arguments to
 * the front of argv. Returns -1 with *err. app->command stays NULL after --version and a plain --help, which this
 * function answers itself. */
int mcti_options_parse(struct mcti_app *app, int argc, char **argv, struct mct_error *err);

/* Sets *err to the usage of the command. Returns -1. */
int mcti_command_usage(const struct mcti_command *c, struct mct_error *err);

const struct mcti_command *mcti_command_find(const char *name);
extern const struct mcti_command mcti_commands[]; /* ends in a row without a name */

/* ---- show/help.c ---- */

/* Prints the help of the command `only`; of the whole program if that is NULL. */
void mcti_help_print(FILE *to, const struct mcti_command *only);
void mcti_help_print_commands(FILE *to); /* without the options */

/* ---- complete/complete.c ---- */

/* The word in place of a command that requests completion. */
#define MCTI_COMPLETE_WORD "__complete"

/* Answers the words behind MCTI_COMPLETE_WORD on stdout. Returns the exit status. */
int mcti_complete_main(int argc, char **argv);

/* ---- event_file.c ---- */

/* Takes the value of --events. Returns -1 with *err if it is a descriptor that the program did not inherit. */
int mcti_events_option(struct mcti_app *app, const char *value, struct mct_error *err);

/* Opens the destination of --events, if given. Returns -1 with *err. */
int mcti_app_open_events(struct mcti_app *app, struct mct_error *err);
void mcti_app_close_events(struct mcti_app *app);

/* Opens the file again after it was moved away. Does nothing for an inherited descriptor. */
void mcti_app_reopen_events(struct mcti_app *app);

/* ---- signals.c ---- */

/* Handles signals. SIGINT, SIGTERM and SIGHUP interrupt the command and set app->interrupted. A second one cuts short
 * the waits of the shutdown, or ends the program if there is none to cut short. SIGUSR1 reopens the log files of serve;
 * SIGHUP also makes serve read its configuration again, and ends it only if its terminal was closed. Called again, it
 * does nothing. */
void mcti_signals_watch(struct mcti_app *app);
void mcti_signals_unwatch(struct mcti_app *app);

/* ---- app.c ---- */

/* Opens the instance, reads the configuration and logs its problems; once. --timeout becomes the time limit of resource
 * tools too, unless the command serves. Returns -1 with *err if the configuration is unusable. */
int mcti_app_configure(struct mcti_app *app, struct mct_error *err);

/* Reads the files of --config, or those that are found. Returns -1 with *err. */
int mcti_app_read_files(const struct mcti_app *app, struct mcti_config *to, struct mct_error *err);

/* Returns the options that override the configuration. */
struct mcti_choices mcti_app_choices(const struct mcti_app *app);

/* Returns true if the only server was named on the command line, with --url or --stdio. */
static inline bool mcti_app_is_adhoc(const struct mcti_app *app)
{
    return app->opt.url || (app->opt.stdio && !app->command->serves);
}

/* Creates the servers, or the one named `only`, and the view, unless the command serves. `restart`: servers that end
 * are started again. Returns -1 with *err. */
int mcti_app_open(struct mcti_app *app, const char *only, bool restart, struct mct_error *err);

/* Stops the servers and frees everything. */
void mcti_app_close(struct mcti_app *app);

/* Returns the server with the longest name that `word` begins with, followed by '.' or the end; NULL if none matches.
 * *ret_rest (may be NULL) is the text after the dot. */
const struct mcti_config_server *mcti_app_server(const struct mcti_app *app, const char *word, const char **ret_rest);

/* ---- run.c ---- */

/* Starts the servers and waits until each is connected or has failed. Returns -1 when interrupted. */
int mcti_app_settle(struct mcti_app *app);

/* Waits until servers that were started again are connected or have failed. Returns -1 when interrupted. */
int mcti_app_wait_settled(struct mcti_app *app);

/* Runs the loop until *flag or an interruption; returns whether the flag was set. */
bool mcti_app_wait(struct mcti_app *app, const bool *flag);

/* Waits until *done. Returns 0, or the exit status with *err when interrupted or out of memory. */
int mcti_app_await(struct mcti_app *app, const bool *done, struct mct_error *err);

/* Appends the JSON-RPC code of a server's error to its message, and a hint. */
void mcti_app_add_code(struct mct_error *err);

/* Waits until all plugin hosts have reported their hooks. */
void mcti_app_await_hooks(struct mcti_app *app);

/* A tool or prompt to call, found in the view of the app. All members are borrowed. */
struct mcti_app_call {
    enum mcti_verb verb;
    const struct mcti_exposure *found;
    struct mcti_str name, arguments;        /* name: as the user wrote it; arguments: a JSON object */
    const struct mcti_array_format *format; /* format of the arguments; NULL: that of the tool itself */
    bool detaches;                          /* a task that the server makes of the call is the result */
};

/* A request about a task: tasks/get or tasks/cancel. */
struct mcti_app_task {
    enum mcti_verb verb;
    struct mcti_provider *provider;
    struct mcti_str id; /* a JSON string */
    bool waits;         /* tasks/get: waits for the end; the result is that of the tool */
};

/* The outcome of a call: owned texts or NULL. */
struct mcti_app_outcome {
    int status;             /* exit status: 0 for any result, unless the policy refused the call */
    struct mct_error err;   /* without a result */
    struct mcti_str result; /* in `text` or `chunk`; absent: none */
    char *text;
    struct mcti_chunk *chunk;     /* owned reference; NULL: none */
    char *server, *output_schema; /* of the tool that ran, which may differ from `found` in search mode */
    char *item;                   /* raw name of `found`; NULL: another tool ran */
    enum mcti_task_status task;   /* as in struct mcti_call */
};

/* Makes one call on an open app and waits for its end. If the server wants a login or more scopes, offers to log in and
 * then repeats the call. Returns the exit status. Without ret->result *err is set; a call that the policy refused has a
 * result with the reason. The caller ends `ret` with mcti_app_outcome_done(). */
int mcti_app_run_call(struct mcti_app *app, const struct mcti_app_call *w, struct mcti_app_outcome *ret,
                      struct mct_error *err);
void mcti_app_outcome_done(struct mcti_app_outcome *o);

/* Makes a request about a task on an open app and waits for its end; a task that is waited for goes on if the user
 * interrupts that. Returns the exit status; without ret->result, ret->err is set. */
int mcti_app_run_task(struct mcti_app *app, const struct mcti_app_task *t, struct mcti_app_outcome *ret);

/* Makes `n` calls at the same time, waits for the end of all, and sets ret[i] to the outcome of w[i]. */
void mcti_app_run_calls(struct mcti_app *app, const struct mcti_app_call *w, size_t n, struct mcti_app_outcome *ret);

/* ---- login/offer.c ---- */

/* Starts the servers as mcti_app_settle() does. Then offers to log in to those that want it, and starts these again;
 * without a terminal their error names the command that logs in. Returns -1 when interrupted. */
int mcti_signin_settle(struct mcti_app *app);

/* Offers to log in because the server refused a request with *err. Returns true after the login: the request can be
 * made again. `n_retries`: how often that was done for this request. Otherwise *err may be replaced by what to do, or
 * by why the login failed. `server` may be NULL. */
bool mcti_signin_retry(struct mcti_app *app, const char *server, unsigned n_retries, struct mct_error *err);

/* ---- running/attach.c ---- */

/* Finds the gateway that runs with the same configuration. `only`: the server that the command uses; NULL: all. Returns
 * NULL if there is none that the command may use. */
const struct mcti_connect_attach *mcti_running_attach(struct mcti_app *app, const char *only);
void mcti_running_free(struct mcti_running *r);

/* ---- live/ ---- */

/* Shows the states of the servers on stderr, if that is a terminal, until mcti_live_end() erases them. `only_starting`:
 * without servers that are connected or have failed. */
void mcti_live_begin(struct mcti_app *app, bool only_starting);
void mcti_live_end(struct mcti_app *app);

/* Erases the table until the next change, because something else is printed. */
void mcti_live_hide(const struct mcti_app *app);

/* Says on stderr what the servers of a gateway do, until mcti_follow_end(). */
void mcti_follow_begin(struct mcti_app *app);
void mcti_follow_end(struct mcti_app *app);

/* Makes serve read its configuration again when that has changed. Returns -1 with *err. */
int mcti_app_open_reload(struct mcti_app *app, struct mct_error *err);

/* ---- print.c ---- */

/* A process with this variable in its environment writes the time in front of each line on stderr: the daemon. */
#define MCT_LOG_TIMES_VARIABLE "MCPTOOLS_LOG_TIMES"

/* Returns true if it does. */
bool mcti_err_is_log(void);

/* Sets app->terminal, app->color, app->progress and app->columns. */
void mcti_out_detect(struct mcti_app *app);

/* Shows what the command prints from now on in a pager if stdout is a terminal and the output longer than it. For
 * commands that print lists, after everything that they ask or show while they wait. */
void mcti_out_page(struct mcti_app *app);

enum mcti_style { MCT_PLAIN, MCT_BOLD, MCT_DIM, MCT_RED, MCT_GREEN, MCT_YELLOW };

/* Prints one line or a part of one to stdout. On a terminal, control characters in the arguments become '?'; a newline
 * at the end of `fmt` is kept. */
void mcti_out(const struct mcti_app *app, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void mcti_out_styled(const struct mcti_app *app, enum mcti_style style, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints one line of foreign text, which begins in column `at`; control characters become '?'. On a terminal, it is
 * broken between words and goes on in column `indent`. */
void mcti_out_wrapped(const struct mcti_app *app, enum mcti_style style, unsigned at, unsigned indent,
                      struct mcti_str text);

/* Return what begins and ends the style on a terminal; "" if there are no colours. */
const char *mcti_style_begin(const struct mcti_app *app, enum mcti_style style);
const char *mcti_style_end(const struct mcti_app *app, enum mcti_style style);

/* Like mcti_out(), but on stderr. Control characters are replaced there even without a terminal, because messages go to
 * logs. */
void mcti_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints a text to a person on stderr. Its further lines, and on a terminal what is broken between words, go on two
 * columns further to the right than it begins: foreign text cannot begin a line as we do. In a log it is one line. */
void mcti_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints a part of a line on stderr, which may have several lines: those behind the first begin in column `indent`. It
 * may change `text`. */
void mcti_err_text(unsigned indent, char *text);

/* Prints text of several lines. On a terminal, control characters other than newlines and tabs become '?'. */
void mcti_out_text(const struct mcti_app *app, struct mcti_str text);

/* Prints the bytes of a blob, a JSON string of base64, which may have line ends. On a terminal prints only their
 * number, because the bytes could control the terminal. Returns -1 after telling that it is not base64. */
int mcti_out_blob(const struct mcti_app *app, struct mcti_str blob);

/* Prints one JSON document: on a terminal indented and with escaped control characters, elsewhere unchanged. */
void mcti_out_json(const struct mcti_app *app, struct mcti_str value);
/* The same, not indented. */
void mcti_out_json_line(const struct mcti_app *app, struct mcti_str value);

/* ---- output.c ---- */

/* Prints the error as text on stderr, or with -o json as {"error":…} on stdout. Returns the exit status of its kind.
 * `server` may be NULL. */
int mcti_out_fail(struct mcti_app *app, const struct mct_error *err, const char *server);

/* Prints that memory ran out, which may have cut the output short, unless an error has been printed. Returns `status`,
 * or the exit status of an internal error if that is 0. */
int mcti_out_no_memory(struct mcti_app *app, int status);

/* Prints that the user interrupted the command, and returns its exit status. */
int mcti_out_interrupted(struct mcti_app *app);

/* Returns the columns of a column of server names: on a terminal those that they need, elsewhere `usual`. */
unsigned mcti_out_name_columns(const struct mcti_app *app, unsigned usual);

/* Prints SERVER.NAME in bold; NAME alone for an ad-hoc server. */
void mcti_out_item_name(const struct mcti_app *app, const struct mcti_provider *p, const struct mcti_item *item);

/* Prints the state of a server: green if it is connected, yellow while it connects, otherwise red. */
void mcti_out_state(const struct mcti_app *app, const struct mcti_provider *p);

/* Prints the last lines that a server which is down wrote to stderr. */
void mcti_out_explain(const struct mcti_app *app, const struct mcti_provider *p);

/* Shows the progress of a call on stderr, if that is a terminal. `params`: those of notifications/progress. */
void mcti_out_progress(struct mcti_app *app, struct mcti_str params);
void mcti_out_progress_end(struct mcti_app *app);

/* Prints what a connected plugin host has to report about its plugins, unless the output is JSON. */
void mcti_out_hosted(const struct mcti_app *app, struct mcti_provider *p);

/* Prints a line on stderr for each server that did not connect, and what plugin hosts report. Returns 0; 8 if some did
 * not connect, or a list is incomplete or a plugin is missing; 4 if none connected, or 3 if all want credentials, or 7
 * if no file with servers is trusted. */
int mcti_out_failures(const struct mcti_app *app);
int mcti_out_shown_failures(
    const struct mcti_app *app); /* the same after the states of all servers have been printed */
int mcti_out_failure_status(const struct mcti_app *app); /* returns the same and prints nothing */

/* Appends `,"errors":[…]` for the servers that did not connect, the lists that could not be fetched, and missing
 * plugins; nothing if there are none. */
void mcti_out_put_errors(const struct mcti_app *app, struct mcti_buf *to);

/* The same with `more` behind them: objects of that form, with commas between them. */
void mcti_out_put_errors_and(const struct mcti_app *app, struct mcti_buf *to, struct mcti_str more);

#endif
