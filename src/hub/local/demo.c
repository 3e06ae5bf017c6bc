#include "hub/local/demo.h"

#include "hub/local/local.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- tools ---- */

static void demo_echo(struct mcti_local_request *r, void *data)
{
    char *text = mcti_json_dup(mcti_local_argument(r, "text"));
    (void)data;
    if (text)
        mcti_local_text(r, "%s", text);
    else
        mcti_local_text_error(r, "the argument \"text\" must be a string");
    free(text);
}

static void tell_time(struct mcti_local_request *r, void *data)
{
    char text[40];
    time_t now = time(NULL);
    struct tm tm;
    (void)data;
    gmtime_r(&now, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    mcti_local_text(r, "%s", text);
}

struct sums {
    unsigned n;
    double sum, min, max;
};

/* Fills *ret from a JSON list of numbers. Returns NULL, or a message about an invalid list. */
static const char *sum_up(struct mcti_str list, struct sums *ret)
{
    struct mcti_str item;
    *ret = (struct sums){ .min = INFINITY, .max = -INFINITY };
    if (mcti_json_type(list) != '[')
        return "the argument \"numbers\" must be a list of numbers";
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item); ret->n++) {
        double v = mcti_json_double(item);
        if (mcti_json_type(item) != '0' || !isfinite(v))
            return "\"numbers\" must hold finite numbers only";
        ret->sum += v;
        ret->min = fmin(ret->min, v);
        ret->max = fmax(ret->max, v);
    }
    bool sound = ret->n && isfinite(ret->sum);
    return sound ? NULL : "\"numbers\" must hold at least one number, and their sum must be finite";
}

