/*
 * Characters in their plain form. The tables are our own selection: the styled alphabets of Unicode, Latin letters with
 * accents, and the letters of other scripts that look like ASCII letters in usual fonts (in the sense of UTS #39).
 */
#include "scan/words/words.h"

#include "base/log/utf8.h"

struct fold_range {
    unsigned from, to;
    const char *letters; /* repeated: the plain forms of the range in order; '.' is none */
};

static const char ALPHABET[] = "abcdefghijklmnopqrstuvwxyz";
static const char DIGITS[] = "0123456789";

/* Sorted. */
static const struct fold_range fold_ranges[] = {
    { 0xc0, 0xff, "aaaaaaaceeeeiiiidnooooo.ouuuuytsaaaaaaaceeeeiiiidnooooo.ouuuuyty" },
    { 0x100, 0x13f, "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll" },
    { 0x140, 0x17f, "lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs" },
    { 0x1cd, 0x1dc, "aaiioouuuuuuuuuu" },
    { 0x1ea0, 0x1ecb, "aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiii" },
    { 0x1ecc, 0x1ef9, "oooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy" },
    { 0x2080, 0x2089, DIGITS },
    { 0x24b6, 0x24cf, ALPHABET },
    { 0x24d0, 0x24e9, ALPHABET },
    { 0xff10, 0xff19, DIGITS },
    { 0xff21, 0xff3a, ALPHABET },
    { 0xff41, 0xff5a, ALPHABET },
    { 0x1d400, 0x1d6a3, ALPHABET }, /* mathematical letters: thirteen styles, upper and lower case */
    { 0x1d7ce, 0x1d7ff, DIGITS },
    { 0x1f110, 0x1f129, ALPHABET },
    { 0x1f130, 0x1f149, ALPHABET },
    { 0x1f150, 0x1f169, ALPHABET },
    { 0x1f170, 0x1f189, ALPHABET },
};

static unsigned fold_ranged(unsigned c)
{
    for (size_t i = 0; i < SCAN_COUNT(fold_ranges) && fold_ranges[i].from <= c; i++)
        if (c <= fold_ranges[i].to) {
            const char *letters = fold_ranges[i].letters;
            char to = letters[(c - fold_ranges[i].from) % strlen(letters)];
            return to == '.' ? c : (unsigned char)to;
        }
    return c;
}

/* Characters without a shape: soft hyphen, joiners, directions, fillers, selectors, tags. */
static bool fold_is_unseen(unsigned c)
{
    return c == 0xad || c == 0x34f || c == 0x61c || c == 0x115f || c == 0x1160 || (c >= 0x17b4 && c <= 0x17b5) ||
           (c >= 0x180b && c <= 0x180f) || (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2060 && c <= 0x206f) || c == 0x3164 || (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff || c == 0xffa0 ||
           (c >= 0x300 && c <= 0x36f) || (c >= 0xe0000 && c <= 0xe0fff);
}

unsigned mcti_scan_fold(unsigned c)
{
    if (c < 0x80)
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
    if (fold_is_unseen(c))
        return 0;
    if (c == 0x2018 || c == 0x2019 || c == 0x2bc)
        return '\'';
    if (c >= 0xff01 && c <= 0xff5e)
        return mcti_scan_fold(c - 0xfee0);
    if ((c >= 0x391 && c <= 0x3a9) || (c >= 0x410 && c <= 0x42f))
        return c + 32;
    if (c >= 0x400 && c <= 0x40f)
        return c == 0x401 ? 0x435 : c + 80; /* io is written as ie, too */
    if (c == 0x451)
        return 0x435;
    if (c == 0x460 || (c >= 0x460 && c <= 0x52f && !(c & 1)))
        return c + 1;
    return fold_ranged(c);
}

/* Pairs, sorted: a folded character and the ASCII letter that it looks like. */
static const struct {
    unsigned short c;
    char letter;
} lookalikes[] = {
    { 0x131, 'i' },  { 0x237, 'j' },  { 0x251, 'a' },  { 0x261, 'g' },  { 0x269, 'i' },  { 0x26a, 'i' },
    { 0x3b1, 'a' },  { 0x3b5, 'e' },  { 0x3b7, 'n' },  { 0x3b9, 'i' },  { 0x3ba, 'k' },  { 0x3bd, 'v' },
    { 0x3bf, 'o' },  { 0x3c1, 'p' },  { 0x3c3, 'o' },  { 0x3c4, 't' },  { 0x3c5, 'u' },  { 0x3c7, 'x' },
    { 0x3c9, 'w' },  { 0x3f2, 'c' },  { 0x3f3, 'j' },  { 0x430, 'a' },  { 0x432, 'b' },  { 0x433, 'r' },
    { 0x435, 'e' },  { 0x43a, 'k' },  { 0x43c, 'm' },  { 0x43d, 'h' },  { 0x43e, 'o' },  { 0x43f, 'n' },
    { 0x440, 'p' },  { 0x441, 'c' },  { 0x442, 't' },  { 0x443, 'y' },  { 0x445, 'x' },  { 0x455, 's' },
    { 0x456, 'i' },  { 0x457, 'i' },  { 0x458, 'j' },  { 0x45b, 'h' },  { 0x475, 'v' },  { 0x491, 'r' },
    { 0x4af, 'y' },  { 0x4bb, 'h' },  { 0x4cf, 'l' },  { 0x501, 'd' },  { 0x50d, 'g' },  { 0x51b, 'q' },
    { 0x51d, 'w' },  { 0x561, 'w' },  { 0x563, 'q' },  { 0x566, 'q' },  { 0x570, 'h' },  { 0x578, 'n' },
    { 0x57d, 'u' },  { 0x581, 'g' },  { 0x582, 'i' },  { 0x585, 'o' },  { 0x5d5, 'l' },  { 0x5d8, 'v' },
    { 0x5e1, 'o' },  { 0x13a0, 'd' }, { 0x13a1, 'r' }, { 0x13a2, 't' }, { 0x13a5, 'i' }, { 0x13aa, 'a' },
    { 0x13ab, 'j' }, { 0x13ac, 'e' }, { 0x13b3, 'w' }, { 0x13b7, 'm' }, { 0x13bb, 'h' }, { 0x13be, 'o' },
    { 0x13c0, 'g' }, { 0x13c2, 'h' }, { 0x13c3, 'z' }, { 0x13cf, 'b' }, { 0x13d2, 'r' }, { 0x13da, 's' },
    { 0x13de, 'l' }, { 0x13df, 'c' }, { 0x13e2, 'p' }, { 0x1d00, 'a' }, { 0x1d04, 'c' }, { 0x1d05, 'd' },
    { 0x1d07, 'e' }, { 0x1d0a, 'j' }, { 0x1d0b, 'k' }, { 0x1d0d, 'm' }, { 0x1d0f, 'o' }, { 0x1d18, 'p' },
    { 0x1d1b, 't' }, { 0x1d1c, 'u' }, { 0x1d20, 'v' }, { 0x1d21, 'w' }, { 0x1d22, 'z' }, { 0x210b, 'h' },
    { 0x2110, 'i' }, { 0x2113, 'l' }, { 0x212f, 'e' }, { 0x2134, 'o' }, { 0x2170, 'i' }, { 0x2174, 'v' },
    { 0x2179, 'x' }, { 0x217c, 'l' }, { 0x217d, 'c' }, { 0x217e, 'd' }, { 0x217f, 'm' },
};

unsigned mcti_scan_lookalike(unsigned c)
{
    size_t low = 0, high = SCAN_COUNT(lookalikes);
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (lookalikes[mid].c == c)
            return (unsigned char)lookalikes[mid].letter;
        if (lookalikes[mid].c < c)
            low = mid + 1;
        else
            high = mid;
    }
    return 0;
}

