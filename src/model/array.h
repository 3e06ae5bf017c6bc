/*
 * The tools of a view in the form of a request to a model provider. A format describes one provider's array: the
 * members around a tool, the provider's limits (model/schema/provider_rules.h), and the schema profile
 * (model/schema/profile.h). docs/PROVIDERS.md
 * describes each format. Nothing is sent from here.
 *
 * mcti_array_find() and mcti_array_restore() map names and arguments of a model's call back; call.h reads whole calls.
 */
#ifndef MCT_MODEL_ARRAY_H
#define MCT_MODEL_ARRAY_H

#include "base/error.h"
#include "model/schema/profile.h"
#include "hub/view/view.h"

struct mcti_model_shape;

/* The member "strict": left out, always false, or true if every schema allows it. */
enum mcti_array_strict { MCT_STRICT_UNSAID, MCT_STRICT_FALSE, MCT_STRICT_IF_ALL };

struct mcti_array_format {
    const char *name;
    const char *profile;    /* schema profile; NULL: tools as in tools/list, under the names of the view */
    const char *schema_key; /* member that holds the schema */
    const char *head, *item_head, *item_tail, *tail; /* text around the array, and around each tool */
    enum mcti_array_strict strict;
    const struct mcti_provider_rules *rules;
    const struct mcti_model_shape *shape; /* form of calls and results, see call.h */
};

/* Returns the format of that name or alias ("claude"); NULL if there is none. */
const struct mcti_array_format *mcti_array_format_find(struct mcti_str name);
/* Appends the names of all formats, for a message. */
void mcti_array_put_format_names(struct mcti_buf *to);
/* All formats; the last row has no name. */
extern const struct mcti_array_format mcti_array_formats[];

/* Callbacks for tools that are missing from the array or changed in it. */
struct mcti_array_report {
    /* Called for a tool that is left out because its schema cannot be sent; `why` is the reason in words. */
    void (*left_out)(void *data, const struct mcti_exposure *tool, const char *why);
    /* Called for a tool whose schema would have become too large: some references were replaced by {}. */
    void (*cut)(void *data, const struct mcti_exposure *tool);
    void *data;
};

/*
 * Appends the array and sets *ret_n (may be NULL) to the number of tools in it. The description of a tool is its own,
 * else its title, else its name (describe.h). `cache` may be NULL. On failure
 * returns -1 and sets *err.
 */
int mcti_array_put(struct mcti_buf *to, const struct mcti_array_format *f, const struct mcti_exposures *tools,
                   struct mcti_schema_cache *cache, const struct mcti_array_report *report, size_t *ret_n,
                   struct mct_error *err);

/*
 * Sets ret[i] to the name of tool i in the array, owned by the caller: its exposed name if the provider accepts that,
 * otherwise a name derived from it by the rule of hub/names/names.h. Returns -1 when out of memory.
 */
int mcti_array_names(const struct mcti_array_format *f, const struct mcti_exposures *tools, char **ret);

/* Returns the tool with that name in the array; NULL if there is none. */
const struct mcti_exposure *mcti_array_find(const struct mcti_array_format *f, const struct mcti_exposures *tools,
                                            struct mcti_str name);

/* Appends the schema of a tool as the array has it; `schema` may be absent. Fails with the reason if the provider
 * accepts no form of it. */
int mcti_array_make_schema(struct mcti_buf *to, const struct mcti_array_format *f, struct mcti_str schema,
                           struct mct_error *err);

/* Converts arguments that a model made for the array into the form that the tool's inputSchema accepts, and appends
 * them. `schema` may be absent. */
int mcti_array_restore(struct mcti_buf *to, const struct mcti_array_format *f, struct mcti_str schema,
                       struct mcti_str arguments, struct mct_error *err);

#endif
