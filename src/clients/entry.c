/* Entries of mcptools in the files of client programs. */
#include "clients/install.h"

#include "json/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the entry ---- */

static void entry_put_members(struct mcti_buf *to, const char *members)
{
    if (members && mcti_buf_last(to) != '{')
        mcti_buf_addc(to, ',');
    mcti_buf_addz(to, members ? members : "");
}

static void client_put_command(struct mcti_buf *to, const struct mcti_client_writing *w,
                               const struct mcti_client_way *way)
{
    const char *const words[] = { way->program, "serve", "--stdio", "--config", way->config };
    if (!w->is_list)
        mcti_json_put_member(to, w->command ? w->command : "command", mcti_str_of(way->program));
    mcti_json_put_key(to, w->is_list ? "command" : "args");
    mcti_buf_addc(to, '[');
    for (size_t i = !w->is_list; i < sizeof words / sizeof *words; i++) {
        mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "" : ",");
        mcti_json_put_string(to, mcti_str_of(words[i]));
    }
    mcti_buf_addc(to, ']');
}

static void entry_put_token(struct mcti_buf *to, const struct mcti_client_writing *w)
{
    char variable[64], value[96];
    if (w->token_key) {
        mcti_json_put_member(to, w->token_key, MCT_STR(MCT_CLIENT_TOKEN_VARIABLE));
        return;
    }
    snprintf(variable, sizeof variable, w->variable, MCT_CLIENT_TOKEN_VARIABLE);
    snprintf(value, sizeof value, "Bearer %s", variable);
    mcti_json_put_key(to, "headers");
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "Authorization", mcti_str_of(value));
    mcti_buf_addc(to, '}');
}

int mcti_client_put_entry(struct mcti_buf *to, const struct mcti_client *client, const struct mcti_client_way *way,
                          struct mct_error *err)
{
    const struct mcti_client_writing *w = &client->writes;
    if (way->url && w->no_http)
        return mcti_fail(err, MCT_ERR_USAGE, "%s can only start programs; install it without --http", client->title);
    if (way->url && way->with_token && !w->variable && !w->token_key)
        return mcti_fail(err, MCT_ERR_USAGE,
                         "%s has no variables in its file, so the token would stand there; install it without --http",
                         client->title);
    mcti_buf_addc(to, '{');
    entry_put_members(to, way->url ? w->http : w->stdio);
    if (way->url)
        mcti_json_put_member(to, w->url ? w->url : "url", mcti_str_of(way->url));
    else
        client_put_command(to, w, way);
    if (way->url && way->with_token)
        entry_put_token(to, w);
    entry_put_members(to, way->url && w->http_more ? w->http_more : w->more);
    mcti_buf_addc(to, '}');
    return 0;
}

/* ---- the file ---- */

/* Returns true if both paths differ in folders, or in extensions, only. */
static bool has_stem_of(const char *a, const char *b)
{
    const char *name_a = strrchr(a, '/'), *name_b = strrchr(b, '/');
    name_a = name_a ? name_a : a;
    name_b = name_b ? name_b : b;
    return strcspn(name_a + 1, ".") == strcspn(name_b + 1, ".") &&
           !strncmp(name_a, name_b, 1 + strcspn(name_a + 1, "."));
}

static bool has_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return true;
    *slash = '\0';
    bool is = access(path, F_OK) == 0;
    *slash = '/';
    return is;
}

static bool has_folder_of(const char *a, const char *b)
{
    const char *end_a = strrchr(a, '/'), *end_b = strrchr(b, '/');
    size_t n = end_a ? (size_t)(end_a - a) : 0;
    return n == (end_b ? (size_t)(end_b - b) : 0) && !strncmp(a, b, n);
}

/* The first file whose folder exists, or else the first one; of files in one folder the one that exists. */
char *mcti_client_target(const struct mcti_client *client, bool for_project)
{
    enum { NOTHING, NAME_ONLY, FOLDER, FILE_ITSELF };
    const char *const *patterns = for_project ? client->project : client->user;
    char *best = NULL;
    int best_rank = NOTHING;
    if (client->writes.file && !for_project)
        return mcti_client_path(client->writes.file, NULL);
    for (; patterns && *patterns; patterns++) {
        char *path = strchr(*patterns, '*') || **patterns == '/' ? NULL : mcti_client_path(*patterns, NULL);
        int rank = !path ? NOTHING : access(path, F_OK) == 0 ? FILE_ITSELF : has_folder(path) ? FOLDER : NAME_ONLY;
        bool is_better = rank > best_rank && (best_rank < FOLDER || has_folder_of(best, path));
        if (!is_better || (best && !has_stem_of(best, path))) {
            free(path);
            continue;
        }
        free(best);
        best = path;
        best_rank = rank;
    }
    return best;
}

/* ---- edits ---- */

/* Fills in the path of an entry: the container, and the name. */
static void entry_path_of(const struct mcti_client *client, const char *name, const char *ret[5])
{
    size_t n = 0;
    for (; client->writes.container[n]; n++)
        ret[n] = client->writes.container[n];
    ret[n] = name;
    ret[n + 1] = NULL;
}

int mcti_client_edit(struct mcti_edit *e, const struct mcti_client *client, const char *name, struct mcti_str entry,
                     struct mct_error *err)
{
    const char *path[5];
    if (e->file && mcti_notation_of(e->file) == MCT_NOTATION_TOML)
        return mcti_client_edit_toml(e, client->writes.container[0], name, entry, err);
    entry_path_of(client, name, path);
    return entry.p ? mcti_edit_set(e, path, entry, err) : mcti_edit_remove(e, path, err);
}

int mcti_client_drop_container(struct mcti_edit *e, const struct mcti_client *client, struct mct_error *err)
{
    const char *path[5];
    struct mcti_edit_value found;
    if (e->file && mcti_notation_of(e->file) == MCT_NOTATION_TOML)
        return 0;
    entry_path_of(client, NULL, path);
    int r = mcti_edit_get(e, path, &found, err);
    if (r != 0)
        return r < 0 ? -1 : 0;
    struct mcti_json_iter it = mcti_json_open(mcti_buf_str(&found.json));
    struct mcti_json_member m;
    bool is_empty = !mcti_json_next_member(&it, &m);
    mcti_buf_done(&found.json);
    return is_empty ? mcti_edit_remove(e, path, err) : 0;
}
