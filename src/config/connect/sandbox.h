/* The tables of sandbox_paths.c, and the wish that is made from them. */
#ifndef MCT_CONFIG_CONNECT_SANDBOX_H
#define MCT_CONFIG_CONNECT_SANDBOX_H

#include "config/connect/impl.h"

struct mcti_sandbox_cache {
    const char *program, *path;
    bool is_made;
};

/* Each ends in NULL, or in a row without a program. Relative paths are in the home folder. */
extern const char *const mcti_sandbox_system[],
    *const mcti_sandbox_tools[], *const mcti_sandbox_variables[], *const mcti_sandbox_cache_variables[],
                                                                      *const mcti_sandbox_hidden[],
                                                                          *const mcti_sandbox_hidden_of_root[],
                                                                              *const mcti_sandbox_sealed[],
                                                                                  *const mcti_sandbox_roots[];
extern const struct mcti_sandbox_cache mcti_sandbox_caches[];

/* Adds a hint to the error of a server that failed, if its stderr, `said`, looks as if its sandbox were the reason.
 * Returns false if it does not. */
bool mcti_sandbox_explain(const struct mcti_sandbox_wish *w, struct mcti_str said, struct mct_error *err);

#endif
