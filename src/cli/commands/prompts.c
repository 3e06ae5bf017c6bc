#include "cli/show/items.h"

int mcti_cmd_prompts(struct mcti_app *app)
{
    return mcti_items_command(app, MCT_PROMPT);
}
