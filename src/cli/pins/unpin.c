/* mcptools unpin: removes the pins of servers. */
#include "cli/command.h"

#include "cli/target.h"
#include "json/write.h"
#include "pins/pins.h"

#include <stdlib.h>

static int unpin_remove(void *data, struct mcti_pins *p, struct mct_error *err)
{
    const char *server = data;
    if (!mcti_pins_have(p, server))
        return mcti_fail(err, MCT_ERR_NOT_FOUND, "server '%s' has no pins", server);
    return mcti_pins_remove_server(p, server) < 0 ? mcti_no_memory(err) : 0;
}

/* Removes the pins of one server, and sets *ret to the path of the file that had them, to free(). */
static int unpin_server(struct mcti_app *app, const char *word, char **ret, struct mct_error *err)
{
    const char *item;
    const struct mcti_config_server *s = mcti_app_server(app, word, &item);
    *ret = NULL;
    if (!s)
        return mcti_target_no_server(app, word, err);
    if (item && *item)
        return mcti_fail(err, MCT_ERR_USAGE, "unpin takes servers; the pins of '%s' cannot be removed alone", word);
    *ret = mcti_pins_path(s);
    if (!*ret)
        return mcti_fail(err, MCT_ERR_CONFIG, "server '%s' is in no file, so it has no pins", s->name);
    return mcti_pins_update(*ret, false, unpin_remove, s->name, err);
}

static void unpin_print(struct mcti_app *app, const char *word, const char *path)
{
    struct mcti_buf text;
    if (app->opt.output != MCT_OUT_JSON) {
        mcti_out(app, "unpinned %s (%s)\n", word, path);
        return;
    }
    mcti_buf_init(&text, 1u << 16);
    mcti_buf_addz(&text, "{\"unpinned\":");
    mcti_json_put_string(&text, mcti_str_of(word));
    mcti_buf_addz(&text, ",\"file\":");
    mcti_json_put_string(&text, mcti_str_of(path));
    mcti_buf_addc(&text, '}');
    mcti_out_json(app, mcti_buf_str(&text));
    mcti_buf_done(&text);
}

int mcti_cmd_unpin(struct mcti_app *app)
{
    struct mct_error err;
    int status = mcti_app_configure(app, &err) < 0 ? mcti_out_fail(app, &err, NULL) : 0;
    for (int i = 0; i < app->argc && !status; i++) {
        char *path;
        if (unpin_server(app, app->argv[i], &path, &err) < 0)
            status = mcti_out_fail(app, &err, NULL);
        else
            unpin_print(app, app->argv[i], path);
        free(path);
    }
    return status;
}
