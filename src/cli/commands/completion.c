#include "cli/command.h"
#include "cli/complete/complete.h"

int mcti_cmd_completion(struct mcti_app *app)
{
    struct mct_error err;
    for (const struct mcti_complete_script *s = mcti_complete_scripts; s->shell; s++) {
        if (strcmp(app->argv[0], s->shell) != 0)
            continue;
        fputs(s->text, stdout);
        return 0;
    }
    mcti_command_usage(app->command, &err);
    return mcti_out_fail(app, &err, NULL);
}
