#include "config/notation/jsonc.h"

static size_t jsonc_skip_string(const char *t, size_t len, size_t i)
{
    for (i++; i < len && t[i] != '"'; i++)
        if (t[i] == '\\')
            i++;
    return i < len ? i + 1 : len;
}

static size_t comment_end(const char *t, size_t len, size_t i)
{
    bool block = t[i + 1] == '*';
    for (i += 2; i < len; i++) {
        if (!block && t[i] == '\n')
            return i;
        if (block && t[i] == '*' && i + 1 < len && t[i + 1] == '/')
            return i + 2;
    }
    return len;
}

static void jsonc_blank(char *t, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (t[i] != '\n')
            t[i] = ' ';
}

static void blank_comments(char *t, size_t len)
{
    for (size_t i = 0; i < len;) {
        if (t[i] == '"') {
            i = jsonc_skip_string(t, len, i);
        } else if (t[i] == '/' && i + 1 < len && (t[i + 1] == '/' || t[i + 1] == '*')) {
            size_t end = comment_end(t, len, i);
            jsonc_blank(t, i, end);
            i = end;
        } else {
            i++;
        }
    }
}

/* Blanks each comma that follows a value and stands before '}' or ']'. */
static void blank_trailing_commas(char *t, size_t len)
{
    size_t comma = 0;
    bool pending = false, after_value = false;
    for (size_t i = 0; i < len;) {
        char c = t[i];
        if (c == '"') {
            i = jsonc_skip_string(t, len, i);
            pending = false;
            after_value = true;
            continue;
        }
        if (c == ',') {
            pending = after_value;
            comma = i;
            after_value = false;
        } else if (!strchr(" \t\r\n", c)) {
            if (pending && (c == '}' || c == ']'))
                t[comma] = ' ';
            pending = false;
            after_value = !strchr("{[:", c);
        }
        i++;
    }
}

void mcti_jsonc_blank(char *text, size_t len)
{
    blank_comments(text, len);
    blank_trailing_commas(text, len);
}

unsigned mcti_line_of(const char *text, size_t offset)
{
    unsigned line = 1;
    for (size_t i = 0; i < offset; i++)
        line += text[i] == '\n';
    return line;
}

unsigned mcti_column_of(const char *text, size_t offset)
{
    const char *line_end = memrchr(text, '\n', offset);
    return (unsigned)(line_end ? text + offset - line_end : (ptrdiff_t)offset + 1);
}
