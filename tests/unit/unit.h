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
