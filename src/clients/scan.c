/* Reads the files of client programs. */
#include "clients/scan.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Files that were read already, as two patterns may lead to one file. */
struct seen {
    struct stat v[64];
    size_t n;
};

static bool is_seen(struct seen *seen, const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return true;
    for (size_t i = 0; i < seen->n; i++)
        if (seen->v[i].st_dev == st.st_dev && seen->v[i].st_ino == st.st_ino)
            return true;
    if (seen->n < sizeof seen->v / sizeof *seen->v)
        seen->v[seen->n++] = st;
    return false;
}

/* Returns true if the file is one of the user's, too: the working directory is the home folder. */
static bool is_users(const struct mcti_client *client, const char *path)
{
    struct mcti_strings files = { 0 };
    struct stat st, own;
    bool is = false;
    for (const char *const *pattern = client->user; pattern && *pattern; pattern++)
        mcti_client_match(*pattern, NULL, &files);
    for (size_t i = 0; i < files.n && !is && stat(path, &st) == 0; i++)
        is = stat(files.v[i], &own) == 0 && own.st_dev == st.st_dev && own.st_ino == st.st_ino;
    mcti_strings_clear(&files);
    return is;
}

void mcti_client_scan_file(const struct mcti_client *client, const struct mcti_client_scan *scan, const char *path,
                           enum mcti_client_scope scope)
{
    struct mcti_config c;
    struct mct_error err;
    mcti_config_init(&c);
    c.format_name = client->format;
    c.for_import = scan->for_import;
    c.is_scan = true;
    c.part = scope == MCT_CLIENT_LOCAL ? MCT_CONFIG_LOCAL : MCT_CONFIG_NOT_LOCAL;
    c.trusts_all = scan->only_shows;
    if (mcti_config_read_found(&c, path, scope == MCT_CLIENT_PROJECT && !is_users(client, path), &err) < 0) {
        mcti_config_problem(&c, true, "%s", err.message);
        mcti_config_break(&c);
    }
    struct mcti_client_found f = { client, path, scope, &c };
    if (client->settle)
        client->settle(&f);
    scan->found(&f, scan->data);
    mcti_config_done(&c);
}

static void scan_places(const struct mcti_client *client, const struct mcti_client_scan *scan,
                        enum mcti_client_scope scope, struct seen *seen)
{
    const char *const *patterns = scope == MCT_CLIENT_PROJECT ? client->project : client->user;
    struct mcti_strings files = { 0 };
    for (; patterns && *patterns; patterns++)
        mcti_client_match(*patterns, NULL, &files);
    for (size_t i = 0; i < files.n; i++)
        if (!is_seen(seen, files.v[i]))
            mcti_client_scan_file(client, scan, files.v[i], scope);
    mcti_strings_clear(&files);
}

void mcti_client_scan(const struct mcti_client *client, const struct mcti_client_scan *scan)
{
    struct seen local = { .n = 0 }, seen = { .n = 0 };
    if (client->has_local)
        scan_places(client, scan, MCT_CLIENT_LOCAL, &local);
    scan_places(client, scan, MCT_CLIENT_PROJECT, &seen);
    scan_places(client, scan, MCT_CLIENT_USER, &seen);
}

/* ---- entries ---- */

bool mcti_client_is_ours(const struct mcti_config_server *s, const char *address)
{
    static const char *const hosts[] = { "127.0.0.1", "localhost", "[::1]" };
    const char *port = strrchr(address, ':');
    if (mcti_config_starts_mcptools(s))
        return true;
    for (size_t i = 0; s->url && port && i < sizeof hosts / sizeof *hosts; i++) {
        char start[64];
        snprintf(start, sizeof start, "http://%s%s/mcp", hosts[i], port);
        if (!strncmp(s->url, start, strlen(start)) && strchr("/?", s->url[strlen(start)]))
            return true;
    }
    return false;
}

static bool is_equal(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static const char *program_of(const char *command)
{
    const char *slash = command ? strrchr(command, '/') : NULL;
    return slash ? slash + 1 : command;
}

static bool has_equal_url(const char *a, const char *b)
{
    if (!a || !b)
        return a == b;
    size_t n = strlen(a), k = strlen(b);
    n -= n && a[n - 1] == '/';
    k -= k && b[k - 1] == '/';
    return n == k && !memcmp(a, b, n);
}

static bool has_equal_pairs(const struct mcti_pairs *a, const struct mcti_pairs *b)
{
    for (size_t i = 0; i < a->n && a->n == b->n; i++)
        if (strcmp(a->v[i].key, b->v[i].key) != 0 || strcmp(a->v[i].value, b->v[i].value) != 0)
            return false;
    return a->n == b->n;
}

bool mcti_client_is_same(const struct mcti_config_server *a, const struct mcti_config_server *b)
{
    if (!is_equal(program_of(a->command), program_of(b->command)) || !has_equal_url(a->url, b->url) ||
        a->args.n != b->args.n || (!a->command && !a->url))
        return false;
    for (size_t i = 0; i < a->args.n; i++)
        if (strcmp(a->args.v[i], b->args.v[i]) != 0)
            return false;
    return !strcmp(a->name, b->name) ||
           (has_equal_pairs(&a->env, &b->env) && is_equal(a->cwd, b->cwd) && has_equal_pairs(&a->headers, &b->headers));
}
