/*
 * mcptools agent install: puts the sub-agent file for Claude Code (share/mcptools/agents/) into a project, and the
 * permission for the commands in it into the settings of the project. A file that somebody has changed is kept.
 */
#include "base/limits.h"
#include "cli/agent/agent.h"
#include "cli/input.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE = 1 << 20, N_RULES = 4 };

static const struct {
    enum mcti_language language;
    const char *file, *rules[N_RULES];
} agents[] = {
    /* The server or URI stands behind "--": a permitted command has no other options, some of which run programs. */
    { MCT_CHINESE,
      "mcp.md",
      { "Bash(mcptools agent list --lang zh)", "Bash(mcptools agent list --lang zh -- *)",
        "Bash(mcptools agent read --lang zh -- *)", "Bash(mcptools agent read --lang zh --format raw -- *)" } },
    { MCT_ENGLISH,
      "mcp.en.md",
      { "Bash(mcptools agent list --lang en)", "Bash(mcptools agent list --lang en -- *)",
        "Bash(mcptools agent read --lang en -- *)", "Bash(mcptools agent read --lang en --format raw -- *)" } },
};
enum { N_AGENTS = sizeof agents / sizeof *agents };

/* ---- files ---- */

/* Reads a shipped file: beside the program, as in an installation and in the source tree, or where it was built for. */
static int read_shipped(struct mcti_buf *to, const char *name, struct mct_error *err)
{
    static const char *const beside[] = { "/../share/mcptools/agents/", "/../../share/mcptools/agents/" };
    char program[PATH_MAX], path[PATH_MAX + 64] = "";
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(program, '/');
    *(slash ? slash : program) = '\0';
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(path, sizeof path, "%s%s%s", program, beside[i], name);
        if (*program && access(path, R_OK) == 0)
            return mcti_input_read(to, path, err);
    }
    snprintf(path, sizeof path, "%s%s", MCT_DATA_DIR "/agents/", name);
    if (access(path, R_OK) == 0)
        return mcti_input_read(to, path, err);
    return mcti_fail(err, MCT_ERR_CONFIG, "the sub-agent file (%s) is missing: reinstall mcptools", path);
}

/* Reads a file of the project. Returns 1 if there is none. */
static int read_present(struct mcti_buf *to, const char *path, struct mct_error *err)
{
    struct stat st;
    if (lstat(path, &st) < 0 && errno == ENOENT)
        return 1;
    return mcti_input_read(to, path, err);
}

static int make_folder(const char *path, struct mct_error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return 0;
    return mcti_fail(err, MCT_ERR_USAGE, "%s: %s", path, strerror(errno));
}

/* Replaces the file as a whole, so that nobody reads half of it. A link is followed. */
static int replace_file(const char *path, struct mcti_str text, struct mct_error *err)
{
    char temporary[PATH_MAX + 32];
    char *real = realpath(path, NULL);
    const char *target = real ? real : path;
    struct stat st;
    int r = 0;
    snprintf(temporary, sizeof temporary, "%s.%ld.tmp", target, (long)getpid());
    bool existed = stat(target, &st) == 0;
    FILE *f = fopen(temporary, "wxe");
    bool good = f && fwrite(text.p, 1, text.len, f) == text.len;
    good = f && fclose(f) == 0 && good && (!existed || chmod(temporary, st.st_mode & 0777) == 0);
    if (!good || rename(temporary, target) < 0) {
        r = mcti_fail(err, MCT_ERR_USAGE, "%s: %s", path, strerror(errno));
        if (f)
            unlink(temporary);
    }
    free(real);
    return r;
}

/* ---- the sub-agent file ---- */

enum outcome { OUTCOME_WRITTEN, OUTCOME_UNCHANGED };

/* Returns true if the text is that of a shipped file: nobody has changed it. */
static bool is_shipped(struct mcti_str text)
{
    bool is = false;
    for (int i = 0; i < N_AGENTS && !is; i++) {
        struct mcti_buf shipped;
        mcti_buf_init(&shipped, MAX_FILE);
        is = read_shipped(&shipped, agents[i].file, NULL) == 0 && mcti_str_eq(mcti_buf_str(&shipped), text);
        mcti_buf_done(&shipped);
    }
    return is;
}

