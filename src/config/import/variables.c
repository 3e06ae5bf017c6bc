/* Rewrites the variables of other programs as mcptools writes them: ${VAR}, ${VAR:-default}, and "$${" for "${". */
#include "config/import/impl.h"

#include "base/buf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define REFERENCE "${!ref:" /* begins a reference that is not literal, whatever the format */

struct rewriter {
    struct mcti_config_place *at;
    const struct mcti_json_member *entry;
    unsigned ways; /* enum mcti_variables */
    struct mcti_buf to;
};

char *mcti_config_reference(const char *name, bool may_be_unset)
{
    char *text = NULL;
    return asprintf(&text, REFERENCE "%s%s}", name, may_be_unset ? ":-" : "") < 0 ? NULL : text;
}

char *mcti_config_variable_name(struct mcti_str text)
{
    char *name = mcti_str_dup(text);
    for (char *p = name; p && *p; p++)
        *p = isalnum((unsigned char)*p) ? (char)toupper((unsigned char)*p) : '_';
    return name;
}

static void rewrite_put_variable(struct mcti_buf *to, struct mcti_str name)
{
    mcti_buf_printf(to, "${%.*s}", MCT_STR_ARG(name));
}

/* Writes a text that is to be literal. */
static void put_literal(struct mcti_buf *to, struct mcti_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] == '$' && i + 1 < text.len && text.p[i + 1] == '{')
            mcti_buf_addc(to, '$');
        mcti_buf_addc(to, text.p[i]);
    }
}

/* ---- editors ---- */

/* Writes the folder that an editor has opened: the one with the folder (.vscode, .cursor) of the file. */
static void put_workspace(struct rewriter *r, bool only_name)
{
    char *path = realpath(r->at->file, NULL), *here = path ? NULL : getcwd(NULL, 0);
    char *folder = path ? path : here;
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        *slash = '\0';
    char *last = path ? strrchr(path, '/') : NULL;
    if (last && last[1] == '.')
        *last = '\0';
    const char *name = folder ? strrchr(folder, '/') : NULL;
    put_literal(&r->to, mcti_str_of(!folder ? "." : only_name && name ? name + 1 : folder));
    free(path);
    free(here);
}

static void put_input(struct rewriter *r, struct mcti_str id)
{
    char *name = mcti_config_variable_name(id);
    if (!name)
        return;
    rewrite_put_variable(&r->to, mcti_str_of(name));
    mcti_special_say(r->at, r->entry, false,
                     "\"${input:%.*s}\" is asked for by the editor only; the environment variable %s is used instead",
                     id.len > 64 ? 64 : (int)id.len, id.p, name);
    free(name);
}

static bool put_editor(struct rewriter *r, struct mcti_str inside)
{
    if (mcti_str_starts(inside, MCT_STR("env:")))
        rewrite_put_variable(&r->to, mcti_str_range(inside.p + 4, inside.p + inside.len));
    else if (mcti_str_starts(inside, MCT_STR("input:")))
        put_input(r, mcti_str_range(inside.p + 6, inside.p + inside.len));
    else if (mcti_str_is(inside, "workspaceFolder") || mcti_str_is(inside, "workspaceRoot"))
        put_workspace(r, false);
    else if (mcti_str_is(inside, "CLAUDE_PROJECT_DIR") && !getenv("CLAUDE_PROJECT_DIR"))
        put_workspace(r, false);
    else if (mcti_str_is(inside, "workspaceFolderBasename"))
        put_workspace(r, true);
    else if (mcti_str_is(inside, "userHome"))
        mcti_buf_addz(&r->to, "${HOME}");
    else if (mcti_str_is(inside, "pathSeparator") || mcti_str_is(inside, "/"))
        mcti_buf_addc(&r->to, '/');
    else
        return false;
    return true;
}

/* ---- nexo ---- */

static const char *value_of(struct mcti_str name)
{
    char *name_z = mcti_str_dup(name);
    const char *value = name_z ? getenv(name_z) : NULL;
    free(name_z);
    return value;
}