unsigned mcti_scan_leet(unsigned c)
{
    static const char from[] = "013457@$!|", to[] = "oieastasil";
    const char *at = c && c < 0x80 ? strchr(from, (int)c) : NULL;
    return at ? (unsigned char)to[at - from] : 0;
}

bool mcti_scan_is_latin(unsigned c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= 0xc0 && c <= 0x24f && c != 0xd7 && c != 0xf7);
}

bool mcti_scan_is_glued(unsigned c)
{
    return (c >= 0x3041 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) ||
           (c >= 0x20000 && c <= 0x3ffff);
}

/* Characters above ASCII that separate words: punctuation, arrows, boxes, private use. Sorted. */
static const unsigned separators[][2] = {
    { 0x80, 0xa9 },       { 0xab, 0xb4 },        { 0xb6, 0xb9 },     { 0xbb, 0xbf },     { 0xd7, 0xd7 },
    { 0xf7, 0xf7 },       { 0x2000, 0x206f },    { 0x20a0, 0x20cf }, { 0x2190, 0x24b5 }, { 0x2500, 0x2bff },
    { 0x3000, 0x3020 },   { 0x30fb, 0x30fb },    { 0xe000, 0xf8ff }, { 0xfd3e, 0xfd3f }, { 0xff00, 0xff0f },
    { 0xff1a, 0xff20 },   { 0xff3b, 0xff40 },    { 0xff5b, 0xff65 }, { 0xfff0, 0xffff }, { 0x1f000, 0x1f10f },
    { 0x1f18a, 0x1faff }, { 0xe0000, 0x10ffff },
};

bool mcti_scan_is_word(unsigned c)
{
    if (c < 0x80)
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    for (size_t i = 0; i < SCAN_COUNT(separators) && separators[i][0] <= c; i++)
        if (c <= separators[i][1])
            return false;
    return true;
}

bool mcti_scan_is_emoji(unsigned c)
{
    return (c >= 0x1f000 && c <= 0x1faff) || (c >= 0x2190 && c <= 0x2bff) || c == 0x203c || c == 0x2049 ||
           c == 0x2122 || c == 0x2139 || c == 0x3030 || c == 0x303d || c == 0x3297 || c == 0x3299 || c == 0xa9 ||
           c == 0xae || c == '#' || c == '*' || (c >= '0' && c <= '9') || c == 0x20e3;
}

unsigned mcti_scan_next(const char **p, const char *end)
{
    size_t n = mcti_utf8_len(*p, end);
    unsigned c = n ? mcti_utf8_at(*p, n) : 0xfffd;
    *p += n ? n : 1;
    return c;
}
