#include "config/check/check.h"

/* Reads ":NUMBER" and moves *at behind it. */
static bool parts_read_number(const char **at, unsigned *ret)
{
    const char *p = *at;
    unsigned n = 0;
    if (*p != ':' || p[1] < '0' || p[1] > '9')
        return false;
    for (p++; *p >= '0' && *p <= '9' && n < 100000000; p++)
        n = n * 10 + (unsigned)(*p - '0');
    *at = p;
    *ret = n;
    return true;
}

struct mcti_problem_parts mcti_problem_split(const char *text)
{
    for (const char *p = strchr(text, ':'); p; p = strchr(p + 1, ':')) {
        struct mcti_problem_parts parts = { .file = mcti_str_range(text, p) };
        const char *at = p;
        if (!parts_read_number(&at, &parts.line))
            continue;
        parts_read_number(&at, &parts.column);
        if (strncmp(at, ": ", 2) != 0)
            continue;
        parts.what = mcti_str_of(at + 2);
        return parts;
    }
    return (struct mcti_problem_parts){ .what = mcti_str_of(text) };
}
