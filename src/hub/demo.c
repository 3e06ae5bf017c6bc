#include "hub/demo.h"

#include "json/write.h"
#include "mcp/era.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static const char *const tools[] = {
    "{\"name\":\"echo\",\"title\":\"Echo\",\"description\":\"Returns the text it is given.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\","
    "\"description\":\"What to say back\"}},\"required\":[\"text\"]},"
    "\"annotations\":{\"readOnlyHint\":true,\"idempotentHint\":true,\"openWorldHint\":false}}",

    "{\"name\":\"time\",\"title\":\"Current time\",\"description\":\"The current time of this machine in "
    "UTC.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{}},"
    "\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}",

    "{\"name\":\"countdown\",\"title\":\"Countdown\",\"description\":\"Takes its time and reports progress "
    "after each step.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"steps\":{\"type\":"
    "\"integer\",\"minimum\":1,\"maximum\":1000,\"default\":5,\"description\":\"How many steps\"},"
    "\"step_ms\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":60000,\"default\":200,\"description\":"
    "\"Milliseconds a step takes\"}}},\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}",

    "{\"name\":\"statistics\",\"title\":\"Statistics\",\"description\":\"Count, sum, mean, least and "
    "greatest of a list of numbers, as structured content.\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"numbers\":{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"minItems\":1}},"
    "\"required\":[\"numbers\"]},\"outputSchema\":{\"type\":\"object\",\"properties\":{\"count\":{\"type\":"
    "\"integer\"},\"sum\":{\"type\":\"number\"},\"mean\":{\"type\":\"number\"},\"min\":{\"type\":\"number\"},"
    "\"max\":{\"type\":\"number\"}},\"required\":[\"count\",\"sum\",\"mean\",\"min\",\"max\"]},"
    "\"annotations\":{\"readOnlyHint\":true,\"idempotentHint\":true,\"openWorldHint\":false}}",
};

static const char *const resources[] = {
    "{\"uri\":\"demo://readme\",\"name\":\"readme\",\"title\":\"About this server\",\"description\":"
    "\"What the demo server is for\",\"mimeType\":\"text/markdown\"}",
    "{\"uri\":\"demo://pixel.png\",\"name\":\"pixel.png\",\"title\":\"One pixel\",\"description\":"
    "\"A binary resource: the smallest picture\",\"mimeType\":\"image/png\"}",
};

static const char *const templates[] = {
    "{\"uriTemplate\":\"demo://greeting/{name}\",\"name\":\"greeting\",\"title\":\"Greeting\","
    "\"description\":\"A greeting for somebody\",\"mimeType\":\"text/plain\"}",
};

static const char *const prompts[] = {
    "{\"name\":\"summarize\",\"title\":\"Summarize\",\"description\":\"Asks for a summary of a text\","
    "\"arguments\":[{\"name\":\"text\",\"description\":\"The text\",\"required\":true},{\"name\":\"style\","
    "\"description\":\"bullets, headline, paragraph or tweet\",\"required\":false}]}",
    "{\"name\":\"translate\",\"title\":\"Translate\",\"description\":\"Asks for a translation\","
    "\"arguments\":[{\"name\":\"text\",\"description\":\"The text\",\"required\":true},{\"name\":"
    "\"language\",\"description\":\"The language to translate into\",\"required\":true}]}",
};

static const char readme[] =
    "# The demo server\n\nIt is built into mcptools and answers where nothing is configured yet.\n"
    "Try `mcptools call demo.echo text=hello`, or put your own servers into `mcptools.json`.\n";

static const char pixel_base64[] =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/* Values that complete an argument; NULL ends a list. */
static const struct {
    const char *argument;
    const char *values[12];
} completions[] = {
    { "style", { "bullets", "headline", "paragraph", "tweet" } },
    { "language", { "Arabic", "Chinese", "English", "French", "German", "Hindi", "Italian", "Japanese",
                    "Portuguese", "Spanish", "Turkish" } },
    { "name", { "Ada", "Alan", "Barbara", "Dennis", "Grace", "Ken", "Linus" } },
};

const char *const *mct_demo_items(enum mct_kind kind, size_t *ret_n)
{
    static const struct {
        const char *const *v;
        size_t n;
    } rows[MCT_KIND_N] = {
        [MCT_TOOL] = { tools, sizeof tools / sizeof *tools },
        [MCT_RESOURCE] = { resources, sizeof resources / sizeof *resources },
        [MCT_TEMPLATE] = { templates, sizeof templates / sizeof *templates },
        [MCT_PROMPT] = { prompts, sizeof prompts / sizeof *prompts },
    };
    *ret_n = rows[kind].n;
    return rows[kind].v;
}

/* ---- tools ---- */

