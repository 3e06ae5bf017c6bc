#include "hub/local/demo.h"

#include "hub/local/local.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---- tools ---- */

static void echo(struct mct_local_request *r, void *data)
{
    char *text = mct_json_dup(mct_local_argument(r, "text"));
    (void)data;
    if (text)
        mct_local_text(r, "%s", text);
    else
        mct_local_text_error(r, "the argument \"text\" must be a string");
    free(text);
}

static void tell_time(struct mct_local_request *r, void *data)
{
    char text[40];
    time_t now = time(NULL);
    struct tm tm;
    (void)data;
    gmtime_r(&now, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    mct_local_text(r, "%s", text);
}

struct sums {
    unsigned n;
    double sum, min, max;
};

/* NULL, or what is wrong with the list. */
static const char *sum_up(struct mct_str list, struct sums *ret)
{
    struct mct_str item;
    *ret = (struct sums){ .min = INFINITY, .max = -INFINITY };
    if (mct_json_type(list) != '[')
        return "the argument \"numbers\" must be a list of numbers";
    for (struct mct_json_iter it = mct_json_open(list); mct_json_next_item(&it, &item); ret->n++) {
        double v = mct_json_double(item);
        if (mct_json_type(item) != '0' || !isfinite(v))
            return "\"numbers\" must hold finite numbers only";
        ret->sum += v;
        ret->min = fmin(ret->min, v);
        ret->max = fmax(ret->max, v);
    }
    bool sound = ret->n && isfinite(ret->sum);
    return sound ? NULL : "\"numbers\" must hold at least one number, and their sum must be finite";
}

static void statistics(struct mct_local_request *r, void *data)
{
    struct sums s;
    struct mct_buf b;
    char text[256];
    const char *wrong = sum_up(mct_local_argument(r, "numbers"), &s);
    (void)data;
    if (wrong) {
        mct_local_text_error(r, "%s", wrong);
        return;
    }
    snprintf(text, sizeof text, "{\"count\":%u,\"sum\":%.15g,\"mean\":%.15g,\"min\":%.15g,\"max\":%.15g}", s.n, s.sum,
             s.sum / s.n, s.min, s.max);
    mct_buf_init(&b, 4096);
    mct_buf_addz(&b, "{\"content\":[{\"type\":\"text\"");
    mct_json_put_member(&b, "text", mct_str_of(text));
    mct_buf_addz(&b, "}]");
    mct_json_put_raw(&b, "structuredContent", mct_str_of(text));
    mct_buf_addc(&b, '}');
    mct_local_result(r, mct_buf_str(&b));
    mct_buf_done(&b);
}

struct countdown {
    unsigned steps, step_ms, done;
};

static unsigned bounded(struct mct_str number, unsigned fallback, unsigned max)
{
    uint64_t n;
    if (!mct_json_uint(number, &n) || n < 1)
        return fallback;
    return n > max ? max : (unsigned)n;
}

static void count_step(struct mct_local_request *r, void *data)
{
    struct countdown *c = data;
    char text[64];
    snprintf(text, sizeof text, "step %u of %u", ++c->done, c->steps);
    mct_local_progress(r, c->done, c->steps, text);
    if (c->done < c->steps)
        mct_local_later(r, c->step_ms, count_step, c);
    else
        mct_local_text(r, "Counted down %u steps.", c->steps);
}

static void countdown(struct mct_local_request *r, void *data)
{
    struct countdown *c = mct_local_memory(r, sizeof *c);
    (void)data;
    if (!c) {
        mct_local_text_error(r, MCT_NO_MEMORY_TEXT);
        return;
    }
    c->steps = bounded(mct_local_argument(r, "steps"), 5, 1000);
    c->step_ms = bounded(mct_local_argument(r, "step_ms"), 200, 60000);
    mct_local_later(r, c->step_ms, count_step, c);
}

/* ---- resources ---- */

static void readme(struct mct_local_request *r, void *data)
{
    (void)data;
    mct_local_contents(r, "text/markdown", MCT_STR(
        "# The demo server\n\nIt is built into mcptools and answers where nothing is configured yet.\n"
        "Try `mcptools call demo.echo text=hello`, or put your own servers into `mcptools.json`.\n"));
}

static void pixel(struct mct_local_request *r, void *data)
{
    (void)data;
    mct_local_blob(r, "image/png", MCT_STR("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhg"
                                           "GAWjR9awAAAABJRU5ErkJggg=="));
}

static void greeting(struct mct_local_request *r, void *data)
{
    enum { PREFIX = sizeof "demo://greeting/" - 1 };
    struct mct_str uri = mct_local_uri(r);
    char text[256];
    (void)data;
    snprintf(text, sizeof text, "Hello, %.*s!", (int)(uri.len - PREFIX > 200 ? 200 : uri.len - PREFIX), uri.p + PREFIX);
    mct_local_contents(r, "text/plain", mct_str_of(text));
}

/* ---- prompts and completions ---- */

static void summarize(struct mct_local_request *r, void *data)
{
    char *text = mct_json_dup(mct_local_argument(r, "text")), *style = mct_json_dup(mct_local_argument(r, "style"));
    (void)data;
    if (text)
        mct_local_prompt(r, "Summarize this text%s%s:\n\n%s", style ? " as " : "", style ? style : "", text);
    else
        mct_local_fail(r, MCT_RPC_INVALID_PARAMS, "the prompt needs the argument text", MCT_STR_NONE);
    free(text);
    free(style);
}

static void translate(struct mct_local_request *r, void *data)
{
    char *text = mct_json_dup(mct_local_argument(r, "text"));
    char *language = mct_json_dup(mct_local_argument(r, "language"));
    (void)data;
    if (text && language)
        mct_local_prompt(r, "Translate this text into %s:\n\n%s", language, text);
    else
        mct_local_fail(r, MCT_RPC_INVALID_PARAMS, "the prompt needs the arguments text and language", MCT_STR_NONE);
    free(text);
    free(language);
}

static void complete(struct mct_local_request *r, void *data)
{
    static const struct {
        const char *argument;
        const char *values[12];
    } rows[] = {
        { "style", { "bullets", "headline", "paragraph", "tweet" } },
        { "language", { "Arabic", "Chinese", "English", "French", "German", "Hindi", "Italian", "Japanese",
                        "Portuguese", "Spanish", "Turkish" } },
        { "name", { "Ada", "Alan", "Barbara", "Dennis", "Grace", "Ken", "Linus" } },
        { NULL, { NULL } },
    };
    struct mct_str name = mct_json_get(mct_json_get(mct_local_params(r), "argument"), "name");
    size_t i = 0;
    (void)data;
    while (rows[i].argument && !mct_json_is(name, rows[i].argument))
        i++;
    mct_local_complete(r, rows[i].values);
}

/* ---- what there is ---- */

static const struct {
    enum mct_kind kind;
    mct_local_fn fn;
    const char *json;
} items[] = {
    { MCT_TOOL, echo, MCT_JSON({
        "name": "echo", "title": "Echo", "description": "Returns the text it is given.",
        "inputSchema": { "type": "object", "required": ["text"],
                         "properties": { "text": { "type": "string", "description": "What to say back" } } },
        "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false } }) },
    { MCT_TOOL, tell_time, MCT_JSON({
        "name": "time", "title": "Current time", "description": "The current time of this machine in UTC.",
        "inputSchema": { "type": "object", "properties": {} },
        "annotations": { "readOnlyHint": true, "openWorldHint": false } }) },
    { MCT_TOOL, countdown, MCT_JSON({
        "name": "countdown", "title": "Countdown",
        "description": "Takes its time and reports progress after each step.",
        "inputSchema": { "type": "object", "properties": {
            "steps": { "type": "integer", "minimum": 1, "maximum": 1000, "default": 5,
                       "description": "How many steps" },
            "step_ms": { "type": "integer", "minimum": 1, "maximum": 60000, "default": 200,
                         "description": "Milliseconds a step takes" } } },
        "annotations": { "readOnlyHint": true, "openWorldHint": false } }) },
    { MCT_TOOL, statistics, MCT_JSON({
        "name": "statistics", "title": "Statistics",
        "description": "Count, sum, mean, least and greatest of a list of numbers, as structured content.",
        "inputSchema": { "type": "object", "required": ["numbers"], "properties": {
            "numbers": { "type": "array", "items": { "type": "number" }, "minItems": 1 } } },
        "outputSchema": { "type": "object", "required": ["count", "sum", "mean", "min", "max"], "properties": {
            "count": { "type": "integer" }, "sum": { "type": "number" }, "mean": { "type": "number" },
            "min": { "type": "number" }, "max": { "type": "number" } } },
        "annotations": { "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false } }) },
    { MCT_RESOURCE, readme, MCT_JSON({
        "uri": "demo://readme", "name": "readme", "title": "About this server",
        "description": "What the demo server is for", "mimeType": "text/markdown" }) },
    { MCT_RESOURCE, pixel, MCT_JSON({
        "uri": "demo://pixel.png", "name": "pixel.png", "title": "One pixel",
        "description": "A binary resource: the smallest picture", "mimeType": "image/png" }) },
    { MCT_TEMPLATE, greeting, MCT_JSON({
        "uriTemplate": "demo://greeting/{name}", "name": "greeting", "title": "Greeting",
        "description": "A greeting for somebody", "mimeType": "text/plain" }) },
    { MCT_PROMPT, summarize, MCT_JSON({
        "name": "summarize", "title": "Summarize", "description": "Asks for a summary of a text", "arguments": [
            { "name": "text", "description": "The text", "required": true },
            { "name": "style", "description": "bullets, headline, paragraph or tweet", "required": false }] }) },
    { MCT_PROMPT, translate, MCT_JSON({
        "name": "translate", "title": "Translate", "description": "Asks for a translation", "arguments": [
            { "name": "text", "description": "The text", "required": true },
            { "name": "language", "description": "The language to translate into", "required": true }] }) },
};

struct mct_provider *mct_provider_builtin_new(const char *name, struct mct_sched *sched, const struct mct_log *log)
{
    struct mct_provider *p = mct_provider_local_new(name, sched, log);
    int r = p ? mct_local_set_info(p, "{\"name\":\"mcptools-demo\",\"title\":\"mcptools demo server\",\"version\":\""
                                   MCT_VERSION "\"}", NULL) : -1;
    for (size_t i = 0; r == 0 && i < sizeof items / sizeof *items; i++)
        r = mct_local_add(p, items[i].kind, items[i].json, items[i].fn, NULL, NULL);
    if (r == 0) {
        mct_local_set_complete(p, complete, NULL);
        p->trusted = true; /* it is this program */
        return p;
    }
    if (p)
        p->ops->free(p);
    return NULL;
}
