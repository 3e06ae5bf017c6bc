/*
 * The inner loops of the scanner: finding the end of plain string bytes, of a string, and of a container. Each exists
 * in two forms: SSE2 if the compiler supports it, portable otherwise or with MCT_NO_SIMD. The tests build and compare
 * both.
 */
#ifndef MCT_JSON_STRINGS_H
#define MCT_JSON_STRINGS_H

#include "base/log/utf8.h"

#include <stdint.h>

#if defined(__SSE2__) && !defined(MCT_NO_SIMD)
#include <emmintrin.h>
#endif

/* Returns the first byte from `p` on that is '"', '\\', a control character or above 0x7f; `end` if there is none. */
static inline const char *mcti_plain_run(const char *p, const char *end)
{
#if defined(__SSE2__) && !defined(MCT_NO_SIMD)
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(0x20);
    for (; end - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        /* signed comparison: bytes above 0x7f are negative and thus below space, too */
        __m128i stop =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)), _mm_cmplt_epi8(v, space));
        int mask = _mm_movemask_epi8(stop);
        if (mask)
            return p + __builtin_ctz((unsigned)mask);
    }
#endif
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80)
        p++;
    return p;
}

#if defined(__SSE2__) && !defined(MCT_NO_SIMD)
/* Returns a bit for each of the 16 bytes at `p` that equals `c`. */
static inline uint64_t mcti_bytes_that_are(const char *p, char c)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c)));
}

static inline uint64_t mcti_bytes64_that_are(const char *p, char c)
{
    return mcti_bytes_that_are(p, c) | mcti_bytes_that_are(p + 16, c) << 16 | mcti_bytes_that_are(p + 32, c) << 32 |
           mcti_bytes_that_are(p + 48, c) << 48;
}

/* Returns a bit for each byte that is escaped by a backslash before it: every second one of a run of backslashes, and
 * the byte after a run of odd length. A subtraction finds the ends of all runs at once. *carry: the first byte is
 * escaped; set for the first byte of the next 64. */
static inline uint64_t mcti_escaped_bytes(uint64_t slashes, uint64_t *carry)
{
    const uint64_t odd = 0xaaaaaaaaaaaaaaaau;
    uint64_t starts = slashes & ~*carry;
    uint64_t codes = ((starts << 1 | odd) - starts) ^ odd;
    uint64_t escaped = codes ^ (slashes | *carry);
    *carry = (codes & slashes) >> 63;
    return escaped;
}
#endif

#if defined(__SSE2__) && !defined(MCT_NO_SIMD)
/* Returns true if the 64 bytes at `p`, whose first one is in a string, have no quotes and escape nothing behind them:
 * they are nothing but a part of the string. */
static inline bool mcti_is_inner(const char *p, uint64_t quotes, uint64_t *carry)
{
    if (quotes || p[63] == '\\')
        return false;
    *carry = 0;
    return true;
}
#endif

/* Returns the position after the quote that ends a valid string, starting inside the string; `end` if there is none.
 * Most strings are short; long ones are often JSON text themselves, with an escape every few bytes. */
static inline const char *mcti_string_end(const char *p, const char *end)
{
#if defined(__SSE2__) && !defined(MCT_NO_SIMD)
    uint64_t carry = 0;
    for (int blocks = 4; blocks && end - p >= 16 && !mcti_bytes_that_are(p, '\\'); blocks--) {
        uint64_t quotes = mcti_bytes_that_are(p, '"');
        if (quotes)
            return p + __builtin_ctzll(quotes) + 1;
        p += 16;
    }
    for (; end - p >= 64; p += 64) {
        uint64_t quotes = mcti_bytes64_that_are(p, '"');
        if (mcti_is_inner(p, quotes, &carry))
            continue;
        quotes &= ~mcti_escaped_bytes(mcti_bytes64_that_are(p, '\\'), &carry);
        if (quotes)
            return p + __builtin_ctzll(quotes) + 1;
    }
    p += carry && p < end;
#endif
    while (p < end && *p != '"')
        p += *p == '\\' ? 2 : 1;
    return p < end ? p + 1 : end;
}

