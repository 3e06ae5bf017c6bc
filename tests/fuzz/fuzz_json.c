/* The public JSON reader and writer: what is read and written again is read as the same. */
#include <mcptools/json.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void copy(struct mct_json_writer *w, const char *key, struct mct_json json)
{
    enum mct_json_type type = mct_json_type(json);
    char *text = type == MCT_JSON_TEXT ? mct_json_text(json) : NULL;
    char *raw = calloc(1, json.len + 1);
    bool yes = false;
    memcpy(raw, json.p, json.len);
    if (type == MCT_JSON_BOOL && mct_json_bool(json, &yes))
        mct_json_put_bool(w, key, yes);
    else if (text)
        mct_json_put_text(w, key, text);
    else if (type < MCT_JSON_ARRAY)
        mct_json_put_json(w, key, raw);
    else if (type == MCT_JSON_ARRAY)
        mct_json_put_array(w, key);
    else
        mct_json_put_object(w, key);
    for (struct mct_json_iter it = mct_json_each(json); mct_json_next(&it);) {
        char *name = mct_json_text(it.key);
        copy(w, type == MCT_JSON_OBJECT ? (name ? name : "?") : NULL, it.value);
        free(name);
    }
    if (type >= MCT_JSON_ARRAY)
        mct_json_put_end(w);
    free(text);
    free(raw);
}

/* Writes the value anew. */
static char *again(struct mct_json json)
{
    struct mct_json_writer *w = mct_json_writer_new();
    copy(w, NULL, json);
    char *text = mct_json_writer_take(w, NULL);
    if (!text)
        abort();
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mct_json json, second;
    if (mct_json_read_len((const char *)data, size, &json, NULL) < 0)
        return 0;
    char *once = again(json);
    if (mct_json_read(once, &second, NULL) < 0)
        abort();
    char *twice = again(second);
    if (strcmp(once, twice) != 0)
        abort();
    free(once);
    free(twice);
    return 0;
}
