/*
 * A plugin for mcptools: a timer that agents can wait for, and notes in their workspace. While a quiet timer runs, all
 * other calls are blocked. It is built with the headers alone:
 *
 *     cc -shared -fPIC -o timer.so timer.c
 *
 *     { "mcpServers": { "timer": { "type": "plugin", "path": "./timer.so", "config": { "max_seconds": 600 } } } }
 */
#include <mcptools/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct timer {
    const struct mct_plugin_api *api;
    double max_seconds;
    unsigned n_quiet; /* quiet timers that run */
    char notes[4096]; /* the file */
};

/* ---- wait: a deferred answer with progress ---- */

struct waiting {
    double passed, seconds;
    bool quiet;
};

static void on_cancel(struct mct_tool_call *call, void *data)
{
    struct timer *t = (struct timer *)data;
    struct waiting *w = (struct waiting *)t->api->call_memory(call, sizeof *w);
    t->n_quiet -= w->quiet;
}

static void on_second(struct mct_tool_call *call, void *data)
{
    struct timer *t = (struct timer *)data;
    struct waiting *w = (struct waiting *)t->api->call_memory(call, sizeof *w);
    double left = w->seconds - w->passed, step = left < 1 ? left : 1;
    if (w->passed > 0)
        t->api->call_progress(call, w->passed, w->seconds, "waiting");
    w->passed += step;
    if (left > 0) {
        t->api->call_later(call, (unsigned)(step * 1000), on_second, t);
    } else {
        t->n_quiet -= w->quiet;
        t->api->call_text(call, "the time is over");
    }
}

static void wait_for(struct mct_tool_call *call, void *data)
{
    struct timer *t = (struct timer *)data;
    struct waiting *w = (struct waiting *)t->api->call_memory(call, sizeof *w);
    const char *seconds = t->api->call_argument(call, "seconds"), *quiet = t->api->call_argument(call, "quiet");
    double n = seconds ? strtod(seconds, NULL) : 0;
    if (!w || !(n > 0) || n > t->max_seconds) {
        t->api->call_error(call, "\"seconds\" must be a number above 0, and not above max_seconds");
        return;
    }
    *w = (struct waiting){ .seconds = n, .quiet = quiet && !strcmp(quiet, "true") };
    t->n_quiet += w->quiet;
    t->api->call_on_cancel(call, on_cancel, t);
    on_second(call, t);
}

/* ---- note: made by a factory, for callers that have a workspace ---- */

static void note(struct mct_tool_call *call, void *data)
{
    struct timer *t = (struct timer *)data;
    const char *text = t->api->call_text_argument(call, "text");
    FILE *f = text ? fopen(t->notes, "a") : NULL;
    bool written = f && fprintf(f, "%s\n", text) >= 0;
    if (f && fclose(f) == 0 && written)
        t->api->call_text(call, "noted");
    else
        t->api->call_error(call, text ? "the note could not be written" : "\"text\" must be a string");
}

static int make_note(const struct mct_tool_context *context, mct_tool_add_fn add, void *to, void *data, struct mct_error *err)
{
    struct timer *t = (struct timer *)data;
    const struct mct_tool_def def = { .size = sizeof(struct mct_tool_def), .name = "note",
        .description = "Appends a line to notes.txt in the workspace",
        .parameters = MCT_JSON({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] }),
        .execute = note, .data = t };
    if (!context->workspace_dir || context->sandboxed)
        return 0;
    snprintf(t->notes, sizeof t->notes, "%s/notes.txt", context->workspace_dir);
    return add(to, &def, err);
}

/* ---- the plugin ---- */

static void before(struct mct_hook_event *event, void *data)
{
    struct timer *t = (struct timer *)data;
    t->api->hook_decide(event, t->n_quiet ? MCT_JSON({ "block": true, "blockReason": "a quiet timer runs" }) : NULL);
}

static int setup(const struct mct_plugin_api *api, void **ret_state, struct mct_error *err)
{
    struct timer *t = (struct timer *)(*ret_state = calloc(1, sizeof *t));
    const char *max = api->config_value(api->host, "max_seconds");
    const struct mct_tool_def wait = { .size = sizeof(struct mct_tool_def), .name = "wait",
        .description = "Comes back after so many seconds; with \"quiet\" no other tool is called until then",
        .parameters = MCT_JSON({ "type": "object", "properties": { "seconds": { "type": "number" },
                                 "quiet": { "type": "boolean" } }, "required": ["seconds"] }),
        .execute = wait_for, .data = t };
    const struct mct_hook_def hook = { .size = sizeof(struct mct_hook_def), .kind = MCT_HOOK_BEFORE, .run = before, .data = t };
    if (!t)
        return -1;
    *t = (struct timer){ .api = api, .max_seconds = max ? strtod(max, NULL) : 3600 };
    if (api->add_hook(api->host, &hook, NULL) < 0)
        api->log(api->host, MCT_LOG_INFO, "no hooks here: quiet timers stop nobody");
    api->add_tool(api->host, &wait, NULL, NULL);
    return api->add_factory(api->host, make_note, t, NULL, err);
}

MCT_PLUGIN_EXPORT const struct mct_plugin mcptools_plugin = {
    MCT_PLUGIN_HEAD, .id = "timer", .version = "1.0.0",
    .config_schema = MCT_JSON({ "properties": { "max_seconds": { "type": "number" } }, "additionalProperties": false }),
    .setup = setup, .teardown = free };