static int install_agent(const struct mcti_app *app, const char *path, struct mcti_str text, enum outcome *ret,
                         struct mct_error *err)
{
    struct mcti_buf present;
    mcti_buf_init(&present, MAX_FILE);
    int found = read_present(&present, path, err), r = found < 0 ? -1 : 0;
    *ret = OUTCOME_WRITTEN;
    if (found == 0 && mcti_str_eq(mcti_buf_str(&present), text))
        *ret = OUTCOME_UNCHANGED;
    else if (found == 0 && !app->opt.force && !is_shipped(mcti_buf_str(&present)))
        r = mcti_fail(err, MCT_ERR_USAGE, "%s: differs from the file that mcptools installs; --force replaces it",
                      path);
    else if (found >= 0)
        r = replace_file(path, text, err);
    mcti_buf_done(&present);
    return r;
}

/* ---- the permission ---- */

struct permission {
    struct mcti_buf text; /* the settings */
    const char *missing[N_RULES];
    size_t n_missing;
};

static bool has_rule(struct mcti_str allow, const char *rule)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(allow); mcti_json_next_item(&it, &item);)
        if (mcti_json_is(item, rule))
            return true;
    return false;
}

/* Appends the missing rules, each after `before`. */
static void put_rules(struct mcti_buf *to, const struct permission *p, struct mcti_str before)
{
    for (size_t i = 0; i < p->n_missing; i++) {
        mcti_buf_addz(to, i ? "," : "");
        mcti_buf_add(to, before);
        mcti_json_put_string(to, mcti_str_of(p->missing[i]));
    }
}

/* Inserts at the beginning of the container that `at` points to; `more`: a member follows. */
static void put_whole(struct mcti_buf *to, const struct permission *p, bool in_permissions, bool more)
{
    mcti_buf_addz(to, in_permissions ? "\n    \"allow\": [" : "\n  \"permissions\": {\n    \"allow\": [");
    put_rules(to, p, MCT_STR("\n      "));
    mcti_buf_addz(to, in_permissions ? "\n    ]" : "\n    ]\n  }");
    mcti_buf_addz(to, more ? "," : in_permissions ? "\n  " : "\n");
}

static bool install_has_members(struct mcti_str object)
{
    struct mcti_json_iter it = mcti_json_open(object);
    struct mcti_json_member m;
    return mcti_json_next_member(&it, &m);
}

/* Appends the settings with the missing rules to `to`. Returns false if the settings have another form. */
static bool put_settings(struct mcti_buf *to, const struct permission *p)
{
    struct mcti_str text = mcti_buf_str(&p->text), all = mcti_str_trim_white(text), last = MCT_STR_NONE, item;
    struct mcti_str permissions = mcti_json_get(all, "permissions"), allow = mcti_json_get(permissions, "allow");
    char type = mcti_json_type(permissions), list = mcti_json_type(allow);
    const char *at;
    if (mcti_json_type(all) != '{' || (type && type != '{') || (list && list != '['))
        return false;
    for (struct mcti_json_iter it = mcti_json_open(allow); mcti_json_next_item(&it, &item);)
        last = item;
    at = last.p ? last.p + last.len : 1 + (list ? allow.p : type ? permissions.p : all.p);
    mcti_buf_add(to, mcti_str_range(text.p, at));
    mcti_buf_addz(to, last.p ? "," : "");
    if (list)
        put_rules(to, p, MCT_STR("\n      "));
    else
        put_whole(to, p, type, install_has_members(type ? permissions : all));
    mcti_buf_add(to, mcti_str_range(at, text.p + text.len));
    return mcti_buf_ok(to);
}

