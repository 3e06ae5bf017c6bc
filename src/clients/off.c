/* Lists outside of entries by which programs switch servers off. */
#include "clients/scan.h"

#include "base/limits.h"
#include "config/notation/jsonc.h"
#include "json/scan.h"

#include <ctype.h>
#include <stdlib.h>

/* A file of JSON with comments. */
struct off_file {
    struct mcti_buf text;
    struct mcti_str root; /* absent: the file is missing, or no JSON */
};

static void off_open(struct off_file *f, const char *pattern)
{
    char *path = mcti_client_path(pattern, NULL);
    struct mcti_json_top top;
    mcti_buf_init(&f->text, 16 << 20);
    f->root = MCT_STR_NONE;
    if (path && mcti_config_load(path, &f->text) == 0 && f->text.len) {
        mcti_jsonc_blank(f->text.p, f->text.len);
        if (mcti_json_valid(mcti_buf_str(&f->text), MCT_LIMIT_JSON_DEPTH, &top, NULL))
            f->root = top.value;
    }
    free(path);
}

static bool off_has(struct mcti_str list, const char *name)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item);)
        if (mcti_json_is(item, name))
            return true;
    return false;
}

static void switch_off(struct mcti_config_server *s, const char *why)
{
    if (!s->enabled)
        return;
    s->enabled = false;
    s->off_because = why;
}

/* ---- Claude Code ---- */

/* What the settings of the user say about the servers of a project's file. A file of the project that is under version
 * control cannot approve its own servers. */
static bool is_approved(const struct mcti_config_server *s, const struct mcti_str *settings, size_t n)
{
    bool is = false;
    for (size_t i = 0; i < n; i++)
        is |= mcti_json_true(mcti_json_get(settings[i], "enableAllProjectMcpServers")) ||
              off_has(mcti_json_get(settings[i], "enabledMcpjsonServers"), s->name);
    return is;
}

static bool is_project_server(const struct mcti_config_server *s)
{
    return s->file && !strcmp(s->file, ".mcp.json");
}

static void settle_project(struct mcti_config *c, const struct mcti_str *settings, size_t n)
{
    for (size_t k = 0; k < c->n_servers; k++)
        for (size_t i = 0; i < n && is_project_server(&c->servers[k]); i++)
            if (off_has(mcti_json_get(settings[i], "disabledMcpjsonServers"), c->servers[k].name))
                switch_off(&c->servers[k], "Claude Code has it in disabledMcpjsonServers");
}

/* Claude Code's own file, as far as it is about this project, and its settings. */
enum { N_SETTINGS = 4 };
struct claude_settings {
    struct off_file files[N_SETTINGS];
    struct mcti_str v[N_SETTINGS];
};

static void claude_open(struct claude_settings *c)
{
    static const char *const files[N_SETTINGS] = { "${CLAUDE_CONFIG_DIR:-~}/.claude.json",
                                                   "${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json",
                                                   ".claude/settings.local.json",
                                                   "/etc/claude-code/managed-settings.json" };
    for (size_t i = 0; i < N_SETTINGS; i++) {
        off_open(&c->files[i], files[i]);
        c->v[i] = i ? c->files[i].root : mcti_config_project_here(c->files[i].root);
    }
}

static void claude_close(struct claude_settings *c)
{
    for (size_t i = 0; i < N_SETTINGS; i++)
        mcti_buf_done(&c->files[i].text);
}

void mcti_client_settle_claude(struct mcti_client_found *f)
{
    struct claude_settings settings;
    claude_open(&settings);
    for (size_t i = 0; i < f->config->n_servers; i++)
        if (off_has(mcti_json_get(settings.v[0], "disabledMcpServers"), f->config->servers[i].name))
            switch_off(&f->config->servers[i], "Claude Code has it in disabledMcpServers");
    if (f->scope == MCT_CLIENT_PROJECT)
        settle_project(f->config, settings.v, N_SETTINGS);
    for (size_t i = 0; f->scope == MCT_CLIENT_PROJECT && i < f->config->n_servers; i++)
        if (!is_approved(&f->config->servers[i], settings.v, N_SETTINGS))
            switch_off(&f->config->servers[i], "it has not been approved in Claude Code");
    claude_close(&settings);
}

void mcti_client_settle_discovered(struct mcti_config *c)
{
    struct claude_settings settings;
    bool any = false;
    for (size_t i = 0; i < c->n_servers; i++)
        any |= is_project_server(&c->servers[i]);
    if (!any)
        return;
    claude_open(&settings);
    settle_project(c, settings.v, N_SETTINGS);
    claude_close(&settings);
}

/* ---- others ---- */

void mcti_client_settle_copilot(struct mcti_client_found *f)
{
    struct off_file settings;
    off_open(&settings, "${COPILOT_HOME:-~/.copilot}/settings.json");
    for (size_t i = 0; i < f->config->n_servers; i++)
        if (off_has(mcti_json_get(settings.root, "disabledMcpServers"), f->config->servers[i].name))
            switch_off(&f->config->servers[i], "Copilot CLI has it in disabledMcpServers");
    mcti_buf_done(&settings.text);
}

void mcti_client_settle_gemini(struct mcti_client_found *f)
{
    struct off_file user, state;
    off_open(&user, "${GEMINI_CLI_HOME:-~}/.gemini/settings.json");
    off_open(&state, "${GEMINI_CLI_HOME:-~}/.gemini/mcp-server-enablement.json");
    for (size_t i = 0; i < f->config->n_servers; i++) {
        struct mcti_config_server *s = &f->config->servers[i];
        char *id = strdup(s->name); /* the state has names in lower case */
        for (char *p = id; p && *p; p++)
            *p = (char)tolower((unsigned char)*p);
        struct mcti_str enabled = mcti_json_get(mcti_json_get(state.root, id ? id : s->name), "enabled");
        free(id);
        if (mcti_json_type(enabled) == 'f')
            switch_off(s, "it has been disabled in Gemini CLI");
        if (off_has(mcti_json_get(mcti_json_get(user.root, "mcp"), "excluded"), s->name))
            switch_off(s, "Gemini CLI has it in mcp.excluded");
    }
    mcti_buf_done(&user.text);
    mcti_buf_done(&state.text);
}
