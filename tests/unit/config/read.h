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
    memset(&config, 0, sizeof config); /* what it did not free is a leak now, not reachable memory */
    return 0;
}

static inline void read_text(const char *file, const char *text)
{
    mcti_config_read(&config, file, text, strlen(text));
}

/* Copies a message "FILE:LINE:COLUMN: …" without the column. */
static inline void without_column(const char *text, char *to, size_t size)
{
    const char *line = strchr(text, ':'), *column = line ? strchr(line + 1, ':') : NULL;
    size_t digits = column ? strspn(column + 1, "0123456789") : 0;
    if (digits && column[1 + digits] == ':')
        snprintf(to, size, "%.*s%s", (int)(column - text), text, column + 1 + digits);
    else
        snprintf(to, size, "%s", text);
}

/* A message has this part; its column may be left out. */
static inline bool has_problem(const char *part)
{
    char text[1024];
    for (size_t i = 0; i < config.n_problems; i++) {
        without_column(config.problems[i].text, text, sizeof text);
        if (strstr(config.problems[i].text, part) || strstr(text, part))
            return true;
    }
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