/* Allows the commands of the sub-agent in the settings. Returns 1 if the settings cannot be edited. */
static int install_permission(const char *path, const char *const *rules, struct permission *p, struct mct_error *err)
{
    struct mcti_buf b;
    int found = read_present(&p->text, path, err), r = 1;
    if (found < 0)
        return -1;
    if (!mcti_str_trim_white(mcti_buf_str(&p->text)).len) { /* there is no file, or nothing in it */
        mcti_buf_clear(&p->text);
        mcti_buf_addz(&p->text, "{}\n");
    }
    bool is_json = mcti_json_valid(mcti_buf_str(&p->text), MCT_LIMIT_JSON_DEPTH, NULL, NULL);
    struct mcti_str all = mcti_str_trim_white(mcti_buf_str(&p->text));
    struct mcti_str permissions = is_json ? mcti_json_get(all, "permissions") : MCT_STR_NONE;
    for (size_t i = 0; i < N_RULES; i++)
        if (!has_rule(mcti_json_get(permissions, "allow"), rules[i]))
            p->missing[p->n_missing++] = rules[i];
    mcti_buf_init(&b, 2 * MAX_FILE);
    if (!p->n_missing)
        r = 0;
    else if (is_json && put_settings(&b, p))
        r = replace_file(path, mcti_buf_str(&b), err);
    mcti_buf_done(&b);
    return r;
}

/* ---- the command ---- */

static void install_print(const struct mcti_app *app, const char *agent, enum outcome done, const char *settings,
                          const struct permission *p, bool edited)
{
    struct mcti_buf b;
    if (app->opt.output != MCT_OUT_JSON) {
        mcti_out(app, "%s: %s\n", agent, done == OUTCOME_WRITTEN ? "written" : "already there");
        if (!p->n_missing)
            mcti_out(app, "%s: allows these commands already\n", settings);
        else
            mcti_out(app,
                     edited ? "%s: added to permissions.allow\n"
                            : "%s: cannot be edited; add these lines to permissions.allow\n",
                     settings);
        for (size_t i = 0; i < p->n_missing; i++)
            mcti_out(app, "  \"%s\"\n", p->missing[i]);
        return;
    }
    mcti_buf_init(&b, 65536);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "agent", mcti_str_of(agent));
    mcti_json_put_raw(&b, "written", done == OUTCOME_WRITTEN ? MCT_STR("true") : MCT_STR("false"));
    mcti_json_put_member(&b, "settings", mcti_str_of(settings));
    mcti_json_put_key(&b, edited ? "added" : "missing");
    mcti_buf_addc(&b, '[');
    put_rules(&b, p, MCT_STR_NONE);
    mcti_buf_addz(&b, "]}");
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

struct install {
    char folder[PATH_MAX], agent[PATH_MAX], settings[PATH_MAX];
};

static int install_paths(const struct mcti_app *app, struct install *to, struct mct_error *err)
{
    const char *project = app->argc == 2 ? app->argv[1] : ".";
    struct stat st;
    if (stat(project, &st) < 0)
        return mcti_fail(err, MCT_ERR_USAGE, "%s: %s", project, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return mcti_fail(err, MCT_ERR_USAGE, "%s is not a folder", project);
    int n = snprintf(to->folder, sizeof to->folder, "%s/.claude", project);
    if (n < 0 || (size_t)n > sizeof to->folder - 32)
        return mcti_fail(err, MCT_ERR_USAGE, "the path is too long");
    if (make_folder(to->folder, err) < 0)
        return -1;
    snprintf(to->settings, sizeof to->settings, "%.*s/settings.json", PATH_MAX - 32, to->folder);
    snprintf(to->agent, sizeof to->agent, "%.*s/agents", PATH_MAX - 32, to->folder);
    if (make_folder(to->agent, err) < 0)
        return -1;
    strcat(to->agent, "/mcp.md");
    return 0;
}

int mcti_agent_install(struct mcti_app *app)
{
    int i = mcti_agent_language(app) == MCT_ENGLISH;
    struct permission p = { .n_missing = 0 };
    struct install paths;
    struct mcti_buf text;
    struct mct_error err;
    enum outcome done = OUTCOME_UNCHANGED;
    int edited = -1;
    mcti_buf_init(&text, MAX_FILE);
    mcti_buf_init(&p.text, MAX_FILE);
    if (read_shipped(&text, agents[i].file, &err) == 0 && install_paths(app, &paths, &err) == 0 &&
        install_agent(app, paths.agent, mcti_buf_str(&text), &done, &err) == 0)
        edited = install_permission(paths.settings, agents[i].rules, &p, &err);
    if (edited >= 0)
        install_print(app, paths.agent, done, paths.settings, &p, edited == 0);
    mcti_buf_done(&text);
    mcti_buf_done(&p.text);
    return edited < 0 ? mcti_out_fail(app, &err, NULL) : 0;
}
