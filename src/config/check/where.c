/* Places of keys in files that have been read: files are read again for that. */
#include "config/check/impl.h"

#include "config/notation/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { WHERE_STEPS = 6 };

/* Reads the file that an entry stands in, unless it was read last. A file that cannot be read again is empty. */
static void where_read(struct mcti_check *k, const char *file)
{
    struct stat st;
    if (k->file && !strcmp(k->file, file))
        return;
    free(k->file);
    mcti_edit_done(&k->text);
    mcti_edit_init(&k->text, file, MCT_STR(""));
    k->file = strdup(file);
    FILE *f = mcti_notation_of(file) == MCT_NOTATION_JSON && stat(file, &st) == 0 && S_ISREG(st.st_mode)
                  ? fopen(file, "re")
                  : NULL;
    char *at = f && st.st_size <= MCT_EDIT_MAX_BYTES ? mcti_buf_reserve(&k->text.text, (size_t)st.st_size) : NULL;
    if (at)
        k->text.text.len = fread(at, 1, (size_t)st.st_size, f);
    if (f)
        fclose(f);
}

/* Writes the path of an entry in a container, which is given as "mcp.servers"; returns the number of steps. */
static size_t where_path(const char *const container[2], const char *name, const char *ret[WHERE_STEPS + 1])
{
    size_t n = 0;
    for (size_t i = 0; i < 2 && container[i]; i++)
        ret[n++] = container[i];
    ret[n++] = name;
    ret[n] = NULL;
    return n;
}

/* Finds the line and the column of a key; if it is not written like that, those of its entry. Returns the container of
 * the entry, NULL if it is not found. */
static const char *const *where_find(struct mcti_check *k, const struct mcti_config_server *s, const char *key,
                                     const char *inner, struct mcti_edit_value *ret)
{
    static const char *const containers[][2] = {
        { "mcpServers" },     { "servers" }, { "mcp", "servers" }, { "context_servers" }, { "mcp_servers" },
        { "amp.mcpServers" }, { "mcp" }
    };
    const char *path[WHERE_STEPS + 1];
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        size_t n = where_path(containers[i], s->name, path);
        if (mcti_edit_get(&k->text, path, ret, NULL) != 0)
            continue;
        unsigned line = ret->line, column = ret->column;
        mcti_buf_done(&ret->json);
        path[n] = *key ? key : NULL;
        path[n + 1] = inner;
        path[n + 2] = NULL;
        bool found = *key && mcti_edit_get(&k->text, path, ret, NULL) == 0;
        if (found) {
            mcti_buf_done(&ret->json);
        } else {
            ret->line = line;
            ret->column = column;
        }
        return containers[i];
    }
    return NULL;
}

void mcti_check_blame(struct mcti_check *k, const struct mcti_config_server *s, const char *key, const char *inner,
                      const char *fmt, ...)
{
    char what[640], where[32] = "";
    struct mcti_edit_value v = { .line = s->line };
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    if (s->file)
        where_read(k, s->file);
    const char *const *container = s->file && s->line ? where_find(k, s, key, inner, &v) : NULL;
    if (container && v.column)
        snprintf(where, sizeof where, ":%u:%u", v.line, v.column);
    else if (s->line)
        snprintf(where, sizeof where, ":%u", s->line);
    bool nested = container && container[1], is_index = inner && *inner >= '0' && *inner <= '9';
    mcti_config_problem(k->config, true, "%s%s: %s%s%s.%s%s%s%s%s%s: %s", s->file ? s->file : "", where,
                        container ? container[0] : "mcpServers", nested ? "." : "", nested ? container[1] : "", s->name,
                        *key ? "." : "", key, inner ? (is_index ? "[" : ".") : "", inner ? inner : "",
                        is_index ? "]" : "", what);
}