#if defined(__SSE2__) && !defined(MCT_NO_SIMD)
/* Returns a bit for each of the 64 bytes at `p` that is `c`, or that is `c` without the bit 0x20: as '[' is for '{'. */
static inline uint64_t mcti_brackets64(const char *p, char c)
{
    const __m128i bit = _mm_set1_epi8(0x20), wanted = _mm_set1_epi8(c);
    uint64_t found = 0;
    for (int i = 0; i < 4; i++) {
        __m128i v = _mm_or_si128(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)), bit);
        found |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, wanted)) << 16 * i;
    }
    return found;
}

/* Returns true if one of the 64 bytes at `p` is `a` or `b`, whose bits without `ignored` are compared. */
static inline bool mcti_bytes64_have(const char *p, char a, char b, char ignored)
{
    const __m128i bit = _mm_set1_epi8(ignored), first = _mm_set1_epi8(a), second = _mm_set1_epi8(b);
    __m128i found = _mm_setzero_si128();
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        __m128i v = _mm_or_si128(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)), bit);
        found = _mm_or_si128(found, _mm_or_si128(_mm_cmpeq_epi8(v, first), _mm_cmpeq_epi8(v, second)));
    }
    return _mm_movemask_epi8(found);
}

/* Returns a bit for each byte from an unescaped quote on up to the next one: the prefix sums of `quotes`, modulo 2. */
static inline uint64_t mcti_inside_quotes(uint64_t quotes)
{
    for (int i = 1; i < 64; i *= 2)
        quotes ^= quotes << i;
    return quotes;
}
#endif

/* Goes on from a position outside of strings, inside of `depth` brackets; otherwise like mcti_container_end(). */
static inline const char *mcti_container_rest(const char *p, const char *end, int depth)
{
    while (p < end) {
        char c = *p;
        if (c == '"') {
            p = mcti_string_end(p + 1, end);
            continue;
        }
        p++;
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            break;
    }
    return p;
}

/* Returns the position after the bracket that ends the valid object or array at `p`; `end` if there is none. With SSE2
 * 64 bytes are looked at together: values that are skipped may have megabytes. */
static inline const char *mcti_container_end(const char *p, const char *end)
{
    int depth = 0;
#if defined(__SSE2__) && !defined(MCT_NO_SIMD)
    uint64_t carry = 0, inside = 0; /* inside: all bits, if the byte before `p` is in a string */
    for (; end - p >= 64; p += 64) {
        uint64_t quotes = mcti_bytes64_that_are(p, '"');
        if (inside && mcti_is_inner(p, quotes, &carry))
            continue;
        if (carry || mcti_bytes64_have(p, '\\', '\\', 0))
            quotes &= ~mcti_escaped_bytes(mcti_bytes64_that_are(p, '\\'), &carry);
        if (!mcti_bytes64_have(p, '{', '}', 0x20)) {
            inside ^= -(uint64_t)__builtin_parityll(quotes);
            continue;
        }
        uint64_t in_string = quotes ? mcti_inside_quotes(quotes) ^ inside : inside;
        uint64_t opening = mcti_brackets64(p, '{') & ~in_string, closing = mcti_brackets64(p, '}') & ~in_string;
        inside = (in_string >> 63) * UINT64_MAX;
        for (uint64_t both = opening | closing; both; both &= both - 1) {
            depth += (opening & both & -both) != 0 ? 1 : -1;
            if (!depth)
                return p + __builtin_ctzll(both) + 1;
        }
    }
    if (inside)
        p = mcti_string_end(p + (carry && p < end), end);
#endif
    return mcti_container_rest(p, end, depth);
}

/* Returns the character that a backslash and `c` stand for; 0 if `c` is "u" or no escape. */
static inline char mcti_escaped(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return 0;
    }
}

#endif
