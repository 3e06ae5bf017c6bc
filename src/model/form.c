#include "model/form.h"

#include "base/limits.h"
#include "json/write.h"
#include "model/array.h"
#include "model/describe.h"

static const struct mcti_array_format *form_format(const struct mcti_view_form *form)
{
    return mcti_array_format_find(mcti_str_of(form->data));
}

/* Appends the description as a JSON string; nothing if there is none. */
static void form_put_description(struct mcti_buf *to, const struct mcti_array_format *f, struct mcti_str tool)
{
    struct mcti_buf text;
    mcti_buf_init(&text, to->max);
    if (mcti_describe_put(&text, mcti_json_get(tool, "description"), f->rules->max_description))
        mcti_json_put_string(to, mcti_buf_str(&text));
    to->failed |= !mcti_buf_ok(&text);
    mcti_buf_done(&text);
}

static int form_put(struct mcti_buf *to, const struct mcti_view_form *form, struct mcti_str tool, struct mct_error *err)
{
    const struct mcti_array_format *f = form_format(form);
    struct mcti_str schema = mcti_json_get(tool, "inputSchema");
    struct mcti_buf made, description;
    mcti_buf_init(&made, MCT_LIMIT_SCHEMA_BYTES);
    mcti_buf_init(&description, to->max);
    int r = mcti_array_make_schema(&made, f, schema, err);
    form_put_description(&description, f, tool);
    const struct mcti_json_set sets[] = { { "inputSchema", mcti_buf_str(&made) },
                                          { "description", mcti_buf_str(&description) } };
    if (r == 0) /* a tool without a description keeps what it has */
        mcti_json_put_object(to, tool, sets, description.len ? 2 : 1);
    to->failed |= !mcti_buf_ok(&description);
    mcti_buf_done(&made);
    mcti_buf_done(&description);
    return r;
}

static int form_restore(struct mcti_buf *to, const struct mcti_view_form *form, struct mcti_str schema,
                        struct mcti_str arguments, struct mct_error *err)
{
    return mcti_array_restore(to, form_format(form), schema, arguments, err);
}

/* ---- one for each word of mcti_schemas_words ---- */

#define FORM(word)                                                                                                     \
    {                                                                                                                  \
        .data = word, .put = form_put, .restore = form_restore                                                         \
    }
static const struct mcti_view_form form_rows[] = { FORM("openai"),  FORM("openai-strict"), FORM("anthropic"),
                                                   FORM("gemini"),  FORM("xai"),           FORM("deepseek"),
                                                   FORM("llamacpp") };

const struct mcti_view_form *mcti_model_form(enum mcti_schemas schemas)
{
    for (const struct mcti_word *w = mcti_schemas_words; w->word; w++)
        for (size_t i = 0; w->value == schemas && i < sizeof form_rows / sizeof *form_rows; i++)
            if (!strcmp(form_rows[i].data, w->word))
                return &form_rows[i];
    return NULL;
}
