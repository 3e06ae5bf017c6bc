#include "cli/items.h"

int mct_cmd_resources(struct mct_app *app)
{
    return mct_items_command(app, MCT_RESOURCE);
}
