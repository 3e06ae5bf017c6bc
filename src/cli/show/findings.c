#include "cli/show/findings.h"

#include <stdlib.h>

static void findings_print_one(const struct mcti_app *app, struct mcti_str finding)
{
    char *type = mcti_json_dup(mcti_json_get(finding, "type")), *name = mcti_json_dup(mcti_json_get(finding, "name"));
    char *judge = mcti_json_dup(mcti_json_get(finding, "judge"));
    char *reason = mcti_json_dup(mcti_json_get(finding, "reason"));
    bool is_held = mcti_json_is(mcti_json_get(finding, "judgement"), "quarantine");
    if (type && judge && reason)
        mcti_out(app, "  %s %s%s%s%s (%s): %s\n", is_held ? "held back:" : "warning:  ", type, name ? " '" : "",
                 name ? name : "", name ? "'" : "", judge, reason);
    free(type);
    free(name);
    free(judge);
    free(reason);
}

void mcti_findings_print(const struct mcti_app *app, struct mcti_str object)
{
    enum { MOST = 20 };
    struct mcti_json_iter it = mcti_json_open(mcti_json_get(object, "findings"));
    struct mcti_str finding;
    uint64_t left_out = 0;
    size_t n = 0;
    for (; mcti_json_next_item(&it, &finding); n++)
        if (n < MOST)
            findings_print_one(app, finding);
    mcti_json_uint(mcti_json_get(object, "findingsLeftOut"), &left_out);
    left_out += n > MOST ? n - MOST : 0;
    if (left_out)
        mcti_out(app, "  warning:   %llu more findings\n", (unsigned long long)left_out);
}
