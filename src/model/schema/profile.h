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

struct mcti_normal_run;
struct mcti_json_node;

typedef struct mcti_json_node *mcti_schema_step_fn(struct mcti_normal_run *run, struct mcti_json_node *root);

struct mcti_schema_profile {
    const char *name, *summary;
    mcti_schema_step_fn *const *steps; /* ends in NULL; NULL: the schema stays as it is */
    const char *const *strip;          /* keywords the provider refuses, ends in NULL; NULL: none */
    const char *const *extra;          /* the same, of the caller: set in a copy of the row */
    bool html_entities;                /* arguments come back with &quot; and the like in their strings */
};

/* NULL: there is none of that name. */
const struct mcti_schema_profile *mcti_schema_profile_find(struct mcti_str name);
/* All of them, in the order they are shown; ends in a row without a name. */
extern const struct mcti_schema_profile mcti_schema_profiles[];

struct mcti_schema_report {
    bool cut; /* references would have made it too large or too deep: {} stands in the place of some */
};

/*
 * Appends the normalised schema without white space (for a profile without steps and keywords: as it is). `ret` may
 * be NULL. MCT_ERR_USAGE: it is no object. MCT_ERR_LIMIT: too deep, too many values, too long.
 */
int mcti_schema_normalise(struct mcti_buf *to, struct mcti_str schema, const struct mcti_schema_profile *profile,
                          struct mcti_schema_report *ret, struct mct_error *err);

/*
 * What keeps a (normalised) schema from being sent at all: appends a JSON array of strings, one for each place, and
 * returns how many there are; 0 means that it may be sent. `what` begins each path ("parameters").
 */
size_t mcti_schema_violations(struct mcti_buf *to, struct mcti_str schema, const char *what);

/* Whether tools with these schemas may be sent to OpenAI with "strict": true: all of them are, or none is. */
bool mcti_schema_strict_ok(const struct mcti_str *schemas, size_t n);

/*
 * Arguments a model made for the normalised schema, for the tool with the original `schema`. What the tool accepts
 * stays as it is; otherwise strings become the number, boolean or null of an enum that is written like them, and
 * null members the tool knows no null for, and does not require, are left out.
 */
int mcti_schema_restore(struct mcti_buf *to, struct mcti_str schema, struct mcti_str arguments,
                        const struct mcti_schema_profile *profile, struct mct_error *err);

/* ---- normalised schemas kept, because lists are asked for again and again ---- */

struct mcti_schema_cache;

/* Keeps at most so many bytes, the last used ones. NULL: out of memory. */
struct mcti_schema_cache *mcti_schema_cache_new(size_t max_bytes);
void mcti_schema_cache_free(struct mcti_schema_cache *c);

/* As mcti_schema_normalise(); *ret_text is borrowed until the next call with this cache. Failures are not kept. */
int mcti_schema_cache_get(struct mcti_schema_cache *c, struct mcti_str schema,
                          const struct mcti_schema_profile *profile, struct mcti_str *ret_text,
                          struct mcti_schema_report *ret, struct mct_error *err);

#endif
