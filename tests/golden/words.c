#include "run_golden.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void die(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "%s:%u: ", g.file, g.line);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

char *word(char **rest)
{
    char *w = *rest, *end = w + strcspn(w, " ");
    *rest = end + strspn(end, " ");
    *end = '\0';
    return w;
}

unsigned number(const char *text)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (end == text || *end)
        die("no number: %s", text);
    return (unsigned)n;
}

char *keep(const char *text)
{
    char *copy = strdup(text);
    if (!copy || g.n_kept == sizeof g.kept / sizeof *g.kept)
        die("too many texts");
    return g.kept[g.n_kept++] = copy;
}

void check_json(const char *text)
{
    struct mcti_json_fault fault;
    if (!mcti_json_valid(mcti_str_of(text), MCT_LIMIT_JSON_DEPTH, NULL, &fault))
        die("not JSON at byte %zu: %s", fault.offset, fault.why);
}

char *error_json(char *rest)
{
    struct mcti_buf b;
    const char *code = word(&rest);
    mcti_buf_init(&b, 65536);
    mcti_buf_printf(&b, "{\"code\":%s,", code);
    mcti_json_put_string(&b, MCT_STR("message"));
    mcti_buf_addc(&b, ':');
    mcti_json_put_string(&b, mcti_str_of(rest));
    mcti_buf_addc(&b, '}');
    return mcti_buf_take(&b);
}

void put_numbered(struct mcti_buf *to, struct mcti_str text, unsigned n)
{
    struct mcti_str part;
    for (bool first = true; mcti_str_split(&text, '%', &part); first = false) {
        if (!first)
            mcti_buf_printf(to, "%u", n);
        mcti_buf_add(to, part);
    }
}

/* One <<…>>, without the brackets. */
static void expand_one(struct mcti_buf *to, struct mcti_str what)
{
    char *text = mcti_str_dup(what);
    unsigned from, until;
    int at = 0;
    if (sscanf(text, "%u..%u|%n", &from, &until, &at) == 2 && at) {
        for (unsigned i = from; i <= until; i++) {
            mcti_buf_addz(to, i > from ? "," : "");
            put_numbered(to, (struct mcti_str){ what.p + at, what.len - (size_t)at }, i);
        }
    } else if (sscanf(text, "%u*%n", &from, &at) == 1 && at) {
        while (from--)
            mcti_buf_add(to, (struct mcti_str){ what.p + at, what.len - (size_t)at });
    } else {
        die("what is <<%s>>?", text);
    }
    free(text);
}

char *expand(const char *line)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 64u << 20);
    while (*line) {
        const char *end = strncmp(line, "<<", 2) ? NULL : strstr(line, ">>");
        if (end) {
            expand_one(&b, mcti_str_range(line + 2, end));
            line = end + 2;
        } else if (!strncmp(line, "$TMP", 4)) {
            mcti_buf_addz(&b, g.tmp);
            line += 4;
        } else {
            mcti_buf_addc(&b, *line++);
        }
    }
    char *text = mcti_buf_take(&b);
    if (!text)
        die("too long");
    return text;
}
