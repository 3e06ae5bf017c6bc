/* A growing string, always followed by a NUL once something was appended.
 * {0} is the empty one; running out of memory ends the program. */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Exit statuses. */
enum { BAD_ANSWERS = 1, CANNOT_RUN = 2 };

#define ID_TOKEN "@ID@"

struct text {
    char *data;
    size_t len, capacity;
};

void text_reserve(struct text *text, size_t extra);
void text_append(struct text *text, const char *data, size_t len);
__attribute__((format(printf, 2, 3))) void text_format(struct text *text, const char *format, ...);

/* Appends the pattern with each ID_TOKEN replaced by the number. */
void text_append_with_id(struct text *text, const char *pattern, uint64_t id);

#endif
