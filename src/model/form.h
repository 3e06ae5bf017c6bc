/* Tools as MCP clients list them, with the schemas and descriptions that a model provider accepts: for clients that
 * pass them on to it unchanged. */
#ifndef MCT_MODEL_FORM_H
#define MCT_MODEL_FORM_H

#include "hub/view/prefs.h"
#include "hub/view/view.h"

/* Returns the form of a view for clients with this preference; NULL for that of the servers. */
const struct mcti_view_form *mcti_model_form(enum mcti_schemas schemas);

#endif
