/* `uninstall CLIENT…`: takes mcptools out of the files of client programs. A file that is as `install` left it becomes
 * what it was, byte for byte; of any other one only our entry goes. */
#include "cli/clients/place.h"
#include "clients/undo.h"
#include "config/import/import.h"

#include <stdlib.h>

/* Returns true if the text of before has an entry of ours: the program rewrote the file between two installations. */
static bool undo_leaves_entry(const struct mcti_placing *p)
{
    struct mcti_edit e;
    struct mct_error err;
    mcti_edit_init(&e, p->file, mcti_buf_str(&p->text));
    bool leaves = !p->was_new && mcti_client_edit(&e, p->client, MCT_CLIENT_ENTRY, MCT_STR_NONE, &err) != 1;
    mcti_edit_done(&e);
    return leaves;
}

/* Finds out whether the file is as we left it. */
static int find_undo(struct mcti_placing *p, struct mct_error *err)
{
    struct mcti_buf now;
    char *real = realpath(p->file, NULL);
    mcti_buf_init(&now, 2 * MCT_EDIT_MAX_BYTES);
    int r = mcti_config_load(p->file, &now) < 0 ? mcti_fail(err, MCT_ERR_CONFIG, "%s: cannot be read", p->file) : 0;
    p->is_whole = r == 0 && mcti_undo_find(real ? real : p->file, mcti_buf_str(&now), &p->text, &p->was_new) == 0;
    p->is_whole = p->is_whole && !undo_leaves_entry(p);
    mcti_buf_done(&now);
    free(real);
    return r;
}

static int uninstall_client(struct mcti_app *app, struct mcti_placing *p, struct mct_error *err)
{
    if (p->client->writes.by_hand)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: mcptools does not write YAML; remove the entry by hand",
                         p->client->title);
    int r = mcti_placing_find(p, true, err);
    if (r == 0)
        r = find_undo(p, err);
    if (r == 0)
        r = mcti_placing_plan(p, err);
    if (r < 0)
        return -1;
    int no =
        p->changed ? mcti_placing_confirm(p, p->is_whole ? "Undo the installation?" : "Remove the entry?", err) : 1;
    if (no < 0 || (no == 0 && mcti_placing_write(p, err) < 0))
        return -1;
    const char *done = !p->changed    ? "mcptools is not there"
                       : no           ? "not written"
                       : !p->is_whole ? "the entry is removed"
                       : p->was_new   ? "removed, as before the installation"
                                      : "restored as it was before the installation";
    if (app->opt.output != MCT_OUT_JSON)
        mcti_out(app, "%s: %s: %s\n", p->client->title, p->file, done);
    return 0;
}

int mcti_cmd_uninstall(struct mcti_app *app)
{
    struct mct_error err = { 0 };
    int r = 0;
    for (int k = 0; r == 0 && k < app->argc; k++) {
        const struct mcti_client *client = mcti_placing_client(app->argv[k], &err);
        struct mcti_placing p;
        if (!client)
            return mcti_out_fail(app, &err, NULL);
        mcti_placing_init(&p, app, client);
        r = uninstall_client(app, &p, &err);
        mcti_placing_done(&p);
    }
    if (r == 0 && app->opt.output == MCT_OUT_JSON)
        mcti_out_json(app, MCT_STR("{}"));
    return r < 0 ? mcti_out_fail(app, &err, NULL) : 0;
}
