/*
 * The tools of a view as a request to a model provider wants them: a format says what one looks like there, what its
 * name may be, and which schemas are taken (model/schema/profile.h). docs/PROVIDERS.md tells what each is made of.
 *
 * The way back is mcti_array_find() for a name and mcti_array_restore() for arguments; call.h reads whole calls.
 */
#ifndef MCT_MODEL_ARRAY_H
#define MCT_MODEL_ARRAY_H

#include "base/error.h"
#include "model/schema/profile.h"
#include "hub/view/view.h"

struct mcti_model_shape;

/* When "strict" is said, and what. */
enum mcti_array_strict { MCT_STRICT_UNSAID, MCT_STRICT_FALSE, MCT_STRICT_IF_ALL };

struct mcti_array_format {
    const char *name;
    const char *profile;    /* of the schemas; NULL: tools are as tools/list shows them, under the names of the view */
    const char *schema_key; /* the member that holds the schema */
    const char *head, *item_head, *item_tail, *tail; /* what stands around all of them, and around each */
    size_t max_name;                                 /* bytes */
    bool letter_first;                               /* a name begins with a letter or '_' */
    enum mcti_array_strict strict;
    size_t max_tools;                     /* as many the provider takes; 0: nothing is known of a limit */
    const struct mcti_model_shape *shape; /* of calls and results: call.h */
};

/* NULL: there is none of that name. */
const struct mcti_array_format *mcti_array_format_find(struct mcti_str name);
/* Appends the names of all formats, for a message. */
void mcti_array_put_format_names(struct mcti_buf *to);
/* All of them; ends in a row without a name. */
extern const struct mcti_array_format mcti_array_formats[];

/* Who is told of what is not in the array, or not as its server wrote it. */
struct mcti_array_told {
    /* Its schema cannot be sent: `why` in words. The tool is not in the array. */
    void (*left_out)(void *data, const struct mcti_exposure *tool, const char *why);
    /* References would have made its schema too large: {} stands in the place of some. */
    void (*cut)(void *data, const struct mcti_exposure *tool);
    void *data;
};

/*
 * Appends the array, and sets *ret_n (may be NULL) to the number of tools in it. A description is the tool's own, else
 * its title, else its name; on one line and bounded (hub/core/untrusted.h). `cache` may be NULL. -1 with *err: there is
 * no array.
 */
int mcti_array_put(struct mcti_buf *to, const struct mcti_array_format *f, const struct mcti_exposures *tools,
                   struct mcti_schema_cache *cache, const struct mcti_array_told *told, size_t *ret_n,
                   struct mct_error *err);

/*
 * Fills ret[i] with the name of tool i in the array (owned strings): its exposed name, where the provider takes that;
 * otherwise one made of it, by the rule of hub/names/names.h. -1 when out of memory.
 */
int mcti_array_names(const struct mcti_array_format *f, const struct mcti_exposures *tools, char **ret);

/* The tool with that name in the array; NULL: there is none. */
const struct mcti_exposure *mcti_array_find(const struct mcti_array_format *f, const struct mcti_exposures *tools,
                                            struct mcti_str name);

/* Arguments that a model made for the array, as the tool with this inputSchema (which may be absent) takes them. */
int mcti_array_restore(struct mcti_buf *to, const struct mcti_array_format *f, struct mcti_str schema,
                       struct mcti_str arguments, struct mct_error *err);

#endif
