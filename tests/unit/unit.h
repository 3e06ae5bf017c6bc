/* What every unit test includes: cmocka wants these headers before its own. */
#ifndef MCT_TESTS_UNIT_H
#define MCT_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

/* How much of `n` a test of much work does: with AddressSanitizer, which takes twenty times as long, a tenth. */
#if defined(__SANITIZE_ADDRESS__)
#define MUCH(n) ((n) / 10)
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MUCH(n) ((n) / 10)
#endif
#endif
#ifndef MUCH
#define MUCH(n) (n)
#endif

/* The buffer's bytes are exactly this text. */
#define assert_buf(b, text)                                                                                            \
    do {                                                                                                               \
        assert_int_equal((b)->len, strlen(text));                                                                      \
        assert_memory_equal((b)->p ? (b)->p : "", text, strlen(text));                                                 \
    } while (0)

#define assert_span(s, text)                                                                                           \
    do {                                                                                                               \
        assert_int_equal((s).len, strlen(text));                                                                       \
        assert_memory_equal((s).p ? (s).p : "", text, strlen(text));                                                   \
    } while (0)

#endif
