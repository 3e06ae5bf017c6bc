/*
 * Shared by the readers of configuration files. A key is a row in a table (fields.h): server_fields.c,
 * settings_fields.c, policy.c, tokens.c and settings/hooks.c have them. fields.c reads values by these rows,
 * import/read.c finds the objects in a file. Formats of other programs have tables in import/.
 */
#ifndef MCT_CONFIG_READ_IMPL_H
#define MCT_CONFIG_READ_IMPL_H

#include "config/config.h"
#include "config/fields.h"
#include "config/notation/document.h"
#include "json/scan.h"

#include <sys/types.h>

/* A position in the text whose line is known. */
struct mcti_line_mark {
    const char *text;   /* of the file */
    const char *at;     /* the position */
    const char *begins; /* its line */
    unsigned line;
    const struct mcti_document *document; /* a text that was written as JSON knows all lines; NULL: count them */
};

/* How a program writes the entries of servers; see config/import/formats.c. */
struct mcti_config_format {
    const char *name;      /* a word of `config import --from` */
    const char *title;     /* for documents: "Codex, `config.toml`" */
    const char *container; /* the path of the object that has the entries */
    const char *files;     /* globs over paths, with blanks between: the format of these files only; NULL: of all */
    unsigned notations;    /* bits of enum mcti_notation; 0: all */
    /* Returns true if a file that `files` does not match is of this format as well; NULL: none is. */
    bool (*fits)(struct mcti_str root, struct mcti_str entries);
    const struct mcti_config_field *const *tables; /* of the keys of an entry, searched in this order; ends in NULL */
    unsigned variables;                            /* how texts name variables, enum mcti_variables of import/impl.h */
    bool is_sse;                                   /* a URL without a type is HTTP+SSE */
    bool is_list;                                  /* the entries are a list, and each has a "name" */
    bool (*skips)(struct mcti_str entry);          /* returns true if an entry is not one of a server; NULL: all are */
    void (*settle)(struct mcti_config_place *at, struct mcti_json_member entry); /* after the keys; NULL: nothing */
    void (*read_rest)(struct mcti_config_place *at, struct mcti_str root);       /* other settings; NULL: none */
};

/* A place in a file, for messages. */
struct mcti_config_place {
    struct mcti_config *config;
    const char *file;
    struct mcti_line_mark *mark;             /* shared by the places of a file: the next line is counted from there */
    const char *path;                        /* "mcpServers.fs"; empty at the root */
    struct mcti_config_server *server;       /* the entry of a server being read; NULL outside of entries */
    struct mcti_str entry;                   /* the JSON of that entry */
    const struct mcti_config_format *format; /* of the entries being read */
    /* Ends the reading of at->server: variables in its texts, and what the keys of its format mean together. */
    void (*settle)(struct mcti_config_place *at, struct mcti_json_member entry);
    const struct mcti_config_field *const *tables; /* further tables of the object being read; NULL: none */
    enum mcti_notation notation;                   /* of the file */
    bool is_further; /* in a "mcptools" section after the first: rows with first_only are skipped */
};

/* ---- place.c ---- */

/* Records a mistake in a member. A fatal one disables the entry of the server; outside of entries it makes the
 * configuration unusable. */
void mcti_config_mistake(struct mcti_config_place *at, struct mcti_json_member m, bool fatal, const char *what);

/* Returns the line of `p`. Counts from the position of the previous call. */
unsigned mcti_config_line_at(const struct mcti_config_place *at, const char *p);

/* Returns the column of the key of a member, or of an item of a list, whose key is empty; 0: unknown. */
unsigned mcti_config_column_at(const struct mcti_config_place *at, struct mcti_json_member m);

/* ---- exposure.c ---- */

/* Warns if the mode of the file lets other users change it, or read secrets in it. first_server and first_token are the
 * indices of the first entries that the file added. */
void mcti_config_check_mode(struct mcti_config *c, const char *file, mode_t mode, size_t first_server,
                            size_t first_token);

/* ---- fields.c ---- */

/* Reads the members of an object into *to; `fields` ends in a row without a key. */
void mcti_config_read_object(struct mcti_config_place *at, struct mcti_str object,
                             const struct mcti_config_field *fields, void *to);

/* Reads one member into *to; `f` is its row. If the value has the wrong type, records the mistake and returns false. */
bool mcti_config_read_field(struct mcti_config_place *at, const struct mcti_config_field *f, struct mcti_json_member m,
                            void *to);

/* Calls `read` for each item of a list, with a place that names the item. */
void mcti_config_read_items(struct mcti_config_place *at, struct mcti_str list,
                            void (*read)(struct mcti_config_place *at, struct mcti_str item));

/* Returns the name of a member as text, or NULL if it is not valid Unicode. */
char *mcti_config_key_dup(struct mcti_json_member m);

/* ---- servers.c ---- */

/* Reads the entries of servers in at->format: an object, or a list. */
void mcti_config_read_servers(struct mcti_config_place *at, struct mcti_str entries);

/* Makes the paths of "${file:PATH}" in the texts of an entry absolute. Returns -1 when out of memory. */
int mcti_config_anchor(struct mcti_config_server *s);

/* Returns true if keys for the server types in `types` (bits, 0: all) have no effect in this entry. */
bool mcti_config_is_elsewhere(const struct mcti_config_place *at, unsigned types);

/* ---- settings.c ---- */

void mcti_config_read_settings(struct mcti_config_place *at, struct mcti_json_member m);

/* ---- policy.c ---- */

void mcti_config_read_rule_sets(struct mcti_config_place *at, const struct mcti_config_field *f, struct mcti_str object,
                                struct mcti_config_rule_sets *to);

/* ---- tokens.c ---- */

void mcti_config_read_tokens(struct mcti_config_place *at, struct mcti_str list);

/* ---- settings/hooks.c ---- */

void mcti_config_read_hooks(struct mcti_config_place *at, struct mcti_str list);

#endif
