/* One text as everything that is shaped, between all revisions: JSON comes out, and what crosses within a
 * revision does so byte for byte. */
#include "base/limits.h"
#include "mcp/shape/shape.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mct_buf out;

static void must_be_json(void)
{
    if (!mct_buf_ok(&out) || !mct_json_valid(mct_buf_str(&out), MCT_LIMIT_JSON_DEPTH + 16, NULL, NULL))
        abort();
    mct_buf_clear(&out);
}

static void must_be(struct mct_str text, bool same)
{
    if (same && !mct_str_eq(mct_buf_str(&out), text))
        abort();
    must_be_json();
}

static void shape(struct mct_str text, enum mct_rev from, enum mct_rev to)
{
    static const enum mct_verb verbs[] = { MCT_VERB_TOOLS_CALL, MCT_VERB_PROMPTS_GET, MCT_VERB_RESOURCES_READ };
    struct mct_str schema = mct_json_get(text, "outputSchema");
    bool typed = mct_rev_is_stateless(to) && !mct_json_get(text, "resultType").p; /* a result gets the one it lacks */
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        mct_shape_result(&out, verbs[i], text, from, to, schema);
        must_be(text, from == to && !typed);
    }
    for (int kind = 0; kind < MCT_KIND_N; kind++) {
        mct_shape_item(&out, (enum mct_kind)kind, text, MCT_STR_NONE, from, to);
        must_be(text, from == to && !mct_rev_is_stateless(to));
        mct_shape_item(&out, (enum mct_kind)kind, text, MCT_STR("\"s__n\""), from, to);
        must_be_json();
    }
    mct_shape_error(&out, MCT_VERB_RESOURCES_READ, text, from, to, MCT_STR("\"x:y\""));
    must_be_json();
}

static void ask(struct mct_str text, enum mct_rev to)
{
    for (int kind = 0; kind < MCT_ASK_N; kind++) {
        if (mct_shape_ask(&out, (enum mct_ask_kind)kind, text, to, NULL) == 0)
            must_be_json();
        mct_buf_clear(&out);
        if (mct_shape_reply(&out, (enum mct_ask_kind)kind, text, to, NULL) == 0)
            must_be_json();
        mct_buf_clear(&out);
    }
    mct_shape_progress(&out, text, MCT_STR("1"), to);
    must_be_json();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mct_json_top top;
    if (!mct_json_valid((struct mct_str){ (const char *)data, size }, MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return 0;
    mct_buf_init(&out, MCT_LIMIT_MESSAGE_BYTES);
    for (int to = MCT_REV_2024_11_05; to < MCT_REV_N; to++) {
        for (int from = MCT_REV_2024_11_05; from < MCT_REV_N; from++)
            shape(top.value, (enum mct_rev)from, (enum mct_rev)to);
        ask(top.value, (enum mct_rev)to);
    }
    mct_buf_done(&out);
    return 0;
}
