/*
 * A plan: how a package of a registry, or a bundle, becomes an entry of mcptools.json. It has the command or URL as
 * templates, the inputs that a person has to give, and notes about what is unusual. A plan starts nothing and asks
 * nobody: server_json.c makes one from a document, the command line fills in the answers, and
 * mcti_plan_finish() writes the entry.
 */
#ifndef MCT_PACKAGES_PLAN_H
#define MCT_PACKAGES_PLAN_H

#include "base/error.h"
#include "base/strings.h"
#include "config/config.h"

enum {
    MCT_PLAN_INPUTS = 256,         /* inputs of one plan */
    MCT_PLAN_ARGS = 512,           /* arguments and headers of one plan */
    MCT_PLAN_TEXT_BYTES = 1 << 16, /* one text after its variables were put in */
    MCT_PLAN_DOCUMENT_BYTES = 1 << 20
};

enum mcti_input_use { MCT_INPUT_ARG, MCT_INPUT_ENV, MCT_INPUT_HEADER };
enum mcti_input_format { MCT_INPUT_TEXT, MCT_INPUT_NUMBER, MCT_INPUT_BOOLEAN, MCT_INPUT_PATH };

/* One value that a person, or a default, gives. */
struct mcti_input {
    char *name;                                /* "GITHUB_TOKEN", "--port", "allowed_folders" */
    char *description, *preset, *placeholder;  /* NULL: none */
    struct mcti_strings choices, more_presets; /* more_presets: further values of the default */
    enum mcti_input_use use;
    enum mcti_input_format format;
    bool required, secret, many;
    bool has_min, has_max;
    double min, max;
    /* The answers, as the entry has them: "${VAR}" and "${file:PATH}" are references. None: not answered. */
    struct mcti_strings values;
};

/* A template: text in which \x1fN\x1f stands for the input N. */
struct mcti_plan_arg {
    char *flag; /* "--port", stands in front of each value; NULL: none */
    char *text; /* NULL: the flag alone, if the input is "true" */
    int input;  /* the input of a flag without text; -1: none */
};

struct mcti_plan_pair {
    char *key, *text; /* text: a template */
};

struct mcti_plan_note {
    bool danger; /* must be confirmed by a person */
    char *text;
};

struct mcti_plan {
    char *name, *version, *title, *description; /* for people; NULL: unknown */
    char *way;                                  /* "npm", "oci", "remote", "bundle", … */
    char *command;                              /* a template; NULL: a URL */
    char *url;                                  /* a template; NULL: a command */
    enum mcti_server_type type;                 /* of a URL */
    struct mcti_plan_arg *args;
    struct mcti_plan_pair *env, *headers;
    size_t n_args, n_env, n_headers;
    size_t package_at; /* the argument that is the package: arguments before are those of the program that runs it */
    size_t env_at;     /* the names of all variables are arguments of docker in front of this argument; SIZE_MAX: no */
    char *cwd;
    char *sha256; /* of the bundle to fetch from `fetch`; NULL: unknown */
    char *fetch;  /* URL of a bundle: the plan is made from its manifest; NULL: none */
    struct mcti_input *inputs;
    size_t n_inputs;
    struct mcti_plan_note *notes;
    size_t n_notes;
    bool failed; /* memory was exhausted, or a limit was exceeded */
};

void mcti_plan_init(struct mcti_plan *p);
void mcti_plan_done(struct mcti_plan *p);

/* Returns an empty input, valid until the next one is added; *ret_index may be NULL. NULL: the limit is reached. */
struct mcti_input *mcti_plan_add_input(struct mcti_plan *p, int *ret_index);

/* Adds an argument, header or variable. The texts are taken, even on failure. */
void mcti_plan_add_arg(struct mcti_plan *p, char *take_flag, char *take_text, int input);
void mcti_plan_add_words(struct mcti_plan *p, const char *const *words); /* fixed arguments, ended by NULL */
void mcti_plan_add_env(struct mcti_plan *p, char *take_key, char *take_text);
void mcti_plan_add_header(struct mcti_plan *p, char *take_key, char *take_text);
void mcti_plan_note(struct mcti_plan *p, bool danger, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Appends a fixed text, so that "${" in it stays "${" when the entry is read. */
void mcti_plan_put_fixed(struct mcti_buf *to, struct mcti_str text);

/* Appends the place of an input. */
void mcti_plan_put_input(struct mcti_buf *to, int input);

/* Returns the text of a template whose only content is the input; owned. */
char *mcti_plan_only_input(int input);

/* ---- inspect.c ---- */

/* Notes what is unusual about the command that the plan has now: shell characters, a version that is not pinned,
 * options of docker that leave the container. */
void mcti_plan_inspect(struct mcti_plan *p);

/* ---- answer.c ---- */

/* Adds an answer that a person has given: a choice, a number, a path; "${" begins a reference. Returns -1 with *err if
 * it does not fit. */
int mcti_input_answer(struct mcti_input *in, struct mcti_str answer, struct mct_error *err);

/* Takes the default, which a stranger has written, as the answer. Returns -1 with *err if it does not fit. */
int mcti_input_take_preset(struct mcti_input *in, struct mct_error *err);

/* Appends "--env NAME=VALUE", "--arg NAME=VALUE" or "--header NAME=VALUE": how the answer is given. */
void mcti_input_put_option(struct mcti_buf *to, const struct mcti_input *in);

/* ---- finish.c ---- */

/* Returns true if a template has the place of the input; NULL has none. */
bool mcti_template_has(const char *text, size_t input);

/* Returns true if a template of the plan has the input. */
bool mcti_plan_uses(const struct mcti_plan *p, size_t input);

/* Fills an empty entry of the configuration. Optional arguments, variables and headers without an answer are left out.
 * Returns -1 with *err, which lists the required inputs without an answer. */
int mcti_plan_finish(const struct mcti_plan *p, struct mcti_config_server *ret, struct mct_error *err);

#endif