static int bad_argument(struct mct_buf *to, const char *why)
{
    mct_buf_addz(to, "{\"content\":[{\"type\":\"text\",");
    mct_json_put_string(to, MCT_STR("text"));
    mct_buf_addc(to, ':');
    mct_json_put_string(to, mct_str_of(why));
    mct_buf_addz(to, "}],\"isError\":true}");
    return 0;
}

/* `raw` is a JSON string. */
static void put_text_result(struct mct_buf *to, struct mct_str raw)
{
    mct_buf_addz(to, "{\"content\":[{\"type\":\"text\",\"text\":");
    mct_buf_add(to, raw);
    mct_buf_addz(to, "}]");
}

static int echo(struct mct_str args, struct mct_buf *to)
{
    struct mct_str text = mct_json_get(args, "text");
    if (mct_json_type(text) != '"')
        return bad_argument(to, "the argument \"text\" must be a string");
    put_text_result(to, text);
    mct_buf_addc(to, '}');
    return 0;
}

static int tell_time(struct mct_str args, struct mct_buf *to)
{
    char text[40];
    time_t now = time(NULL);
    struct tm tm;
    (void)args;
    gmtime_r(&now, &tm);
    strftime(text, sizeof text, "\"%Y-%m-%dT%H:%M:%SZ\"", &tm);
    put_text_result(to, mct_str_of(text));
    mct_buf_addc(to, '}');
    return 0;
}

static int statistics(struct mct_str args, struct mct_buf *to)
{
    struct mct_str list = mct_json_get(args, "numbers"), item;
    double sum = 0, min = INFINITY, max = -INFINITY;
    unsigned n = 0;
    char text[256];
    struct mct_buf quoted;
    if (mct_json_type(list) != '[')
        return bad_argument(to, "the argument \"numbers\" must be a list of numbers");
    for (struct mct_json_iter it = mct_json_open(list); mct_json_next_item(&it, &item); n++) {
        double v = mct_json_double(item);
        if (mct_json_type(item) != '0' || !isfinite(v))
            return bad_argument(to, "\"numbers\" must hold finite numbers only");
        sum += v;
        min = fmin(min, v);
        max = fmax(max, v);
    }
    if (!n || !isfinite(sum))
        return bad_argument(to, "\"numbers\" must hold at least one number, and their sum must be finite");
    snprintf(text, sizeof text, "{\"count\":%u,\"sum\":%.15g,\"mean\":%.15g,\"min\":%.15g,\"max\":%.15g}",
             n, sum, sum / n, min, max);
    mct_buf_init(&quoted, 1024);
    mct_json_put_string(&quoted, mct_str_of(text));
    put_text_result(to, mct_buf_str(&quoted));
    mct_buf_done(&quoted);
    mct_buf_addz(to, ",\"structuredContent\":");
    mct_buf_addz(to, text);
    mct_buf_addc(to, '}');
    return 0;
}

static uint64_t bounded(struct mct_str args, const char *key, uint64_t fallback, uint64_t max)
{
    uint64_t n;
    if (!mct_json_uint(mct_json_get(args, key), &n) || n < 1)
        return fallback;
    return n > max ? max : n;
}

static int countdown(struct mct_str args, struct mct_buf *to)
{
    char text[80];
    snprintf(text, sizeof text, "\"Counted down %llu steps.\"",
             (unsigned long long)bounded(args, "steps", 5, 1000));
    put_text_result(to, mct_str_of(text));
    mct_buf_addc(to, '}');
    return 0;
}

static int call_tool(struct mct_str params, bool last, struct mct_buf *to, unsigned *ret_steps,
                     struct mct_error *err)
{
    static const struct {
        const char *name;
        int (*run)(struct mct_str args, struct mct_buf *to);
    } rows[] = { { "echo", echo }, { "time", tell_time }, { "statistics", statistics },
                 { "countdown", countdown } };
    struct mct_str name = mct_json_get(params, "name"), args = mct_json_get(params, "arguments");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!mct_json_is(name, rows[i].name))
            continue;
        if (rows[i].run == countdown && !last) {
            *ret_steps = (unsigned)bounded(args, "steps", 5, 1000);
            return 0;
        }
        return rows[i].run(args, to);
    }
    return mct_fail(err, MCT_ERR_NOT_FOUND, "unknown tool: %.*s", MCT_STR_ARG(name));
}

unsigned mct_demo_step_ms(struct mct_str params)
{
    return (unsigned)bounded(mct_json_get(params, "arguments"), "step_ms", 200, 60000);
}

/* ---- resources ---- */

static void put_contents(struct mct_buf *to, struct mct_str raw_uri, const char *mime, const char *member,
                         struct mct_str text)
{
    mct_buf_addz(to, "{\"contents\":[{\"uri\":");
    mct_buf_add(to, raw_uri);
    mct_json_put_member(to, "mimeType", mct_str_of(mime));
    mct_json_put_member(to, member, text);
    mct_buf_addz(to, "}]}");
}

