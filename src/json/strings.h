/*
 * The inner loop of the scanner: where does the run of plain string bytes end? Two forms of one
 * function; the build takes SSE2 where the compiler has it, MCT_NO_SIMD forces the other (tests
 * build both and compare).
 */
#ifndef MCT_JSON_STRINGS_H
#define MCT_JSON_STRINGS_H

#include "base/utf8.h"

#if defined(__SSE2__) && !defined(MCT_NO_SIMD)
#include <emmintrin.h>
#endif

/* First byte at or after p that is '"', '\\', a control character or above 0x7f; `end` if none. */
static inline const char *mct_plain_run(const char *p, const char *end)
{
#if defined(__SSE2__) && !defined(MCT_NO_SIMD)
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(0x20);
    for (; end - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        /* signed compare: bytes above 0x7f are negative, so they are "below space" too */
        __m128i stop = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)),
                                    _mm_cmplt_epi8(v, space));
        int mask = _mm_movemask_epi8(stop);
        if (mask)
            return p + __builtin_ctz((unsigned)mask);
    }
#endif
    while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20 &&
           (unsigned char)*p < 0x80)
        p++;
    return p;
}

#endif
