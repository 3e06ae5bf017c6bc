/* The JSON writer and reader of <mcptools/json.h>. They use no instance. */
#include "base/limits.h"
#include "json/write.h"

#include <mcptools/json.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct mct_json_writer {
    struct mcti_buf text;
    const char *mistake; /* NULL: none so far */
    bool is_complete;    /* the outermost value is written */
    unsigned depth;
    char closers[MCT_LIMIT_JSON_DEPTH]; /* '}' or ']' of each open object and array */
};

/* ---- writing ---- */

struct mct_json_writer *mct_json_writer_new(void)
{
    struct mct_json_writer *w = calloc(1, sizeof *w);
    if (w)
        mcti_buf_init(&w->text, SIZE_MAX / 2);
    return w;
}

void mct_json_writer_free(struct mct_json_writer *w)
{
    if (!w)
        return;
    mcti_buf_done(&w->text);
    free(w);
}

char *mct_json_writer_take(struct mct_json_writer *w, struct mct_error *err)
{
    char *text = NULL;
    if (!w || !mcti_buf_ok(&w->text))
        mcti_no_memory(err);
    else if (w->mistake)
        mcti_fail(err, MCT_ERR_USAGE, "JSON: %s", w->mistake);
    else if (!w->is_complete)
        mcti_fail(err, MCT_ERR_USAGE, "JSON: %s",
                  w->depth ? "an object or array is not ended" : "no value was written");
    else if (!(text = mcti_buf_take(&w->text)))
        mcti_no_memory(err);
    mct_json_writer_free(w);
    return text;
}

static const char *writer_find_mistake(const struct mct_json_writer *w, const char *key)
{
    bool in_object = w->depth && w->closers[w->depth - 1] == '}';
    if (w->is_complete)
        return "a value was written after the outermost one";
    if (in_object && !key)
        return "a member of an object was written without a key";
    return !in_object && key ? "a key was given outside of an object" : NULL;
}

/* Writes what comes before a value. Returns false if the writer has failed. */
static bool writer_put_head(struct mct_json_writer *w, const char *key)
{
    if (!w || w->mistake)
        return false;
    w->mistake = writer_find_mistake(w, key);
    if (w->mistake)
        return false;
    char last = w->text.len ? w->text.p[w->text.len - 1] : '[';
    if (last != '[' && last != '{')
        mcti_buf_addc(&w->text, ',');
    if (key) {
        mcti_json_put_string(&w->text, mcti_str_of(key));
        mcti_buf_addc(&w->text, ':');
    }
    return true;
}

static void writer_put_raw(struct mct_json_writer *w, const char *key, struct mcti_str json)
{
    if (!writer_put_head(w, key))
        return;
    mcti_buf_add(&w->text, json);
    w->is_complete = !w->depth;
}

static void writer_put_open(struct mct_json_writer *w, const char *key, const char *braces)
{
    if (!writer_put_head(w, key))
        return;
    if (w->depth == sizeof w->closers) {
        w->mistake = "nested too deeply";
        return;
    }
    mcti_buf_addc(&w->text, braces[0]);
    w->closers[w->depth++] = braces[1];
}

void mct_json_put_object(struct mct_json_writer *w, const char *key)
{
    writer_put_open(w, key, "{}");
}

void mct_json_put_array(struct mct_json_writer *w, const char *key)
{
    writer_put_open(w, key, "[]");
}

void mct_json_put_end(struct mct_json_writer *w)
{
    if (!w || w->mistake)
        return;
    if (!w->depth) {
        w->mistake = "no object or array is open to be ended";
        return;
    }
    mcti_buf_addc(&w->text, w->closers[--w->depth]);
    w->is_complete = !w->depth;
}

void mct_json_put_text_len(struct mct_json_writer *w, const char *key, const char *text, size_t len)
{
    if (!text) {
        mct_json_put_null(w, key);
        return;
    }
    if (!writer_put_head(w, key))
        return;
    mcti_json_put_string(&w->text, (struct mcti_str){ text, len });
    w->is_complete = !w->depth;
}

void mct_json_put_text(struct mct_json_writer *w, const char *key, const char *text)
{
    mct_json_put_text_len(w, key, text, text ? strlen(text) : 0);
}

void mct_json_put_int(struct mct_json_writer *w, const char *key, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)number);
    writer_put_raw(w, key, mcti_str_of(text));
}

void mct_json_put_number(struct mct_json_writer *w, const char *key, double number)
{
    struct mcti_buf text;
    if (!isfinite(number)) {
        mct_json_put_null(w, key);
        return;
    }
    mcti_buf_init(&text, 64);
    mcti_json_put_double(&text, number);
    writer_put_raw(w, key, mcti_buf_str(&text));
    mcti_buf_done(&text);
}

