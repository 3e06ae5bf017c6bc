/* What the readers of server.json and manifest.json share. */
#ifndef MCT_PACKAGES_IMPL_H
#define MCT_PACKAGES_IMPL_H

#include "json/scan.h"
#include "packages/plan.h"

/* Returns a string, number or truth value as text, owned; NULL for other types, and for texts with control characters.
 */
char *mcti_package_text(struct mcti_str value);

/* The same for text that is only shown: control characters become '?'. Long text is cut. */
char *mcti_package_words(struct mcti_str value);

/* Returns true if the text may be the name of a variable of the environment; NULL may not. */
bool mcti_package_is_variable(const char *name);

/* ---- input.c ---- */

/* The place of an input in a document. */
struct mcti_input_place {
    struct mcti_plan *plan;
    enum mcti_input_use use;
    const char *name;      /* of the input, if the document gives it no other */
    bool required, secret; /* in any case */
};

/* Reads the value of an input object of server.json: "value" with its "variables", or a value to ask for. Returns the
 * template, owned; NULL: there is nothing to ask for, or the object is unusable (plan->failed). */
char *mcti_input_template(const struct mcti_input_place *at, struct mcti_str json);

/* Returns the template of a text whose "{NAME}" are in `variables`, owned. */
char *mcti_input_text(const struct mcti_input_place *at, struct mcti_str text, struct mcti_str variables);

/* ---- arguments.c ---- */

/* Adds the arguments of a list of server.json. */
void mcti_arguments_add(struct mcti_plan *p, struct mcti_str list);

/* Moves `-e NAME=VALUE` of docker from the arguments to the variables. Returns true if `json` is one. */
bool mcti_arguments_take_env(struct mcti_plan *p, struct mcti_str json);

#endif
