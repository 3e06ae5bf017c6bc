/*
 * Input schemas of tools in the form that a model provider accepts. A profile is a list of steps over the tree of a
 * schema. The steps of `openclaw` do what OpenClaw (2026.9) does to the parameters of every tool; the other profiles
 * add what one provider needs. docs/SCHEMAS.md describes the steps and the intended differences.
 *
 * Pure functions over valid JSON: nothing is fetched or logged. Schemas and arguments are untrusted, so depth, size and
 * growth by references are limited (base/limits.h).
 */
#ifndef MCT_MODEL_SCHEMA_PROFILE_H
#define MCT_MODEL_SCHEMA_PROFILE_H

#include "base/buf.h"
#include "base/error.h"
#include "model/schema/provider_rules.h"

struct mcti_normal_run;
struct mcti_json_node;

typedef struct mcti_json_node *mcti_schema_step_fn(struct mcti_normal_run *run, struct mcti_json_node *root);

struct mcti_schema_profile {
    const char *name, *summary;
    mcti_schema_step_fn *const *steps;       /* ends in NULL; NULL: the schema is not changed */
    const char *const *strip;                /* keywords that the provider rejects, ends in NULL; NULL: none */
    const char *const *extra;                /* further keywords to remove: the caller sets them in a copy of the row */
    bool html_entities;                      /* strings of arguments contain HTML entities such as &quot; */
    const struct mcti_provider_rules *rules; /* NULL: none */
};

/* Returns the profile of that name; NULL if there is none. */
const struct mcti_schema_profile *mcti_schema_profile_find(struct mcti_str name);
/* All profiles, in the order of listing; the last row has no name. */
extern const struct mcti_schema_profile mcti_schema_profiles[];

struct mcti_schema_report {
    bool cut; /* some references were replaced by {}: they lead to nothing, or the schema would have become too large */
};

/*
 * Appends the normalised schema without white space (unchanged for a profile without steps and keywords). `ret` may be
 * NULL. Fails with MCT_ERR_USAGE if the schema is no object, and with MCT_ERR_LIMIT if it is too deep, too long or has
 * too many values.
 */
int mcti_schema_normalise(struct mcti_buf *to, struct mcti_str schema, const struct mcti_schema_profile *profile,
                          struct mcti_schema_report *ret, struct mct_error *err);

/*
 * Appends a JSON array of strings, one for each place where a (normalised) schema is unfit to be sent to any provider.
 * Returns the number of places; 0: the schema may be sent. `what` begins each path ("parameters").
 */
size_t mcti_schema_violations(struct mcti_buf *to, struct mcti_str schema, const char *what);

/* Returns true if all tools with these schemas may be sent to OpenAI with "strict": true; it is set for all tools or
 * for none. */
bool mcti_schema_strict_ok(const struct mcti_str *schemas, size_t n);

/*
 * Appends the arguments that a model made for the normalised schema, restored for the tool with the original `schema`.
 * Values that the tool accepts are kept. Other strings become the number, boolean or null of an enum value with the
 * same text; null members that the tool neither allows nor requires are removed. Properties whose names the provider
 * refuses get their own names back.
 */
int mcti_schema_restore(struct mcti_buf *to, struct mcti_str schema, struct mcti_str arguments,
                        const struct mcti_schema_profile *profile, struct mct_error *err);

/* ---- cache of normalised schemas, for lists that are requested repeatedly ---- */

struct mcti_schema_cache;

/* Creates a cache of at most max_bytes that keeps the most recently used schemas. Returns NULL when out of memory. */
struct mcti_schema_cache *mcti_schema_cache_new(size_t max_bytes);
void mcti_schema_cache_free(struct mcti_schema_cache *c);

/* Like mcti_schema_normalise(); *ret_text is borrowed until the next call with this cache. Failures are not cached. */
int mcti_schema_cache_get(struct mcti_schema_cache *c, struct mcti_str schema,
                          const struct mcti_schema_profile *profile, struct mcti_str *ret_text,
                          struct mcti_schema_report *ret, struct mct_error *err);

#endif
