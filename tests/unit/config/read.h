/* A configuration read from a text. */
#ifndef MCT_TESTS_READ_H
#define MCT_TESTS_READ_H

#include "unit.h"

#include "config/import/import.h"

#include <time.h>

static struct mcti_config config; /* of the running test */

static inline int setup(void **state)
{
    (void)state;
    mcti_config_init(&config);
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    mcti_config_done(&config);
    return 0;
}

static inline void read_text(const char *file, const char *text)
{
    mcti_config_read(&config, file, text, strlen(text));
}

static inline bool has_problem(const char *part)
{
    for (size_t i = 0; i < config.n_problems; i++)
        if (strstr(config.problems[i].text, part))
            return true;
    return false;
}

/* Nothing but this has been read, and this is told of it. */
static inline void read_alone(const char *text, const char *told)
{
    mcti_config_done(&config);
    mcti_config_init(&config);
    read_text("f.json", text);
    if (!has_problem(told))
        fail_msg("not told: %s; but: %s", told, config.n_problems ? config.problems[0].text : "nothing");
}

#endif