static int read_resource(struct mct_str params, struct mct_buf *to, struct mct_error *err)
{
    static const char greeting[] = "demo://greeting/";
    struct mct_str raw = mct_json_get(params, "uri"), uri;
    char text[256];
    if (!mct_json_plain(raw, &uri))
        return mct_fail(err, MCT_ERR_USAGE, "\"uri\" must be a string");
    if (mct_str_is(uri, "demo://readme")) {
        put_contents(to, raw, "text/markdown", "text", mct_str_of(readme));
    } else if (mct_str_is(uri, "demo://pixel.png")) {
        put_contents(to, raw, "image/png", "blob", mct_str_of(pixel_base64));
    } else if (mct_str_starts(uri, mct_str_of(greeting)) && uri.len > sizeof greeting - 1) {
        snprintf(text, sizeof text, "Hello, %.*s!", (int)(uri.len - sizeof greeting + 1 > 200 ? 200 :
                 uri.len - sizeof greeting + 1), uri.p + sizeof greeting - 1);
        put_contents(to, raw, "text/plain", "text", mct_str_of(text));
    } else {
        mct_fail(err, MCT_ERR_NOT_FOUND, "no such resource: %.*s", MCT_STR_ARG(uri));
        err->code = MCT_RPC_RESOURCE_NOT_FOUND;
        return -1;
    }
    return 0;
}

/* ---- prompts ---- */

static int get_prompt(struct mct_str params, struct mct_buf *to, struct mct_error *err)
{
    struct mct_str args = mct_json_get(params, "arguments"), name = mct_json_get(params, "name");
    bool summarize = mct_json_is(name, "summarize");
    const char *second = summarize ? "style" : "language";
    struct mct_buf text;
    int r = 0;
    if (!summarize && !mct_json_is(name, "translate"))
        return mct_fail(err, MCT_ERR_NOT_FOUND, "unknown prompt: %.*s", MCT_STR_ARG(name));
    mct_buf_init(&text, params.len + 256);
    mct_buf_addz(&text, summarize ? "Summarize this text" : "Translate this text");
    struct mct_str how = mct_json_get(args, second);
    if (how.p) {
        mct_buf_addz(&text, summarize ? " as " : " into ");
        r |= mct_json_unescape(how, &text);
    }
    mct_buf_addz(&text, ":\n\n");
    if (mct_json_unescape(mct_json_get(args, "text"), &text) < 0 || r < 0 || (!summarize && !how.p)) {
        r = mct_fail(err, MCT_ERR_USAGE, "the prompt needs the argument%s", summarize ? " text" :
                     "s text and language");
    } else {
        mct_buf_addz(to, "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":");
        mct_json_put_string(to, mct_buf_str(&text));
        mct_buf_addz(to, "}}]}");
    }
    mct_buf_done(&text);
    return r;
}

static int complete(struct mct_str params, struct mct_buf *to)
{
    struct mct_str argument = mct_json_get(params, "argument"), typed = MCT_STR("");
    unsigned n = 0;
    mct_json_plain(mct_json_get(argument, "value"), &typed);
    mct_buf_addz(to, "{\"completion\":{\"values\":[");
    for (size_t i = 0; i < sizeof completions / sizeof *completions; i++) {
        if (!mct_json_is(mct_json_get(argument, "name"), completions[i].argument))
            continue;
        for (const char *const *v = completions[i].values; *v; v++) {
            struct mct_str head = { *v, strlen(*v) < typed.len ? strlen(*v) : typed.len };
            if (!mct_str_eq_nocase(head, typed))
                continue;
            if (n++)
                mct_buf_addc(to, ',');
            mct_json_put_string(to, mct_str_of(*v));
        }
    }
    mct_buf_printf(to, "],\"total\":%u,\"hasMore\":false}}", n);
    return 0;
}

int mct_demo_answer(enum mct_verb verb, struct mct_str params, bool last, struct mct_buf *to,
                    unsigned *ret_steps, struct mct_error *err)
{
    *ret_steps = 0;
    switch (verb) {
    case MCT_VERB_TOOLS_CALL:
        return call_tool(params, last, to, ret_steps, err);
    case MCT_VERB_RESOURCES_READ:
        return read_resource(params, to, err);
    case MCT_VERB_PROMPTS_GET:
        return get_prompt(params, to, err);
    case MCT_VERB_COMPLETE:
        return complete(params, to);
    default:
        return mct_fail(err, MCT_ERR_UNSUPPORTED, "the demo server does not answer %s",
                        mct_method(verb)->name);
    }
}
