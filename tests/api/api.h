/* What the tests of libmcptools share. They include its public headers only, as any other program. */
#ifndef MCT_TESTS_API_H
#define MCT_TESTS_API_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <mcptools/mcptools.h>

enum { PATIENCE_MS = 60000 }; /* for things that take milliseconds: only a hanging test meets it */

/* The configuration of one server, as JSON text; `args` is what follows the program's name. */
#define SERVER(name, args) "\"" name "\":{\"command\":\"" TEST_SERVER "\",\"args\":[" args "]}"
#define ASKER(name, era) "\"" name "\":{\"command\":\"" FIXTURE "\",\"args\":[\"--stdio\",\"--era\",\"" era "\"]}"
#define SERVERS(...) "{\"mcpServers\":{" __VA_ARGS__ "}}"

/* `err` is the caller's. */
#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        if ((call) < 0)                                                                                                \
            fail_msg("%s: %s", #call, err.message);                                                                    \
    } while (0)

#define assert_has(text, part)                                                                                         \
    do {                                                                                                               \
        const char *assert_text = (text);                                                                              \
        if (!assert_text || !strstr(assert_text, part))                                                                \
            fail_msg("no '%s' in: %s", part, assert_text ? assert_text : "(nothing)");                                 \
    } while (0)

#endif
