#include "cli/skills/skills.h"
#include "cli/target.h"

#include <string.h>

static const struct skills_action {
    const char *word;
    const char *what; /* the word that must follow; NULL: none */
    int (*on_server)(struct mcti_app *app, struct mcti_provider *only);
    int (*on_uri)(struct mcti_app *app, struct mcti_provider *only, const char *uri);
    int (*on_folder)(struct mcti_app *app, struct mcti_provider *only, const char *folder);
} actions[] = {
    { "list", NULL, .on_server = mcti_skills_do_list },     { "show", "URI", .on_uri = mcti_skills_do_show },
    { "load", "URI", .on_uri = mcti_skills_do_load },       { "read", "URI", .on_uri = mcti_skills_do_read },
    { "verify", NULL, .on_server = mcti_skills_do_verify }, { "sync", "FOLDER", .on_folder = mcti_skills_do_sync },
    { "diff", "FOLDER", .on_folder = mcti_skills_do_diff },
};

static const struct skills_action *action_find(const char *word)
{
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(word, actions[i].word))
            return &actions[i];
    return NULL;
}

/* The words of the command line. */
struct skills_words {
    const char *server, *what; /* NULL: not given */
};

/* A URI stands behind the server, a folder in front of it. */
static struct skills_words skills_read_words(const struct mcti_app *app, const struct skills_action *a)
{
    const char *const *argv = app->argv + 1;
    int n = app->argc - 1;
    if (!a->what)
        return (struct skills_words){ .server = n ? argv[0] : NULL };
    if (a->on_folder)
        return (struct skills_words){ .what = n ? argv[0] : NULL, .server = n > 1 ? argv[1] : NULL };
    return (struct skills_words){ .what = n ? argv[n - 1] : NULL, .server = n > 1 ? argv[0] : NULL };
}

int mcti_cmd_skills(struct mcti_app *app)
{
    const struct skills_action *a = action_find(app->argv[0]);
    struct skills_words words = a ? skills_read_words(app, a) : (struct skills_words){ .what = NULL };
    struct mcti_target t;
    struct mct_error err;
    if (!a || (a->what && !words.what) || app->argc > (a->what ? 3 : 2)) {
        mcti_command_usage(app->command, &err);
        return mcti_out_fail(app, &err, NULL);
    }
    int status = mcti_target_open(app, words.server, MCT_RESOURCE, false, &t);
    if (status)
        return status;
    if (a->on_server)
        return a->on_server(app, t.provider);
    return a->on_uri ? a->on_uri(app, t.provider, words.what) : a->on_folder(app, t.provider, words.what);
}
