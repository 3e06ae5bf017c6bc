/*
 * Pins: what servers said when a person approved it. A file of pins, mcptools.pins.json, has for each server its items,
 * for each item the parts that a model sees, and for each part the hash of its canonical form and, unless it is long,
 * the text itself.
 *
 * A struct mcti_pins holds the pins of one file, and is changed in memory; mcti_pins_save() writes it.
 */
#ifndef MCT_PINS_PINS_H
#define MCT_PINS_PINS_H

#include "hub/vet/vetted.h"
#include "pins/canon.h"

#define MCT_PINS_FILE "mcptools.pins.json"

/* A pinned item: the parts that were approved. */
struct mcti_pin {
    struct mcti_map_node by_key;
    struct mcti_map_node by_server; /* of a pin about a server */
    size_t place;                   /* in the array */
    char *server, *id;              /* owned; id "" for texts about the server */
    unsigned subject;               /* enum mcti_subject, or MCT_PIN_ABOUT: the server itself */
    char *parts;                    /* owned: an object, {"description":{"sha256":…,"value":…},…} */
    char *key;                      /* owned */
};

/* The pseudo-subject for the entry of a server: how it is started. A server is pinned if it has this pin. */
enum { MCT_PIN_ABOUT = MCT_SUBJECT_N, MCT_PIN_N };

struct mcti_pins {
    struct mcti_pin **v; /* owned */
    size_t n, cap;
    struct mcti_map by_key, by_server;
};

void mcti_pins_init(struct mcti_pins *p);
void mcti_pins_done(struct mcti_pins *p);

/* Returns the pin; NULL: there is none, or memory is out. `server` and `id` are raw. */
const struct mcti_pin *mcti_pins_find(const struct mcti_pins *p, struct mcti_str server, unsigned subject,
                                      struct mcti_str id);

/* Returns whether the server is pinned. Needs no memory, so that a server which is pinned never seems not to be. */
bool mcti_pins_have(const struct mcti_pins *p, const char *server);

/* Sets the parts of an item, which replace earlier ones; they are copied. Returns -1 when out of memory. */
int mcti_pins_put(struct mcti_pins *p, struct mcti_str server, unsigned subject, struct mcti_str id,
                  struct mcti_str parts);

/* Removes a pin, if it is there. Returns -1 when out of memory. */
int mcti_pins_remove(struct mcti_pins *p, struct mcti_str server, unsigned subject, struct mcti_str id);

/* Removes all pins of a server. Returns -1 when out of memory; some may be left then. */
int mcti_pins_remove_server(struct mcti_pins *p, const char *server);

/* ---- parts.c ---- */

/* Appends the parts of an item as they are pinned: {"description":{…},…}. `text` is as in struct mcti_vetted. Returns
 * -1 when out of memory. */
int mcti_pins_put_parts(struct mcti_buf *to, enum mcti_subject subject, struct mcti_str text);

/* Appends one part; `json` is its value. */
int mcti_pins_put_part(struct mcti_buf *to, struct mcti_str key, struct mcti_str json);

/* Calls `fn`, which may be NULL, for each part whose hash differs; its `was` and `is` are absent where the part is not
 * there. Parts that the revision of the connection does not know may be missing. Returns the number of those parts. */
size_t mcti_pins_compare(struct mcti_str was, struct mcti_str is, enum mcti_rev rev,
                         void (*fn)(void *data, struct mcti_str key, struct mcti_str was, struct mcti_str is),
                         void *data);

/* Returns whether two members of a canonical object have one name. */
bool mcti_pins_has_doubles(struct mcti_str canonical);

/* ---- file.c ---- */

/* Reads the file into *ret, which is initialised. A file that does not exist has no pins. Fails with MCT_ERR_CONFIG if
 * it cannot be used: it is no regular file of this user or root, others may write to it, or its content is damaged. */
int mcti_pins_load(const char *path, struct mcti_pins *ret, struct mct_error *err);

/* Reads the text of a file. */
int mcti_pins_parse(struct mcti_str text, struct mcti_pins *ret, struct mct_error *err);

/* Appends the text of a file: sorted, indented. */
void mcti_pins_put_file(struct mcti_buf *to, const struct mcti_pins *p);

/* Changes the file under a lock: reads it, lets `change` act, and replaces it. `afresh`: a file that cannot be used
 * counts as empty. Returns -1 with *err. */
int mcti_pins_update(const char *path, bool afresh,
                     int (*change)(void *data, struct mcti_pins *p, struct mct_error *err), void *data,
                     struct mct_error *err);

/* ---- place.c ---- */

struct mcti_config_server;

/* Returns the path of the pins of a server, to free(): beside its configuration file, or in the user's folder if that
 * belongs to another program. NULL: out of memory, or the server is in no file. */
char *mcti_pins_path(const struct mcti_config_server *s);

/* Appends the parts of the pin MCT_PIN_ABOUT: the hash of the command line or URL. */
int mcti_pins_put_about(struct mcti_buf *to, const struct mcti_config_server *s);

#endif
