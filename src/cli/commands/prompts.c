#include "cli/items.h"

int mct_cmd_prompts(struct mct_app *app)
{
    return mct_items_command(app, MCT_PROMPT);
}
