/* Shared by the formats of other programs. A format is one file with a table of the keys that its entries have, and one
 * row in formats.c. */
#ifndef MCT_CONFIG_IMPORT_IMPL_H
#define MCT_CONFIG_IMPORT_IMPL_H

#include "config/import/import.h"
#include "config/read_impl.h"

/* Ways to write a variable in a text, as bits. ${VAR} and ${VAR:-default} are understood unless NONE is set. */
enum mcti_variables {
    MCT_VARIABLES_NONE = 1,     /* none: every text is literal */
    MCT_VARIABLES_EDITOR = 2,   /* ${env:VAR}, ${input:ID}, ${workspaceFolder} and other names of folders */
    MCT_VARIABLES_DOLLAR = 4,   /* $VAR */
    MCT_VARIABLES_WHOLE = 8,    /* $env:VAR as a whole text */
    MCT_VARIABLES_BRACES = 16,  /* {env:VAR} and {file:PATH} */
    MCT_VARIABLES_NEXO = 32,    /* ${VAR-default} and ${file:PATH}; no "$${" */
    MCT_VARIABLES_SECRETS = 64, /* ${{ secrets.VAR }} */
};

extern const struct mcti_config_format *const mcti_config_formats[]; /* ends in NULL */
extern const struct mcti_config_format mcti_format_native, mcti_format_codex, mcti_format_nexo, mcti_format_opencode,
    mcti_format_opencode_next, mcti_format_openclaw, mcti_format_zed, mcti_format_gemini, mcti_format_cline,
    mcti_format_mcporter, mcti_format_copilot, mcti_format_claude_code, mcti_format_servers, mcti_format_nested,
    mcti_format_mcp_servers, mcti_format_amp, mcti_format_claude_desktop, mcti_format_amazonq, mcti_format_crush,
    mcti_format_flat, mcti_format_goose, mcti_format_continue;

/* Keys that several programs write, in "mcpServers". */
extern const struct mcti_config_field mcti_config_client_fields[];

/* ---- variables.c ---- */

/* Rewrites the texts of at->server, which the format wrote with its own variables, in mcptools' way. */
void mcti_config_rewrite(struct mcti_config_place *at, struct mcti_json_member entry);

/* Does the same with one text; `m` is the place in messages. On failure returns -1; the mistake has been told. */
int mcti_config_rewrite_text(struct mcti_config_place *at, struct mcti_json_member m, char **text);

/* Returns a reference that mcti_config_rewrite() turns into "${NAME}", or into "${NAME:-}". NULL: out of memory. */
char *mcti_config_reference(const char *name, bool may_be_unset);

/* Returns the name of an environment variable for "github-token": GITHUB_TOKEN. NULL: out of memory. */
char *mcti_config_variable_name(struct mcti_str text);

/* ---- values.c: readers for TYPE_SPECIAL. `to` is the struct mcti_config_server. ---- */

bool mcti_special_call_ms(struct mcti_config_place *at, const struct mcti_json_member *m,
                          void *to); /* milliseconds → timeout */
bool mcti_special_start_ms(struct mcti_config_place *at, const struct mcti_json_member *m,
                           void *to); /* milliseconds → start_timeout */
bool mcti_special_call_s(struct mcti_config_place *at, const struct mcti_json_member *m,
                         void *to); /* seconds; values of 1000 and more are milliseconds → timeout */
bool mcti_special_allow(struct mcti_config_place *at, const struct mcti_json_member *m,
                        void *to); /* exact names; none: no tool at all */
bool mcti_special_deny(struct mcti_config_place *at, const struct mcti_json_member *m, void *to); /* exact names */
bool mcti_special_type(struct mcti_config_place *at, const struct mcti_json_member *m,
                       void *to); /* other words for types */
bool mcti_special_http_url(struct mcti_config_place *at, const struct mcti_json_member *m,
                           void *to); /* a URL of Streamable HTTP */
bool mcti_special_bearer(struct mcti_config_place *at, const struct mcti_json_member *m, void *to); /* a bearer token */
bool mcti_special_bearer_variable(struct mcti_config_place *at, const struct mcti_json_member *m,
                                  void *to); /* the variable with the bearer token */
bool mcti_special_command(struct mcti_config_place *at, const struct mcti_json_member *m,
                          void *to); /* a command line, or a list: the program and its arguments */
bool mcti_special_list(struct mcti_config_place *at, const struct mcti_json_member *m,
                       void *to); /* a program, or a list of it and its arguments */
bool mcti_special_env(struct mcti_config_place *at, const struct mcti_json_member *m,
                      void *to); /* texts, numbers and truth values; null: without the variable */
bool mcti_special_auth(struct mcti_config_place *at, const struct mcti_json_member *m,
                       void *to); /* as in mcptools.json, or a word for its type */
bool mcti_special_oauth(struct mcti_config_place *at, const struct mcti_json_member *m,
                        void *to); /* an object of OAuth settings, or a truth value */
bool mcti_special_scope(struct mcti_config_place *at, const struct mcti_json_member *m,
                        void *to); /* scopes with blanks between */
bool mcti_special_tools(struct mcti_config_place *at, const struct mcti_json_member *m,
                        void *to); /* as in mcptools.json, or a list of names, "*" for all */

/* Reads an object with a table of its own. Returns false if the value is no object. */
bool mcti_special_object(struct mcti_config_place *at, const struct mcti_json_member *m,
                         const struct mcti_config_field *fields, void *to);

#define MUST_BE_MS "must be a number of milliseconds from 0 to 86400000"
#define MUST_BE_NAMES "must be a list of names of tools"
#define MUST_BE_TEXT "must be a string"
#define MUST_BE_COMMAND "must be a string, or a list of strings"
#define MUST_BE_OAUTH "must be an object, true or false"
#define MUST_BE_TYPE "must be stdio, streamable-http, http, sse, openclaw or plugin"

/* Why keys of other programs have no effect. */
#define NO_APPROVAL "has no effect: mcptools asks for no approvals; \"mcptools\": {\"policy\": …} restricts tools"
#define NO_DISCOVERY "has no effect: a login finds this out by asking the server"
#define NO_ENV_FILE "has no effect: mcptools reads no such file; name its variables in \"env\""
#define NO_HELPER "has no effect: mcptools runs no program for headers; write them into \"headers\""
#define NO_MEANING "has no effect in mcptools"
/* A row for a key of another program that says nothing about the server. */
#define FIELD_IGNORED(key, ...) FIELD_SPECIAL(key, mcti_special_ignore, "", __VA_ARGS__)
bool mcti_special_ignore(struct mcti_config_place *at, const struct mcti_json_member *m, void *to);

#define NO_TLS "has no effect: mcptools always checks certificates, with the certificates of the system"

/* Adds a pair. Returns false when out of memory; takes both texts in any case. */
bool mcti_special_add_pair(struct mcti_pairs *to, char *take_key, char *take_value);

/* Sets auth to a bearer token; `take_token` may be NULL (out of memory). */
bool mcti_special_set_bearer(struct mcti_config_server *s, char *take_token);

/* Records a mistake in `m` that disables the server, or warns. */
void mcti_special_say(struct mcti_config_place *at, const struct mcti_json_member *m, bool fatal, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
