/* Configuration files, folders, logins, and the clients of this machine. */
#include "base/clock.h"
#include "clients/scan.h"
#include "cli/doctor/doctor.h"
#include "cli/login/signin.h"
#include "config/connect/openclaw_check.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- configuration ---- */

static bool server_has_secrets(const struct mcti_config_server *s)
{
    for (size_t i = 0; i < s->env.n + s->headers.n; i++) {
        const char *value = i < s->env.n ? s->env.v[i].value : s->headers.v[i - s->env.n].value;
        if (*value && !strstr(value, "${"))
            return true;
    }
    return s->auth_token && !strstr(s->auth_token, "${");
}

/* Reports who else may read or write a file. */
static void setup_check_mode(struct mcti_doctor *d, const char *file, bool has_secrets)
{
    struct stat st;
    if (stat(file, &st) < 0)
        return;
    if (st.st_mode & 022 & ~(st.st_mode & 01000 ? 022u : 0u))
        mcti_doctor_say(d, DOCTOR_WARNING,
                        "%s: other users may write to it, and so start programs as you; run: chmod "
                        "go-w %s",
                        file, file);
    else if (has_secrets && (st.st_mode & 044))
        mcti_doctor_say(d, DOCTOR_WARNING,
                        "%s: other users may read it, and it has values of variables or headers; "
                        "run: chmod 600 %s",
                        file, file);
}

static void check_file(struct mcti_doctor *d, const char *file)
{
    const struct mcti_config *c = &d->app->inst.config;
    size_t n = 0, n_off = 0;
    bool has_secrets = false;
    for (size_t i = 0; i < c->n_servers; i++) {
        const struct mcti_config_server *s = &c->servers[i];
        if (!s->file || strcmp(s->file, file) != 0)
            continue;
        n++;
        n_off += !s->enabled;
        has_secrets |= server_has_secrets(s);
    }
    if (n_off)
        mcti_doctor_say(d, DOCTOR_OK, "%s: %zu server%s, %zu disabled", file, n, n == 1 ? "" : "s", n_off);
    else
        mcti_doctor_say(d, DOCTOR_OK, "%s: %zu server%s", file, n, n == 1 ? "" : "s");
    setup_check_mode(d, file, has_secrets);
}

void mcti_doctor_configuration(struct mcti_doctor *d)
{
    struct mcti_config *c = &d->app->inst.config;
    mcti_openclaw_check_all(c);
    for (size_t i = 0; i < c->files.n; i++)
        check_file(d, c->files.v[i]);
    if (!c->files.n)
        mcti_doctor_say(d, DOCTOR_WARNING,
                        "nothing is configured: commands use the built-in demo server; "
                        "'mcptools config --help' shows how to add servers");
    for (size_t i = 0; i < c->n_problems; i++) {
        mcti_doctor_say(d, c->problems[i].fatal ? DOCTOR_ERROR : DOCTOR_WARNING, "%s", c->problems[i].text);
        d->is_broken |= c->problems[i].fatal;
    }
}

/* ---- folders ---- */

/* Reports a folder that is not there: whether it can be made in the nearest one above it that is. */
static void check_missing_folder(struct mcti_doctor *d, const char *what, const char *path)
{
    char *above = strdup(path), *slash = NULL;
    struct stat st;
    do {
        slash = above ? strrchr(above, '/') : NULL;
        if (slash)
            slash[slash == above] = '\0'; /* "/" stays */
    } while (slash && slash != above && stat(above, &st) < 0 && errno == ENOENT);
    if (slash && access(above, W_OK | X_OK) < 0)
        mcti_doctor_say(d, DOCTOR_WARNING, "%s: %s cannot be made: %s: %s", what, path, above, strerror(errno));
    else
        mcti_doctor_say(d, DOCTOR_OK, "%s: %s (not there yet)", what, path);
    free(above);
}

/* Reports whether a folder can be used, or made. */
static void check_folder(struct mcti_doctor *d, const char *what, const char *path, bool must_be_private)
{
    struct stat st;
    if (stat(path, &st) < 0 && errno == ENOENT) {
        check_missing_folder(d, what, path);
        return;
    }
    if (access(path, R_OK | W_OK | X_OK) < 0)
        mcti_doctor_say(d, DOCTOR_ERROR, "%s: %s: %s; it must be a folder of this user", what, path, strerror(errno));
    else if (st.st_uid != geteuid())
        mcti_doctor_say(d, DOCTOR_WARNING, "%s: %s belongs to another user", what, path);
    else if (st.st_mode & (must_be_private ? 077 : 022))
        mcti_doctor_say(d, DOCTOR_WARNING, "%s: %s: other users may %s it; run: chmod 700 %s", what, path,
                        must_be_private ? "use" : "write to", path);
    else
        mcti_doctor_say(d, DOCTOR_OK, "%s: %s", what, path);
}

