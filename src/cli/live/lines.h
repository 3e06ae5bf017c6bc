/* One line about a server, for people: its name, state, and what there is to say about that. */
#ifndef MCT_CLI_LIVE_LINES_H
#define MCT_CLI_LIVE_LINES_H

#include "cli/command.h"

/* Appends the line of a server that reached its state, or has been starting, for `took_ms`, cut to `columns`. Returns
 * the columns that it takes. */
unsigned mcti_live_put_line(struct mcti_buf *to, const struct mcti_app *app, const struct mcti_provider *p,
                            uint64_t took_ms, unsigned columns);

/* Appends a number of seconds, such as "0.3 s" or "12 s". */
void mcti_live_put_seconds(struct mcti_buf *to, uint64_t ms);

/* Appends how long the start of the server may take: "limit 30 s (start_timeout)". */
void mcti_live_put_limit(struct mcti_buf *to, const struct mcti_app *app, const struct mcti_provider *p);

/* Appends the last line that the server's process wrote to stderr since its start, without control characters; nothing
 * if there is none. */
void mcti_live_put_last(struct mcti_buf *to, const struct mcti_provider *p);

#endif
