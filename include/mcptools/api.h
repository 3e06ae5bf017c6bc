/* What every public header needs. */
#ifndef MCPTOOLS_API_H
#define MCPTOOLS_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined __GNUC__
#define MCT_API __attribute__((visibility("default")))
#else
#define MCT_API
#endif

#ifdef __cplusplus
#define MCT_BEGIN_DECLS extern "C" {
#define MCT_END_DECLS }
#else
#define MCT_BEGIN_DECLS
#define MCT_END_DECLS
#endif

/* The first member of structs that a program fills is their size as the program knows it, so that later versions of the
 * library, which may add members at the end, know which are there. Everything else may be zero; a struct without its
 * size is refused.
 *
 *     struct mct_call_opts opts = { .size = sizeof opts };     C
 *     mct_call_opts opts{}; opts.size = sizeof opts;           C++
 */
#define MCT_SIZE(type) sizeof(type)

#endif
