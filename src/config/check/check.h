/* What is wrong with a configuration, beyond what its files say alone. Nothing is started. */
#ifndef MCT_CONFIG_CHECK_CHECK_H
#define MCT_CONFIG_CHECK_CHECK_H

#include "config/config.h"

/* The parts of the text of a problem. */
struct mcti_problem_parts {
    struct mcti_str file;  /* absent: it is about no file */
    unsigned line, column; /* 0: unknown */
    struct mcti_str what;  /* the rest: "KEY: what is wrong" */
};

struct mcti_problem_parts mcti_problem_split(const char *text);

/* Records as problems why servers and hooks could not be started or reached: variables that are not set, programs,
 * scripts and folders that do not exist, URLs that are none, and servers whose names clients cannot tell apart. Starts
 * nothing; texts with "${cmd:…}" are not looked at. */
void mcti_config_check_servers(struct mcti_config *c);

#endif
