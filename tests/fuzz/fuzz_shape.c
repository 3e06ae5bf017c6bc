/* One text as everything that is shaped, between all revisions: JSON comes out, and what crosses within a
 * revision does so byte for byte. */
#include "base/limits.h"
#include "mcp/shape/shape.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mcti_buf out;

static void must_be_json(void)
{
    if (!mcti_buf_ok(&out) || !mcti_json_valid(mcti_buf_str(&out), MCT_LIMIT_JSON_DEPTH + 16, NULL, NULL))
        abort();
    mcti_buf_clear(&out);
}

static void must_be(struct mcti_str text, bool same)
{
    if (same && !mcti_str_eq(mcti_buf_str(&out), text))
        abort();
    must_be_json();
}

static void shape(struct mcti_str text, enum mcti_rev from, enum mcti_rev to)
{
    static const enum mcti_verb verbs[] = { MCT_VERB_TOOLS_CALL, MCT_VERB_PROMPTS_GET, MCT_VERB_RESOURCES_READ };
    struct mcti_str schema = mcti_json_get(text, "outputSchema");
    bool typed = mcti_rev_is_stateless(to) && !mcti_json_get(text, "resultType").p; /* a result gets the one it lacks */
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        mcti_shape_result(&out, verbs[i], text, from, to, schema);
        must_be(text, from == to && !typed);
    }
    for (int kind = 0; kind < MCT_KIND_N; kind++) {
        mcti_shape_item(&out, (enum mcti_kind)kind, text, MCT_STR_NONE, from, to);
        must_be(text, from == to && !mcti_rev_is_stateless(to));
        mcti_shape_item(&out, (enum mcti_kind)kind, text, MCT_STR("\"s__n\""), from, to);
        must_be_json();
    }
    mcti_shape_error(&out, MCT_VERB_RESOURCES_READ, text, from, to, MCT_STR("\"x:y\""));
    must_be_json();
}

static void ask(struct mcti_str text, enum mcti_rev to)
{
    for (int kind = 0; kind < MCT_ASK_N; kind++) {
        if (mcti_shape_ask(&out, (enum mcti_ask_kind)kind, text, to, NULL) == 0)
            must_be_json();
        mcti_buf_clear(&out);
        if (mcti_shape_reply(&out, (enum mcti_ask_kind)kind, text, to, NULL) == 0)
            must_be_json();
        mcti_buf_clear(&out);
    }
    mcti_shape_progress(&out, text, MCT_STR("1"), to);
    must_be_json();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mcti_json_top top;
    if (!mcti_json_valid((struct mcti_str){ (const char *)data, size }, MCT_LIMIT_JSON_DEPTH, &top, NULL))
        return 0;
    mcti_buf_init(&out, MCT_LIMIT_MESSAGE_BYTES);
    for (int to = MCT_REV_2024_11_05; to < MCT_REV_N; to++) {
        for (int from = MCT_REV_2024_11_05; from < MCT_REV_N; from++)
            shape(top.value, (enum mcti_rev)from, (enum mcti_rev)to);
        ask(top.value, (enum mcti_rev)to);
    }
    mcti_buf_done(&out);
    return 0;
}
