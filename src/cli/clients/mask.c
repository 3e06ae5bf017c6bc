#include "cli/clients/mask.h"

#include <ctype.h>

/* Returns the position behind the text that begins with a quote at `p`. */
static const char *mask_text_end(const char *p, const char *end)
{
    char quote = *p++;
    while (p < end && *p != quote)
        p += *p == '\\' && p + 1 < end ? 2 : 1;
    return p < end ? p + 1 : end;
}

static bool mask_is_key(const char *p, const char *end, char sign)
{
    while (p < end && isblank((unsigned char)*p))
        p++;
    return p < end && *p == sign;
}

static void mask_line(struct mcti_buf *to, struct mcti_str line, struct mcti_str shown, bool is_toml)
{
    const char *p = line.p, *end = line.p + line.len;
    while (p < end) {
        bool is_text = *p == '"' || (is_toml && *p == '\'');
        const char *behind = is_text ? mask_text_end(p, end) : p + 1;
        struct mcti_str part = mcti_str_range(p, behind);
        bool is_ours = shown.len && part.len > 2 && memmem(shown.p, shown.len, part.p, part.len);
        if (is_text && !is_ours && !mask_is_key(behind, end, is_toml ? '=' : ':'))
            mcti_buf_addz(to, "\"***\"");
        else
            mcti_buf_add(to, part);
        p = behind;
    }
}

/* A line of a text of several lines has no quotes. */
static bool is_inside_text(struct mcti_str line, bool is_toml)
{
    struct mcti_str text = mcti_str_trim_white(mcti_str_range(line.p + 1, line.p + line.len));
    return is_toml && text.len && *text.p != '#' && *text.p != '[' && *text.p != ']' && *text.p != '"' &&
           !memchr(text.p, '=', text.len);
}

void mcti_mask_diff(struct mcti_buf *to, struct mcti_str diff, struct mcti_str shown, bool is_toml)
{
    struct mcti_str line;
    for (struct mcti_str rest = diff; mcti_str_split(&rest, '\n', &line);) {
        if (!line.len && !rest.len)
            break;
        bool is_head = mcti_str_starts(line, MCT_STR("---")) || mcti_str_starts(line, MCT_STR("+++")) ||
                       mcti_str_starts(line, MCT_STR("@@"));
        if (is_head)
            mcti_buf_add(to, line);
        else if (line.len && is_inside_text(line, is_toml))
            mcti_buf_printf(to, "%c***", *line.p);
        else
            mask_line(to, line, shown, is_toml);
        mcti_buf_addc(to, '\n');
    }
}
