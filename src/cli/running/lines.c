/* Prints lines of a server's journal. */
#include "cli/running/running.h"

#include "json/write.h"

#include <stdlib.h>
#include <time.h>

static void lines_print_time(const struct mcti_app *app, struct mcti_str value)
{
    uint64_t ms = 0;
    char text[32];
    struct tm tm;
    if (value.p)
        mcti_json_uint(value, &ms);
    time_t s = (time_t)(ms / 1000);
    if (localtime_r(&s, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
        mcti_out_styled(app, MCT_DIM, "%s", text);
}

void mcti_running_print_line(const struct mcti_app *app, struct mcti_str line)
{
    if (app->opt.output == MCT_OUT_JSON) {
        mcti_out_json_line(app, line);
        return;
    }
    bool foreign = mcti_json_is(mcti_json_get(line, "by"), "stderr");
    char *text = mcti_json_dup(mcti_json_get(line, "text"));
    lines_print_time(app, mcti_json_get(line, "time"));
    mcti_out(app, foreign ? "  | %s\n" : "  %s\n", text ? text : "");
    free(text);
}
