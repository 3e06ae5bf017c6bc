"""tools/check-messages.py: what is taken for a message, and what the lint says. TAP."""

import harness

LIST = "tests/golden/messages.txt"
FILES = {
    "src/a.c": '''#include "base/one two.h"
/* mcti_fail(err, 1, "in a comment"); */
static const char usage[] = "how it is used\\n"; /* a table */
int f(void)
{
    const char *json = "{\\"a member\\": 1}", *mime = "application/json";
    mcti_buf_addz(&b, ",\\"text\\":");
    if (strstr(text, "looked for here"))
        return mcti_fail(err, MCT_ERR_USAGE, "%zu of"
            " %" PRIu64 " are too many; see \\"limits\\"", n, at(MCT_STR("nested one")));
    return lane_refuse(x, "timeout");
}
''',
    LIST: '''src/a.c: %zu of %<PRIu64> are too many; see \\"limits\\"
src/a.c: how it is used\\n
src/a.c: nested one
src/a.c: timeout
''',
}
AGAIN = "To write the list anew: python3 tools/check-messages.py --write"
TWICE = 'int g(void)\n{\n    return mcti_fail(err, 1, "x is there twice");\n}\n'
CASES = [
    ({}, []),
    ({"src/b.c": 'void g(void)\n{\n    mcti_log(l, 1, "new");\n}\n'},
     [f"--- {LIST}", "+++ src", "@@ -4,0 +5 @@", "+src/b.c: new", AGAIN]),
    ({LIST: None, "src/a.c": ""}, []),
    ({"src/a.c": TWICE, LIST: "src/a.c: x is there twice\n"}, ["a riddle: src/a.c: x is there twice"]),
]

harness.run("check-messages.py", FILES, CASES)