void mct_json_put_bool(struct mct_json_writer *w, const char *key, bool value)
{
    writer_put_raw(w, key, value ? MCT_STR("true") : MCT_STR("false"));
}

void mct_json_put_null(struct mct_json_writer *w, const char *key)
{
    writer_put_raw(w, key, MCT_STR("null"));
}

void mct_json_put_json(struct mct_json_writer *w, const char *key, const char *json)
{
    struct mcti_json_top top;
    struct mcti_str text = mcti_str_of(json);
    if (!json)
        mct_json_put_null(w, key);
    else if (mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH - (w ? (int)w->depth : 0), &top, NULL))
        writer_put_raw(w, key, top.value);
    else if (w && !w->mistake)
        w->mistake = "the text of a value is not valid JSON, or nested too deeply";
}

/* ---- reading ---- */

static struct mcti_str span_of(struct mct_json json)
{
    return (struct mcti_str){ json.p, json.len };
}

static struct mct_json json_of(struct mcti_str span)
{
    return (struct mct_json){ span.p, span.len };
}

int mct_json_read_len(const char *text, size_t len, struct mct_json *ret_json, struct mct_error *err)
{
    struct mcti_json_top top;
    struct mcti_json_fault fault;
    if (!text)
        return mcti_fail(err, MCT_ERR_USAGE, "the JSON text is NULL");
    if (!mcti_json_valid((struct mcti_str){ text, len }, MCT_LIMIT_JSON_DEPTH, &top, &fault))
        return mcti_fail(err, MCT_ERR_USAGE, "not valid JSON: %s at byte %zu", fault.why, fault.offset);
    *ret_json = json_of(top.value);
    return 0;
}

int mct_json_read(const char *text, struct mct_json *ret_json, struct mct_error *err)
{
    return mct_json_read_len(text, text ? strlen(text) : 0, ret_json, err);
}

enum mct_json_type mct_json_type(struct mct_json json)
{
    switch (mcti_json_type(span_of(json))) {
    case '{':
        return MCT_JSON_OBJECT;
    case '[':
        return MCT_JSON_ARRAY;
    case '"':
        return MCT_JSON_TEXT;
    case '0':
        return MCT_JSON_NUMBER;
    case 't':
    case 'f':
        return MCT_JSON_BOOL;
    case 'n':
        return MCT_JSON_NULL;
    default:
        return MCT_JSON_ABSENT;
    }
}

struct mct_json mct_json_get(struct mct_json json, const char *key)
{
    return json_of(mcti_json_get(span_of(json), key));
}

struct mct_json mct_json_at(struct mct_json json, size_t index)
{
    struct mct_json_iter iter = mct_json_each(json);
    bool found = mct_json_type(json) == MCT_JSON_ARRAY && mct_json_next(&iter);
    while (found && index--)
        found = mct_json_next(&iter);
    return found ? iter.value : (struct mct_json){ 0 };
}

struct mct_json_iter mct_json_each(struct mct_json json)
{
    struct mcti_json_iter it = mcti_json_open(span_of(json));
    struct mct_json_iter iter = { { 0 }, { 0 }, { it.p, (size_t)(it.end - it.p) } };
    if (mct_json_type(json) == MCT_JSON_OBJECT)
        iter.key = json; /* not absent: the rest are members */
    return iter;
}

bool mct_json_next(struct mct_json_iter *iter)
{
    struct mcti_json_member m;
    bool found;
    if (!iter->rest.p)
        return false;
    struct mcti_json_iter it = { iter->rest.p, iter->rest.p + iter->rest.len };
    if (iter->key.p)
        found = mcti_json_next_member(&it, &m);
    else
        found = mcti_json_next_item(&it, &m.value);
    if (found && iter->key.p)
        iter->key = json_of(mcti_json_key_value(m.key));
    if (found)
        iter->value = json_of(m.value);
    iter->rest = (struct mct_json){ it.p, (size_t)(it.end - it.p) };
    return found;
}

bool mct_json_int(struct mct_json json, int64_t *ret)
{
    return mcti_json_int(span_of(json), ret);
}

bool mct_json_number(struct mct_json json, double *ret)
{
    if (mct_json_type(json) != MCT_JSON_NUMBER)
        return false;
    *ret = mcti_json_double(span_of(json));
    return true;
}

bool mct_json_bool(struct mct_json json, bool *ret)
{
    if (mct_json_type(json) != MCT_JSON_BOOL)
        return false;
    *ret = mcti_json_true(span_of(json));
    return true;
}

char *mct_json_text(struct mct_json json)
{
    return mcti_json_dup(span_of(json));
}

bool mct_json_is(struct mct_json json, const char *text)
{
    return mcti_json_is(span_of(json), text);
}
