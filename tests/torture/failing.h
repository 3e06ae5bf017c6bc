/*
 * An allocator for tests: makes chosen allocations fail and finds leaks, double frees and writes to freed memory. It
 * stands in front of the C library's (glibc only) as soon as failing.c is linked. Freed memory is filled with a pattern
 * and not used again, so that a stale pointer leads nowhere. Allocations of libuv never fail: libuv ends the program
 * then.
 */
#ifndef MCT_TESTS_FAILING_H
#define MCT_TESTS_FAILING_H

#include <stdbool.h>
#include <stddef.h>

/* Begins to count. The at-th allocation from here fails, and `many` in a row from there on; 0: none does. */
void failing_begin(unsigned long at, unsigned long many, bool show);

/* Ends that: nothing fails any more. Returns how many allocations there were, and in *ret_failed how many failed. */
unsigned long failing_end(unsigned long *ret_failed);

/* Prints blocks that are not freed and freed ones that were written to; returns their number. With `show`, prints where
 * they come from. */
size_t failing_faults(void);

/* Prints `what` and where the program is. */
void failing_print_here(const char *what);

/* In between, allocations neither count nor fail, and may be left over: what the test does for itself. Nests. Weak: a
 * test may be linked without failing.c. */
void failing_hold(void) __attribute__((weak));
void failing_release(void) __attribute__((weak));

static inline void test_begins(void)
{
    if (failing_hold)
        failing_hold();
}

static inline void test_ends(void)
{
    if (failing_release)
        failing_release();
}

#endif
