#include "cli/items.h"

int mct_cmd_templates(struct mct_app *app)
{
    return mct_items_command(app, MCT_TEMPLATE);
}
