/* Translates ECMA-262 patterns into PCRE2 syntax: white space beyond ASCII and long property names. */
#include "schema/value.h"

/* Members of \s in ECMA-262 (sections "WhiteSpace" and "LineTerminator"). \s itself is at both ends, so that a range to
 * or from it remains an error. */
#define SPACES                                                                                                         \
    "\\s\xc2\xa0\xe1\x9a\x80\xe2\x80\x80-\xe2\x80\x8a\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\x9f"                 \
    "\xe3\x80\x80\xef\xbb\xbf\\s"

/* Values of General_Category (table "Value aliases and canonical values"). */
static const struct {
    struct mcti_str name;
    const char *alias;
} categories[] = {
    { MCT_STR("Letter"), "L" },
    { MCT_STR("Cased_Letter"), "L&" },
    { MCT_STR("Uppercase_Letter"), "Lu" },
    { MCT_STR("Lowercase_Letter"), "Ll" },
    { MCT_STR("Titlecase_Letter"), "Lt" },
    { MCT_STR("Modifier_Letter"), "Lm" },
    { MCT_STR("Other_Letter"), "Lo" },
    { MCT_STR("Mark"), "M" },
    { MCT_STR("Combining_Mark"), "M" },
    { MCT_STR("Nonspacing_Mark"), "Mn" },
    { MCT_STR("Spacing_Mark"), "Mc" },
    { MCT_STR("Enclosing_Mark"), "Me" },
    { MCT_STR("Number"), "N" },
    { MCT_STR("Decimal_Number"), "Nd" },
    { MCT_STR("digit"), "Nd" },
    { MCT_STR("Letter_Number"), "Nl" },
    { MCT_STR("Other_Number"), "No" },
    { MCT_STR("Punctuation"), "P" },
    { MCT_STR("punct"), "P" },
    { MCT_STR("Connector_Punctuation"), "Pc" },
    { MCT_STR("Dash_Punctuation"), "Pd" },
    { MCT_STR("Open_Punctuation"), "Ps" },
    { MCT_STR("Close_Punctuation"), "Pe" },
    { MCT_STR("Initial_Punctuation"), "Pi" },
    { MCT_STR("Final_Punctuation"), "Pf" },
    { MCT_STR("Other_Punctuation"), "Po" },
    { MCT_STR("Symbol"), "S" },
    { MCT_STR("Math_Symbol"), "Sm" },
    { MCT_STR("Currency_Symbol"), "Sc" },
    { MCT_STR("Modifier_Symbol"), "Sk" },
    { MCT_STR("Other_Symbol"), "So" },
    { MCT_STR("Separator"), "Z" },
    { MCT_STR("Space_Separator"), "Zs" },
    { MCT_STR("Line_Separator"), "Zl" },
    { MCT_STR("Paragraph_Separator"), "Zp" },
    { MCT_STR("Other"), "C" },
    { MCT_STR("Control"), "Cc" },
    { MCT_STR("cntrl"), "Cc" },
    { MCT_STR("Format"), "Cf" },
    { MCT_STR("Surrogate"), "Cs" },
    { MCT_STR("Private_Use"), "Co" },
    { MCT_STR("Unassigned"), "Cn" },
};

static struct mcti_str short_name(struct mcti_str name)
{
    static const struct mcti_str prefixes[] = { MCT_STR("General_Category="), MCT_STR("gc=") };
    for (size_t i = 0; i < 2; i++)
        if (mcti_str_starts(name, prefixes[i]))
            name = (struct mcti_str){ name.p + prefixes[i].len, name.len - prefixes[i].len };
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (mcti_str_eq(name, categories[i].name))
            return mcti_str_of(categories[i].alias);
    return name;
}

/* Copies "\p" or "\P" with its property; returns the position after it. */
static const char *put_property(struct mcti_buf *to, const char *p, const char *end)
{
    const char *close = p + 2 < end && p[2] == '{' ? memchr(p, '}', (size_t)(end - p)) : NULL;
    mcti_buf_add(to, mcti_str_range(p, p + 2));
    if (!close)
        return p + 2;
    mcti_buf_addc(to, '{');
    mcti_buf_add(to, short_name(mcti_str_range(p + 3, close)));
    return close;
}

/* Copies an escape, which is not at the end of the pattern; returns the position after it. */
static const char *put_escape(struct mcti_buf *to, const char *p, const char *end, bool in_class)
{
    if (p[1] == 'p' || p[1] == 'P')
        return put_property(to, p, end);
    if (p[1] == 's')
        mcti_buf_addz(to, in_class ? SPACES : "[" SPACES "]");
    else if (p[1] == 'S' && !in_class)
        mcti_buf_addz(to, "[^" SPACES "]");
    else
        mcti_buf_add(to, mcti_str_range(p, p + 2));
    return p + 2;
}

void mcti_schema_ecma(struct mcti_buf *to, struct mcti_str pattern)
{
    const char *end = pattern.p + pattern.len;
    bool in_class = false;
    for (const char *p = pattern.p; p < end;) {
        if (*p == '\\' && p + 1 < end) {
            p = put_escape(to, p, end, in_class);
            continue;
        }
        if (*p == '[' || *p == ']')
            in_class = *p == '[';
        mcti_buf_addc(to, *p++);
    }
}