static void demo_statistics(struct mcti_local_request *r, void *data)
{
    struct sums s;
    struct mcti_buf b;
    char text[256];
    const char *wrong = sum_up(mcti_local_argument(r, "numbers"), &s);
    (void)data;
    if (wrong) {
        mcti_local_text_error(r, "%s", wrong);
        return;
    }
    snprintf(text, sizeof text, "{\"count\":%u,\"sum\":%.15g,\"mean\":%.15g,\"min\":%.15g,\"max\":%.15g}", s.n, s.sum,
             s.sum / s.n, s.min, s.max);
    mcti_buf_init(&b, 4096);
    mcti_buf_addz(&b, "{\"content\":[{\"type\":\"text\"");
    mcti_json_put_member(&b, "text", mcti_str_of(text));
    mcti_buf_addz(&b, "}]");
    mcti_json_put_raw(&b, "structuredContent", mcti_str_of(text));
    mcti_buf_addc(&b, '}');
    mcti_local_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

struct countdown {
    unsigned steps, step_ms, done;
};

static unsigned demo_bounded(struct mcti_str number, unsigned fallback, unsigned max)
{
    uint64_t n;
    if (!mcti_json_uint(number, &n) || n < 1)
        return fallback;
    return n > max ? max : (unsigned)n;
}

static void count_step(struct mcti_local_request *r, void *data)
{
    struct countdown *c = data;
    char text[64];
    snprintf(text, sizeof text, "step %u of %u", ++c->done, c->steps);
    mcti_local_progress(r, c->done, c->steps, text);
    if (c->done < c->steps)
        mcti_local_later(r, c->step_ms, count_step, c);
    else
        mcti_local_text(r, "Counted down %u steps.", c->steps);
}

static void demo_countdown(struct mcti_local_request *r, void *data)
{
    struct countdown *c = mcti_local_memory(r, sizeof *c);
    (void)data;
    if (!c) {
        mcti_local_text_error(r, MCT_NO_MEMORY_TEXT);
        return;
    }
    c->steps = demo_bounded(mcti_local_argument(r, "steps"), 5, 1000);
    c->step_ms = demo_bounded(mcti_local_argument(r, "step_ms"), 200, 60000);
    mcti_local_later(r, c->step_ms, count_step, c);
}

/* ---- resources ---- */

static void demo_readme(struct mcti_local_request *r, void *data)
{
    (void)data;
    mcti_local_contents(
        r, "text/markdown",
        MCT_STR("# The demo server\n\nIt is built into mcptools and is used while nothing is configured.\n"
                "Try `mcptools call demo.echo text=hello`, or put your own servers into `mcptools.json`.\n"));
}

static void demo_pixel(struct mcti_local_request *r, void *data)
{
    (void)data;
    mcti_local_blob(r, "image/png",
                    MCT_STR("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhg"
                            "GAWjR9awAAAABJRU5ErkJggg=="));
}

static void demo_greeting(struct mcti_local_request *r, void *data)
{
    enum { PREFIX = sizeof "demo://greeting/" - 1 };
    struct mcti_str uri = mcti_local_uri(r);
    char text[256];
    (void)data;
    snprintf(text, sizeof text, "Hello, %.*s!", (int)(uri.len - PREFIX > 200 ? 200 : uri.len - PREFIX), uri.p + PREFIX);
    mcti_local_contents(r, "text/plain", mcti_str_of(text));
}

/* ---- prompts and completions ---- */

static void demo_summarize(struct mcti_local_request *r, void *data)
{
    char *text = mcti_json_dup(mcti_local_argument(r, "text")), *style = mcti_json_dup(mcti_local_argument(r, "style"));
    (void)data;
    if (text)
        mcti_local_prompt(r, "Summarize this text%s%s:\n\n%s", style ? " as " : "", style ? style : "", text);
    else
        mcti_local_fail(r, MCT_RPC_INVALID_PARAMS, "the prompt needs the argument text", MCT_STR_NONE);
    free(text);
    free(style);
}

static void demo_translate(struct mcti_local_request *r, void *data)
{
    char *text = mcti_json_dup(mcti_local_argument(r, "text"));
    char *language = mcti_json_dup(mcti_local_argument(r, "language"));
    (void)data;
    if (text && language)
        mcti_local_prompt(r, "Translate this text into %s:\n\n%s", language, text);
    else
        mcti_local_fail(r, MCT_RPC_INVALID_PARAMS, "the prompt needs the arguments text and language", MCT_STR_NONE);
    free(text);
    free(language);
}

static void demo_complete(struct mcti_local_request *r, void *data)
{
    static const struct {
        const char *argument;
        const char *values[12];
    } rows[] = {
        { "style", { "bullets", "headline", "paragraph", "tweet" } },
        { "language",
          { "Arabic", "Chinese", "English", "French", "German", "Hindi", "Italian", "Japanese", "Portuguese", "Spanish",
            "Turkish" } },
        { "name", { "Ada", "Alan", "Barbara", "Dennis", "Grace", "Ken", "Linus" } },
        { NULL, { NULL } },
    };
    struct mcti_str name = mcti_json_get(mcti_json_get(mcti_local_params(r), "argument"), "name");
    size_t i = 0;
    (void)data;
    while (rows[i].argument && !mcti_json_is(name, rows[i].argument))
        i++;
    mcti_local_complete(r, rows[i].values);
}

/* ---- registration ---- */

static const struct {
    enum mcti_kind kind;
    mcti_local_fn fn;
    const char *json;
} items[] = {
    { MCT_TOOL, demo_echo,
      MCT_JSON({
        "name": "echo", "title": "Echo", "description": "Returns the text it is given.",
        "inputSchema": { "type": "object", "required": ["text"],
                         "properties": { "text": { "type": "string", "description": "The text to return" } } },
        "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false } }) },
            { MCT_TOOL, tell_time,
              MCT_JSON({
        "name": "time", "title": "Current time", "description": "The current time of this machine in UTC.",
        "inputSchema": { "type": "object", "properties": {} },
        "annotations": { "readOnlyHint": true, "openWorldHint": false } }) },
                    { MCT_TOOL, demo_countdown,
                      MCT_JSON({
        "name": "countdown", "title": "Countdown",
        "description": "Takes its time and reports progress after each step.",
        "inputSchema": { "type": "object", "properties": {
            "steps": { "type": "integer", "minimum": 1, "maximum": 1000, "default": 5,
                       "description": "How many steps" },
            "step_ms": { "type": "integer", "minimum": 1, "maximum": 60000, "default": 200,
                         "description": "Milliseconds a step takes" } } },
        "annotations": { "readOnlyHint": true, "openWorldHint": false } }) },
                            { MCT_TOOL, demo_statistics,
                              MCT_JSON({
        "name": "statistics", "title": "Statistics",
        "description": "Count, sum, mean, least and greatest of a list of numbers, as structured content.",
        "inputSchema": { "type": "object", "required": ["numbers"], "properties": {
            "numbers": { "type": "array", "items": { "type": "number" }, "minItems": 1 } } },
        "outputSchema": { "type": "object", "required": ["count", "sum", "mean", "min", "max"], "properties": {
            "count": { "type": "integer" }, "sum": { "type": "number" }, "mean": { "type": "number" },
            "min": { "type": "number" }, "max": { "type": "number" } } },
        "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false } }) },
                                                                              { MCT_RESOURCE, demo_readme,
                                                                                MCT_JSON({
        "uri": "demo://readme", "name": "readme", "title": "About this server",
        "description": "What the demo server is for", "mimeType": "text/markdown" }) },
                                                                                { MCT_RESOURCE, demo_pixel,
                                                                                  MCT_JSON({
        "uri": "demo://pixel.png", "name": "pixel.png", "title": "One pixel",
        "description": "A binary resource: the smallest picture", "mimeType": "image/png" }) },
                                                                                  { MCT_TEMPLATE, demo_greeting,
                                                                                    MCT_JSON({
        "uriTemplate": "demo://greeting/{name}", "name": "greeting", "title": "Greeting",
        "description": "A greeting for the person named", "mimeType": "text/plain" }) },
                                                                                    { MCT_PROMPT, demo_summarize,
                                                                                      MCT_JSON({
        "name": "summarize", "title": "Summarize", "description": "Asks for a summary of a text", "arguments": [
            { "name": "text", "description": "The text", "required": true },
            { "name": "style", "description": "bullets, headline, paragraph or tweet", "required": false }] }) },
                                                                                          { MCT_PROMPT, demo_translate,
                                                                                            MCT_JSON({
        "name": "translate", "title": "Translate", "description": "Asks for a translation", "arguments": [
            { "name": "text", "description": "The text", "required": true },
            { "name": "language", "description": "The language to translate into", "required": true }] }) },
                                                                                           };

struct mcti_provider *mcti_provider_builtin_new(const char *name, struct mcti_sched *sched, const struct mcti_log *log)
{
    struct mcti_provider *p = mcti_provider_local_new(name, sched, log);
    int r =
        p ? mcti_local_set_info(
                p, "{\"name\":\"mcptools-demo\",\"title\":\"mcptools demo server\",\"version\":\"" MCT_VERSION "\"}",
                NULL)
          : -1;
    for (size_t i = 0; r == 0 && i < sizeof items / sizeof *items; i++)
        r = mcti_local_add(p, items[i].kind, items[i].json, items[i].fn, NULL, NULL);
    if (r == 0) {
        mcti_local_set_complete(p, demo_complete, NULL);
        p->trusted = true; /* it is part of this program */
        return p;
    }
    if (p)
        p->ops->free(p);
    return NULL;
}
