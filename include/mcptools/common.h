/*
 * Version, memory and conventions shared by all headers.
 *
 * Texts are UTF-8 and end in U+0000. JSON is text without a byte order mark. A function whose name ends in
 * `_len` is the same as the one without, for texts that are large or may contain U+0000: a text that it takes
 * needs no U+0000 at its end, and the length of a text that it returns excludes the one at its end.
 *
 * A struct that the program fills begins with `size`, its size in the headers that the program was built
 * with. The library needs it to know which members exist, because later versions add members at the end. All
 * other members may be zero. A struct whose size is not set is refused with MCT_ERR_USAGE.
 *
 *     struct mct_call_opts opts = MCT_CALL_OPTS_INIT;                         C and C++
 *     const struct mct_call_opts opts = { .size = sizeof opts, .done = f };   C
 *
 * Structs that the library fills and owns may also grow at their end, so a program does not copy them.
 */
#ifndef MCPTOOLS_COMMON_H
#define MCPTOOLS_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of these headers. MCPTOOLS_VERSION_NUM is 0xMMmmpp: major, minor and patch number, one byte
 * each. */
#define MCPTOOLS_VERSION "0.1.0"
#define MCPTOOLS_VERSION_NUM 0x000100

#if defined __GNUC__
#define MCT_API __attribute__((visibility("default")))
#else
#define MCT_API
#endif

#ifdef __cplusplus
#define MCT_BEGIN_DECLS extern "C" {
#define MCT_END_DECLS }
/* For the _INIT macros, which initialize a struct of that type to its size and zeros. */
template <typename T> static inline T mct_sized()
{
    T t = T();
    t.size = sizeof t;
    return t;
}
#define MCT_SIZED(type) mct_sized<type>()
#else
#define MCT_BEGIN_DECLS
#define MCT_END_DECLS
#define MCT_SIZED(type)                                                                                                \
    {                                                                                                                  \
        .size = sizeof(type)                                                                                           \
    }
#endif

MCT_BEGIN_DECLS

/*
 * Returns the version of the library that the program runs with, such as "0.1.0". The text is never freed.
 *
 * Threads: any.
 */
MCT_API const char *mct_version(void);

/*
 * Frees memory that a function of this library returned, where the function says so.
 *
 *   p  the memory; NULL is allowed
 *
 * Threads: any.
 */
MCT_API void mct_free(void *p);

MCT_END_DECLS

#endif
