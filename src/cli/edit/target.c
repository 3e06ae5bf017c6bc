#include "cli/edit/edit.h"

#include "config/import/import.h"
#include "config/notation/document.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

char *mcti_change_target(const struct mcti_options *opt, struct mct_error *err)
{
    char *here = NULL, *users = NULL;
    if (opt->config_files.n)
        here = strdup(opt->config_files.v[0]);
    else if (opt->project || access(mcti_config_native_here, F_OK) == 0)
        here = strdup(mcti_config_native_here);
    else
        users = mcti_config_native_file();
    if (!here && !users)
        mcti_fail(err, MCT_ERR_CONFIG,
                  "no file to write to: neither XDG_CONFIG_HOME nor HOME is set; use --config FILE or --project");
    return here ? here : users;
}

int mcti_change_check_notation(const char *file, struct mct_error *err)
{
    if (mcti_notation_of(file) == MCT_NOTATION_JSON)
        return 0;
    return mcti_fail(err, MCT_ERR_CONFIG,
                     "%s: only JSON files can be edited by mcptools; edit it by hand, or copy its servers into "
                     "mcptools.json with 'mcptools config import %s'",
                     file, file);
}

static bool target_is_same_file(const char *a, const char *b)
{
    struct stat left, right;
    return !strcmp(a, b) ||
           (stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev && left.st_ino == right.st_ino);
}

bool mcti_change_is_ours(const struct mcti_app *app, const char *file)
{
    const struct mcti_strings *named = &app->opt.config_files;
    for (size_t i = 0; i < named->n; i++)
        if (!strcmp(named->v[i], file))
            return true;
    char *users = mcti_config_native_file();
    bool is = target_is_same_file(file, mcti_config_native_here) || (users && target_is_same_file(file, users));
    free(users);
    return is;
}

int mcti_change_check_owner(const struct mcti_app *app, const struct mcti_config_server *s, struct mct_error *err)
{
    if (!s->file)
        return mcti_fail(err, MCT_ERR_CONFIG, "server '%s' is in no configuration file", s->name);
    if (mcti_change_is_ours(app, s->file))
        return mcti_change_check_notation(s->file, err);
    return mcti_fail(err, MCT_ERR_CONFIG,
                     "server '%s' is configured in %s:%u, a file of another program; change it there, or copy it into "
                     "mcptools.json with 'mcptools config import %s'",
                     s->name, s->file, s->line, s->file);
}

const char *const *mcti_change_container(const struct mcti_edit *e)
{
    static const char *const usual[] = { "mcpServers", NULL }, *const plain[] = { "servers", NULL },
                             *const nested[] = { "mcp", "servers", NULL };
    static const char *const *const all[] = { usual, plain, nested };
    struct mcti_edit_value v;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (mcti_edit_get(e, all[i], &v, NULL) == 0) {
            mcti_buf_done(&v.json);
            return all[i];
        }
    return usual;
}