/* ${VAR:-d}: the default if VAR is not set or empty; ${VAR-d}: if it is not set. */
static void put_default(struct rewriter *r, struct mcti_str name, struct mcti_str fallback, bool also_empty)
{
    const char *value = value_of(name);
    if (r->at->config->for_import || (also_empty && !memchr(fallback.p, '}', fallback.len))) {
        mcti_buf_printf(&r->to, "${%.*s:-%.*s}", MCT_STR_ARG(name), MCT_STR_ARG(fallback));
        if (!also_empty)
            mcti_special_say(r->at, r->entry, false,
                             "\"${%.*s-…}\" is written as \"${%.*s:-…}\", which also replaces an empty value",
                             MCT_STR_ARG(name), MCT_STR_ARG(name));
    } else if (value && (*value || !also_empty)) {
        mcti_buf_printf(&r->to, "${%.*s:-}", MCT_STR_ARG(name));
    } else {
        put_literal(&r->to, fallback);
    }
}

static void put_secret_file(struct rewriter *r, struct mcti_str path)
{
    const char *slash = memrchr(path.p, '/', path.len);
    bool imports = r->at->config->for_import;
    if (!imports || mcti_str_starts(path, MCT_STR("/"))) {
        mcti_buf_printf(&r->to, imports ? "${file:%.*s}" : "${!file:%.*s}", MCT_STR_ARG(path));
        return;
    }
    char *name = mcti_config_variable_name(slash ? mcti_str_range(slash + 1, path.p + path.len) : path);
    if (!name)
        return;
    rewrite_put_variable(&r->to, mcti_str_of(name));
    mcti_special_say(r->at, r->entry, false,
                     "\"${file:%.*s}\" is written as \"${%s}\": nexo reads it below the working directory; set this "
                     "variable to the text of the file, or write its whole path",
                     path.len > 128 ? 128 : (int)path.len, path.p, name);
    free(name);
}

static void put_nexo(struct rewriter *r, struct mcti_str inside)
{
    const char *end = inside.p + inside.len, *dash = NULL;
    for (const char *p = inside.p; p + 1 < end && !dash; p++)
        dash = p[0] == ':' && p[1] == '-' ? p : NULL;
    const char *minus = memchr(inside.p, '-', inside.len);
    if (mcti_str_starts(inside, MCT_STR("file:")))
        put_secret_file(r, mcti_str_range(inside.p + 5, end));
    else if (dash)
        put_default(r, mcti_str_trim(mcti_str_range(inside.p, dash)), mcti_str_range(dash + 2, end), true);
    else if (minus && minus > inside.p)
        put_default(r, mcti_str_trim(mcti_str_range(inside.p, minus)), mcti_str_range(minus + 1, end), false);
    else
        rewrite_put_variable(&r->to, mcti_str_trim(inside));
}

/* ---- texts ---- */

/* Returns the end of "${…}" at `p`, behind its "}"; NULL if there is none. Braces may be nested for nexo. */
static const char *end_of(const char *p, bool nested)
{
    int depth = 0;
    for (p++; *p; p++) {
        depth += *p == '{' && (nested || !depth);
        depth -= *p == '}';
        if (!depth)
            return p + 1;
    }
    return NULL;
}

/* "${{ secrets.NAME }}", or inputs.NAME. */
static const char *rewrite_secret(struct rewriter *r, const char *p)
{
    const char *end = strstr(p, "}}");
    if (!end) {
        mcti_buf_addz(&r->to, "$${");
        return p + 2;
    }
    struct mcti_str name = mcti_str_trim(mcti_str_range(p + 3, end));
    const char *dot = memchr(name.p, '.', name.len);
    rewrite_put_variable(&r->to, dot ? mcti_str_range(dot + 1, name.p + name.len) : name);
    return end + 2;
}

