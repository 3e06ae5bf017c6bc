/*
 * Schemas of tools in the form a model provider takes. A profile is a list of steps over the tree of a schema; the
 * steps of `openclaw` are what OpenClaw (2026.9) does to every tool's parameters, the others add what one provider
 * needs. docs/SCHEMAS.md tells what each does and where we differ on purpose.
 *
 * Pure functions over validated JSON: nothing is fetched, logged or kept. Both schemas and arguments come from
 * strangers, so depth, size and the growth by references have ceilings (base/limits.h).
 */
#ifndef MCT_MODEL_SCHEMA_PROFILE_H
#define MCT_MODEL_SCHEMA_PROFILE_H

#include "base/buf.h"
#include "base/error.h"

struct normal_run;
struct mct_json_node;

typedef struct mct_json_node *mct_schema_step_fn(struct normal_run *run, struct mct_json_node *root);

struct mct_schema_profile {
    const char *name, *summary;
    mct_schema_step_fn *const *steps; /* ends in NULL; NULL: the schema stays as it is */
    const char *const *strip;         /* keywords the provider refuses, ends in NULL; NULL: none */
    const char *const *extra;         /* the same, of the caller: set in a copy of the row */
    bool html_entities;               /* arguments come back with &quot; and the like in their strings */
};

/* NULL: there is none of that name. */
const struct mct_schema_profile *mct_schema_profile_find(struct mct_str name);
/* All of them, in the order they are shown; ends in a row without a name. */
extern const struct mct_schema_profile mct_schema_profiles[];

struct mct_schema_report {
    bool cut; /* references would have made it too large or too deep: {} stands in the place of some */
};

/*
 * Appends the normalised schema without white space (for a profile without steps and keywords: as it is). `ret` may
 * be NULL. MCT_ERR_USAGE: it is no object. MCT_ERR_LIMIT: too deep, too many values, too long.
 */
int mcti_schema_normalise(struct mct_buf *to, struct mct_str schema, const struct mct_schema_profile *profile,
                         struct mct_schema_report *ret, struct mct_error *err);

/*
 * What keeps a (normalised) schema from being sent at all: appends a JSON array of strings, one for each place, and
 * returns how many there are; 0 means that it may be sent. `what` begins each path ("parameters").
 */
size_t mct_schema_violations(struct mct_buf *to, struct mct_str schema, const char *what);

/* Whether tools with these schemas may be sent to OpenAI with "strict": true: all of them are, or none is. */
bool mct_schema_strict_ok(const struct mct_str *schemas, size_t n);

/*
 * Arguments a model made for the normalised schema, for the tool with the original `schema`. What the tool accepts
 * stays as it is; otherwise strings become the number, boolean or null of an enum that is written like them, and
 * null members the tool knows no null for, and does not require, are left out.
 */
int mct_schema_restore(struct mct_buf *to, struct mct_str schema, struct mct_str arguments,
                       const struct mct_schema_profile *profile, struct mct_error *err);

/* ---- normalised schemas kept, because lists are asked for again and again ---- */

struct mct_schema_cache;

/* Keeps at most so many bytes, the last used ones. NULL: out of memory. */
struct mct_schema_cache *mct_schema_cache_new(size_t max_bytes);
void mct_schema_cache_free(struct mct_schema_cache *c);

/* As mcti_schema_normalise(); *ret_text is borrowed until the next call with this cache. Failures are not kept. */
int mct_schema_cache_get(struct mct_schema_cache *c, struct mct_str schema, const struct mct_schema_profile *profile,
                         struct mct_str *ret_text, struct mct_schema_report *ret, struct mct_error *err);

#endif
