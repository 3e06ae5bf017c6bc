/* JSON in test tables, with ' for ". Whoever includes this has defined TEXT before: the size of a buffer for one. */
#ifndef MCT_TESTS_QUOTED_H
#define MCT_TESTS_QUOTED_H

#include "base/limits.h"
#include "json/scan.h"

static inline const char *quoted(const char *text, char to[TEXT])
{
    size_t n = strlen(text);
    assert_true(n < TEXT);
    for (size_t i = 0; i <= n; i++)
        to[i] = text[i] == '\'' ? '"' : text[i];
    return to;
}

static inline struct mcti_str json(const char *text, char to[TEXT])
{
    if (!text)
        return MCT_STR_NONE;
    struct mcti_str s = mcti_str_of(quoted(text, to));
    if (!mcti_json_valid(s, MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        fail_msg("the test is no JSON: %s", to);
    return s;
}

#endif