void mcti_doctor_folders(struct mcti_doctor *d)
{
    static const struct {
        const char *what, *pattern;
        bool is_private;
    } rows[] = {
        { "configuration", "${XDG_CONFIG_HOME:-~/.config}/mcptools", false },
        { "logins", "${XDG_STATE_HOME:-~/.local/state}/mcptools", true },
        { "cache", "${XDG_CACHE_HOME:-~/.cache}/mcptools", false },
    };
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *home = getenv("HOME");
    if (!home || *home != '/')
        mcti_doctor_say(d, DOCTOR_ERROR, "HOME is not set: set it to the folder of this user");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *path = mcti_client_path(rows[i].pattern, NULL);
        if (path)
            check_folder(d, rows[i].what, path, rows[i].is_private);
        free(path);
    }
    if (runtime && *runtime == '/')
        check_folder(d, "runtime", runtime, true);
    else
        mcti_doctor_say(d, DOCTOR_OK, "runtime: XDG_RUNTIME_DIR is not set; sockets are in /tmp/mcptools-%u",
                        (unsigned)geteuid());
}

/* ---- logins ---- */

static void logins_each(void *data, const char *url, const struct mcti_login_facts *f)
{
    enum { SOON_S = 3600 };
    struct mcti_doctor *d = data;
    int64_t now = (int64_t)(mcti_clock_wall_ms() / 1000);
    struct mcti_buf shown;
    mcti_buf_init(&shown, 1u << 16);
    mcti_config_put_url(&shown, url);
    struct mcti_str text = mcti_buf_str(&shown);
    if (f->can_refresh || !f->expires_at)
        mcti_doctor_say(d, DOCTOR_OK, "%.*s: logged in%s", MCT_STR_ARG(text),
                        f->can_refresh ? ", renewed by itself" : "");
    else if (f->expires_at <= now)
        mcti_doctor_say(d, DOCTOR_WARNING, "%.*s: the login has expired; run: mcptools login %.*s", MCT_STR_ARG(text),
                        MCT_STR_ARG(text));
    else if (f->expires_at <= now + SOON_S)
        mcti_doctor_say(d, DOCTOR_WARNING,
                        "%.*s: the login expires within the hour and cannot be renewed; run: mcptools "
                        "login %.*s",
                        MCT_STR_ARG(text), MCT_STR_ARG(text));
    else
        mcti_doctor_say(d, DOCTOR_OK, "%.*s: logged in", MCT_STR_ARG(text));
    mcti_buf_done(&shown);
}

void mcti_doctor_logins(struct mcti_doctor *d)
{
    struct mct_error err;
    if (!d->is_broken && mcti_signin_each_stored(d->app, true, logins_each, d, &err) < 0)
        mcti_doctor_say(d, DOCTOR_WARNING, "%s", err.message);
}

/* ---- clients ---- */

struct client_count {
    const char *address;
    size_t n_own, n_ours;
};

static void clients_count(struct mcti_client_found *f, void *data)
{
    struct client_count *count = data;
    for (size_t i = 0; i < f->config->n_servers; i++) {
        bool ours = mcti_client_is_ours(&f->config->servers[i], count->address);
        count->n_ours += ours;
        count->n_own += !ours;
    }
}

void mcti_doctor_clients(struct mcti_doctor *d)
{
    const char *install = mcti_command_find("install") ? "; 'mcptools install' changes that" : "";
    for (const struct mcti_client *client = mcti_clients; client->id; client++) {
        struct client_count count = { .address = d->app->inst.config.serve_http };
        const struct mcti_client_scan scan = { .only_shows = true, .found = clients_count, .data = &count };
        if (!mcti_client_is_here(client))
            continue;
        mcti_client_scan(client, &scan);
        if (count.n_ours)
            mcti_doctor_say(d, DOCTOR_OK, "%s uses mcptools, and %zu other servers", client->title, count.n_own);
        else
            mcti_doctor_say(d, DOCTOR_OK, "%s does not use mcptools; it has %zu servers%s", client->title, count.n_own,
                            install);
    }
}
