#include "text.h"

#include <err.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_reserve(struct text *text, size_t extra)
{
    if (text->capacity - text->len >= extra)
        return;
    text->capacity = 2 * text->capacity + extra;
    text->data = realloc(text->data, text->capacity);
    if (!text->data)
        err(CANNOT_RUN, "realloc");
}

void text_append(struct text *text, const char *data, size_t len)
{
    text_reserve(text, len + 1);
    memcpy(text->data + text->len, data, len);
    text->len += len;
    text->data[text->len] = '\0';
}

void text_format(struct text *text, const char *format, ...)
{
    char *formatted;
    va_list arguments;

    va_start(arguments, format);
    int len = vasprintf(&formatted, format, arguments);
    va_end(arguments);
    if (len < 0)
        err(CANNOT_RUN, "vasprintf");
    text_append(text, formatted, (size_t)len);
    free(formatted);
}

void text_append_with_id(struct text *text, const char *pattern, uint64_t id)
{
    const char *token;

    while ((token = strstr(pattern, ID_TOKEN)) != NULL) {
        text_append(text, pattern, (size_t)(token - pattern));
        text_format(text, "%" PRIu64, id);
        pattern = token + strlen(ID_TOKEN);
    }
    text_append(text, pattern, strlen(pattern));
}