static const char *rewrite_variable(struct rewriter *r, const char *p)
{
    if (r->ways & MCT_VARIABLES_SECRETS && p[2] == '{')
        return rewrite_secret(r, p);
    const char *end = end_of(p, r->ways & MCT_VARIABLES_NEXO);
    if (!end) {
        mcti_buf_addz(&r->to, r->ways & MCT_VARIABLES_NONE ? "$${" : "${");
        return p + 2;
    }
    struct mcti_str inside = mcti_str_range(p + 2, end - 1);
    if (mcti_str_starts(inside, MCT_STR("!ref:")))
        rewrite_put_variable(&r->to, mcti_str_range(inside.p + 5, inside.p + inside.len));
    else if (r->ways & MCT_VARIABLES_NONE)
        put_literal(&r->to, mcti_str_range(p, end));
    else if (r->ways & MCT_VARIABLES_NEXO)
        put_nexo(r, inside);
    else if (!(r->ways & MCT_VARIABLES_EDITOR) || !put_editor(r, inside))
        mcti_buf_add(&r->to, mcti_str_range(p, end));
    return end;
}

static const char *rewrite_dollar(struct rewriter *r, const char *p)
{
    const char *end = p + 1;
    while (isalnum((unsigned char)*end) || *end == '_')
        end++;
    rewrite_put_variable(&r->to, mcti_str_range(p + 1, end));
    return end;
}

static const char *rewrite_braces(struct rewriter *r, const char *p)
{
    const char *end = strchr(p, '}');
    if (!end) {
        mcti_buf_addc(&r->to, *p);
        return p + 1;
    }
    if (p[1] == 'f')
        mcti_buf_printf(&r->to, "$%.*s", (int)(end - p) + 1, p);
    else
        mcti_buf_printf(&r->to, "${%.*s:-}", MCT_STR_ARG(mcti_str_range(p + 5, end)));
    return end + 1;
}

static bool begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static const char *rewrite_next(struct rewriter *r, const char *p)
{
    bool is_escape = !strncmp(p, "$${", 3) && !(r->ways & (MCT_VARIABLES_NONE | MCT_VARIABLES_NEXO));
    if (is_escape) {
        mcti_buf_addz(&r->to, "$${");
        return p + 3;
    }
    if (p[0] == '$' && p[1] == '{')
        return rewrite_variable(r, p);
    if (p[0] == '$' && r->ways & MCT_VARIABLES_DOLLAR && begins_name(p[1]))
        return rewrite_dollar(r, p);
    if (r->ways & MCT_VARIABLES_BRACES && (!strncmp(p, "{env:", 5) || !strncmp(p, "{file:", 6)))
        return rewrite_braces(r, p);
    mcti_buf_addc(&r->to, *p);
    return p + 1;
}

static int rewrite_text(struct rewriter *r, char **text)
{
    if (!*text || !strpbrk(*text, "${"))
        return 0;
    mcti_buf_init(&r->to, 1u << 22);
    if (r->ways & MCT_VARIABLES_WHOLE && !strncmp(*text, "$env:", 5))
        rewrite_put_variable(&r->to, mcti_str_of(*text + 5));
    else
        for (const char *p = *text; *p;)
            p = rewrite_next(r, p);
    char *rewritten = mcti_buf_take(&r->to);
    mcti_buf_done(&r->to);
    if (!rewritten) {
        mcti_special_say(r->at, r->entry, true, "a text is too long");
        return -1;
    }
    free(*text);
    *text = rewritten;
    return 0;
}

int mcti_config_rewrite_text(struct mcti_config_place *at, struct mcti_json_member m, char **text)
{
    struct rewriter r = { .at = at, .entry = &m, .ways = at->format->variables };
    return rewrite_text(&r, text);
}

void mcti_config_rewrite(struct mcti_config_place *at, struct mcti_json_member entry)
{
    struct mcti_config_server *s = at->server;
    struct rewriter r = { .at = at, .entry = &entry, .ways = at->format->variables };
    char **const texts[] = { &s->command, &s->cwd, &s->url };
    char **auth[MCT_CONFIG_AUTH_TEXTS];
    mcti_config_auth_texts(s, auth);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        rewrite_text(&r, texts[i]);
    for (size_t i = 0; auth[i]; i++)
        rewrite_text(&r, auth[i]);
    for (size_t i = 0; i < s->args.n; i++)
        rewrite_text(&r, &s->args.v[i]);
    for (size_t i = 0; i < s->env.n; i++)
        rewrite_text(&r, &s->env.v[i].value);
    for (size_t i = 0; i < s->headers.n; i++)
        rewrite_text(&r, &s->headers.v[i].value);
}
